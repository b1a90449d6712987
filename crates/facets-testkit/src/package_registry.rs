//! A registry of npm and an index of PyPI on this machine.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};

const BYTES: &str = "application/octet-stream";

/// What is served, by its path.
type Pages = BTreeMap<String, Page>;

/// Where the next answer stops, by its path.
type Stalls = Mutex<BTreeMap<String, Stall>>;

/// A server on a port of its own. It ends with the process.
#[derive(Debug)]
pub struct PackageRegistry {
    /// Its address, without a slash at the end.
    pub base: String,
    listener: TcpListener,
    pages: Pages,
    /// What is said about each version of each package of npm.
    packages: BTreeMap<String, Map<String, Value>>,
    stalls: Arc<Stalls>,
}

#[derive(Clone, Debug)]
struct Page {
    content_type: &'static str,
    content: Content,
}

/// What a page has.
#[derive(Clone, Debug)]
enum Content {
    Bytes(Vec<u8>),
    /// Read for every answer.
    File(PathBuf),
}

impl Content {
    fn read(&self) -> Option<Vec<u8>> {
        match self {
            Self::Bytes(bytes) => Some(bytes.clone()),
            Self::File(path) => fs::read(path).ok(),
        }
    }
}

#[derive(Debug)]
struct Stall {
    after: usize,
    reached: Sender<()>,
}

impl PackageRegistry {
    /// Takes a port. Nothing is answered yet.
    #[must_use]
    pub fn bind() -> Self {
        let (listener, base) = listen();
        let (pages, packages) = (Pages::new(), BTreeMap::new());
        Self { base, listener, pages, packages, stalls: Arc::default() }
    }

    /// Adds a version of a package of npm.
    pub fn add_npm(&mut self, name: &str, version: &str, tarball: &[u8]) {
        self.add_version(name, version, Content::Bytes(tarball.to_vec()));
    }

    /// Adds a version whose tarball is whatever a file has at the time.
    pub fn add_npm_file(&mut self, name: &str, version: &str, tarball: &Path) {
        self.add_version(name, version, Content::File(tarball.to_owned()));
    }

    fn add_version(&mut self, name: &str, version: &str, tarball: Content) {
        let path = Self::tarball_path(name, version);
        let described = json!({
            "name": name,
            "version": version,
            "dist": { "tarball": format!("{}{path}", self.base) },
        });
        let versions = self.packages.entry(name.to_owned()).or_default();
        versions.insert(version.to_owned(), described);
        let document = json!({ "name": name, "versions": versions });
        let document = Content::Bytes(document.to_string().into_bytes());
        self.add(&Self::document_path(name), "application/json", document);
        self.add(&path, BYTES, tarball);
    }

    /// The path of the document about a package of npm.
    #[must_use]
    pub fn document_path(name: &str) -> String {
        format!("/npm/{}", name.replace('/', "%2f"))
    }

    /// The path of its tarball.
    #[must_use]
    pub fn tarball_path(name: &str, version: &str) -> String {
        format!("/npm/{name}/-/{version}.tgz")
    }

    /// Adds a release of PyPI: names of files with their SHA-256. Each file has its own name as its content.
    pub fn add_release(&mut self, project: &str, version: &str, files: &[(&str, String)]) {
        let listed = files.iter().map(|(name, sha256)| {
            json!({
                "filename": name,
                "url": format!("{}/files/{name}", self.base),
                "hashes": { "sha256": sha256 },
                "size": name.len(),
            })
        });
        let name = project.replace('_', "-");
        let page = json!({
            "meta": { "api-version": "1.1" },
            "name": name,
            "versions": [version],
            "files": listed.collect::<Vec<_>>(),
        });
        let page = Content::Bytes(page.to_string().into_bytes());
        self.add(&format!("/simple/{name}/"), "application/vnd.pypi.simple.v1+json", page);
        for (name, _) in files {
            self.add_file(&format!("/files/{name}"), name.as_bytes());
        }
    }

    /// Adds any other file, such as one of a release where GitHub has those.
    pub fn add_file(&mut self, path: &str, bytes: &[u8]) {
        self.add(path, BYTES, Content::Bytes(bytes.to_vec()));
    }

    fn add(&mut self, path: &str, content_type: &'static str, content: Content) {
        self.pages.insert(path.to_owned(), Page { content_type, content });
    }

    /// Answers from now on.
    #[must_use]
    pub fn start(self) -> Self {
        let pages = Arc::new(self.pages.clone());
        let stalls = Arc::clone(&self.stalls);
        let listener = self.listener.try_clone();
        let listener = listener.unwrap_or_else(|error| panic!("cannot share a port: {error}"));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pages, stalls) = (Arc::clone(&pages), Arc::clone(&stalls));
                std::thread::spawn(move || answer(&stream, &pages, &stalls));
            }
        });
        self
    }

    /// The next answer at a path stops after so many bytes, head included, and the connection stays open
    /// until the client closes it. The receiver is told when that point is reached.
    #[must_use]
    pub fn stall(&self, path: &str, after: usize) -> Receiver<()> {
        let (reached, receiver) = channel();
        let mut stalls = self.stalls.lock().unwrap_or_else(PoisonError::into_inner);
        stalls.insert(path.to_owned(), Stall { after, reached });
        receiver
    }
}

/// An address at which nothing listens.
#[must_use]
pub fn unused_address() -> String {
    listen().1
}

/// A free port, and its address.
fn listen() -> (TcpListener, String) {
    let bound = TcpListener::bind("127.0.0.1:0").and_then(|listener| {
        let address = listener.local_addr()?;
        Ok((listener, format!("http://{address}")))
    });
    bound.unwrap_or_else(|error| panic!("cannot listen on this machine: {error}"))
}

/// One request for each connection.
fn answer(stream: &TcpStream, pages: &Pages, stalls: &Stalls) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    // The rest of the head, up to the empty line.
    while lines.next().is_some_and(|line| !line.is_empty()) {}
    let path = first.split(' ').nth(1).unwrap_or_default();
    let found = pages.get(path).and_then(|page| Some((page.content_type, page.content.read()?)));
    let (status, (content_type, body)) = match found {
        Some(found) => ("200 OK", found),
        None => ("404 Not Found", ("text/plain", b"not found".to_vec())),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let bytes = [head.as_bytes(), body.as_slice()].concat();
    let stall = stalls.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
    let mut connection = stream;
    let Some(Stall { after, reached }) = stall else {
        let _ = connection.write_all(&bytes);
        return;
    };
    let _ = connection.write_all(&bytes[..after.min(bytes.len())]);
    let _ = reached.send(());
    while matches!(connection.read(&mut [0]), Ok(1..)) {}
}
