//! A package that was resolved: its version, its program, everything that it depends on, and its runtime (spec 10.8).

use std::collections::BTreeMap;

use facets_digest::Digest;
use facets_digest::json::quoted;
use facets_model::{PlatformName, RuntimeName};

use super::runtime::{RuntimePin, platform_digests, platform_digests_json};
use crate::error::LockError;
use crate::members::EntryMembers;

/// The names of the members that hold it.
pub(super) const KNOWN: &[&str] = &["resolved", "bin", "entry", "closure", "runtime", "trees"];

/// What starts packages.
const RUNTIMES: [RuntimeName; 3] = [RuntimeName::Bun, RuntimeName::Node, RuntimeName::Python];

/// A package that was resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackagePin {
    /// The package as it was resolved: `npm:NAME@VERSION` or `pypi:NAME==VERSION`.
    pub resolved: String,
    /// The program that is started.
    pub bin: String,
    /// What that is: a file of the tree, or `module:function`.
    pub entry: String,
    /// The SHA-256 of the closure file.
    pub closure: Digest,
    /// What starts it.
    pub runtime: RuntimePin,
    /// The digest of the files of all packages, for each platform on which it was installed. They follow from the
    /// closure, so they are no part of the launch.
    pub trees: BTreeMap<PlatformName, Digest>,
}

impl PackagePin {
    pub(super) fn members(&self) -> Vec<(&'static str, String)> {
        vec![
            ("resolved", quoted(&self.resolved)),
            ("bin", quoted(&self.bin)),
            ("entry", quoted(&self.entry)),
            ("closure", quoted(&self.closure.to_string())),
            ("runtime", self.runtime.to_json()),
            ("trees", platform_digests_json(&self.trees)),
        ]
    }

    pub(super) fn read(entry: &EntryMembers<'_>) -> Result<Self, LockError> {
        let trees = entry.value("trees")?;
        Ok(Self {
            resolved: entry.text("resolved")?,
            bin: entry.text("bin")?,
            entry: entry.text("entry")?,
            closure: entry.digest("closure")?,
            runtime: RuntimePin::read(entry, &RUNTIMES)?,
            trees: platform_digests(entry, "trees", Some(&trees))?,
        })
    }

    /// Whether two entries start the same bytes the same way, whatever else is known of other platforms.
    #[must_use]
    pub fn is_same_start(&self, other: &Self) -> bool {
        let without = |pin: &Self| Self { trees: BTreeMap::new(), ..pin.clone() };
        without(self) == without(other)
    }
}
