//! The registry and the index, used by the programs that install from them.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use facets_testkit::{
    Client, Misbehaviour, NpmPackage, PackageHost, Wheel, ZipEntry, component, npm_server_source,
    npm_server_source_with_prelude, python_server_source_with_prelude,
};
use serde_json::{Value, json};
use support::TemporaryFolder;

const TOOLS: &[(&str, &str)] =
    &[("echo", "Repeats \"itself\".\n"), ("env", "Ümläute, \u{2028}."), ("other", "")];

/// A host with a server that needs two other packages.
fn host_with_server() -> PackageHost {
    let host = PackageHost::start();
    let long = format!("{}/{}.js", "folder".repeat(15), "file".repeat(20));
    host.publish_npm(&NpmPackage::new("@scope/other", "1.0.0").file(&long, "1"));
    host.publish_npm(&NpmPackage::new("@scope/other", "1.2.0").file(&long, "2"));
    host.publish_npm(&NpmPackage::new("@scope/other", "2.0.0"));
    let elsewhere = NpmPackage::new("elsewhere", "1.0.0").os(&["no-such-system"]);
    host.publish_npm(&elsewhere);
    let server = NpmPackage::new("demo-server", "1.0.0")
        .program("bin/server.js", npm_server_source(TOOLS))
        .file("large.txt", vec![b'x'; 200_000])
        .bin("demo-server", "bin/server.js")
        .script("postinstall", "exit 1")
        .dependency("@scope/other", "^1.0.0")
        .optional_dependency("elsewhere", "1");
    host.publish_npm(&server);
    host
}

/// A project that needs the server, and npm as a program of node or bun.
struct NpmProject {
    folder: TemporaryFolder,
    runtime: &'static str,
}

impl NpmProject {
    /// None, and a visible skip, if something is not installed.
    fn new(runtime: &'static str, needs: &str) -> Option<Self> {
        component(runtime)?;
        component("npm")?;
        let folder = TemporaryFolder::new();
        folder
            .write("package.json", json!({ "dependencies": { "demo-server": needs } }).to_string());
        Some(Self { folder, runtime })
    }

    fn install(&self, host: &PackageHost, options: &[&str]) -> Output {
        let program = fs::canonicalize(component("npm").unwrap()).unwrap();
        let mut command = Command::new(component(self.runtime).unwrap());
        command.arg(program).args(["install", "--ignore-scripts", "--no-audit", "--no-fund"]);
        command.args(options).args(["--fetch-retries=0", "--registry", &host.npm_url()]);
        command.arg("--cache").arg(self.folder.path().join("cache"));
        command.current_dir(self.folder.path()).env("HOME", self.folder.path());
        command.env("npm_config_update_notifier", "false").output().unwrap()
    }

    fn lock(&self) -> Value {
        let text = fs::read(self.folder.path().join("package-lock.json")).unwrap();
        serde_json::from_slice::<Value>(&text).unwrap()["packages"].take()
    }
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn npm_resolves_under_node_and_under_bun() {
    let locks = ["node", "bun"].into_iter().filter_map(|runtime| {
        let host = host_with_server();
        let project = NpmProject::new(runtime, "latest")?;
        let output = project.install(&host, &["--package-lock-only"]);
        assert!(output.status.success(), "{runtime}: {}", errors(&output));
        let asked = host.requests();
        assert!(asked.iter().all(|path| !path.contains(".tgz")), "{runtime}: {asked:?}");
        let lock = project.lock();
        let entry = |path: &str| lock[format!("node_modules/{path}")].clone();
        assert_eq!(entry("@scope/other")["version"], "1.2.0", "{runtime}: {lock:#}");
        assert_eq!(entry("elsewhere")["os"], json!(["no-such-system"]));
        assert_eq!(entry("demo-server")["hasInstallScript"], true);
        assert_eq!(entry("demo-server")["bin"], json!({ "demo-server": "bin/server.js" }));
        Some(entry("demo-server")["integrity"].clone())
    });
    let locks: Vec<Value> = locks.collect();
    assert!(locks.windows(2).all(|pair| pair[0] == pair[1]), "{locks:?}");
}

#[test]
fn npm_installs_what_is_published() {
    let host = host_with_server();
    let Some(project) = NpmProject::new("node", "1.0.0") else { return };
    let output = project.install(&host, &[]);
    assert!(output.status.success(), "{}", errors(&output));
    let modules = project.folder.path().join("node_modules");
    let source = fs::read_to_string(modules.join("demo-server/bin/server.js")).unwrap();
    assert_eq!(source, npm_server_source(TOOLS));
    assert_eq!(fs::read(modules.join("demo-server/large.txt")).unwrap().len(), 200_000);
    let long = format!("@scope/other/{}/{}.js", "folder".repeat(15), "file".repeat(20));
    assert_eq!(fs::read_to_string(modules.join(long)).unwrap(), "2");
    assert!(!modules.join("elsewhere").exists());
}

#[test]
fn npm_refuses_tarballs_that_differ_from_their_metadata() {
    let host = host_with_server();
    let Some(project) = NpmProject::new("node", "1.0.0") else { return };
    let (name, version) = ("demo-server".to_owned(), "1.0.0".to_owned());
    let with = NpmPackage::new("demo-server", "1.0.0").into();
    host.misbehave(Misbehaviour::ReplaceTarballKeepMetadata { name, version, with });
    let output = project.install(&host, &[]);
    assert!(errors(&output).contains("EINTEGRITY"), "{}", errors(&output));
}

#[test]
fn npm_sees_moved_tags_and_publication_times_at_once() {
    let host = host_with_server();
    let Some(project) = NpmProject::new("node", "latest") else { return };
    let newer = NpmPackage::new("demo-server", "1.1.0").published("2026-01-01T00:00:00.000Z");
    host.publish_npm(&newer);
    let resolve = |options: &[&str]| {
        let _ = fs::remove_file(project.folder.path().join("package-lock.json"));
        let output = project.install(&host, &[&["--package-lock-only"], options].concat());
        assert!(output.status.success(), "{}", errors(&output));
        project.lock()["node_modules/demo-server"]["version"].as_str().unwrap().to_owned()
    };
    assert_eq!(resolve(&[]), "1.1.0");
    assert_eq!(resolve(&["--before=2025-06-01"]), "1.0.0");
    let (name, tag) = ("demo-server".to_owned(), "latest".to_owned());
    host.misbehave(Misbehaviour::MoveTag { name, tag, version: "1.0.0".to_owned() });
    assert_eq!(resolve(&[]), "1.0.0", "although the cache has what was said before");
}

#[test]
fn python_reads_wheels_whose_record_is_right() {
    const SCRIPT: &str = r"
import base64, hashlib, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
assert wheel.testzip() is None
lines = wheel.read('demo_server-1.0.dist-info/RECORD').decode().splitlines()
for path, hashed, size in (line.split(',') for line in lines):
    content = wheel.read(path)
    sha256 = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip('=')
    assert path.endswith('/RECORD') or (hashed, size) == ('sha256=' + sha256, str(len(content)))
print(*wheel.namelist(), wheel.read('demo_server-1.0.dist-info/WHEEL').decode())
";
    let Some(python) = component("python3") else { return };
    let wheel = Wheel::new("demo-server", "1.0")
        .tags("py2.py3-none-any")
        .file("demo_server/__init__.py", "")
        .console_script("demo-server", "demo_server:main")
        .raw_entry(ZipEntry::file("../outside", "raw"));
    let folder = TemporaryFolder::new();
    let file = folder.write(&wheel.file_name(), wheel.archive());
    let output = Command::new(python).args(["-c", SCRIPT]).arg(file).output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("entry_points.txt") && shown.contains("../outside"), "{shown}");
    assert!(shown.contains("Tag: py2-none-any\nTag: py3-none-any\n"), "{shown}");
}

/// Talks to a server whose prelude has set a variable.
fn check_server(program: &Path, file: &Path) {
    let mut command = Command::new(program);
    let mut client = Client::start(command.arg(file), Stdio::inherit());
    let opened = client.initialize("test", &json!({}));
    assert_eq!(opened["result"]["protocolVersion"], "2025-06-18", "{opened}");
    let listed = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    for (tool, (name, description)) in listed.as_array().unwrap().iter().zip(TOOLS) {
        assert_eq!((&tool["name"], &tool["description"]), (&json!(name), &json!(description)));
        assert_eq!(tool["inputSchema"]["type"], "object");
    }
    assert_eq!(listed.as_array().unwrap().len(), TOOLS.len());
    let mut text = |tool: &str, arguments: &Value| {
        let answer = client.call(tool, arguments);
        answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    };
    let parsed = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    assert_eq!(parsed(text("echo", &json!({ "ä": [1] }))), json!({ "ä": [1] }));
    assert_eq!(parsed(text("env", &json!({})))["FROM_PRELUDE"], "yes");
    assert_eq!(text("other", &json!({})), "called other");
    assert_eq!(client.call("absent", &json!({}))["error"]["code"], -32602);
    assert_eq!(client.ask("ping", &json!({}))["result"], json!({}));
    assert_eq!(client.discover("test", &json!({}))["error"]["code"], -32601);
    assert!(client.others.is_empty(), "{:?}", client.others);
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn the_server_for_npm_runs_under_node_and_bun() {
    let folder = TemporaryFolder::new();
    let source = npm_server_source_with_prelude(TOOLS, "process.env.FROM_PRELUDE = 'yes';");
    for name in ["server.cjs", "server.mjs"] {
        let file = folder.write(name, &source);
        for program in ["node", "bun"].into_iter().filter_map(component) {
            check_server(&program, &file);
        }
    }
}

#[test]
fn the_server_for_pypi_runs_under_python() {
    let Some(python) = component("python3") else { return };
    let folder = TemporaryFolder::new();
    let prelude = "import os\nos.environ['FROM_PRELUDE'] = 'yes'";
    let file = folder.write("server.py", python_server_source_with_prelude(TOOLS, prelude));
    check_server(&python, &file);
}
