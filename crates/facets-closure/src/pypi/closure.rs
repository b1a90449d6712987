//! Wheels of PyPI, for each kind of machine and each minor version of Python.

use std::collections::{BTreeMap, BTreeSet};

use facets_digest::json::quoted;
use facets_model::PlatformName;

use super::target::PythonVersion;
use super::wheel_name::WheelName;
use crate::error::ClosureError;
use crate::flags::PackageFlag;
use crate::package_file::PackageFile;
use crate::read_line::Line;
use crate::written_line::{flag_list, line};

/// Wheels of PyPI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PypiClosure {
    /// Each by the machine, the interpreter and the package.
    pub wheels: BTreeMap<WheelKey, Wheel>,
}

/// For whom a wheel is, and of which package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WheelKey {
    /// The machine.
    pub platform: PlatformName,
    /// The interpreter.
    pub python: PythonVersion,
    /// The package, normalised.
    pub name: String,
}

/// One wheel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wheel {
    /// The version of the package.
    pub version: String,
    /// The name of its file in the index.
    pub file_name: String,
    /// Its bytes.
    pub file: PackageFile,
    /// What sets it apart.
    pub flags: BTreeSet<PackageFlag>,
}

/// The name of a package as the index spells it (PEP 503); nothing if it is none.
#[must_use]
pub fn normalised_name(text: &str) -> Option<String> {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let is_edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let is_name = is_edge(text.chars().next()) && is_edge(text.chars().next_back());
    if !is_name || text.len() > 214 || !text.chars().all(is_inner) {
        return None;
    }
    let parts = text.split(['.', '_', '-']).filter(|part| !part.is_empty());
    Some(parts.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-"))
}

impl PypiClosure {
    /// The wheels of one machine and interpreter, by package.
    pub fn on<'c>(
        &'c self,
        platform: &'c PlatformName,
        python: PythonVersion,
    ) -> impl Iterator<Item = (&'c str, &'c Wheel)> {
        let is_here = move |key: &WheelKey| key.platform == *platform && key.python == python;
        let here = self.wheels.iter().filter(move |(key, _)| is_here(key));
        here.map(|(key, wheel)| (key.name.as_str(), wheel))
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.wheels.iter().map(|(key, wheel)| wheel_line(key, wheel)).collect()
    }

    pub(crate) fn with_line(mut self, line: &Line<'_>) -> Result<Self, ClosureError> {
        let platform = line.text("platform")?.parse();
        let python = line.text("python")?.parse();
        let name = line.text("name")?;
        let file_name = line.text("file")?;
        if normalised_name(name).as_deref() != Some(name) {
            return Err(line.bad("name", "a normalised package name"));
        }
        if file_name.parse::<WheelName>().is_err() {
            return Err(line.bad("file", "the name of a wheel"));
        }
        let key = WheelKey {
            platform: platform.map_err(|_| line.bad("platform", "a platform"))?,
            python: python.map_err(|()| line.bad("python", "a version such as 3.12"))?,
            name: name.to_owned(),
        };
        let wheel = Wheel {
            version: line.text("version")?.to_owned(),
            file_name: file_name.to_owned(),
            file: line.file()?.ok_or_else(|| line.bad("sha256", "a digest"))?,
            flags: line.flags()?,
        };
        self.wheels.insert(key, wheel);
        Ok(self)
    }
}

fn wheel_line(key: &WheelKey, wheel: &Wheel) -> String {
    line(&[
        ("platform", Some(quoted(key.platform.as_str()))),
        ("python", Some(quoted(&key.python.to_string()))),
        ("name", Some(quoted(&key.name))),
        ("version", Some(quoted(&wheel.version))),
        ("file", Some(quoted(&wheel.file_name))),
        ("sha256", Some(quoted(&wheel.file.sha256.to_string()))),
        ("size", Some(wheel.file.size.to_string())),
        ("flags", flag_list(&wheel.flags)),
    ])
}
