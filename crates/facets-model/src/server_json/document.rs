//! What hashing needs from a file, in every layout that was ever published.

use facets_digest::Digest;
use facets_digest::json::Position;

use super::names::{FILE_HASHES, LARGE_NUMBERS, PROVIDED_HASHES, PUBLISHER_PROVIDED};
use super::stated::parse_stated;
use crate::manifest::Problem;
use crate::manifest::check::{Checker, Members, Place};
use crate::tree::{ManifestFormat, NodeValue};

/// A `server.json`, as far as its files are concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerJson {
    /// The schema that it names.
    pub schema: Option<String>,
    /// The name of the server.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its packages, in the order written.
    pub packages: Vec<DeclaredPackage>,
    /// How many remotes it has.
    pub remotes: usize,
    /// The hashes that it states, in the order written; nothing if it has no place for them.
    pub file_hashes: Option<Vec<StatedFileHash>>,
}

/// A package, whatever the layout calls its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredPackage {
    /// Which of the packages it is, from 0.
    pub index: usize,
    /// `npm`, `pypi`, `mcpb` or another word.
    pub registry_type: String,
    /// Its name in the registry, or the address of its file.
    pub identifier: String,
    /// Its version.
    pub version: Option<String>,
    /// The address of the registry.
    pub base_url: Option<String>,
    /// The SHA-256 of its file, as written.
    pub file_sha256: Option<String>,
    /// What the layout calls the member with that; older layouts have none.
    pub hash_member: Option<&'static str>,
}

/// Where a hash stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashPlace {
    /// In `file_hashes` at the top.
    Top,
    /// In what the publisher provides, below `_meta`.
    Provided,
    /// In a package, in a form that was never released.
    Package,
}

/// A hash, as a file states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedFileHash {
    /// Where it stands.
    pub place: HashPlace,
    /// The position of its value.
    pub position: Position,
    /// The identifier, as written.
    pub identifier: String,
    /// The hash, or why it is none.
    pub digest: Result<Digest, String>,
}

impl ServerJson {
    /// Reads a text. The problems are those that keep its files from being found.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        let outcome = Checker::run(text.as_bytes(), ManifestFormat::Json, |check, root| {
            check.tolerate(LARGE_NUMBERS);
            read(check, root)
        });
        outcome.manifest.ok_or(outcome.problems)
    }
}

fn read(check: &mut Checker<'_>, root: &Place<'_>) -> Option<ServerJson> {
    let members = check.members(root)?;
    let mut packages = Vec::new();
    let mut hashes = Stated::default();
    if let Some(place) = members.optional("packages") {
        for (index, item) in check.items(&place)?.iter().enumerate() {
            packages.extend(read_package(check, index, item));
            if let Some(own) = member(item, FILE_HASHES) {
                let reason = "a hash inside a package; only `file_hashes` at the top is read";
                hashes.refuse(check, &own, HashPlace::Package, reason);
            }
        }
    }
    if let Some(place) = members.optional(FILE_HASHES) {
        hashes.read(check, &place, HashPlace::Top);
    }
    let meta = members.optional("_meta").and_then(|meta| member(&meta, PUBLISHER_PROVIDED));
    if let Some(place) = meta.and_then(|provided| member(&provided, PROVIDED_HASHES)) {
        hashes.read(check, &place, HashPlace::Provided);
    }
    let detail = members.optional("version_detail").and_then(|place| member(&place, "version"));
    let version = members.optional("version").or(detail);
    Some(ServerJson {
        schema: members.optional("$schema").and_then(|place| text(&place)),
        name: members.optional("name").and_then(|place| text(&place)),
        version: version.and_then(|place| text(&place)),
        packages,
        remotes: members.optional("remotes").map_or(0, |place| count(&place)),
        file_hashes: hashes.list,
    })
}

/// A package by its members: `registryType` and `identifier`; `registry_type` and `identifier`;
/// `registry_name` and `name`; or `location` with the last two, or with `type` and `url`.
fn read_package(
    check: &mut Checker<'_>,
    index: usize,
    place: &Place<'_>,
) -> Option<DeclaredPackage> {
    let members = check.members(place)?;
    let located = members.optional("location").and_then(|place| check.members(&place));
    let origin = located.as_ref().unwrap_or(&members);
    let types = ["registryType", "registry_type", "registry_name", "type"];
    let registry_type = required(check, origin, &types, "\"npm\"");
    let names = ["identifier", "name", "url"];
    let identifier = required(check, origin, &names, "\"@scope/package\"");
    let mut first = |names: &[&str]| {
        let place = names.iter().find_map(|name| members.optional(name))?;
        check.string(&place).map(str::to_owned)
    };
    let version = first(&["version"]).filter(|version| !version.is_empty());
    let base_url = first(&["registryBaseUrl", "registry_base_url"]);
    let file_sha256 = first(&["fileSha256", "file_sha256"]);
    let hash_member = match (members.optional("registryType"), members.optional("registry_type")) {
        (Some(_), _) => Some("fileSha256"),
        (None, Some(_)) => Some("file_sha256"),
        (None, None) => None,
    };
    Some(DeclaredPackage {
        index,
        registry_type: registry_type?,
        identifier: identifier?,
        version,
        base_url,
        file_sha256,
        hash_member,
    })
}

/// The string of the first of several names; without any, the first is missed.
fn required(
    check: &mut Checker<'_>,
    members: &Members<'_>,
    names: &[&str],
    example: &str,
) -> Option<String> {
    let found = names.iter().find_map(|name| members.optional(name));
    let place = match (found, names.first()) {
        (Some(place), _) => place,
        (None, Some(first)) => return members.required(check, first, example).and(None),
        (None, None) => return None,
    };
    check.string(&place).map(str::to_owned)
}

/// Hashes, once there is a place that could have some.
#[derive(Default)]
struct Stated {
    list: Option<Vec<StatedFileHash>>,
}

impl Stated {
    fn read(&mut self, check: &mut Checker<'_>, place: &Place<'_>, at: HashPlace) {
        if !matches!(place.node.value, NodeValue::Object(_)) {
            let reason = format!("{}, where an object is expected", place.node.kind());
            return self.refuse(check, place, at, &reason);
        }
        let Some(members) = check.members(place) else { return };
        let list = self.list.get_or_insert_default();
        for (member, entry) in members.entries() {
            let digest = match &entry.node.value {
                NodeValue::String(text) => parse_stated(text),
                _ => Err(format!("{}, where a string is expected", entry.node.kind())),
            };
            let position = check.position(&entry);
            let identifier = member.name.clone();
            let stated = StatedFileHash { place: at, position, identifier, digest };
            // The same in both places is one.
            let is_same = |other: &StatedFileHash| {
                other.identifier == stated.identifier && other.digest == stated.digest
            };
            if !list.iter().any(is_same) {
                list.push(stated);
            }
        }
    }

    /// Notes a place that cannot be read, under its own name.
    fn refuse(&mut self, check: &Checker<'_>, place: &Place<'_>, at: HashPlace, reason: &str) {
        self.list.get_or_insert_default().push(StatedFileHash {
            place: at,
            position: check.position(place),
            identifier: place.path.clone(),
            digest: Err(reason.to_owned()),
        });
    }
}

/// A member of what may be an object, without a word if it is none.
fn member<'a>(place: &Place<'a>, name: &str) -> Option<Place<'a>> {
    let NodeValue::Object(members) = &place.node.value else { return None };
    let found = members.iter().find(|member| member.name == name)?;
    Some(place.child(name, &found.node))
}

fn text(place: &Place<'_>) -> Option<String> {
    match &place.node.value {
        NodeValue::String(text) => Some(text.clone()),
        _ => None,
    }
}

fn count(place: &Place<'_>) -> usize {
    match &place.node.value {
        NodeValue::Array(items) => items.len(),
        _ => 0,
    }
}
