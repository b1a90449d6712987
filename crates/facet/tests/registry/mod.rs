//! A registry of this machine: the real program, with a data directory of its own.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use facets_testkit::skip;
use tempfile::TempDir;

/// The program beside that of facet, if it is built.
pub(crate) fn program() -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_BIN_EXE_facet")).with_file_name("facet-registry");
    program.is_file().then_some(program)
}

pub(crate) struct Registry {
    pub(crate) url: String,
    program: PathBuf,
    child: Child,
    folder: TempDir,
}

impl Registry {
    /// A registry that answers; none, and a visible skip, where it is not built.
    pub(crate) fn start() -> Option<Self> {
        Self::start_prepared(|_| {})
    }

    /// The same, with something in its data directory before it starts.
    pub(crate) fn start_prepared(prepare: impl FnOnce(&Path)) -> Option<Self> {
        Self::start_with(prepare, &[])
    }

    /// The same, with options.
    pub(crate) fn start_with(prepare: impl FnOnce(&Path), options: &[&OsStr]) -> Option<Self> {
        let Some(program) = program() else {
            skip("`facet-registry` is not built; `cargo build --workspace` builds it");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        prepare(&folder.path().join("data"));
        let log = File::create(folder.path().join("log")).unwrap();
        let mut command = Command::new(&program);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder.path().join("data"))
            .args(options);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let Some(url) = line.trim().strip_prefix("listening on ").map(str::to_owned) else {
            let said = std::fs::read_to_string(folder.path().join("log")).unwrap_or_default();
            panic!("the registry does not listen: {line}{said}");
        };
        Some(Self { url, program, child, folder })
    }

    /// A new token that may publish every name.
    pub(crate) fn token(&self, owner: &str) -> String {
        let mut command = Command::new(&self.program);
        command.args(["token", "create", "--scope", "publish:*", "--owner", owner, "--data"]);
        let output = command.arg(self.folder.path().join("data")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Where it keeps everything.
    #[allow(dead_code, reason = "most tests leave it alone")]
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// What it wrote to standard error.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
