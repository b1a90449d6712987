//! The table: every program that facet starts servers with, or finds their packages with, by version and hash.
//! `docs/runtimes.md` says how it is updated.

mod bun;
mod node;
mod npm;
mod uv;

use facets_model::RuntimeName;

use crate::managed_runtime::ManagedRuntime;

/// Every runtime that facet knows. Older versions stay as long as locks may name them; of each name, the current
/// version comes first.
pub const TABLE: &[ManagedRuntime] =
    &[bun::BUN_1_4_4, node::NODE_26_10_0, npm::NPM_12_2_0, uv::UV_0_13_7];

const BUN: &ManagedRuntime = &bun::BUN_1_4_4;

/// The current version of a runtime that facet manages.
#[must_use]
pub fn current(name: RuntimeName) -> &'static ManagedRuntime {
    TABLE.iter().find(|runtime| runtime.name == name).unwrap_or(BUN)
}

/// A version of a runtime, if the table has it.
#[must_use]
pub fn find(name: RuntimeName, version: &str) -> Option<&'static ManagedRuntime> {
    TABLE.iter().find(|runtime| runtime.name == name && runtime.version == version)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use facets_model::Version;

    use crate::error::RuntimeError;
    use crate::platform::this_platform;

    use super::*;

    #[test]
    fn every_row_of_the_table_is_well_formed() {
        for runtime in TABLE {
            assert!(runtime.version.parse::<Version>().is_ok(), "{runtime}");
            assert_eq!(runtime.digests().len(), runtime.binaries.len(), "{runtime}");
            for binary in runtime.binaries {
                assert_eq!(binary.digest().hex(), binary.sha256, "{binary:?}");
                assert_eq!(binary.package_digest().hex(), binary.package_sha256, "{binary:?}");
                let is_compressed = binary.tree.is_some() || binary.size > binary.package_size;
                assert!(binary.package_size > 0 && is_compressed, "{binary:?}");
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
        for name in RuntimeName::MANAGED {
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
        let elsewhere = ManagedRuntime { binaries: &[], ..bun::BUN_1_4_4 };
        let Err(RuntimeError::NoPlatform { runtime, platform, known }) = elsewhere.binary() else {
            panic!("there is a program");
        };
        assert_eq!((runtime.as_str(), platform), ("bun 1.4.4", this_platform()));
        assert!(known.is_empty());
    }
}
