//! The part of `facets.json` that names servers.

use std::path::Path;

use facets_jsonc::{EditError, Order, remove_member, set_member};
use facets_lock::Pin;
use facets_model::manifest::{ProjectManifest, parse_project};
use facets_model::{
    AddressOrigin, ArtifactSource, CommandOrigin, Origin, PackageOrigin, PackageTreeUse,
    SourceModeOrigin,
};
use serde_json::{Value, json};

use crate::error::ProjectError;

/// A manifest without anything.
pub(crate) const EMPTY: &str = "{\n  \"manifestVersion\": 0.2,\n  \"facets\": {}\n}\n";

/// Reads a manifest that has no problem; else all problems are in the error.
pub fn valid_manifest(path: &Path, bytes: &[u8]) -> Result<ProjectManifest, ProjectError> {
    let outcome = parse_project(bytes);
    match outcome.manifest {
        Some(manifest) if outcome.problems.is_empty() => Ok(manifest),
        _ => {
            let problems = outcome.problems.into_iter();
            let problems = problems.map(|problem| problem.in_file(path.to_owned())).collect();
            Err(ProjectError::Manifest { path: path.to_owned(), problems })
        }
    }
}

/// Where the manifest says that a server comes from, if it alone says so: a floor asks a registry. Values
/// of variables are no part of that.
#[must_use]
pub fn declared_origin<'m>(manifest: &'m ProjectManifest, server: &str) -> Option<&'m Origin> {
    manifest.servers.get(server)?.origin()
}

/// The manifest with a server.
pub fn with_server(
    text: Option<&str>,
    name: &str,
    (origin, pin): (&Origin, &Pin),
) -> Result<String, EditError> {
    let text = text.unwrap_or(EMPTY);
    let entry = match origin {
        Origin::Command(CommandOrigin { command, args, env }) => object(&[
            ("type", json!("stdio")),
            ("command", json!(command)),
            ("args", json!(args)),
            ("env", json!(env)),
        ]),
        Origin::Address(AddressOrigin { url, .. }) => {
            object(&[("type", json!("http")), ("url", json!(url.as_str()))])
        }
        Origin::SourceMode(artifact) => source_mode(artifact, pin),
        Origin::Package(origin) => package(origin),
    };
    set_member(text, &["servers", name], &entry, Order::AtEnd)
}

/// An object with each member on a line.
fn object(members: &[(&str, Value)]) -> String {
    let line = |(member, value): &(&str, Value)| format!("      \"{member}\": {value}");
    let members: Vec<String> = members.iter().map(line).collect();
    format!("{{\n{}\n    }}", members.join(",\n"))
}

/// A package as it was asked for; what is not said is left out.
fn package(origin: &PackageOrigin) -> String {
    let PackageOrigin { package, with, program, runtime, files, args, env } = origin;
    let mut members = vec![("package", json!(package.to_string()))];
    if !with.is_empty() {
        let with: Vec<String> = with.iter().map(ToString::to_string).collect();
        members.push(("with", json!(with)));
    }
    members.extend(program.as_ref().map(|program| ("bin", json!(program))));
    members.extend(runtime.map(|runtime| ("runtime", json!(runtime.to_string()))));
    if *files == PackageTreeUse::Copied {
        members.push(("copy", json!(true)));
    }
    if !args.is_empty() {
        members.push(("args", json!(args)));
    }
    if !env.is_empty() {
        members.push(("env", json!(env)));
    }
    object(&members)
}

/// A path, or the floor at which a registry was asked. Its variables stand in its own manifest.
fn source_mode(artifact: &SourceModeOrigin, pin: &Pin) -> String {
    let text = match (&artifact.source, pin.artifact()) {
        (ArtifactSource::Local { path }, _) => path.to_string(),
        (ArtifactSource::Registry { .. }, Some(pinned)) => pinned.version.to_string(),
        // Nothing is known about versions, so any will do.
        (ArtifactSource::Registry { .. }, None) => "0.0.0".to_owned(),
    };
    json!(text).to_string()
}

/// The manifest without a server; the last takes the list along.
pub fn without_server(text: &str, name: &str, is_last: bool) -> Result<String, EditError> {
    let text = remove_member(text, &["servers", name])?;
    if !is_last {
        return Ok(text);
    }
    let without = remove_member(&text, &["servers"])?;
    // Somebody's comment is worth an empty list.
    Ok(if comments(&without) < comments(&text) { text } else { without })
}

/// How many bytes of a text are comments.
fn comments(text: &str) -> usize {
    let plain = facets_model::tree::blank_comments(text);
    text.bytes().zip(plain.bytes()).filter(|(written, plain)| written != plain).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use facets_model::manifest::parse_project;

    fn command() -> Origin {
        Origin::Command(CommandOrigin {
            command: "node".to_owned(),
            args: vec!["server.js".to_owned(), "say \"hi\"".to_owned()],
            env: vec!["KEY".to_owned()],
        })
    }

    fn address() -> Origin {
        let url = "https://example.com/mcp".parse().unwrap();
        Origin::Address(AddressOrigin { url, headers: [].into() })
    }

    fn artifact(path: &str) -> Origin {
        let source = ArtifactSource::Local { path: path.parse().unwrap() };
        SourceModeOrigin::new(source, Vec::new()).into()
    }

    fn with_origin(text: Option<&str>, name: &str, origin: &Origin) -> Result<String, EditError> {
        with_server(text, name, (origin, &Pin::AsWritten))
    }

    #[test]
    fn a_server_that_is_written_is_declared_so() {
        let text = with_origin(None, "local", &command()).unwrap();
        let text = with_origin(Some(&text), "far", &address()).unwrap();
        let text = with_origin(Some(&text), "built", &artifact("./a \"b\"")).unwrap();
        assert!(text.contains("\"built\": \"./a \\\"b\\\"\""), "{text}");
        let manifest = parse_project(text.as_bytes()).manifest.unwrap();
        assert_eq!(declared_origin(&manifest, "local"), Some(&command()));
        assert_eq!(declared_origin(&manifest, "far"), Some(&address()));
        assert_eq!(declared_origin(&manifest, "built"), Some(&artifact("./a \"b\"")));
        assert_eq!(declared_origin(&manifest, "other"), None);
    }

    #[test]
    fn the_last_server_takes_the_list_along_and_others_do_not() {
        let one = with_origin(None, "one", &command()).unwrap();
        let both = with_origin(Some(&one), "two", &address()).unwrap();
        assert_eq!(without_server(&both, "two", false).unwrap(), one);
        assert_eq!(without_server(&one, "one", true).unwrap(), EMPTY);
    }

    #[test]
    fn a_comment_in_the_list_is_worth_an_empty_list() {
        let text = with_origin(None, "one", &command()).unwrap();
        let inside = text.replace("\"servers\": {", "\"servers\": { // ours\n");
        let left = without_server(&inside, "one", true).unwrap();
        assert!(left.contains("servers") && left.contains("// ours"), "{left}");
        let outside = text.replacen('{', "{ // ours\n", 1);
        let left = without_server(&outside, "one", true).unwrap();
        assert!(!left.contains("servers") && left.contains("// ours"), "{left}");
    }

    #[test]
    fn a_kind_of_server_takes_the_place_of_another_and_comments_stay() {
        let text = r#"{
  // Everything that we start.
  "servers": {
    "notes": "./server", /* built here */
    "far": { "type": "http", "url": "https://example.com/mcp" }, // called
  },
}
"#;
        let moved = with_origin(Some(text), "notes", &artifact("../server")).unwrap();
        assert_eq!(moved, text.replace("\"./server\"", "\"../server\""));
        let started = with_origin(Some(&moved), "notes", &command()).unwrap();
        let built = with_origin(Some(&started), "notes", &artifact("./server")).unwrap();
        assert_eq!(built, text);
        let manifest = parse_project(started.as_bytes()).manifest.unwrap();
        assert_eq!(declared_origin(&manifest, "notes"), Some(&command()));
        let left = without_server(&built, "notes", false).unwrap();
        assert!(left.contains("// Everything") && left.contains("// called"), "{left}");
        assert!(!left.contains("notes"), "{left}");
    }

    #[test]
    fn a_server_of_a_registry_is_named_by_its_version_as_a_floor() {
        let folder = facets_testkit::repository_root().join("testdata/source-mode");
        let lock = facets_lock::Lock::parse(&std::fs::read(folder.join("facets.lock")).unwrap());
        let lock = lock.unwrap();
        let jira = lock.server("jira").unwrap();
        let text = with_server(None, "jira", (&jira.origin, &jira.pin)).unwrap();
        assert!(text.contains("\"jira\": \"1.5.2-rc.1\""), "{text}");
        let unknown = with_origin(None, "jira", &jira.origin).unwrap();
        assert!(unknown.contains("\"jira\": \"0.0.0\""), "{unknown}");
        let text = std::fs::read_to_string(folder.join("facets.json")).unwrap();
        let manifest = parse_project(text.as_bytes()).manifest.unwrap();
        let notes = &lock.server("notes").unwrap().origin;
        assert!(notes.is_declared_as(declared_origin(&manifest, "notes").unwrap()));
    }
}
