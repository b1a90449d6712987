//! The files of a locked facet in the folders of clients, compared with what an install would write there.

use std::collections::{BTreeMap, BTreeSet};

use facets_clients::assets::{AssetSource, CLIENTS, materialize};
use facets_digest::Digest;
use facets_lock::{LockedAsset, LockedFacet};
use facets_model::manifest::FacetManifest;
use facets_model::{ArtifactPath, AssetBase, AssetKind, AssetScope};
use facets_project::{Project, ProjectError, State};

use crate::asset_text::{AssetText, FacetContents};
use crate::client_files::Client;
use crate::error::OpsError;

/// What the archive of a locked facet has, which is as it is locked.
pub(crate) struct StoredTexts {
    pub(crate) manifest: FacetManifest,
    pub(crate) contents: FacetContents,
}

/// What was found of the files of a facet that no install on this machine wrote.
#[derive(Default)]
pub(crate) struct ClientTexts {
    /// Files that are as an install would write them.
    pub(crate) same: usize,
    /// Files that are not: the path, and what it should be and is.
    pub(crate) other: Vec<(String, String, String)>,
    /// Files that exist, and could not be compared.
    pub(crate) unknown: Vec<String>,
}

/// A file that a client reads.
pub(crate) struct ExpectedFile {
    pub(crate) base: AssetBase,
    pub(crate) path: String,
    /// Its digest; none if that is not known without the archive.
    pub(crate) digest: Option<Digest>,
}

impl ExpectedFile {
    pub(crate) fn is_at(&self, base: AssetBase, path: &str) -> bool {
        (self.base, self.path.as_str()) == (base, path)
    }
}

/// The files that an install would write for one asset and one client.
pub(crate) type ExpectedAsset = Vec<ExpectedFile>;

/// What an install would write for the clients of the project; for all clients if it names none.
pub(crate) fn expected_assets(
    facet: &LockedFacet,
    texts: Option<&StoredTexts>,
    project: &Project,
    state: &State,
) -> Vec<ExpectedAsset> {
    let named = state.manifest.as_ref().and_then(|manifest| manifest.clients.as_ref());
    let clients: BTreeSet<Client> = match named {
        Some(named) => named.iter().filter_map(|name| name.parse().ok()).collect(),
        None => CLIENTS.iter().copied().collect(),
    };
    let scope = if project.is_of_user() { AssetScope::User } else { AssetScope::Project };
    let mut all = Vec::new();
    for asset in &facet.assets {
        for client in &clients {
            let known = texts.and_then(|texts| from_archive(asset, texts, *client, scope));
            all.extend(known.or_else(|| from_lock(asset, *client, scope)));
        }
    }
    all
}

/// All files with their digests.
fn from_archive(
    asset: &LockedAsset,
    texts: &StoredTexts,
    client: Client,
    scope: AssetScope,
) -> Option<ExpectedAsset> {
    let text = AssetText::of(&texts.manifest, &texts.contents, asset)?;
    let files = materialize(client, scope, &text.source()).ok()?;
    let expected = files.into_iter().map(|file| {
        let digest = Some(Digest::of(&file.content));
        ExpectedFile { base: file.base, path: file.path, digest }
    });
    Some(expected.collect())
}

/// The same without the archive: companions of a skill are written byte for byte, and the lock has their digests;
/// the text of an asset is not.
fn from_lock(asset: &LockedAsset, client: Client, scope: AssetScope) -> Option<ExpectedAsset> {
    let folder = format!("skills/{}/", asset.name);
    let is_companion =
        |path: &str| asset.kind == AssetKind::Skill && path != format!("{folder}SKILL.md");
    let companions = asset.files.iter().filter(|file| is_companion(file.path.as_str()));
    let companions: Vec<(ArtifactPath, Digest)> = companions
        .filter_map(|file| {
            let inside = file.path.as_str().strip_prefix(&folder)?.parse().ok()?;
            Some((inside, file.integrity))
        })
        .collect();
    let empty: Vec<(ArtifactPath, Vec<u8>)> =
        companions.iter().map(|(path, _)| (path.clone(), Vec::new())).collect();
    let source = AssetSource {
        kind: asset.kind,
        name: asset.effective_name()?,
        description: "",
        primary: b"",
        companions: &empty,
    };
    let files = materialize(client, scope, &source).ok()?;
    // The text comes first.
    let digests = [None].into_iter().chain(companions.into_iter().map(|(_, digest)| Some(digest)));
    let expected = files.into_iter().zip(digests);
    Some(
        expected
            .map(|(file, digest)| ExpectedFile { base: file.base, path: file.path, digest })
            .collect(),
    )
}

/// What a file is.
enum FileFound {
    None,
    Digest(Digest),
    NoFile,
}

impl FileFound {
    fn of(project: &Project, base: AssetBase, path: &str) -> Result<Self, OpsError> {
        match project.read_asset(base, path) {
            Ok(None) => Ok(Self::None),
            Ok(Some(bytes)) => Ok(Self::Digest(Digest::of(&bytes))),
            Err(ProjectError::Untrusted { .. }) => Ok(Self::NoFile),
            Err(error) => Err(error.into()),
        }
    }
}

impl ClientTexts {
    /// Compares the files that exist. An asset without any file is not installed; one with some of its files lacks
    /// the others.
    pub(crate) fn compare(
        assets: &[ExpectedAsset],
        recorded: &BTreeMap<(AssetBase, &str), Digest>,
        project: &Project,
    ) -> Result<Self, OpsError> {
        let mut texts = Self::default();
        for asset in assets {
            let mut found = Vec::new();
            for file in asset {
                if !recorded.contains_key(&(file.base, file.path.as_str())) {
                    found.push((file, FileFound::of(project, file.base, &file.path)?));
                }
            }
            if found.iter().any(|(_, found)| !matches!(found, FileFound::None)) {
                for (file, found) in &found {
                    texts.add(file, found);
                }
            }
        }
        Ok(texts)
    }

    fn add(&mut self, file: &ExpectedFile, found: &FileFound) {
        let actual = match (found, &file.digest) {
            (FileFound::Digest(found), Some(expected)) if found == expected => {
                self.same += 1;
                return;
            }
            (FileFound::Digest(_), None) => {
                self.unknown.push(file.path.clone());
                return;
            }
            (FileFound::Digest(found), Some(_)) => {
                format!("{found}, which no install on this machine wrote")
            }
            (FileFound::None, _) => "missing".to_owned(),
            (FileFound::NoFile, _) => "a link, or not a file".to_owned(),
        };
        let expected = file.digest.map_or("a file".to_owned(), |digest| digest.to_string());
        self.other.push((file.path.clone(), expected, actual));
    }
}
