//! A project of any user, and things outside of it that belong to the same user.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use facets_testkit::{Client, component, put_program, repository_root, skip};
use serde_json::{Value, json};

/// `work` is the project, `home` what facet keeps, `outside` the home of the user.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    pub(crate) user: &'static str,
    /// What runs facet: other namespaces, for example.
    pub(crate) around: Vec<String>,
}

impl Place {
    pub(crate) fn new(user: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Self { folder, user, around: Vec::new() };
        for name in ["work", "home", "outside"] {
            std::fs::create_dir(place.path(name)).unwrap();
        }
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(place.folder.path(), mode).unwrap();
        put_program(Path::new(env!("CARGO_BIN_EXE_facet")), &place.path("facet"));
        place.give_to_user();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The same as a text of Python.
    pub(crate) fn text(&self, name: &str) -> String {
        format!("'{}'", self.path(name).display())
    }

    /// Writes a file that belongs to the user.
    pub(crate) fn put(&self, name: &str, content: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self.give_to_user();
    }

    pub(crate) fn give_to_user(&self) {
        let owned = ["work", "home", "outside"].map(|name| self.path(name));
        // Links themselves, and not what they lead to.
        let given = Command::new("chown").args(["-hR", self.user]).args(owned).status();
        assert!(given.unwrap().success());
    }

    pub(crate) fn facet(&self, arguments: &[&str]) -> Command {
        let mut words = self.around.clone();
        if self.user != "root" {
            // Which gives it the variables of that user.
            words.extend(["runuser", "-u", self.user, "--", "env"].map(str::to_owned));
            words.push(format!("HOME={}", self.path("outside").display()));
        }
        words.push(self.path("facet").to_str().unwrap().to_owned());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args(arguments).current_dir(self.path("work"));
        command.env("FACET_DIR", self.path("home")).env("HOME", self.path("outside"));
        // Its home is granted, and the store must not lie in a granted path.
        command.env("XDG_CACHE_HOME", self.path("home"));
        command
    }

    /// What it printed.
    #[track_caller]
    pub(crate) fn ran(&self, arguments: &[&str]) -> String {
        let output = self.facet(arguments).output().unwrap();
        let talk = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {talk}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Adds the server that runs what it is told, with these arguments.
    pub(crate) fn add_runner(&self, name: &str, arguments: &[&str]) {
        self.put("work/runs.py", &data("runs.py"));
        let python = runtime("python3").unwrap();
        let words = ["add", name, "--yes", "--", python.to_str().unwrap(), "runs.py"];
        self.ran(&[&words, arguments].concat());
    }

    pub(crate) fn grant(&self, name: &str, settings: &[&str]) {
        self.ran(&[&["grant", name, "--yes"], settings].concat());
    }

    /// What is left in `out` by Python text, or its error as a text.
    #[track_caller]
    pub(crate) fn told(&self, server: &str, text: &str) -> Value {
        self.called(server, &[], "run", &json!({ "text": text }))
    }

    /// The paths that facet says it opens to a server to read, from this place on.
    pub(crate) fn opened(&self, server: &str) -> Vec<String> {
        let report = self.ran(&["--format", "json", "grant", server]);
        let report: Value = serde_json::from_str(&report).unwrap();
        let top = std::fs::canonicalize(self.path("")).unwrap();
        let paths = report["opened"]["read"].as_array().unwrap().iter();
        let paths = paths.map(|one| one["path"].as_str().unwrap().to_owned());
        let inner = paths.filter_map(|path| {
            let inner = path.strip_prefix(top.to_str().unwrap())?;
            Some(inner.trim_start_matches('/').to_owned())
        });
        inner.collect()
    }

    /// A session that was begun.
    pub(crate) fn session(&self, server: &str) -> Client {
        let mut client =
            Client::start(&mut self.facet(&["run", server, "--quiet"]), Stdio::inherit());
        client.initialize("test", &json!({}));
        client
    }

    /// What a tool of a server answers in this sandbox.
    #[track_caller]
    pub(crate) fn called(
        &self,
        server: &str,
        options: &[&str],
        tool: &str,
        asked: &Value,
    ) -> Value {
        let mut command = self.facet(&[&["run", server, "--quiet"], options].concat());
        let mut client = Client::start(&mut command, Stdio::inherit());
        client.initialize("test", &json!({}));
        answered(&mut client, tool, asked)
    }
}

/// What a tool answers.
#[track_caller]
pub(crate) fn answered(client: &mut Client, tool: &str, asked: &Value) -> Value {
    let answer = client.call(tool, asked);
    let text = answer["result"]["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("{answer}"));
    serde_json::from_str(text).unwrap()
}

/// A file beside the tests.
pub(crate) fn data(name: &str) -> String {
    let path = repository_root().join("crates/facet/tests/data").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// The system's own, if there is one: others are often scripts that start another.
pub(crate) fn runtime(name: &str) -> Option<PathBuf> {
    let of_system = Path::new("/usr/bin").join(name);
    if of_system.is_file() { Some(of_system) } else { component(name) }
}

pub(crate) fn is_root() -> bool {
    Command::new("id").arg("-u").output().unwrap().stdout == b"0\n"
}

pub(crate) fn users() -> &'static [&'static str] {
    if is_root() {
        return &["root", "nobody"];
    }
    skip("only root can switch to another user");
    &[]
}
