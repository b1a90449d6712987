//! The lock that npm writes (`package-lock.json`, version 3), turned into packages.

use std::collections::BTreeSet;

use facets_digest::json::{Limits, Object, Provenance, Value, parse};
use facets_model::is_npm_name;

use super::closure::{NpmClosure, NpmPackage};
use super::place::{is_place, package_at};
use super::platform::PlatformRule;
use crate::error::ClosureError;
use crate::flags::PackageFlag;

const WHAT: &str = "the lock that npm wrote";

/// The lock of 916 packages has 600 kB.
const LIMITS: Limits = Limits { bytes: 64 << 20, depth: 64, values: 4_000_000 };

/// Longer ones are in no registry.
const LONGEST_VERSION: usize = 256;

/// The packages of a lock. Files are added when they were fetched.
pub fn read_lock(bytes: &[u8]) -> Result<NpmClosure, ClosureError> {
    let source = |source| ClosureError::Json { what: WHAT, source };
    let document = parse(bytes, Provenance::Captured, LIMITS).map_err(source)?;
    let Some(Value::Object(packages)) = document.member("packages") else {
        return Err(bad("packages", "an object"));
    };
    let mut closure = NpmClosure::default();
    for member in packages.members() {
        let path = member.name.as_ref();
        let Value::Object(package) = &member.value else { return Err(bad(path, "an object")) };
        // The project itself, what nothing depends on, and what lies in the file of another package.
        let is_left_out =
            path.is_empty() || is_true(package, "extraneous") || is_true(package, "inBundle");
        if !is_left_out {
            closure.packages.insert(path.to_owned(), read_package(path, package)?);
        }
    }
    Ok(closure)
}

fn read_package(path: &str, package: &Object<'_>) -> Result<NpmPackage, ClosureError> {
    let refuse = |reason| ClosureError::NotLockable { package: path.to_owned(), reason };
    if is_true(package, "link") {
        return Err(refuse("it is a link to a directory"));
    }
    if !is_place(path) {
        return Err(bad(path, "the place of a package"));
    }
    if let Some(resolved) = text(package, "resolved")
        && !resolved.starts_with("https://")
        && !resolved.starts_with("http://")
    {
        return Err(refuse("it comes from git or from a file, not from the registry"));
    }
    let name = text(package, "name").unwrap_or_else(|| package_at(path));
    if !is_npm_name(name) {
        return Err(bad(&format!("{path}.name"), "the name of a package"));
    }
    let version = text(package, "version").filter(|version| is_version(version));
    let version = version.ok_or_else(|| bad(&format!("{path}.version"), "a version"))?;
    let integrity = text(package, "integrity").and_then(|text| text.parse().ok());
    let integrity = integrity.ok_or_else(|| refuse("the registry states no hash for it"))?;
    let list =
        |member| texts(package, member).ok_or_else(|| bad(&format!("{path}.{member}"), "strings"));
    let platforms = PlatformRule { os: list("os")?, cpu: list("cpu")?, libc: list("libc")? };
    let is_optional = is_true(package, "optional") || is_true(package, "devOptional");
    let flags = is_optional.then_some(PackageFlag::Optional);
    Ok(NpmPackage {
        name: name.to_owned(),
        version: version.to_owned(),
        integrity,
        file: None,
        platforms,
        flags: BTreeSet::from_iter(flags),
    })
}

/// A version that names one file: an address or a path would be another.
fn is_version(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    text.len() <= LONGEST_VERSION
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(allowed)
}

fn text<'v>(object: &'v Object<'_>, name: &str) -> Option<&'v str> {
    match object.get(name)? {
        Value::String(text) => Some(text.as_ref()),
        _ => None,
    }
}

/// A list of texts, or one text; nothing if it is neither.
fn texts(object: &Object<'_>, name: &str) -> Option<Vec<String>> {
    match object.get(name) {
        None => Some(Vec::new()),
        Some(Value::String(text)) => Some(vec![text.to_string()]),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| match item {
                Value::String(text) => Some(text.to_string()),
                _ => None,
            })
            .collect(),
        Some(_) => None,
    }
}

fn is_true(object: &Object<'_>, name: &str) -> bool {
    matches!(object.get(name), Some(Value::Bool(true)))
}

fn bad(member: &str, expected: &'static str) -> ClosureError {
    ClosureError::Member { what: WHAT, member: member.to_owned(), expected }
}

#[cfg(test)]
mod tests {
    use facets_failure::Describe as _;

    use super::*;
    use crate::Closure;

    fn hash() -> String {
        format!("sha512-{}==", "A".repeat(86))
    }

    fn lock(package: &str) -> Result<NpmClosure, ClosureError> {
        let text = format!(r#"{{"lockfileVersion":3,"packages":{{"":{{"name":"x"}},{package}}}}}"#);
        read_lock(text.replace("HASH", &hash()).as_bytes())
    }

    #[test]
    fn packages_aliases_and_platforms_are_read() {
        let closure = lock(
            r#""node_modules/a":{"version":"1.0.0","integrity":"HASH","hasInstallScript":true},
               "node_modules/b":{"name":"@s/c","version":"2.0.0-rc.1","integrity":"HASH","optional":true,
                 "os":["linux"],"cpu":["x64"],"libc":["glibc"]},
               "node_modules/a/node_modules/d":{"version":"1.0.0","inBundle":true},
               "node_modules/e":{"version":"1.0.0","integrity":"HASH","extraneous":true}"#,
        )
        .unwrap();
        assert_eq!(
            closure.packages.keys().collect::<Vec<_>>(),
            ["node_modules/a", "node_modules/b"]
        );
        let alias = &closure.packages["node_modules/b"];
        assert_eq!(alias.shown(), "@s/c@2.0.0-rc.1");
        assert_eq!(alias.platforms.libc, ["glibc"]);
        assert!(alias.flags.contains(&PackageFlag::Optional));
        let closure = Closure::Npm(closure);
        assert_eq!(Closure::parse(closure.to_text().as_bytes()).unwrap(), closure);
        assert_eq!(closure.to_text().lines().count(), 8);
    }

    #[test]
    fn what_no_registry_vouches_for_is_refused_by_name() {
        for (package, code) in [
            (r#""node_modules/a":{"version":"1.0.0"}"#, "package-not-lockable"),
            (
                r#""node_modules/a":{"version":"1.0.0","integrity":"HASH","resolved":"git+ssh://h/a#1"}"#,
                "package-not-lockable",
            ),
            (
                r#""node_modules/a":{"version":"1.0.0","integrity":"HASH","resolved":"file:../a"}"#,
                "package-not-lockable",
            ),
            (r#""node_modules/a":{"link":true,"resolved":"../a"}"#, "package-not-lockable"),
            (r#""../a":{"version":"1.0.0","integrity":"HASH"}"#, "closure-invalid"),
            (r#""node_modules/../../a":{"version":"1.0.0","integrity":"HASH"}"#, "closure-invalid"),
            (r#""node_modules/a":{"version":"../1","integrity":"HASH"}"#, "closure-invalid"),
            (r#""node_modules/a":{"integrity":"HASH"}"#, "closure-invalid"),
            (
                r#""node_modules/a":{"name":"../b","version":"1.0.0","integrity":"HASH"}"#,
                "closure-invalid",
            ),
        ] {
            assert_eq!(lock(package).unwrap_err().code(), code, "{package}");
        }
    }
}
