//! The runtime that starts an artifact: `runtime` in a lock entry.

use std::collections::BTreeMap;

use facets_digest::Digest;
use facets_digest::json::{Object, Value, quoted};
use facets_model::{PlatformName, RuntimeName, Version};

use crate::error::LockError;
use crate::members::EntryMembers;

const MEMBER: &str = "runtime";

/// A runtime, by version and bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimePin {
    /// Which.
    pub name: RuntimeName,
    /// Its version.
    pub version: Version,
    /// The SHA-256 of its program for each platform. All that facet knows are listed, because a lock is
    /// shared between machines.
    pub binaries: BTreeMap<PlatformName, Digest>,
}

impl RuntimePin {
    /// Canonical JSON.
    pub(super) fn to_json(&self) -> String {
        let digests = self.binaries.iter();
        let digests: Vec<String> =
            digests.map(|(platform, digest)| format!("\"{platform}\":\"{digest}\"")).collect();
        format!(
            "{{\"binaries\":{{{}}},\"name\":{},\"version\":{}}}",
            digests.join(","),
            quoted(self.name.name()),
            quoted(&self.version.to_string())
        )
    }

    pub(super) fn read(entry: &EntryMembers<'_>) -> Result<Self, LockError> {
        let Value::Object(object) = entry.value(MEMBER)? else {
            return Err(entry.bad(MEMBER, "an object"));
        };
        // All of it is hashed, so nothing that this facet does not know may stand in it.
        let known = ["binaries", "name", "version"];
        let mut names = object.members().iter().map(|member| &*member.name);
        if let Some(other) = names.find(|name| !known.contains(name)) {
            return Err(entry.bad(&below(other), "a member that facet writes"));
        }
        let name = text(&object, "name").and_then(RuntimeName::of);
        let name =
            name.ok_or_else(|| entry.bad(&below("name"), "a runtime that facet supports"))?;
        let version = text(&object, "version").and_then(|text| text.parse().ok());
        let version = version.ok_or_else(|| entry.bad(&below("version"), "a version"))?;
        Ok(Self { name, version, binaries: binaries(entry, &object)? })
    }
}

fn binaries(
    entry: &EntryMembers<'_>,
    runtime: &Object<'_>,
) -> Result<BTreeMap<PlatformName, Digest>, LockError> {
    let wrong = || entry.bad(&below("binaries"), "an object with the digest of each platform");
    let Some(Value::Object(object)) = runtime.get("binaries") else { return Err(wrong()) };
    if object.members().is_empty() {
        return Err(wrong());
    }
    let binaries = object.members().iter().map(|member| {
        let place = || below(&format!("binaries.{}", member.name));
        let platform = member.name.parse();
        let platform = platform.map_err(|_| entry.bad(&place(), "the name of a platform"))?;
        let digest = text(object, &member.name).and_then(|text| text.parse().ok());
        let digest = digest.ok_or_else(|| entry.bad(&place(), "a digest"))?;
        Ok((platform, digest))
    });
    binaries.collect()
}

fn text<'v>(object: &'v Object<'_>, name: &str) -> Option<&'v str> {
    match object.get(name)? {
        Value::String(text) => Some(text.as_ref()),
        _ => None,
    }
}

fn below(member: &str) -> String {
    format!("{MEMBER}.{member}")
}
