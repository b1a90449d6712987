//! The folder whose `.npmrc` is that of the project: in a workspace, npm takes the one of its root.

use std::fs;
use std::path::{Path, PathBuf};

use facets_digest::json::{self, Limits, Provenance, Value};

use crate::error::FetchError;
use crate::machine::Machine;

/// Characters of patterns that npm reads and facet does not.
const UNREAD: [char; 9] = ['[', ']', '{', '}', '(', ')', '?', '\\', '#'];

/// How often a pattern may have `**`: each of them multiplies the ways to match it.
const MAX_DEPTHS: usize = 3;

/// Whether a folder is one of a root's workspaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Membership {
    Member,
    Other,
    /// Only npm can tell.
    Unclear,
}

/// The nearest folder that npm takes for a package, or the root of the workspaces that it belongs to; without any, the
/// one of the start.
pub(super) fn project_folder(machine: &Machine) -> Result<PathBuf, FetchError> {
    // npm sees where it runs without links.
    let start = fs::canonicalize(&machine.directory).unwrap_or_else(|_| machine.directory.clone());
    let mut folders = start.ancestors();
    let is_package =
        |folder: &&Path| is_manifest_in(folder) || folder.join("node_modules").is_dir();
    let Some(package) = folders.find(is_package) else { return Ok(start) };
    // What has no manifest is no workspace.
    if is_manifest_in(package) {
        let mut doubtful: Option<&Path> = None;
        for root in folders.filter(|folder| is_manifest_in(folder)) {
            let Ok(inside) = package.strip_prefix(root) else { continue };
            match membership(machine, root, inside)? {
                Membership::Member => match doubtful.filter(|_| has_settings(root)) {
                    Some(nearer) => return Err(unclear(nearer, package)),
                    None => return Ok(root.to_owned()),
                },
                Membership::Unclear if has_settings(package) || has_settings(root) => {
                    return Err(unclear(root, package));
                }
                // Without settings it matters only if a root above has some.
                Membership::Unclear => doubtful = Some(root),
                Membership::Other => {}
            }
        }
    }
    Ok(package.to_owned())
}

fn is_manifest_in(folder: &Path) -> bool {
    folder.join("package.json").is_file()
}

fn has_settings(folder: &Path) -> bool {
    folder.join(".npmrc").exists()
}

/// Two files could be the one of the project, and which of them npm reads decides where packages come from.
fn unclear(root: &Path, package: &Path) -> FetchError {
    FetchError::Config {
        place: root.join("package.json").display().to_string(),
        problem: format!(
            "whether `workspaces` has {} cannot be told, and so not which .npmrc npm reads; \
             write its folder without `!`, `?`, brackets and braces",
            package.display()
        ),
    }
}

fn membership(machine: &Machine, root: &Path, inside: &Path) -> Result<Membership, FetchError> {
    let Some(text) = machine.read(&root.join("package.json"))? else {
        return Ok(Membership::Other);
    };
    let manifest = json::parse(text.as_bytes(), Provenance::Captured, Limits::DEFINITION);
    // npm takes some texts that are refused here, such as those with a member twice.
    let Ok(manifest) = manifest else { return Ok(Membership::Unclear) };
    let Value::Object(members) = &manifest else { return Ok(Membership::Other) };
    let Some(declared) = members.get("workspaces") else { return Ok(Membership::Other) };
    let list = match declared {
        Value::Null | Value::Bool(false) => return Ok(Membership::Other),
        Value::Object(members) => members.get("packages"),
        other => Some(other),
    };
    let Some(Value::Array(patterns)) = list else { return Ok(Membership::Unclear) };
    let texts: Option<Vec<&str>> = patterns.iter().map(text_of).collect();
    let segments: Option<Vec<&str>> =
        inside.components().map(|part| part.as_os_str().to_str()).collect();
    Ok(match (texts, segments) {
        (Some(texts), Some(segments)) => decide_membership(&texts, &segments),
        _ => Membership::Unclear,
    })
}

fn text_of<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// Whether the patterns of a root have a folder. What a pattern with `!` takes away depends on those around it.
fn decide_membership(patterns: &[&str], folder: &[&str]) -> Membership {
    if folder.contains(&"node_modules") {
        return Membership::Other;
    }
    let (negated, plain): (Vec<&str>, Vec<&str>) =
        patterns.iter().copied().partition(|pattern| pattern.starts_with('!'));
    // `!!` is no negation, and may add a folder.
    let is_unread = |pattern: &&str| read_pattern(pattern).is_none();
    if plain.iter().any(is_unread) || negated.iter().any(|pattern| pattern.starts_with("!!")) {
        return Membership::Unclear;
    }
    let has = |pattern: &&str| read_pattern(pattern).is_some_and(|parts| matches(&parts, folder));
    match (plain.iter().any(has), negated.is_empty()) {
        (false, _) => Membership::Other,
        (true, true) => Membership::Member,
        (true, false) => Membership::Unclear,
    }
}

/// The segments of a pattern, if all of them can be read.
fn read_pattern(pattern: &str) -> Option<Vec<&str>> {
    if pattern.contains(UNREAD) {
        return None;
    }
    let pattern = pattern.strip_prefix('.').filter(|rest| rest.starts_with('/')).unwrap_or(pattern);
    let segments: Vec<&str> =
        pattern.trim_start_matches('/').trim_end_matches('/').split('/').collect();
    let is_plain = |segment: &&str| !matches!(*segment, "" | "." | "..");
    let depths = segments.iter().filter(|segment| **segment == "**").count();
    (depths <= MAX_DEPTHS && segments.iter().all(is_plain)).then_some(segments)
}

/// Whether segments with `*`, and `**` for any number of them, are those of a folder.
fn matches(pattern: &[&str], folder: &[&str]) -> bool {
    match (pattern.split_first(), folder.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), None) => matches(rest, folder),
        (Some((&"**", rest)), Some((first, others))) => {
            matches(rest, folder) || (!first.starts_with('.') && matches(pattern, others))
        }
        (Some((segment, rest)), Some((first, others))) => {
            segment_matches(segment, first) && matches(rest, others)
        }
        (None, Some(_)) | (Some(_), None) => false,
    }
}

/// `*` is any run of characters, but not at a dot that begins a name.
fn segment_matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    if start.is_empty() && name.starts_with('.') {
        return false;
    }
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let end = pieces.pop().unwrap_or_default();
    for piece in pieces {
        let Some(at) = name.find(piece) else { return false };
        name = &name[at + piece.len()..];
    }
    name.ends_with(end)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn decided(patterns: &[&str], folder: &str) -> Membership {
        decide_membership(patterns, &folder.split('/').collect::<Vec<_>>())
    }

    #[test]
    fn patterns_are_read_as_npm_reads_them() {
        for (pattern, folder) in [
            ("packages/*", "packages/a"),
            ("./packages/*/", "packages/a"),
            ("/packages/a", "packages/a"),
            ("packages/**", "packages/a/b"),
            ("packages/**", "packages"),
            ("**", "a/b/c"),
            ("**/b", "a/b"),
            ("packages/mcp-*-x*", "packages/mcp-a-x"),
            ("@scope/*", "@scope/a"),
        ] {
            assert_eq!(decided(&[pattern], folder), Membership::Member, "{pattern} {folder}");
        }
        for (pattern, folder) in [
            ("packages/*", "packages/a/b"),
            ("packages/*", "packages/.a"),
            ("packages/**", "packages/.a/b"),
            ("packages/a", "packages/ab"),
            ("packages/*b*", "packages/a"),
            ("**", "node_modules/a"),
            ("other", "packages/a"),
        ] {
            assert_eq!(decided(&[pattern], folder), Membership::Other, "{pattern} {folder}");
        }
        assert_eq!(decided(&[], "a"), Membership::Other);
        assert_eq!(decided(&["packages/*", "!packages/b"], "other"), Membership::Other);
        for patterns in [
            &["packages/*", "!packages/b"][..],
            &["!!packages/a"],
            &["packages/{a,b}"],
            &["packages/[ab]"],
            &["packages/?"],
            &["packages/../packages/a"],
            &["packages//a"],
            &["packages\\a"],
            &["**/**/**/**"],
        ] {
            assert_eq!(decided(patterns, "packages/a"), Membership::Unclear, "{patterns:?}");
        }
    }

    /// The project of `root/packages/a`, where the root has this manifest.
    fn project(manifest: &str, files: &[&str]) -> Result<String, String> {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        let package = root.join("packages/a");
        fs::create_dir_all(package.join("src")).unwrap();
        fs::write(root.join("package.json"), manifest).unwrap();
        for file in files {
            fs::write(root.join(file), "{}").unwrap();
        }
        let machine = Machine { directory: package.join("src/../src"), ..Machine::default() };
        let folder = project_folder(&machine).map_err(|error| error.to_string())?;
        Ok(folder.strip_prefix(&root).unwrap().to_str().unwrap().to_owned())
    }

    #[test]
    fn a_workspace_has_the_settings_of_its_root() {
        let manifest = "packages/a/package.json";
        for workspaces in [r#"["packages/*"]"#, r#"{"packages": ["./packages/a"]}"#] {
            let root = format!(r#"{{"workspaces": {workspaces}}}"#);
            assert_eq!(project(&root, &[manifest]).as_deref(), Ok(""), "{root}");
        }
        for root in ["{}", "[]", r#"{"workspaces": ["other/*"]}"#, r#"{"workspaces": null}"#] {
            assert_eq!(project(root, &[manifest]).as_deref(), Ok("packages/a"), "{root}");
        }
        // Without a manifest it is no package, and the root is the nearest one.
        assert_eq!(project("{}", &[]).as_deref(), Ok(""));
    }

    #[test]
    fn settings_that_only_npm_could_choose_are_refused() {
        let manifest = "packages/a/package.json";
        for root in [
            r#"{"workspaces": ["packages/{a,b}"]}"#,
            r#"{"workspaces": "packages/*"}"#,
            r#"{"workspaces": ["packages/*"], "workspaces": []}"#,
            r#"{"workspaces": ["packages/*", 1]}"#,
        ] {
            for settings in [".npmrc", "packages/a/.npmrc"] {
                let refused = project(root, &[manifest, settings]).unwrap_err();
                assert!(refused.contains("which .npmrc npm reads"), "{refused}");
            }
            // There is nothing to choose.
            assert_eq!(project(root, &[manifest]).as_deref(), Ok("packages/a"), "{root}");
        }
    }

    #[test]
    fn a_doubtful_root_below_another_one_is_refused() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        let package = root.join("inner/a");
        fs::create_dir_all(&package).unwrap();
        fs::write(root.join("package.json"), r#"{"workspaces": ["inner/*"]}"#).unwrap();
        fs::write(root.join("inner/package.json"), r#"{"workspaces": ["?"]}"#).unwrap();
        fs::write(package.join("package.json"), "{}").unwrap();
        let machine = Machine { directory: package, ..Machine::default() };
        assert_eq!(project_folder(&machine).unwrap(), root);
        fs::write(root.join(".npmrc"), "").unwrap();
        assert!(project_folder(&machine).is_err());
    }
}
