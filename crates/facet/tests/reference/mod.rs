//! The reference CLI for facets, a registry that it asks, and an adapter that writes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use facets_digest::Digest;
use facets_testkit::component;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::trusted::Ran;

/// The reference installs for the adapters of tools only. This one finds everything in its place already.
const ADAPTER: &str = r"
const at = ({ projectRoot, name }) => `${projectRoot}/installed/${name}`
export default {
  name: 'quiet',
  apiVersion: '0.3',
  buildAssetMetadata: (data) => ({ ok: true, data }),
  assets: {
    planInstall: async (asset) => ({
      ok: true,
      plan: { occupancy: 'equivalent', action: { kind: 'unchanged' }, primaryPath: at(asset) },
    }),
    planRemoval: async (asset) => ({ ok: true, plan: { kind: 'absent', primaryPath: at(asset) } }),
  },
  mcpServers: {
    plan: async ({ desired, projectRoot }) => ({
      ok: true,
      plan: {
        outcomes: desired.map(({ name }) => ({ kind: 'equivalent', name, ownership: 'untracked' })),
        action: { kind: 'unchanged' },
        documentPaths: [`${projectRoot}/servers.json`],
      },
    }),
  },
}
";

const ADAPTER_PACKAGE: &str = r#"{ "name": "quiet-adapter", "version": "0.0.1", "type": "module",
  "main": "dist/index.js", "facetAdapterApiVersion": "0.3" }"#;

/// The reference CLI with a home of its own.
pub(crate) struct ReferenceCli {
    program: PathBuf,
    home: TempDir,
}

impl ReferenceCli {
    /// None, and a visible skip, where it is not installed.
    pub(crate) fn find() -> Option<Self> {
        let program = component("facet-reference")?;
        Some(Self { program, home: tempfile::tempdir().unwrap() })
    }

    fn run(&self, directory: &Path, registry: &str, words: &[&str]) -> Ran {
        let mut command = Command::new(&self.program);
        command.args(words).current_dir(directory).stdin(Stdio::null());
        command.env("HOME", self.home.path()).env("FACET_DIR", self.home.path().join("facet"));
        // Without a terminal it asks nothing.
        command.env("CI", "1").env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1");
        command.env("FACET_REGISTRY_URL", registry);
        Ran::of(&command.output().unwrap())
    }

    /// Builds the facet of a directory, into `dist` below it.
    pub(crate) fn build(&self, directory: &Path) -> Value {
        self.run(directory, "http://127.0.0.1:1", &["build", "--json"]).exits(0).json()
    }

    /// Installs facets, such as `name@1.0.0`, into an empty project.
    pub(crate) fn install(&self, project: &Path, registry: &str, facets: &[&str]) -> Ran {
        let adapter = self.home.path().join("quiet-adapter");
        fs::create_dir_all(adapter.join("dist")).unwrap();
        fs::write(adapter.join("package.json"), ADAPTER_PACKAGE).unwrap();
        fs::write(adapter.join("dist/index.js"), ADAPTER).unwrap();
        let words = ["adapter", "add", "./quiet-adapter"];
        self.run(self.home.path(), registry, &words).exits(0);
        fs::create_dir_all(project).unwrap();
        let manifest = json!({ "manifestVersion": 0.2, "facets": {} });
        fs::write(project.join("facets.json"), manifest.to_string()).unwrap();
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
