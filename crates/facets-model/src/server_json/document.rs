//! What hashing needs from a file, in every layout that was ever published.

use facets_digest::Digest;
use facets_digest::json::Position;

use super::layout::{PackageName, read_name};
use super::names::{FILE_HASHES, LARGE_NUMBERS, PROVIDED_HASHES, PUBLISHER_PROVIDED};
use super::stated::parse_stated;
use super::unread::unread_members;
use super::values::{member, text};
use crate::manifest::Problem;
use crate::manifest::check::{Checker, Place};
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
    /// The places that it has for hashes, also empty ones.
    pub hash_places: Vec<HashPlace>,
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
    /// The addresses of the registry that it names.
    pub base_urls: Vec<String>,
    /// The SHA-256 of its file, wherever it is stated.
    pub file_sha256: Vec<PackageHash>,
    /// What the layout calls the member with that; older layouts have none.
    pub hash_member: Option<&'static str>,
    /// Two members of different layouts, which may name two packages.
    pub mixed_members: Option<[&'static str; 2]>,
}

/// A hash in a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageHash {
    /// Its member.
    pub member: &'static str,
    /// What is written there.
    pub hex: String,
}

/// Where a hash stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashPlace {
    /// In `file_hashes` at the top.
    Top,
    /// In what the publisher provides, below `_meta`.
    Provided,
    /// In a package, in a form that was never released.
    Package {
        /// Which of the packages, from 0.
        index: usize,
    },
    /// In a member that is not read, or that names what is hashed and is spelled differently.
    Unread,
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
                hashes.refuse(check, &own, HashPlace::Package { index }, reason);
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
    for (place, reason) in unread_members(root) {
        hashes.refuse(check, &place, HashPlace::Unread, &reason);
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
        hash_places: hashes.places,
    })
}

fn read_package(
    check: &mut Checker<'_>,
    index: usize,
    place: &Place<'_>,
) -> Option<DeclaredPackage> {
    let members = check.members(place)?;
    let name = read_name(check, &members);
    let mut string = |name: &str| {
        let place = members.optional(name)?;
        check.string(&place).map(str::to_owned)
    };
    let version = string("version").filter(|version| !version.is_empty());
    let base_urls = ["registryBaseUrl", "registry_base_url"].map(&mut string);
    let file_sha256 = ["fileSha256", "file_sha256"]
        .map(|member| string(member).map(|hex| PackageHash { member, hex }));
    let hash_member = match (members.optional("registryType"), members.optional("registry_type")) {
        (Some(_), _) => Some("fileSha256"),
        (None, Some(_)) => Some("file_sha256"),
        (None, None) => None,
    };
    let PackageName { registry_type, identifier, mixed } = name?;
    Some(DeclaredPackage {
        index,
        registry_type,
        identifier,
        version,
        base_urls: base_urls.into_iter().flatten().filter(|url| !url.is_empty()).collect(),
        file_sha256: file_sha256.into_iter().flatten().collect(),
        hash_member,
        mixed_members: mixed,
    })
}

/// Hashes, once there is a place that could have some.
#[derive(Default)]
struct Stated {
    list: Option<Vec<StatedFileHash>>,
    places: Vec<HashPlace>,
}

impl Stated {
    fn read(&mut self, check: &mut Checker<'_>, place: &Place<'_>, at: HashPlace) {
        if !matches!(place.node.value, NodeValue::Object(_)) {
            let reason = format!("{}, where an object is expected", place.node.kind());
            return self.refuse(check, place, at, &reason);
        }
        let Some(members) = check.members(place) else { return };
        self.places.push(at);
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
        self.places.push(at);
        self.list.get_or_insert_default().push(StatedFileHash {
            place: at,
            position: check.position(place),
            identifier: place.path.clone(),
            digest: Err(reason.to_owned()),
        });
    }
}

fn count(place: &Place<'_>) -> usize {
    match &place.node.value {
        NodeValue::Array(items) => items.len(),
        _ => 0,
    }
}
