//! Where a server comes from, for people and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::Style;
use facets_face::{plural, visible};
use facets_lock::ArtifactPin;
use facets_model::manifest::Variable;
use facets_model::{
    AddressOrigin, ArtifactSource, CommandOrigin, HeaderSource, Origin, PackageOrigin,
    PackageTreeUse, SourceModeOrigin,
};
use facets_ops::consent::{ArtifactShown, Filesystem, LaunchShown, Network};
use facets_ops::grant::grants_words;
use serde_json::{Value, json};

use super::package;
use super::runtime_words::runtime_words;

const STRONG: Style = Style::new().bold();

/// What would be started, in full.
pub(crate) fn launch(launch: &LaunchShown<'_>) -> String {
    match launch.origin {
        Origin::Command(command) => command_launch(command, launch),
        Origin::Address(address) => address_launch(address),
        Origin::SourceMode(artifact) => artifact_launch(artifact, launch),
        Origin::Package(origin) => package::launch(origin, launch),
    }
}

fn address_launch(address: &AddressOrigin) -> String {
    let url = visible(address.url.as_str());
    let mut out = format!("This would connect to\n  {STRONG}{url}{STRONG:#}\n");
    for (name, written) in &address.headers {
        let HeaderSource { variable, is_bearer } = HeaderSource::parse(written);
        let word = if is_bearer { "`Bearer` and " } else { "" };
        let (name, variable) = (visible(name), visible(variable));
        let _ = writeln!(out, "with the header {name}, whose value is {word}that of ${variable}");
    }
    out
}

fn command_launch(command: &CommandOrigin, launch: &LaunchShown<'_>) -> String {
    let words: Vec<String> = command.words().map(|word| visible(&format!("{word:?}"))).collect();
    let mut out = format!("This would start\n  {STRONG}{}{STRONG:#}\n", words.join(" "));
    process_launch(&command.env, launch, &mut out);
    out
}

fn artifact_launch(artifact: &SourceModeOrigin, launch: &LaunchShown<'_>) -> String {
    let source = visible(&artifact.to_string());
    let mut out =
        format!("This would start the source-mode server\n  {STRONG}{source}{STRONG:#}\n");
    if let Some(shown) = launch.artifact {
        out.push_str(&artifact_lines(shown));
    }
    let _ = writeln!(out, "directory: {}", visible(&launch.directory.display().to_string()));
    if let Some(grants) = launch.grants {
        let _ = writeln!(out, "grants: {}", visible(&grants_words(grants)));
    }
    out
}

/// What an artifact has in it, a line each.
pub(super) fn artifact_lines(artifact: &ArtifactShown) -> String {
    let ArtifactShown { pin, entry, files, variables } = artifact;
    let ArtifactPin { name, version, integrity, content_hash, runtime } = pin;
    let mut out = format!("artifact: {} {version}\n", visible(name.as_str()));
    let _ = writeln!(out, "integrity: {integrity}\ncontent hash: {content_hash}");
    let _ = writeln!(out, "runtime: {}", runtime_words(runtime));
    let _ = writeln!(out, "entry: {} ({})", visible(entry), plural(*files, "file"));
    if !variables.is_empty() {
        let words: Vec<String> = variables.iter().map(variable_words).collect();
        let _ = writeln!(out, "variables: {}", words.join(", "));
    }
    out
}

/// The name of a variable, and whether the server does without it.
fn variable_words(variable: &Variable) -> String {
    let name = variable.name.as_str();
    if variable.required { format!("{name} (required)") } else { name.to_owned() }
}

/// An artifact as JSON.
pub(super) fn artifact_json(artifact: &ArtifactShown) -> Value {
    let ArtifactShown { pin, entry, files, variables } = artifact;
    let variables: Vec<Value> = variables
        .iter()
        .map(|one| json!({ "name": one.name.as_str(), "required": one.required, "secret": one.secret }))
        .collect();
    json!({
        "name": pin.name.as_str(),
        "version": pin.version.to_string(),
        "integrity": pin.integrity.to_string(),
        "content_hash": pin.content_hash.to_string(),
        "runtime": runtime_words(&pin.runtime),
        "entry": entry,
        "files": files,
        "variables": variables,
    })
}

/// How a process would start, whatever it is.
fn process_launch(env: &[String], launch: &LaunchShown<'_>, out: &mut String) {
    if let Some(program) = &launch.program {
        let _ = writeln!(out, "program: {}", visible(&program.display().to_string()));
    }
    let _ = writeln!(out, "directory: {}", visible(&launch.directory.display().to_string()));
    if !env.is_empty() {
        let _ = writeln!(out, "variables: {}", visible(&env.join(", ")));
    }
    let closed = launch.sandbox.network == Network::Closed;
    let network = if closed { "none" } else { "not restricted" };
    let files = match &launch.sandbox.filesystem {
        Filesystem::Open => "not restricted".to_owned(),
        Filesystem::Listed { read, .. } => {
            let read: Vec<String> = read.iter().map(|path| path.display().to_string()).collect();
            format!("read only, the system's files and {}", visible(&read.join(", ")))
        }
    };
    let _ = writeln!(out, "network: {network}\nfiles: {files}");
}

/// The values that a facet gives the variables of its command, a line each.
pub(crate) fn published_values(values: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    for (name, value) in values {
        let (name, value) = (visible(name), visible(&format!("{value:?}")));
        let _ = writeln!(out, "value of the facet: {name}={value}");
    }
    out
}

/// What a lock entry would start, as JSON.
pub(super) fn json(origin: &Origin) -> Value {
    match origin {
        Origin::Command(CommandOrigin { command, args, env }) => {
            json!({ "command": command, "args": args, "env": env })
        }
        Origin::Address(AddressOrigin { url, headers }) => {
            json!({ "url": url.as_str(), "headers": headers })
        }
        Origin::SourceMode(SourceModeOrigin { source, env }) => {
            let (path, registry) = match source {
                ArtifactSource::Local { path } => (Some(path.as_str()), None),
                ArtifactSource::Registry { url } => (None, Some(url.as_str())),
            };
            json!({ "path": path, "registry": registry, "env": env })
        }
        Origin::Package(PackageOrigin { package, with, program, runtime, files, args, env }) => {
            let with: Vec<String> = with.iter().map(ToString::to_string).collect();
            json!({
                "package": package.to_string(),
                "with": with,
                "bin": program,
                "runtime": runtime.map(|runtime| runtime.to_string()),
                "copy": *files == PackageTreeUse::Copied,
                "args": args,
                "env": env,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use facets_lock::Lock;
    use facets_testkit::repository_root;

    use super::*;

    #[test]
    fn hashes_have_the_names_in_text_that_they_have_in_json() {
        let path = repository_root().join("testdata/source-mode/facets.lock");
        let lock = Lock::parse(&std::fs::read(path).unwrap()).unwrap();
        let pin = lock.server("notes").unwrap().pin.artifact().unwrap().clone();
        let entry = "index.ts".to_owned();
        let shown = ArtifactShown { pin, entry, files: 2, variables: Vec::new() };
        let (text, json) = (artifact_lines(&shown), artifact_json(&shown));
        for member in ["integrity", "content_hash"] {
            let (label, digest) = (member.replace('_', " "), json[member].as_str().unwrap());
            assert!(text.lines().any(|line| line == format!("{label}: {digest}")), "{text}");
        }
    }
}
