//! A package registry and a package index on this machine.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use facets_digest::Digest;
use serde_json::json;

/// What is served, by its path.
type Pages = BTreeMap<String, (&'static str, Vec<u8>)>;

/// A server on a port of its own. It ends with the test.
pub(crate) struct Upstream {
    /// Its address, without a slash at the end.
    pub(crate) base: String,
    listener: TcpListener,
    pages: Pages,
}

impl Upstream {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        Self { base, listener, pages: Pages::new() }
    }

    /// A version of a package of npm.
    pub(crate) fn add_npm(&mut self, name: &str, version: &str, tarball: &[u8]) {
        let file = format!("/npm/{name}/-/{version}.tgz");
        let document = json!({
            "name": name,
            "version": version,
            "dist": { "tarball": format!("{}{file}", self.base) },
        });
        let path = format!("/npm/{}/{version}", name.replace('/', "%2f"));
        self.page(&path, "application/json", document.to_string().as_bytes());
        self.page(&file, "application/octet-stream", tarball);
    }

    /// A release of PyPI. Each file has its own name as its content.
    pub(crate) fn add_release(&mut self, project: &str, version: &str, files: &[&str]) {
        let listed = files.iter().map(|name| {
            json!({
                "filename": name,
                "url": format!("{}/files/{name}", self.base),
                "hashes": { "sha256": Digest::of(name.as_bytes()).hex() },
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
        let kind = "application/vnd.pypi.simple.v1+json";
        self.page(&format!("/simple/{name}/"), kind, page.to_string().as_bytes());
        for file in files {
            self.page(&format!("/files/{file}"), "application/octet-stream", file.as_bytes());
        }
    }

    /// A file of a release, where GitHub has those.
    pub(crate) fn add_asset(&mut self, path: &str, body: &[u8]) {
        self.page(path, "application/octet-stream", body);
    }

    fn page(&mut self, path: &str, kind: &'static str, body: &[u8]) {
        self.pages.insert(path.to_owned(), (kind, body.to_vec()));
    }

    /// Answers from now on.
    pub(crate) fn start(self) -> Self {
        let pages = Arc::new(self.pages.clone());
        let listener = self.listener.try_clone().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let pages = Arc::clone(&pages);
                std::thread::spawn(move || answer(&stream, &pages));
            }
        });
        self
    }
}

/// One request for each connection.
fn answer(stream: &TcpStream, pages: &Pages) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    // The rest of the head, up to the empty line.
    while lines.next().is_some_and(|line| !line.is_empty()) {}
    let path = first.split(' ').nth(1).unwrap_or_default();
    let (status, (kind, body)) = match pages.get(path) {
        Some((kind, body)) => ("200 OK", (*kind, body.as_slice())),
        None => ("404 Not Found", ("text/plain", &b"not found"[..])),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let mut out = stream;
    let _ = out.write_all(head.as_bytes()).and_then(|()| out.write_all(body));
}

/// An address at which nobody listens.
pub(crate) fn unused_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}
