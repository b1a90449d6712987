//! The dependencies that `package.json` declares, and whether `bun.lock` is of just these.

use std::collections::BTreeMap;

use facets_model::tree::{ManifestFormat, Node, NodeValue, parse};

use super::workshop::Workshop;
use crate::error::{BundleError, OpsError};

pub(super) const PACKAGE: &str = "package.json";
const LOCK: &str = "bun.lock";
const BINARY_LOCK: &str = "bun.lockb";

/// Members whose packages a server can import. Those for its development are not installed.
const MEMBERS: [&str; 3] = ["dependencies", "optionalDependencies", "peerDependencies"];

/// A member and a name, and what is demanded of it.
pub(super) type Declared = BTreeMap<(&'static str, String), String>;

/// The dependencies in `package.json`.
pub(super) fn read_declared(workshop: &Workshop) -> Result<Declared, OpsError> {
    let root = read_document(workshop, PACKAGE, ManifestFormat::Json)?;
    Ok(declared(&root))
}

/// There is a lock, and it is of the dependencies in `package.json`. bun itself accepts a missing lock, and one
/// that has a package under another member.
pub(super) fn verify_lock(workshop: &Workshop) -> Result<(), OpsError> {
    if !workshop.has(LOCK) {
        let is_binary = workshop.has(BINARY_LOCK);
        let missing = if is_binary { BundleError::BinaryLock } else { BundleError::NoLock };
        return Err(missing.into());
    }
    let declared_here = read_declared(workshop)?;
    let lock = read_document(workshop, LOCK, ManifestFormat::JsonWithComments)?;
    let root = member(&lock, "workspaces").and_then(|workspaces| member(workspaces, ""));
    let locked = root.map(declared).unwrap_or_default();
    match difference(&declared_here, &locked) {
        Some(difference) => Err(BundleError::StaleLock { difference }.into()),
        None => Ok(()),
    }
}

fn difference(declared: &Declared, locked: &Declared) -> Option<String> {
    for ((kind, name), version) in declared {
        match locked.get(&(*kind, name.clone())) {
            Some(other) if other == version => {}
            Some(other) => {
                return Some(format!("{name} is {version} in package.json, {other} in bun.lock"));
            }
            None => return Some(format!("{name} is not among the {kind} of bun.lock")),
        }
    }
    let extra = locked.keys().find(|key| !declared.contains_key(*key))?;
    Some(format!("{} is in bun.lock and not among the {} of package.json", extra.1, extra.0))
}

fn declared(root: &Node) -> Declared {
    let mut all = Declared::new();
    for kind in MEMBERS {
        let Some(NodeValue::Object(members)) = member(root, kind).map(|node| &node.value) else {
            continue;
        };
        for one in members {
            let NodeValue::String(version) = &one.node.value else { continue };
            all.insert((kind, one.name.clone()), version.clone());
        }
    }
    all
}

fn read_document(
    workshop: &Workshop,
    file: &'static str,
    format: ManifestFormat,
) -> Result<Node, OpsError> {
    let bytes = workshop.read(file)?;
    let refuse = |problem: String| BundleError::Document { file, problem };
    let parsed = parse(&bytes, format).map_err(|problem| refuse(problem.found.clone()))?;
    match parsed.problems.first() {
        Some(problem) => Err(refuse(format!("{}: {}", problem.member, problem.found)).into()),
        None => Ok(parsed.root),
    }
}

/// A member of an object.
pub(super) fn member<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    let NodeValue::Object(members) = &node.value else { return None };
    members.iter().find(|member| member.name == name).map(|member| &member.node)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Declared {
        declared(&parse(text.as_bytes(), ManifestFormat::JsonWithComments).unwrap().root)
    }

    #[test]
    fn a_lock_of_other_dependencies_is_stale() {
        let package = of(r#"{"dependencies":{"a":"1.0.0"},"devDependencies":{"b":"1.0.0"}}"#);
        assert_eq!(difference(&package, &of(r#"{"dependencies":{"a":"1.0.0",},}"#)), None);
        for (lock, difference_is) in [
            (r#"{"dependencies":{"a":"2.0.0"}}"#, "a is 1.0.0 in package.json, 2.0.0 in bun.lock"),
            (
                r#"{"peerDependencies":{"a":"1.0.0"}}"#,
                "a is not among the dependencies of bun.lock",
            ),
            (
                r#"{"dependencies":{"a":"1.0.0","c":"1.0.0"}}"#,
                "c is in bun.lock and not among the dependencies of package.json",
            ),
        ] {
            assert_eq!(difference(&package, &of(lock)).as_deref(), Some(difference_is));
        }
    }
}
