//! A published package: hashed, verified, replaced, refused. Nothing here needs a network.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use crate::Outcome;

const NAME: &str = "@example/files";
const VERSION: &str = "1.0.0";
const IDENTIFIER: &str = "npm:@example/files@1.0.0";

/// One thing to show: why, the command, how it must end, and what that proved.
struct PublisherStep {
    why: &'static str,
    /// What the registry serves from now on.
    publish: Option<&'static str>,
    arguments: &'static [&'static str],
    /// The file that standard output goes to.
    into: Option<&'static str>,
    exit: i32,
    proved: &'static str,
}

const STEPS: &[PublisherStep] = &[
    PublisherStep {
        why: "server.json names an npm package, published on a registry of this machine. Hash it:",
        publish: Some("the package, as its author published it\n"),
        arguments: &["hash-gen", "server.json"],
        into: Some("hashed.json"),
        exit: 0,
        proved: "hashed.json has the SHA-256 of the tarball, and is otherwise the same",
    },
    PublisherStep {
        why: "Later, before an installation: is the published package still the same?",
        publish: None,
        arguments: &["verify", "hashed.json"],
        into: None,
        exit: 0,
        proved: "every byte is as it was hashed",
    },
    PublisherStep {
        why: "The registry is broken into: the same version has another tarball now.",
        publish: Some("the package, as its author published it, and a backdoor\n"),
        arguments: &["verify", "hashed.json"],
        into: None,
        exit: 1,
        proved: "caught: the version is the same, the bytes are not",
    },
];

/// Goes through it; gives what there is to see.
pub(super) fn perform(publisher: &Path, folder: &Path) -> Outcome<Vec<String>> {
    let folder = folder.join("package");
    let tarball = folder.join("files-1.0.0.tgz");
    let program = publisher.with_file_name("package-registry");
    let registry = ExampleRegistry::start(&program, &tarball)?;
    let author = Author { publisher, folder: &folder, registry: &registry.address };
    let mut shown = Vec::new();
    for step in STEPS {
        if let Some(bytes) = step.publish {
            fs::write(&tarball, bytes).map_err(|error| error.to_string())?;
        }
        let redirect = step.into.map_or_else(String::new, |file| format!(" > {file}"));
        shown.push(step.why.to_owned());
        shown.push(format!("$ mcp-publisher {}{redirect}", step.arguments.join(" ")));
        shown.extend(author.perform(step)?.lines().map(str::to_owned));
        shown.push(format!("=> {}", step.proved));
    }
    author.require_mismatch(&shown)?;
    Ok(shown)
}

/// Someone with a `server.json` and a registry.
struct Author<'a> {
    publisher: &'a Path,
    folder: &'a Path,
    registry: &'a str,
}

impl Author<'_> {
    /// Nothing of the user's own configuration counts.
    fn run(&self, arguments: &[&str], exit: i32) -> Outcome<Output> {
        let mut command = Command::new(self.publisher);
        command.args(arguments).current_dir(self.folder).env_clear();
        command.env("HOME", self.folder).env("TMPDIR", std::env::temp_dir());
        command.env("npm_config_registry", format!("{}/npm/", self.registry));
        let output =
            command.output().map_err(|error| format!("cannot start {command:?}: {error}"))?;
        if output.status.code() == Some(exit) {
            return Ok(output);
        }
        let said = [&output.stdout[..], &output.stderr[..]].concat();
        let (words, said) = (arguments.join(" "), String::from_utf8_lossy(&said).into_owned());
        Err(format!("mcp-publisher {words} ended with {:?}\n{said}", output.status.code()))
    }

    /// Gives what is to be seen.
    fn perform(&self, step: &PublisherStep) -> Outcome<String> {
        let Output { stdout, stderr, .. } = self.run(step.arguments, step.exit)?;
        let seen = match step.into {
            Some(file) => {
                fs::write(self.folder.join(file), &stdout).map_err(|error| error.to_string())?;
                stderr
            }
            None => [stdout, stderr].concat(),
        };
        Ok(String::from_utf8_lossy(&seen).into_owned())
    }

    /// What the steps claim, checked and not only said: both hashes are reported.
    fn require_mismatch(&self, shown: &[String]) -> Outcome {
        let hashed =
            fs::read(self.folder.join("hashed.json")).map_err(|error| error.to_string())?;
        let hashed: Value = serde_json::from_slice(&hashed).map_err(|error| error.to_string())?;
        let report = self.run(&["verify", "hashed.json", "--json"], 1)?.stdout;
        let report: Value = serde_json::from_slice(&report).map_err(|error| error.to_string())?;
        let result = &report["results"][0];
        let text = |name: &str| result[name].as_str().unwrap_or_default();
        let (expected, actual) = (text("expected"), text("actual"));
        let is_seen = |digest: &str| shown.iter().any(|line| line.contains(digest));
        let holds = text("status") == "mismatch"
            && hashed["file_hashes"][IDENTIFIER] == expected
            && expected != actual
            && [expected, actual].iter().all(|one| one.starts_with("sha256:") && is_seen(one));
        if holds {
            Ok(())
        } else {
            Err(format!("the replaced tarball was not noticed: {report:#}"))
        }
    }
}

/// The registry; it ends when this is dropped, and at the latest with this process.
struct ExampleRegistry {
    child: Child,
    address: String,
}

impl ExampleRegistry {
    fn start(program: &Path, tarball: &Path) -> Outcome<Self> {
        let mut command = Command::new(program);
        command.args([NAME, VERSION]).arg(tarball).stdin(Stdio::piped()).stdout(Stdio::piped());
        let child =
            command.spawn().map_err(|error| format!("cannot start {command:?}: {error}"))?;
        let mut registry = Self { child, address: String::new() };
        let output = registry.child.stdout.take().ok_or("no pipe")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
        line.trim_end().clone_into(&mut registry.address);
        Ok(registry)
    }
}

impl Drop for ExampleRegistry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
