//! A server of one's own: built, pinned by its bytes, called through the guard, and refused once a byte is changed.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::guarded::Session;
use super::own_runtime::{FetchedRuntime, OwnServer, UNREACHABLE, copy_into, fetch, remove_stores};
use crate::{Outcome, run};

/// One command that has to succeed: why, the command, and what that proved.
struct OwnStep {
    why: &'static str,
    arguments: &'static [&'static str],
    proved: &'static str,
}

const STEPS: &[OwnStep] = &[
    OwnStep {
        why: "Write a server:",
        arguments: &["init", "server", "my-server"],
        proved: "a complete MCP server in TypeScript, and its manifest",
    },
    OwnStep {
        why: "Build it:",
        arguments: &["build", "my-server"],
        proved: "one archive, the same bytes on every machine",
    },
    OwnStep {
        why: "Pin its bytes, and the runtime that facet verifies itself:",
        arguments: &["add", "mine", "./my-server", "--yes"],
        proved: "its source uses no network and no files, so it is granted none",
    },
];

/// Goes through it, if the runtime can be had; with `CI` set it must.
pub(super) fn perform(facet: &Path) -> Outcome<OwnServer> {
    let place = OwnPlace::make(facet)?;
    if let FetchedRuntime::Unreachable = fetch(facet, &place.root)? {
        return Ok(OwnServer::LeftOut(UNREACHABLE.to_owned()));
    }
    copy_into(&place.caches().join("facet"))?;
    let mut shown = Vec::new();
    for step in STEPS {
        shown.push(step.why.to_owned());
        shown.push(format!("$ facet {}", step.arguments.join(" ")));
        shown.extend(place.facet(step.arguments)?.lines().map(str::to_owned));
        shown.push(format!("=> {}", step.proved));
    }
    shown.extend(place.call()?);
    shown.extend(place.tamper()?);
    Ok(OwnServer::Shown(shown))
}

/// A project, what a user decides, and a cache: all of it private, and outside of every repository.
struct OwnPlace<'f> {
    facet: &'f Path,
    root: PathBuf,
}

impl<'f> OwnPlace<'f> {
    fn make(facet: &'f Path) -> Outcome<Self> {
        let place = Self { facet, root: run::user_folder("quickstart-own") };
        fs::create_dir_all(place.project()).map_err(|error| error.to_string())?;
        Ok(place)
    }

    fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    fn caches(&self) -> PathBuf {
        self.root.join("caches")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.facet);
        command.args(arguments).current_dir(self.project()).stdin(Stdio::null());
        command.env("FACET_DIR", self.root.join("home")).env("XDG_CACHE_HOME", self.caches());
        command
    }

    /// Runs to the end, which has to be a good one.
    fn facet(&self, arguments: &[&str]) -> Outcome<String> {
        run::output(&mut self.command(arguments)).map(|output| everything(&output))
    }

    /// A session, as a client has it.
    fn call(&self) -> Outcome<[String; 3]> {
        let mut session = Session::open(&mut self.command(&["run", "mine"]))?;
        let tools = session.tools()?.join(", ");
        let answer = session.call("greet", &json!({ "name": "Ada" }))?;
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        if tools != "greet" || text != "Hello, Ada!" {
            return Err(format!("the server did not answer as it should: {tools}, {answer}"));
        }
        Ok([
            "An assistant starts `facet run mine`, and calls the tool greet:".to_owned(),
            format!("  {text}"),
            "=> every byte was verified before the start, and every call is checked".to_owned(),
        ])
    }

    /// Changes one byte of the stored server; it must not start again.
    fn tamper(&self) -> Outcome<Vec<String>> {
        let file = self.stored_entry()?;
        flip(&file).map_err(|error| format!("cannot change {}: {error}", file.display()))?;
        let output = self.command(&["run", "mine"]).output().map_err(|error| error.to_string())?;
        let said = everything(&output);
        if output.status.success() || !said.contains("[store-tampered]") {
            return Err(format!("a modified server was not refused\n{said}"));
        }
        let mut shown = vec![
            "One byte of the stored server is changed. The assistant starts it again:".to_owned(),
            "$ facet run mine".to_owned(),
        ];
        shown.extend(said.lines().map(str::to_owned));
        shown.push("=> refused before a line of it could run".to_owned());
        Ok(shown)
    }

    /// The code of the server in the store, which has it under the digest that is locked.
    fn stored_entry(&self) -> Outcome<PathBuf> {
        let lock = fs::read(self.project().join("facets.lock")).map_err(|e| e.to_string())?;
        let lock: Value = serde_json::from_slice(&lock).map_err(|error| error.to_string())?;
        let integrity = lock["servers"]["mine"]["integrity"].as_str().unwrap_or_default();
        let hex = integrity.strip_prefix("sha256:").filter(|hex| hex.len() == 64);
        let (start, rest) = hex.ok_or("the lock has no integrity")?.split_at(2);
        let servers = self.caches().join("facet/store/v1/servers/sha256");
        Ok(servers.join(start).join(rest).join("tree/index.ts"))
    }
}

impl Drop for OwnPlace<'_> {
    fn drop(&mut self) {
        remove_stores(&self.root);
    }
}

/// Changes one byte of a file that is sealed, and seals it again.
pub(super) fn flip(file: &Path) -> std::io::Result<()> {
    let mut bytes = fs::read(file)?;
    let middle = bytes.len() / 2;
    if let Some(byte) = bytes.get_mut(middle) {
        *byte ^= 1;
    }
    let sealed = fs::metadata(file)?.permissions();
    fs::set_permissions(file, fs::Permissions::from_mode(0o644))?;
    fs::write(file, bytes)?;
    fs::set_permissions(file, sealed)
}

pub(super) fn everything(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}
