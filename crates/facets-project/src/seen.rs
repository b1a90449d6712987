//! Which versions of a registry this user has seen: a registry that later answers with an older one, or with
//! other bytes for the same one, is found out (spec 10.9.4).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use facets_digest::Digest;
use facets_digest::json::{self, Limits, Provenance, Value, quoted};
use facets_model::Version;

use crate::busy::Busy;
use crate::error::ProjectError;
use crate::files;
use crate::user_directory::{UserDirectory, check_owner, check_private, make_private};

const FOLDER: &str = "seen";

/// What this user has seen of one registry: a file for each kind and name.
#[derive(Clone, Debug)]
pub struct Seen {
    user: UserDirectory,
    registry: String,
}

/// What was seen of one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenVersions {
    /// By version.
    pub versions: BTreeMap<Version, SeenVersion>,
}

/// The hashes of a version when it was first seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenVersion {
    /// The integrity of its content.
    pub integrity: Digest,
    /// The hash of its archive, if it was fetched.
    pub content_hash: Option<Digest>,
}

impl SeenVersion {
    /// Whether both can be of the same bytes.
    #[must_use]
    pub fn agrees_with(&self, other: &Self) -> bool {
        let hashes = self.content_hash.zip(other.content_hash);
        self.integrity == other.integrity && hashes.is_none_or(|(one, two)| one == two)
    }
}

impl Seen {
    /// What a user has seen of the registry at an address.
    #[must_use]
    pub fn of(user: &UserDirectory, registry: &str) -> Self {
        Self { user: user.clone(), registry: registry.to_owned() }
    }

    /// What was seen of a name; nothing of one that was never asked for.
    pub fn versions(&self, kind: &str, name: &str) -> Result<SeenVersions, ProjectError> {
        let root = self.user.checked(FOLDER)?;
        check_private(&root)?;
        let folder = self.folder(&root);
        check_owner(&folder)?;
        self.read(&folder.join(file_name(kind, name)), (kind, name))
    }

    /// Writes down what was seen. Hashes that were seen before stay: it is false if these are others.
    pub fn remember(
        &self,
        kind: &str,
        name: &str,
        version: &Version,
        hashes: &SeenVersion,
    ) -> Result<bool, ProjectError> {
        let folder = self.folder(&self.user.made(FOLDER)?);
        make_private(&folder)?;
        // Two facets must not lose what the other wrote.
        let _busy = Busy::exclusive(&folder.join("busy"), &folder)?;
        let mut seen = self.versions(kind, name)?;
        if let Some(known) = seen.versions.get(version) {
            if !known.agrees_with(hashes) {
                return Ok(false);
            }
            if known.content_hash.is_some() || hashes.content_hash.is_none() {
                return Ok(true);
            }
        }
        seen.versions.insert(version.clone(), hashes.clone());
        let text = seen.to_json(&self.registry, (kind, name));
        files::write_own(&folder.join(file_name(kind, name)), text.as_bytes())?;
        Ok(true)
    }

    fn folder(&self, root: &Path) -> PathBuf {
        root.join(Digest::of(self.registry.as_bytes()).hex())
    }

    /// What cannot be read must not be taken for nothing: it may have had a newer version.
    fn read(&self, path: &Path, of: (&str, &str)) -> Result<SeenVersions, ProjectError> {
        let Some(bytes) = files::read_own(path)? else { return Ok(SeenVersions::default()) };
        let unusable = || ProjectError::Seen { path: path.to_owned() };
        SeenVersions::parse(&bytes, &self.registry, of).ok_or_else(unusable)
    }
}

impl SeenVersions {
    /// The highest version that was seen.
    #[must_use]
    pub fn highest(&self) -> Option<&Version> {
        self.versions.keys().next_back()
    }

    fn to_json(&self, registry: &str, (kind, name): (&str, &str)) -> String {
        let line = |(version, seen): (&Version, &SeenVersion)| {
            let hash = seen.content_hash.map(|hash| format!(",\"content_hash\":\"{hash}\""));
            let hash = hash.unwrap_or_default();
            format!("\"{version}\":{{\"integrity\":\"{}\"{hash}}}", seen.integrity)
        };
        let versions: Vec<String> = self.versions.iter().map(line).collect();
        format!(
            "{{\"seenVersion\":1,\"registry\":{},\"kind\":{},\"name\":{},\"versions\":{{{}}}}}\n",
            quoted(registry),
            quoted(kind),
            quoted(name),
            versions.join(",")
        )
    }

    fn parse(bytes: &[u8], registry: &str, (kind, name): (&str, &str)) -> Option<Self> {
        let root = json::parse(bytes, Provenance::Authored, Limits::DOCUMENT).ok()?;
        let is = |member: &str, expected: &str| text(&root, member) == Some(expected);
        let version = root.member("seenVersion")?.to_canonical();
        if version != b"1" || !is("registry", registry) || !is("kind", kind) || !is("name", name) {
            return None;
        }
        let Value::Object(versions) = root.member("versions")? else { return None };
        let versions = versions.members().iter().map(|member| {
            let content_hash = match member.value.member("content_hash") {
                None => None,
                Some(Value::String(hash)) => Some(hash.parse().ok()?),
                Some(_) => return None,
            };
            let integrity = text(&member.value, "integrity")?.parse().ok()?;
            Some((member.name.parse().ok()?, SeenVersion { integrity, content_hash }))
        });
        Some(Self { versions: versions.collect::<Option<_>>()? })
    }
}

/// Names of registries are no names of files.
fn file_name(kind: &str, name: &str) -> String {
    format!("{}.json", Digest::of(format!("{kind}\n{name}").as_bytes()).hex())
}

fn text<'v>(value: &'v Value<'_>, name: &str) -> Option<&'v str> {
    match value.member(name)? {
        Value::String(text) => Some(text),
        _ => None,
    }
}
