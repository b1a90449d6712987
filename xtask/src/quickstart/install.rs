//! Someone else's project: a facet and its server are installed from the registry, called through the guard, tampered
//! with and refused; a poisoned version is not taken over before somebody accepts it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::guarded::Session;
use super::own_runtime::copy_into;
use super::source_mode::{everything, flip};
use crate::{Outcome, run};

const INSTALL: &[&str] = &["install", "team-tools", "--client", "claude-code", "--yes"];
const SKILL: &str = ".claude/skills/planning/SKILL.md";
/// The server, as the facet and the lock call it.
const SERVER: &str = "my-server";

/// A user of the registry, with a project, decisions and a cache of their own.
pub(super) struct Consumer<'f> {
    facet: &'f Path,
    registry: &'f str,
    root: PathBuf,
}

/// A command, how it must end, and what must be in what it says.
struct Expected<'a> {
    arguments: &'a [&'a str],
    exit: i32,
    says: &'a str,
}

impl<'f> Consumer<'f> {
    /// Needs nothing but the address of the registry.
    pub(super) fn make(facet: &'f Path, registry: &'f str, root: PathBuf) -> Outcome<Self> {
        let consumer = Self { facet, registry, root };
        super::registry::make_private(&consumer.project())?;
        copy_into(&consumer.caches().join("facet"))?;
        Ok(consumer)
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
        command.env("FACET_REGISTRY_URL", self.registry).env_remove("FACET_TOKEN");
        command
    }

    /// Runs a command to the expected end; gives it and what it says.
    fn show(&self, expected: &Expected<'_>) -> Outcome<Vec<String>> {
        let Expected { arguments, exit, says } = expected;
        let output = self.command(arguments).output().map_err(|error| error.to_string())?;
        let said = everything(&output);
        let typed = format!("facet {}", arguments.join(" "));
        if output.status.code() != Some(*exit) || !said.contains(says) {
            let code = output.status.code();
            return Err(format!("{typed} ended with {code:?}, without {says:?}\n{said}"));
        }
        // A reader's cache is elsewhere.
        let said = said.replace(&self.caches().display().to_string(), "~/.cache");
        let mut shown = vec![format!("$ {typed}")];
        shown.extend(said.lines().map(str::to_owned));
        Ok(shown)
    }

    /// Installs, calls, and is tampered with, twice.
    pub(super) fn install_and_tamper(&self) -> Outcome<Vec<String>> {
        let mut shown = vec!["Someone else installs the facet, and with it the server:".to_owned()];
        shown.extend(self.show(&Expected { arguments: INSTALL, exit: 0, says: SKILL })?);
        if !self.project().join(SKILL).is_file() || self.locked_version()? != "0.1.0" {
            return Err(format!("not installed: {shown:#?}"));
        }
        shown.push(
            "=> every byte is the published one; the server was started once in a sandbox, and declares \
             what it declared to the registry"
                .to_owned(),
        );
        shown.extend(self.call()?);
        shown.extend(self.tamper_with_store()?);
        shown.extend(self.tamper_with_lock()?);
        Ok(shown)
    }

    /// A session, as an assistant has it.
    fn call(&self) -> Outcome<[String; 3]> {
        let mut session = Session::open(&mut self.command(&["run", SERVER]))?;
        let answer = session.call("greet", &json!({ "name": "Ada" }))?;
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        if text != "Hello, Ada!" {
            return Err(format!("the server did not answer as it should: {answer}"));
        }
        Ok([
            format!("The assistant starts `facet run {SERVER}`, and calls the tool greet:"),
            format!("  {text}"),
            "=> the installed server runs behind the guard".to_owned(),
        ])
    }

    /// One byte of the downloaded archive.
    fn tamper_with_store(&self) -> Outcome<Vec<String>> {
        let lock = self.lock()?;
        let hash = lock["servers"][SERVER]["content_hash"].as_str().unwrap_or_default();
        let hex = hash.strip_prefix("sha256:").filter(|hex| hex.len() == 64);
        let (start, rest) = hex.ok_or("the lock has no content hash")?.split_at(2);
        let files = self.caches().join("facet/store/v1/files/sha256");
        let archive = files.join(start).join(rest).join("content");
        flip(&archive).map_err(|error| format!("cannot change {}: {error}", archive.display()))?;
        let mut shown = vec!["One byte of the downloaded archive is changed:".to_owned()];
        let verify = Expected { arguments: &["verify"], exit: 1, says: "[store-tampered]" };
        shown.extend(self.show(&verify)?);
        let again = Expected { arguments: &["install", "--frozen"], exit: 0, says: "" };
        shown.extend(self.show(&again)?);
        self.show(&Expected { arguments: &["verify"], exit: 0, says: "my-server: intact" })?;
        if !archive.is_file() {
            return Err("the archive was not fetched again".to_owned());
        }
        shown.push("=> found out; the published bytes were fetched again".to_owned());
        Ok(shown)
    }

    /// One digit of a hash in the lock, which is put back afterwards.
    fn tamper_with_lock(&self) -> Outcome<Vec<String>> {
        let file = self.project().join("facets.lock");
        let original = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        let lock = self.lock()?;
        let hash = lock["facets"]["team-tools"]["integrity"].as_str().unwrap_or_default();
        let (start, last) = hash.split_at_checked(hash.len().saturating_sub(1)).unwrap_or_default();
        let other = if last == "0" { "1" } else { "0" };
        run::write(&file, &original.replace(hash, &format!("{start}{other}")))?;
        let mut shown = vec!["One digit of a hash in facets.lock is changed:".to_owned()];
        let refused = "the lockfile check failed [install-mismatch]";
        let install = Expected { arguments: &["install", "--frozen"], exit: 1, says: refused };
        shown.extend(self.show(&install)?);
        shown.push("=> refused, with the check that failed; nothing was changed".to_owned());
        run::write(&file, &original)?;
        Ok(shown)
    }

    /// The poisoned version is refused, and taken over only by who accepts it.
    pub(super) fn upgrade(&self) -> Outcome<Vec<String>> {
        let before = self.lock()?;
        let mut shown = vec!["The project upgrades, as a script would:".to_owned()];
        let refused =
            Expected { arguments: &["upgrade", "--yes"], exit: 1, says: "[marker-secret-path]" };
        shown.extend(self.show(&refused)?);
        if self.lock()? != before {
            return Err("a refused upgrade has changed the lock".to_owned());
        }
        shown.push("=> stopped with the finding; nothing was changed".to_owned());
        shown.push("Somebody has read it, and wants it all the same:".to_owned());
        let arguments = &["upgrade", "--accept", "critical"];
        let accepted = Expected { arguments, exit: 0, says: "0.1.0 → 0.2.0" };
        shown.extend(self.show(&accepted)?);
        if self.locked_version()? != "0.2.0" {
            return Err("an accepted upgrade has not changed the lock".to_owned());
        }
        shown.push("=> the lock has the new version; its diff shows the new words".to_owned());
        Ok(shown)
    }

    fn lock(&self) -> Outcome<Value> {
        let lock = fs::read(self.project().join("facets.lock")).map_err(|e| e.to_string())?;
        serde_json::from_slice(&lock).map_err(|error| error.to_string())
    }

    fn locked_version(&self) -> Outcome<String> {
        let lock = self.lock()?;
        Ok(lock["servers"][SERVER]["version"].as_str().unwrap_or_default().to_owned())
    }
}
