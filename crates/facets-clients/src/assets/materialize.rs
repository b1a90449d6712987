//! The files of an asset.

use std::collections::BTreeSet;

use facets_model::{ArtifactPath, AssetBase, AssetKind, AssetName, AssetScope, collision_key};

use super::error::AssetError;
use super::folder::{AssetFolder, AssetLayout, SKILL_FILE};
use super::front_matter::Document;
use super::quoted::{toml_lines, toml_string};
use crate::client::Client;

/// An asset as its facet has it.
#[derive(Clone, Copy, Debug)]
pub struct AssetSource<'a> {
    /// What it is.
    pub kind: AssetKind,
    /// Its effective name: the alias, or the name that its author gave.
    pub name: &'a AssetName,
    /// What the manifest says it is for.
    pub description: &'a str,
    /// Its text, with or without front matter.
    pub primary: &'a [u8],
    /// The other files of a skill, by their paths in its folder.
    pub companions: &'a [(ArtifactPath, Vec<u8>)],
}

impl AssetSource<'_> {
    /// What messages call it: `skill planning`.
    fn label(&self) -> String {
        format!("{} {}", self.kind, self.name)
    }
}

/// A file that a client reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssetFile {
    /// What its path begins at.
    pub base: AssetBase,
    /// Its path, with slashes.
    pub path: String,
    /// Its bytes.
    pub content: Vec<u8>,
}

/// The files that a client reads an asset from: its text first, then companions as they are listed.
/// The same asset gives the same bytes (spec 10.2).
pub fn materialize(
    client: Client,
    scope: AssetScope,
    asset: &AssetSource<'_>,
) -> Result<Vec<AssetFile>, AssetError> {
    let folder =
        AssetFolder::of(client, scope, asset.kind).ok_or(AssetError::NoFolders { client })?;
    check_companions(asset)?;
    let mut files = vec![(folder.primary(asset.name), text(folder.layout, asset)?.into_bytes())];
    for (path, content) in asset.companions {
        files.push((folder.companion(asset.name, path), content.clone()));
    }
    let checked = files.into_iter().map(|(path, content)| {
        match path.parse::<ArtifactPath>() {
            Ok(_) => Ok(AssetFile { base: folder.base, path, content }),
            // A name such as `nul`, or folders that make it too long.
            Err(reason) => Err(AssetError::Path { asset: asset.label(), path, reason }),
        }
    });
    checked.collect()
}

/// The text for a client.
fn text(layout: AssetLayout, asset: &AssetSource<'_>) -> Result<String, AssetError> {
    let primary = std::str::from_utf8(asset.primary).map_err(|error| AssetError::NotText {
        asset: asset.label(),
        offset: error.valid_up_to(),
    })?;
    let document = Document::parse(primary).map_err(|fault| fault.of(asset.label()))?;
    let (name, description) = (asset.name.as_str(), asset.description);
    match layout {
        AssetLayout::SkillFolders | AssetLayout::Markdown => {
            document.to_markdown(name, description).map_err(|fault| fault.of(asset.label()))
        }
        // Codex knows no other members of an agent's front matter.
        AssetLayout::Toml => Ok(format!(
            "name = {}\ndescription = {}\ndeveloper_instructions = {}\n",
            toml_string(name),
            toml_string(description),
            toml_lines(document.body),
        )),
    }
}

/// The archive has distinct paths; a skill from a directory, or one under an alias, must have them, too.
fn check_companions(asset: &AssetSource<'_>) -> Result<(), AssetError> {
    if asset.kind != AssetKind::Skill && !asset.companions.is_empty() {
        return Err(AssetError::Companions { asset: asset.label() });
    }
    let mut files = BTreeSet::from([collision_key(SKILL_FILE)]);
    let mut folders = BTreeSet::new();
    for (path, _) in asset.companions {
        let key = collision_key(path.as_str());
        let above: Vec<String> =
            key.match_indices('/').map(|(at, _)| key[..at].to_owned()).collect();
        let is_taken = folders.contains(&key)
            || above.iter().any(|folder| files.contains(folder))
            || !files.insert(key);
        if is_taken {
            let path = path.to_string();
            return Err(AssetError::PathTaken { asset: asset.label(), path });
        }
        folders.extend(above);
    }
    Ok(())
}
