//! The reference CLI for facets, and a registry that it asks.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use facets_digest::Digest;
use facets_testkit::ReferenceProgram;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::trusted::Ran;

/// The reference CLI with a home of its own.
pub(crate) struct ReferenceCli {
    program: ReferenceProgram,
    _home: TempDir,
}

impl ReferenceCli {
    /// None, and a visible skip, where it is not installed.
    pub(crate) fn find() -> Option<Self> {
        let home = tempfile::tempdir().unwrap();
        let program = ReferenceProgram::find(home.path())?;
        Some(Self { program, _home: home })
    }

    fn run(&self, directory: &Path, registry: &str, words: &[&str]) -> Ran {
        Ran::of(&self.program.command(directory, registry, words).output().unwrap())
    }

    /// Builds the facet of a directory, into `dist` below it.
    pub(crate) fn build(&self, directory: &Path) -> Value {
        self.run(directory, "http://127.0.0.1:1", &["build", "--json"]).exits(0).json()
    }

    /// Installs facets, such as `name@1.0.0`, into an empty project.
    pub(crate) fn install(&self, project: &Path, registry: &str, facets: &[&str]) -> Ran {
        self.program.make_project(project);
        self.run(project, registry, &[&["add", "--accept-mcp"][..], facets].concat())
    }
}

/// The registry of the reference, for reading.
pub(crate) struct FacetRegistry {
    listener: TcpListener,
    address: String,
    /// Whole answers, by their paths.
    answers: BTreeMap<String, Vec<u8>>,
}

impl FacetRegistry {
    /// Takes a port. Nothing is answered yet.
    pub(crate) fn bind() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        Self { listener, address, answers: BTreeMap::new() }
    }

    /// Adds a version of a facet with the fingerprint that the registry claims for it.
    pub(crate) fn publish(&mut self, name: &str, version: &str, integrity: &str, archive: &[u8]) {
        let content_hash = Digest::of(archive).to_string();
        let record = json!({
            "name": name,
            "version": version,
            "content_hash": content_hash,
            "content_integrity": integrity,
        });
        let path = format!("/v0/facets/{name}/{version}");
        let blob = format!("/blobs/{content_hash}");
        let location = format!("Location: {}{blob}\r\n", self.address);
        let (document, bytes) =
            ("Content-Type: application/json\r\n", "Content-Type: application/octet-stream\r\n");
        let answers = [
            (format!("{path}/archive"), answer("302 Found", &location, b"")),
            (path, answer("200 OK", document, record.to_string().as_bytes())),
            (blob, answer("200 OK", bytes, archive)),
        ];
        self.answers.extend(answers);
    }

    /// Answers from now on, until the process ends, and says where.
    pub(crate) fn start(self) -> String {
        let Self { listener, address, answers } = self;
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(&stream, &answers);
            }
        });
        address
    }
}

fn answer(status: &str, header: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{header}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

/// One request for each connection.
fn serve(mut stream: &TcpStream, answers: &BTreeMap<String, Vec<u8>>) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    // The rest of the head, up to the empty line.
    while lines.next().is_some_and(|line| !line.is_empty()) {}
    let path = first.split(' ').nth(1).unwrap_or_default().replace("%40", "@");
    let found = answers.get(&path).cloned();
    let _ = stream.write_all(&found.unwrap_or_else(|| answer("404 Not Found", "", b"")));
}
