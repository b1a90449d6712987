//! The dependencies that `package.json` declares, and whether `bun.lock` is of just these.

use std::collections::BTreeMap;

use facets_model::tree::{ManifestFormat, Node, NodeValue, parse};

use super::lock_advice::LockAdvice;
use super::workshop::Workshop;
use crate::error::{BundleError, OpsError};

pub(super) const PACKAGE: &str = "package.json";
pub(super) const LOCK: &str = "bun.lock";
const BINARY_LOCK: &str = "bun.lockb";

/// Members whose packages a server can import. Those for its development are not installed.
const MEMBERS: [&str; 3] = ["dependencies", "optionalDependencies", "peerDependencies"];

/// Sources of packages that are packed with the server.
const OWN: [&str; 4] = ["workspace:", "file:", "link:", "root:"];

/// Sources of packages that are a commit.
const GIT: [&str; 3] = ["git+", "git:", "github:"];

/// Hashes of packages, and how many digits of base64 they have.
const HASHES: [(&str, usize); 4] =
    [("sha512-", 88), ("sha384-", 64), ("sha256-", 44), ("sha1-", 28)];

/// A member and a name, and what is demanded of it.
pub(super) type Declared = BTreeMap<(&'static str, String), String>;

/// The dependencies in `package.json`.
pub(super) fn read_declared(workshop: &Workshop) -> Result<Declared, OpsError> {
    let root = read_document(workshop, PACKAGE, ManifestFormat::Json)?;
    Ok(declared(&root))
}

/// There is a lock, and it is of the dependencies in `package.json`. bun itself accepts a missing lock, and one
/// that has a package under another member.
pub(super) fn verify_lock(workshop: &Workshop, advice: LockAdvice<'_>) -> Result<(), OpsError> {
    if !workshop.has(LOCK) {
        let next = advice.next();
        let is_binary = workshop.has(BINARY_LOCK);
        let missing =
            if is_binary { BundleError::BinaryLock { next } } else { BundleError::NoLock { next } };
        return Err(missing.into());
    }
    let declared_here = read_declared(workshop)?;
    let lock = read_document(workshop, LOCK, ManifestFormat::JsonWithComments)?;
    let root = member(&lock, "workspaces").and_then(|workspaces| member(workspaces, ""));
    let locked = root.map(declared).unwrap_or_default();
    if let Some(difference) = difference(&declared_here, &locked) {
        return Err(BundleError::StaleLock { difference, next: advice.next() }.into());
    }
    match without_hash(&lock) {
        Some(package) => Err(BundleError::NoHash { package }.into()),
        None => Ok(()),
    }
}

/// The first package whose bytes nothing in the lock determines. bun installs it silently.
fn without_hash(lock: &Node) -> Option<String> {
    let NodeValue::Object(packages) = &member(lock, "packages")?.value else { return None };
    let lacks_hash = |node: &Node| {
        let NodeValue::Array(parts) = &node.value else { return true };
        let text = |part: Option<&Node>| match part.map(|node| &node.value) {
            Some(NodeValue::String(text)) => text.clone(),
            _ => String::new(),
        };
        !is_determined(&text(parts.first())) && !is_hash(&text(parts.last()))
    };
    packages.iter().find(|one| lacks_hash(&one.node)).map(|one| one.name.clone())
}

/// Whether `NAME@SOURCE` is a directory or file of the server itself, or a commit.
fn is_determined(package: &str) -> bool {
    let source = package.get(1..).and_then(|rest| rest.split_once('@')).map_or("", |(_, it)| it);
    let is_own = OWN.iter().any(|kind| source.starts_with(kind));
    is_own || (GIT.iter().any(|kind| source.starts_with(kind)) && source.contains('#'))
}

/// Whether bun compares a package with this: it takes a hash that it cannot read for none.
fn is_hash(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    HASHES.iter().any(|(kind, length)| {
        text.strip_prefix(kind)
            .is_some_and(|hash| hash.len() == *length && hash.bytes().all(is_digit))
    })
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

/// Whether a `package.json` declares dependencies.
pub(super) fn declares_any(bytes: &[u8]) -> Result<bool, BundleError> {
    let root = parse_document(bytes, PACKAGE, ManifestFormat::Json)?;
    Ok(!declared(&root).is_empty())
}

fn read_document(
    workshop: &Workshop,
    file: &'static str,
    format: ManifestFormat,
) -> Result<Node, OpsError> {
    Ok(parse_document(&workshop.read(file)?, file, format)?)
}

fn parse_document(
    bytes: &[u8],
    file: &'static str,
    format: ManifestFormat,
) -> Result<Node, BundleError> {
    let refuse = |problem: String| BundleError::Document { file, problem };
    let parsed = parse(bytes, format).map_err(|problem| refuse(problem.found.clone()))?;
    match parsed.problems.first() {
        Some(problem) => Err(refuse(format!("{}: {}", problem.member, problem.found))),
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

    #[test]
    fn each_package_of_a_registry_needs_a_hash() {
        let good = format!("sha512-{}==", "A".repeat(86));
        let found = |package: &str, hash: &str| {
            let text = format!(r#"{{"packages":{{"a":["{package}","",{{}},"{hash}"],}},}}"#);
            without_hash(&parse(text.as_bytes(), ManifestFormat::JsonWithComments).unwrap().root)
        };
        for package in ["a@1.0.0", "@s/a@1.0.0"] {
            assert_eq!(found(package, &good), None);
            for hash in ["", "sha512-", "sha512-AAAA", "md5-AAAA", &good.replace('A', "!")] {
                assert_eq!(found(package, hash).as_deref(), Some("a"), "{hash}");
            }
        }
        assert_eq!(found("a@workspace:packages/a", ""), None);
        assert_eq!(found("a@github:o/a#0123abc", "o-a-0123abc"), None);
        assert_eq!(found("a@https://a.example/a.tgz", "").as_deref(), Some("a"));
    }
}
