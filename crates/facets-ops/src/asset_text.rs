//! An asset of a facet with its texts, as clients read them.

use std::collections::BTreeMap;

use facets_clients::assets::{AssetSource, asset_powers, materialize};
use facets_drift::{Finding, asset_findings, powerful_asset_findings};
use facets_lock::LockedAsset;
use facets_model::manifest::FacetManifest;
use facets_model::{ArtifactName, ArtifactPath, AssetKind, AssetName, AssetScope};

use crate::client_files::Client;
use crate::install_page::AssetChangeShown;

/// The files of an archive.
pub(crate) type FacetContents = BTreeMap<ArtifactPath, Vec<u8>>;

/// An asset with its texts.
pub(crate) struct AssetText<'a> {
    pub(crate) kind: AssetKind,
    pub(crate) name: &'a AssetName,
    description: String,
    primary: (&'a ArtifactPath, &'a [u8]),
    companions: Vec<(ArtifactPath, Vec<u8>)>,
}

/// An asset as it was installed, or would have been.
pub(crate) struct OldAsset {
    /// As clients read it.
    pub(crate) text: String,
    pub(crate) companions: Vec<(ArtifactPath, Vec<u8>)>,
}

impl OldAsset {
    fn companion(&self, path: &ArtifactPath) -> Option<&Vec<u8>> {
        let mut companions = self.companions.iter();
        companions.find(|(other, _)| other == path).map(|(_, bytes)| bytes)
    }
}

impl<'a> AssetText<'a> {
    /// None if the project omits it.
    pub(crate) fn of(
        manifest: &FacetManifest,
        contents: &'a FacetContents,
        asset: &'a LockedAsset,
    ) -> Option<Self> {
        let name = asset.effective_name()?;
        let (description, folder) = match asset.kind {
            AssetKind::Skill => {
                (&manifest.skills.get(&asset.name)?.description, format!("skills/{}/", asset.name))
            }
            AssetKind::Agent => (&manifest.agents.get(&asset.name)?.description, String::new()),
            AssetKind::Command => (&manifest.commands.get(&asset.name)?.description, String::new()),
        };
        let is_primary = |path: &str| match asset.kind {
            AssetKind::Skill => path == format!("{folder}SKILL.md"),
            AssetKind::Agent | AssetKind::Command => true,
        };
        let (mut primary, mut companions) = (None, Vec::new());
        for file in &asset.files {
            let (path, bytes) = contents.get_key_value(&file.path)?;
            if is_primary(path.as_str()) {
                primary = Some((path, bytes.as_slice()));
            } else {
                let inside = path.as_str().strip_prefix(&folder)?.parse().ok()?;
                companions.push((inside, bytes.clone()));
            }
        }
        let (kind, description) = (asset.kind, description.clone());
        Some(Self { kind, name, description, primary: primary?, companions })
    }

    pub(crate) fn source(&self) -> AssetSource<'_> {
        AssetSource {
            kind: self.kind,
            name: self.name,
            description: &self.description,
            primary: self.primary.1,
            companions: &self.companions,
        }
    }

    /// The text as clients read it: the description of the manifest is part of that.
    fn shown(&self, scope: AssetScope) -> String {
        let files = materialize(Client::ClaudeCode, scope, &self.source()).unwrap_or_default();
        let primary = files.into_iter().next().map(|file| file.content);
        text_of(primary.as_deref().unwrap_or(self.primary.1))
    }

    /// To be compared with another version.
    pub(crate) fn into_old(self, scope: AssetScope) -> OldAsset {
        OldAsset { text: self.shown(scope), companions: self.companions }
    }

    /// How it differs from the version before; none if it is the same.
    pub(crate) fn change(
        &self,
        facet: &ArtifactName,
        scope: AssetScope,
        old: Option<&OldAsset>,
    ) -> Option<AssetChangeShown> {
        let subject = format!("{} {}", self.kind, self.name);
        let (before, after) = (old.map(|old| old.text.clone()), self.shown(scope));
        // A companion is read by a model, and not by its client.
        let powers = (before.as_deref().map(asset_powers), asset_powers(&after));
        let old_side = before.as_deref().zip(powers.0.as_deref());
        let mut findings = powerful_asset_findings(&subject, old_side, (&after, &powers.1));
        let mut binaries = Vec::new();
        let mut is_changed = before.as_deref() != Some(after.as_str());
        for (path, bytes) in &self.companions {
            let old = old.and_then(|old| old.companion(path));
            is_changed |= old != Some(bytes);
            match std::str::from_utf8(bytes) {
                Ok(text) => {
                    let (place, old) =
                        (format!("{subject}/{path}"), old.map(|bytes| text_of(bytes)));
                    findings.extend(self::findings(&place, old.as_deref(), text));
                }
                Err(_) => binaries.push((path.to_string(), bytes.len() as u64)),
            }
        }
        is_changed |= old.is_some_and(|old| old.companions.len() != self.companions.len());
        let (kind, name) = (self.kind, self.name.clone());
        let (facet, after) = (facet.clone(), Some(after));
        let shown = AssetChangeShown { facet, kind, name, before, after, binaries, findings };
        is_changed.then_some(shown)
    }
}

/// A difference that is none has no findings.
fn findings(subject: &str, before: Option<&str>, after: &str) -> Vec<Finding> {
    if before == Some(after) { Vec::new() } else { asset_findings(subject, before, after) }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
