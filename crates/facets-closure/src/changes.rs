//! What differs between two closures, package by package.

use std::collections::{BTreeMap, BTreeSet};

use crate::closure::Closure;
use crate::flags::PackageFlag;
use crate::npm::NpmClosure;
use crate::pypi::PypiClosure;

/// One difference. Packages are named as people write them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClosureChange {
    /// The same version has other bytes: whoever publishes it replaced them, or a registry lies.
    OtherBytes {
        /// Which package.
        package: String,
        /// What was pinned.
        before: String,
        /// What there is now.
        after: String,
    },
    /// A package has something that no version of it had before.
    NewFlag {
        /// Which package.
        package: String,
        /// What it has.
        flag: PackageFlag,
    },
    /// A package was not there before.
    Added {
        /// Which package.
        package: String,
    },
    /// A package is not there any more.
    Removed {
        /// Which package.
        package: String,
    },
    /// Other versions of a package.
    OtherVersion {
        /// Its name.
        name: String,
        /// The versions that were pinned.
        before: String,
        /// The versions now.
        after: String,
    },
}

/// Everything that differs, the worst first.
#[must_use]
pub fn closure_changes(before: &Closure, after: &Closure) -> Vec<ClosureChange> {
    let (before, after) = (by_name(before), by_name(after));
    let names: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
    let none = Versions::new();
    let changes = names.into_iter().flat_map(|name| {
        let (before, after) = (before.get(name), after.get(name));
        changes_of(name, before.unwrap_or(&none), after.unwrap_or(&none))
    });
    changes.collect::<BTreeSet<_>>().into_iter().collect()
}

/// A version of a package: its hashes, each by what it is the hash of, and what sets it apart.
#[derive(Default)]
struct PackageVersion {
    hashes: BTreeMap<String, String>,
    flags: BTreeSet<PackageFlag>,
}

/// The versions of one package.
type Versions<'c> = BTreeMap<&'c str, PackageVersion>;

fn by_name(closure: &Closure) -> BTreeMap<&str, Versions<'_>> {
    match closure {
        Closure::Npm(closure) => npm_versions(closure),
        Closure::Pypi(closure) => pypi_versions(closure),
    }
}

/// One package may lie at several places, in several versions.
fn npm_versions(closure: &NpmClosure) -> BTreeMap<&str, Versions<'_>> {
    let mut all: BTreeMap<&str, Versions<'_>> = BTreeMap::new();
    for package in closure.packages.values() {
        let versions = all.entry(&package.name).or_default();
        let version = versions.entry(&package.version).or_default();
        version.hashes.insert("integrity".to_owned(), package.integrity.to_string());
        let sha256 =
            package.file.as_ref().map(|file| ("sha256".to_owned(), file.sha256.to_string()));
        version.hashes.extend(sha256);
        version.flags.extend(&package.flags);
    }
    all
}

/// One version may have a wheel for each machine and interpreter.
fn pypi_versions(closure: &PypiClosure) -> BTreeMap<&str, Versions<'_>> {
    let mut all: BTreeMap<&str, Versions<'_>> = BTreeMap::new();
    for (key, wheel) in &closure.wheels {
        let versions = all.entry(&key.name).or_default();
        let version = versions.entry(&wheel.version).or_default();
        version.hashes.insert(wheel.file_name.clone(), wheel.file.sha256.to_string());
        version.flags.extend(&wheel.flags);
    }
    all
}

fn changes_of(name: &str, before: &Versions<'_>, after: &Versions<'_>) -> Vec<ClosureChange> {
    let shown = |version: &str| format!("{name}@{version}");
    let mut changes = Vec::new();
    for (version, now) in after {
        let was = before.get(version);
        if let Some((before, after)) = was.and_then(|was| other_bytes(was, now)) {
            changes.push(ClosureChange::OtherBytes { package: shown(version), before, after });
        }
        let had = |flag: PackageFlag| before.values().any(|package| package.flags.contains(&flag));
        let new = now.flags.iter().filter(|flag| **flag != PackageFlag::Optional && !had(**flag));
        changes.extend(
            new.map(|flag| ClosureChange::NewFlag { package: shown(version), flag: *flag }),
        );
    }
    let list = |versions: &Versions<'_>| versions.keys().copied().collect::<Vec<_>>().join(", ");
    match (list(before), list(after)) {
        (before, after) if before == after => {}
        (before, _) if before.is_empty() => {
            changes.extend(
                after.keys().map(|version| ClosureChange::Added { package: shown(version) }),
            );
        }
        (_, after) if after.is_empty() => {
            changes.extend(
                before.keys().map(|version| ClosureChange::Removed { package: shown(version) }),
            );
        }
        (before, after) => {
            changes.push(ClosureChange::OtherVersion { name: name.to_owned(), before, after });
        }
    }
    changes
}

/// Two hashes of the same that differ.
fn other_bytes(before: &PackageVersion, after: &PackageVersion) -> Option<(String, String)> {
    after.hashes.iter().find_map(|(what, now)| {
        let was = before.hashes.get(what)?;
        (was != now).then(|| (was.clone(), now.clone()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npm::read_lock;

    fn closure(packages: &[(&str, &str, char)]) -> NpmClosure {
        let packages: Vec<String> = packages
            .iter()
            .map(|(path, version, letter)| {
                let hash = letter.to_string().repeat(86);
                format!(r#""node_modules/{path}":{{"version":"{version}","integrity":"sha512-{hash}=="}}"#)
            })
            .collect();
        read_lock(format!(r#"{{"packages":{{{}}}}}"#, packages.join(",")).as_bytes()).unwrap()
    }

    #[test]
    fn every_difference_is_named_once_the_worst_first() {
        let before = closure(&[("a", "1.0.0", 'A'), ("b", "1.0.0", 'A'), ("c", "1.0.0", 'A')]);
        let mut after = closure(&[
            ("a", "1.0.0", 'B'),
            ("b", "1.1.0", 'A'),
            ("d", "1.0.0", 'A'),
            ("d/node_modules/b", "1.1.0", 'A'),
        ]);
        for path in ["node_modules/b", "node_modules/d"] {
            after.packages.get_mut(path).unwrap().flags.insert(PackageFlag::Script);
        }
        let flag = |package: &str| ClosureChange::NewFlag {
            package: package.to_owned(),
            flag: PackageFlag::Script,
        };
        let hash = |letter: &str| format!("sha512-{}==", letter.repeat(86));
        let expected = [
            ClosureChange::OtherBytes {
                package: "a@1.0.0".to_owned(),
                before: hash("A"),
                after: hash("B"),
            },
            flag("b@1.1.0"),
            flag("d@1.0.0"),
            ClosureChange::Added { package: "d@1.0.0".to_owned() },
            ClosureChange::Removed { package: "c@1.0.0".to_owned() },
            ClosureChange::OtherVersion {
                name: "b".to_owned(),
                before: "1.0.0".to_owned(),
                after: "1.1.0".to_owned(),
            },
        ];
        let (before, after) = (Closure::Npm(before), Closure::Npm(after));
        assert_eq!(closure_changes(&before, &after), expected);
        assert_eq!(closure_changes(&after, &after), []);
    }

    #[test]
    fn another_wheel_of_the_same_name_is_an_alarm_and_one_more_machine_is_not() {
        let line = |platform: &str, hash: char| {
            let hash = hash.to_string().repeat(64);
            format!(
                r#"    {{"platform":"{platform}","python":"3.11","name":"a","version":"1","file":"a-1-py3-none-any.whl","sha256":"sha256:{hash}","size":1}}"#
            )
        };
        let closure = |lines: &[String]| {
            let text = format!(
                "{{\n  \"closureVersion\": 1,\n  \"ecosystem\": \"pypi\",\n  \"packages\": [\n{}\n  ]\n}}\n",
                lines.join(",\n")
            );
            Closure::parse(text.as_bytes()).unwrap()
        };
        let before = closure(&[line("linux-x64-gnu", 'a')]);
        let more = closure(&[line("darwin-arm64", 'a'), line("linux-x64-gnu", 'a')]);
        assert_eq!(closure_changes(&before, &more), []);
        let changes = closure_changes(&before, &closure(&[line("linux-x64-gnu", 'b')]));
        assert!(
            matches!(&changes[..], [ClosureChange::OtherBytes { package, .. }] if package == "a@1")
        );
    }
}
