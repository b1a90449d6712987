//! Text assets of a facet: `assets` in its entry.

use std::collections::{BTreeMap, BTreeSet};

use facets_digest::Digest;
use facets_digest::json::{compare_utf16, quoted};
use facets_model::{ArtifactPath, AssetKind, AssetName, AssetScope, collision_key};

use crate::error::LockError;
use crate::members::EntryMembers;
use crate::raw;

const KNOWN: &[&str] = &["scope", "type", "name", "materialization", "files"];
const KNOWN_OF_FILE: &[&str] = &["path", "integrity"];

/// An asset, by the name of its author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedAsset {
    /// For whom it is installed.
    pub scope: AssetScope,
    /// What it is.
    pub kind: AssetKind,
    /// The name that its author gave it.
    pub name: AssetName,
    /// How it is installed.
    pub materialization: LockedMaterialization,
    /// Its files, in ascending order.
    pub files: Vec<LockedAssetFile>,
}

/// How an asset is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockedMaterialization {
    /// Under the name of its author.
    Authored,
    /// Under another name.
    Aliased(AssetName),
    /// Not at all.
    Omitted,
}

/// A file of an asset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedAssetFile {
    /// Where it stands in the archive.
    pub path: ArtifactPath,
    /// The SHA-256 of its bytes.
    pub integrity: Digest,
}

impl LockedAsset {
    /// The name that it has in the project; none if it is omitted.
    #[must_use]
    pub fn effective_name(&self) -> Option<&AssetName> {
        match &self.materialization {
            LockedMaterialization::Authored => Some(&self.name),
            LockedMaterialization::Aliased(alias) => Some(alias),
            LockedMaterialization::Omitted => None,
        }
    }

    /// What the assets of a facet are sorted by, and what no two of them share.
    pub(super) fn key(&self) -> (AssetKind, &AssetName) {
        (self.kind, &self.name)
    }

    pub(super) fn sort(&mut self) {
        self.files.sort_by(|one, other| compare_utf16(one.path.as_str(), other.path.as_str()));
    }

    fn read(entry: &EntryMembers<'_>) -> Result<Self, LockError> {
        let asset = Self {
            scope: entry.parsed("scope", "`project` or `user`")?,
            kind: entry.parsed("type", "`skill`, `agent` or `command`")?,
            name: entry.parsed("name", "the name of an asset")?,
            materialization: materialization(&entry.object("materialization")?)?,
            files: files(entry)?,
        };
        asset.check_files(entry)?;
        Ok(asset)
    }

    /// An agent or a command is one file; a skill is a folder with a `SKILL.md`.
    fn check_files(&self, entry: &EntryMembers<'_>) -> Result<(), LockError> {
        let Self { kind, name, files, .. } = self;
        let group = kind.group();
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        if *kind != AssetKind::Skill {
            let own = format!("{group}/{name}.md");
            let is_own = paths == [own.as_str()];
            return if is_own { Ok(()) } else { Err(entry.bad("files", "the file of this asset")) };
        }
        let folder = format!("{group}/{name}/");
        if let Some(index) = paths.iter().position(|path| !path.starts_with(&folder)) {
            return Err(entry.bad(&format!("files[{index}].path"), "in the folder of this skill"));
        }
        if !paths.contains(&format!("{folder}SKILL.md").as_str()) {
            return Err(entry.bad("files", "a list with the `SKILL.md` of this skill"));
        }
        match colliding(&paths) {
            Some(index) => Err(entry.bad(&format!("files[{index}].path"), "a file of its own")),
            None => Ok(()),
        }
    }

    /// The members, with what this facet does not know of an older asset of the same kind and name.
    pub(super) fn to_json(&self, older: &BTreeMap<(String, String), &str>) -> String {
        let (kind, name) = (self.kind.word(), self.name.as_str());
        let older = older.get(&(kind.to_owned(), name.to_owned())).copied();
        let older_files = older.and_then(|older| raw::member(older, "files"));
        let older_files = older_files.map(by_path).unwrap_or_default();
        let files: Vec<String> = self.files.iter().map(|file| file.to_json(&older_files)).collect();
        let members = [
            ("scope", quoted(self.scope.word())),
            ("type", quoted(kind)),
            ("name", quoted(name)),
            ("materialization", self.materialization.to_json()),
            ("files", raw::list(&files)),
        ];
        raw::with_unknown(&members, KNOWN, older)
    }
}

impl LockedMaterialization {
    fn to_json(&self) -> String {
        match self {
            Self::Authored => "{\"kind\":\"authored\"}".to_owned(),
            Self::Aliased(alias) => {
                format!("{{\"kind\":\"aliased\",\"as\":{}}}", quoted(alias.as_str()))
            }
            Self::Omitted => "{\"kind\":\"omitted\"}".to_owned(),
        }
    }
}

impl LockedAssetFile {
    fn to_json(&self, older: &BTreeMap<String, &str>) -> String {
        let path = self.path.as_str();
        let older = older.get(path).copied();
        let members = [("path", quoted(path)), ("integrity", quoted(&self.integrity.to_string()))];
        raw::with_unknown(&members, KNOWN_OF_FILE, older)
    }
}

/// The assets of an older entry as they were written, by kind and name.
pub(super) fn by_key(assets: &str) -> BTreeMap<(String, String), &str> {
    let assets = raw::items(assets).into_iter();
    assets
        .filter_map(|text| Some(((raw::text(text, "type")?, raw::text(text, "name")?), text)))
        .collect()
}

fn by_path(files: &str) -> BTreeMap<String, &str> {
    let files = raw::items(files).into_iter();
    files.filter_map(|text| Some((raw::text(text, "path")?, text))).collect()
}

/// The assets of an entry.
pub(super) fn read_all(entry: &EntryMembers<'_>) -> Result<Vec<LockedAsset>, LockError> {
    let objects = entry.objects("assets")?;
    let mut assets: Vec<LockedAsset> = Vec::with_capacity(objects.len());
    for object in &objects {
        let asset = LockedAsset::read(object)?;
        if assets.last().is_some_and(|before| before.key() >= asset.key()) {
            return Err(object.bad("name", "behind the asset before it: sorted, each once"));
        }
        assets.push(asset);
    }
    Ok(assets)
}

fn files(entry: &EntryMembers<'_>) -> Result<Vec<LockedAssetFile>, LockError> {
    let mut files: Vec<LockedAssetFile> = Vec::new();
    for object in entry.objects("files")? {
        let path: ArtifactPath = object.parsed("path", "a path inside the archive")?;
        let is_behind =
            |before: &LockedAssetFile| compare_utf16(before.path.as_str(), path.as_str()).is_lt();
        if !files.last().is_none_or(is_behind) {
            return Err(object.bad("path", "behind the path before it: sorted, each once"));
        }
        files.push(LockedAssetFile { integrity: object.digest("integrity")?, path });
    }
    Ok(files)
}

fn materialization(entry: &EntryMembers<'_>) -> Result<LockedMaterialization, LockError> {
    match entry.text("kind")?.as_str() {
        "authored" => entry.closed(&["kind"]).map(|()| LockedMaterialization::Authored),
        "omitted" => entry.closed(&["kind"]).map(|()| LockedMaterialization::Omitted),
        "aliased" => {
            entry.closed(&["kind", "as"])?;
            entry.parsed("as", "the name of an asset").map(LockedMaterialization::Aliased)
        }
        _ => Err(entry.bad("kind", "`authored`, `aliased` or `omitted`")),
    }
}

/// The first path that some file system takes for one before it, or for a folder of one (spec 2.6).
fn colliding(paths: &[&str]) -> Option<usize> {
    let keys: Vec<String> = paths.iter().map(|path| collision_key(path)).collect();
    let all: BTreeSet<&str> = keys.iter().map(String::as_str).collect();
    let mut seen = BTreeSet::new();
    keys.iter().position(|key| {
        let mut folders = key.match_indices('/').map(|(end, _)| &key[..end]);
        !seen.insert(key.as_str()) || folders.any(|folder| all.contains(folder))
    })
}
