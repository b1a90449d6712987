//! A project, a home of its own, and a server that declares what the test wants.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use facets_testkit::workspace_binary;
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const FACET: &str = env!("CARGO_BIN_EXE_facet");

pub(crate) struct Trusted {
    pub(crate) folder: TempDir,
    home: TempDir,
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) exit: i32,
    pub(crate) out: String,
    pub(crate) talk: String,
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            exit: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            talk: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.exit, code, "{}\n{}", self.out, self.talk);
        self
    }
}

impl Trusted {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        // Apart: what lies in the repository of a project approves nothing in it.
        Self { folder, home: tempfile::tempdir().unwrap() }
    }

    /// A project with one server, `s`, that was approved with these declarations.
    pub(crate) fn with_server(declarations: &Value) -> Self {
        let trusted = Self::new();
        trusted.declare(declarations);
        trusted.add("s").exits(0);
        trusted
    }

    /// A project with one server, `s`, that was approved while it behaved in a mode.
    pub(crate) fn with_acting(mode: &str) -> Self {
        let trusted = Self::new();
        trusted.declare(&json!({ "mode": mode }));
        let mut command = trusted.command(&["add", "s", "--yes", "--"]);
        command.arg(workspace_binary("acting-server")).arg(trusted.declarations());
        Ran::of(&command.output().unwrap()).exits(0);
        trusted
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.home.path().to_owned()
    }

    pub(crate) fn trace(&self) -> PathBuf {
        self.folder.path().join("trace")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.project().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.file(name), text).unwrap();
    }

    /// What the server declares from now on.
    pub(crate) fn declare(&self, declarations: &Value) {
        std::fs::write(self.declarations(), declarations.to_string()).unwrap();
    }

    pub(crate) fn declarations(&self) -> PathBuf {
        self.folder.path().join("server.json")
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        Self::command_in(&self.project(), &self.home(), arguments)
    }

    pub(crate) fn command_in(project: &Path, home: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(FACET);
        command.args(arguments).current_dir(project).env("FACET_DIR", home).stdin(Stdio::null());
        command
    }

    pub(crate) fn facet(&self, arguments: &[&str]) -> Ran {
        Ran::of(&self.command(arguments).output().unwrap())
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Ran {
        let arguments: Vec<&str> = ["--format", "json"].iter().chain(arguments).copied().collect();
        self.facet(&arguments)
    }

    pub(crate) fn add(&self, name: &str) -> Ran {
        self.add_with(name, &["--yes"])
    }

    pub(crate) fn add_with(&self, name: &str, options: &[&str]) -> Ran {
        let mut command = self.command(&["add", name]);
        command.args(options).arg("--");
        command.arg(workspace_binary("listed-server")).arg(self.declarations()).arg(self.trace());
        Ran::of(&command.output().unwrap())
    }

    /// How often the server was started.
    pub(crate) fn starts(&self) -> usize {
        std::fs::read_to_string(self.trace()).map_or(0, |text| text.lines().count())
    }
}

/// The findings about the first server of a report.
pub(crate) fn findings(report: &Value) -> Vec<Value> {
    let one = report["servers"][0]["findings"].as_array();
    one.or(report["findings"].as_array()).cloned().unwrap_or_default()
}
