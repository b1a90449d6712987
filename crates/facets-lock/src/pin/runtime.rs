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
    /// The binary interface of a Python, such as `cp311`.
    pub abi: Option<String>,
}

impl RuntimePin {
    /// Canonical JSON.
    pub(super) fn to_json(&self) -> String {
        let abi = self.abi.as_deref().map(|abi| format!("\"abi\":{},", quoted(abi)));
        format!(
            "{{{}\"binaries\":{},\"name\":{},\"version\":{}}}",
            abi.unwrap_or_default(),
            platform_digests_json(&self.binaries),
            quoted(self.name.name()),
            quoted(&self.version.to_string())
        )
    }

    /// One of these: not every runtime starts every kind of server.
    pub(super) fn read(
        entry: &EntryMembers<'_>,
        allowed: &[RuntimeName],
    ) -> Result<Self, LockError> {
        let Value::Object(object) = entry.value(MEMBER)? else {
            return Err(entry.bad(MEMBER, "an object"));
        };
        // All of it is hashed, so nothing that this facet does not know may stand in it.
        let known = ["abi", "binaries", "name", "version"];
        let mut names = object.members().iter().map(|member| &*member.name);
        if let Some(other) = names.find(|name| !known.contains(name)) {
            return Err(entry.bad(&below(other), "a member that facet writes"));
        }
        let name = text(&object, "name").and_then(RuntimeName::of);
        let name = name.filter(|name| allowed.contains(name));
        let name =
            name.ok_or_else(|| entry.bad(&below("name"), "a runtime that facet supports"))?;
        let version = text(&object, "version").and_then(|text| text.parse().ok());
        let version = version.ok_or_else(|| entry.bad(&below("version"), "a version"))?;
        let binaries = platform_digests(entry, &below("binaries"), object.get("binaries"))?;
        if binaries.is_empty() {
            return Err(entry.bad(&below("binaries"), DIGESTS));
        }
        let abi = text(&object, "abi").map(str::to_owned);
        if object.get("abi").is_some() && abi.is_none() {
            return Err(entry.bad(&below("abi"), "a string"));
        }
        Ok(Self { name, version, binaries, abi })
    }
}

const DIGESTS: &str = "an object with the digest of each platform";

/// Canonical JSON.
pub(super) fn platform_digests_json(digests: &BTreeMap<PlatformName, Digest>) -> String {
    let digests: Vec<String> =
        digests.iter().map(|(platform, digest)| format!("\"{platform}\":\"{digest}\"")).collect();
    format!("{{{}}}", digests.join(","))
}

/// A digest for each platform.
pub(super) fn platform_digests(
    entry: &EntryMembers<'_>,
    place: &str,
    value: Option<&Value<'_>>,
) -> Result<BTreeMap<PlatformName, Digest>, LockError> {
    let Some(Value::Object(object)) = value else { return Err(entry.bad(place, DIGESTS)) };
    let digests = object.members().iter().map(|member| {
        let place = || format!("{place}.{}", member.name);
        let platform = member.name.parse();
        let platform = platform.map_err(|_| entry.bad(&place(), "the name of a platform"))?;
        let digest = text(object, &member.name).and_then(|text| text.parse().ok());
        let digest = digest.ok_or_else(|| entry.bad(&place(), "a digest"))?;
        Ok((platform, digest))
    });
    digests.collect()
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
