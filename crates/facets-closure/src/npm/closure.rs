//! Packages of npm, by their places in the tree.

use std::collections::{BTreeMap, BTreeSet};

use facets_digest::json::quoted;

use super::place::{is_place, package_at};
use super::platform::{NpmPlatform, PlatformRule};
use crate::error::ClosureError;
use crate::flags::PackageFlag;
use crate::integrity::Integrity;
use crate::package_file::PackageFile;
use crate::read_line::Line;
use crate::written_line::{flag_list, line, text_list};

/// Packages of npm.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NpmClosure {
    /// Each by the path at which it is unpacked.
    pub packages: BTreeMap<String, NpmPackage>,
}

/// One package, as its registry knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NpmPackage {
    /// The name under which it is published, which may differ from that of its place.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What the registry states about its file.
    pub integrity: Integrity,
    /// Its file; none if no machine on which the closure was made installs it. Its integrity pins it all the same.
    pub file: Option<PackageFile>,
    /// On which machines it is installed.
    pub platforms: PlatformRule,
    /// What sets it apart.
    pub flags: BTreeSet<PackageFlag>,
}

impl NpmPackage {
    /// As people write it.
    #[must_use]
    pub fn shown(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

impl NpmClosure {
    /// The packages that are installed on a machine, by their paths.
    pub fn on<'c>(
        &'c self,
        platform: NpmPlatform<'c>,
    ) -> impl Iterator<Item = (&'c str, &'c NpmPackage)> {
        let all = self.packages.iter().map(|(path, package)| (path.as_str(), package));
        all.filter(move |(path, package)| {
            package.platforms.admits(platform) && self.parents_admit(path, platform)
        })
    }

    /// A package inside of one that is not installed is not installed either.
    fn parents_admit(&self, path: &str, platform: NpmPlatform<'_>) -> bool {
        let mut above = path;
        while let Some((parent, _)) = above.rsplit_once("/node_modules/") {
            if self.packages.get(parent).is_some_and(|package| !package.platforms.admits(platform))
            {
                return false;
            }
            above = parent;
        }
        true
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.packages.iter().map(|(path, package)| package_line(path, package)).collect()
    }

    pub(crate) fn with_line(mut self, line: &Line<'_>) -> Result<Self, ClosureError> {
        let path = line.text("path")?;
        if !is_place(path) {
            return Err(line.bad("path", "the place of a package"));
        }
        let integrity = line.text("integrity")?.parse();
        let package = NpmPackage {
            name: line.optional_text("name")?.unwrap_or_else(|| package_at(path)).to_owned(),
            version: line.text("version")?.to_owned(),
            integrity: integrity.map_err(|()| line.bad("integrity", "a hash"))?,
            file: line.file()?,
            platforms: PlatformRule {
                os: line.texts("os")?,
                cpu: line.texts("cpu")?,
                libc: line.texts("libc")?,
            },
            flags: line.flags()?,
        };
        if package.file.is_none() && !package.integrity.is_strong() {
            return Err(line.bad("sha256", "a digest, because the integrity is weak"));
        }
        self.packages.insert(path.to_owned(), package);
        Ok(self)
    }
}

fn package_line(path: &str, package: &NpmPackage) -> String {
    let list = |texts: &[String]| {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        text_list(&texts)
    };
    let file = package.file.as_ref();
    line(&[
        ("path", Some(quoted(path))),
        ("name", (package.name != package_at(path)).then(|| quoted(&package.name))),
        ("version", Some(quoted(&package.version))),
        ("integrity", Some(quoted(package.integrity.as_str()))),
        ("sha256", file.map(|file| quoted(&file.sha256.to_string()))),
        ("size", file.map(|file| file.size.to_string())),
        ("os", list(&package.platforms.os)),
        ("cpu", list(&package.platforms.cpu)),
        ("libc", list(&package.platforms.libc)),
        ("flags", flag_list(&package.flags)),
    ])
}
