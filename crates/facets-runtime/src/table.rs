//! The table: every runtime that facet starts servers with, by version and hash. `docs/runtimes.md` says how it
//! is updated.

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
    /// The platform, as a [`PlatformName`].
    pub platform: &'static str,
    /// The npm package that has the program.
    pub package: &'static str,
    /// Bytes of the tarball of the package.
    pub package_size: u64,
    /// SHA-256 of the tarball, in hex.
    pub package_sha256: &'static str,
    /// The path of the program in the unpacked package.
    pub path: &'static str,
    /// Bytes of the program.
    pub size: u64,
    /// SHA-256 of the program, in hex.
    pub sha256: &'static str,
}

const BUN_1_4_4: ManagedRuntime = ManagedRuntime {
    name: RuntimeName::Bun,
    version: "1.4.4",
    binaries: &[
        RuntimeBinary {
            platform: "darwin-arm64",
            package: "@oven/bun-darwin-aarch64",
            package_size: 41_545_333,
            package_sha256: "be5f17d636d699b2eaa2c1a8ac802c87f0815ccb5fe26cbe63d2395354ae5d0d",
            path: "bin/bun",
            size: 88_660_864,
            sha256: "0a2237cdcfa0d16ef501d9acca9f0026309ef348bea7393a64e8d1e3609565cc",
        },
        RuntimeBinary {
            platform: "darwin-x64",
            package: "@oven/bun-darwin-x64",
            package_size: 43_895_051,
            package_sha256: "b26de5639edc6f7fbe99c6dcf8016eaa75c5b86cccfe83db30aa04bbeade8f7e",
            path: "bin/bun",
            size: 98_168_288,
            sha256: "c35307c7d45d65c5a385a58c4a6cb0bb9499e4e626abdee207c177a77ba666ab",
        },
        RuntimeBinary {
            platform: "linux-arm64-gnu",
            package: "@oven/bun-linux-aarch64",
            package_size: 53_132_992,
            package_sha256: "ab95e7e692a53d25a1baa98ee395a17f5f264aedfb3cb15811432d54142f70eb",
            path: "bin/bun",
            size: 107_339_768,
            sha256: "354c2b049c716aca07b2e5cddb887928ac58950675d1258bb6312083917793b6",
        },
        RuntimeBinary {
            platform: "linux-x64-gnu",
            package: "@oven/bun-linux-x64",
            package_size: 52_418_437,
            package_sha256: "93ca5a2abe45f3bcac6dd55baff8bb06c4ac824b70f89650b54e5c8b80dbef18",
            path: "bin/bun",
            size: 107_308_936,
            sha256: "10702245766b225e70bbf6235fd6b47214fd94b4760d00ffaed8ab0df57ac235",
        },
        RuntimeBinary {
            platform: "linux-x64-musl",
            package: "@oven/bun-linux-x64-musl",
            package_size: 48_809_178,
            package_sha256: "284a0bfe9bd624d54c0f20e31521b26deb5c04a2c927dc2804fecd49339a948a",
            path: "bin/bun",
            size: 100_902_216,
            sha256: "29a31375a72f97c7e3fc25dd57d7dde88da5907aa8970808f57f91e0711bdad2",
        },
    ],
};

/// Every runtime that facet knows. Older versions stay as long as locks may name them; of each name, the current
/// version comes first.
pub const TABLE: &[ManagedRuntime] = &[BUN_1_4_4];

/// The current version of a runtime.
#[must_use]
pub fn current(name: RuntimeName) -> &'static ManagedRuntime {
    match name {
        RuntimeName::Bun => &BUN_1_4_4,
    }
}

/// A version of a runtime, if the table has it.
#[must_use]
pub fn find(name: RuntimeName, version: &str) -> Option<&'static ManagedRuntime> {
    TABLE.iter().find(|runtime| runtime.name == name && runtime.version == version)
}

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
        let found = self.binaries.iter().find(|binary| binary.platform == platform);
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
        FileIdentifier::Npm { name, version }
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

    /// SHA-256 of the tarball of the package.
    #[must_use]
    pub fn package_digest(&self) -> Digest {
        digest(self.package_sha256)
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use facets_model::Version;

    use super::*;

    #[test]
    fn every_row_of_the_table_is_well_formed() {
        for runtime in TABLE {
            assert!(runtime.version.parse::<Version>().is_ok(), "{runtime}");
            assert_eq!(runtime.digests().len(), runtime.binaries.len(), "{runtime}");
            for binary in runtime.binaries {
                assert_eq!(binary.digest().hex(), binary.sha256, "{binary:?}");
                assert_eq!(binary.package_digest().hex(), binary.package_sha256, "{binary:?}");
                assert!(binary.package_size > 0 && binary.size > binary.package_size);
                let package = runtime.package(binary);
                assert_eq!(package.to_string().parse(), Ok(package));
            }
        }
    }

    #[test]
    fn no_hash_stands_in_the_table_twice() {
        let binaries = || TABLE.iter().flat_map(|runtime| runtime.binaries);
        let hashes: BTreeSet<&str> =
            binaries().flat_map(|binary| [binary.sha256, binary.package_sha256]).collect();
        assert_eq!(hashes.len(), binaries().count() * 2);
    }

    #[test]
    fn the_current_version_comes_first_and_every_version_is_found() {
        for name in RuntimeName::ALL {
            let first = TABLE.iter().find(|runtime| runtime.name == name).unwrap();
            assert_eq!(current(name).version, first.version);
        }
        for runtime in TABLE {
            assert_eq!(
                find(runtime.name, runtime.version).unwrap().to_string(),
                runtime.to_string()
            );
        }
        assert!(find(RuntimeName::Bun, "0.0.0").is_none());
    }

    #[test]
    fn another_platform_is_refused_with_those_that_there_are() {
        let elsewhere = ManagedRuntime { binaries: &[], ..BUN_1_4_4 };
        let Err(RuntimeError::NoPlatform { runtime, platform, known }) = elsewhere.binary() else {
            panic!("there is a program");
        };
        assert_eq!((runtime.as_str(), platform), ("bun 1.4.4", this_platform()));
        assert!(known.is_empty());
    }
}
