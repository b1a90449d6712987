//! Text assets: the files that clients get, and how their texts differ from those that are installed.

use std::collections::BTreeMap;
use std::io::Cursor;

use facets_archive::{ArchiveLimits, read_facet_files};
use facets_clients::assets::{AssetFile, AssetSource, materialize};
use facets_digest::Digest;
use facets_drift::{Finding, asset_findings};
use facets_files::read_to_limit;
use facets_lock::{LockedAsset, LockedFacet};
use facets_model::manifest::FacetManifest;
use facets_model::{ArtifactName, ArtifactPath, AssetKind, AssetName, AssetScope};

use facets_plan::{AssetAction, AssetStep, InstalledFileView, plan_assets};
use facets_project::InstalledFile;

use super::goal::{Goal, WantedFile};
use super::task::InstallTask;
use crate::acquiring::AcquiredFacet;
use crate::client_files::Client;
use crate::error::{OpsError, TaskError};
use crate::facet_removal::{on_disk, recorded_files};
use crate::install_page::AssetChangeShown;
use crate::stored_artifact::open_store;

/// The largest archive of a facet that is read to show a difference.
const MOST_OF_FACET: u64 = 64 << 20;

type Contents = BTreeMap<ArtifactPath, Vec<u8>>;

impl InstallTask {
    /// Every file of every client.
    pub(super) fn wanted_files(
        &self,
        facets: &BTreeMap<ArtifactName, AcquiredFacet>,
        locked: &BTreeMap<ArtifactName, LockedFacet>,
        clients: &[Client],
    ) -> Result<Vec<WantedFile>, OpsError> {
        let mut files = Vec::new();
        for (name, facet) in locked {
            let Some(acquired) = facets.get(name) else { continue };
            for asset in &facet.assets {
                let Some(text) =
                    AssetText::of(&acquired.resolved.manifest, &acquired.contents, asset)
                else {
                    continue;
                };
                for client in clients {
                    let made = materialize(*client, self.scope(), &text.source())
                        .map_err(|source| TaskError::Asset { facet: name.to_string(), source })?;
                    files.extend(made.into_iter().map(|file| text.file(name, *client, file)));
                }
            }
        }
        Ok(files)
    }

    /// What happens to each file, by what is there now.
    pub(super) fn plan_files(&self, files: &[WantedFile]) -> Result<Vec<AssetStep>, OpsError> {
        let after: Vec<InstalledFileView> = files.iter().map(|file| file.view.clone()).collect();
        let mut record = self.project.installed()?;
        // What was there before the install is not removed with the asset that it became.
        let is_wanted = |file: &InstalledFile| {
            after.iter().any(|other| (other.base, &other.path) == (file.base, &file.path))
        };
        for facet in record.facets.values_mut() {
            facet.files.retain(|file| !file.is_found || is_wanted(file));
        }
        let before = recorded_files(&record);
        let mut disk = on_disk(&self.project, &before)?;
        disk.extend(on_disk(&self.project, &after)?);
        Ok(plan_assets(&before, &after, &disk))
    }

    /// The texts that change with this plan, each with what is suspicious in it.
    pub(super) fn text_changes(&self, goal: &Goal) -> Vec<AssetChangeShown> {
        let mut changes = Vec::new();
        for (name, facet) in &goal.locked {
            let Some(acquired) = goal.facets.get(name) else { continue };
            let before = self.before.lock.facet(name.as_str());
            // The same bytes under the same names need no second look, unless they are written for the first time.
            if before.is_some_and(|before| before.integrity == facet.integrity)
                && !is_written(goal, name)
            {
                continue;
            }
            let old = before.filter(|before| before.integrity != facet.integrity);
            let old = old.and_then(|old| Some((old, stored_facet(old)?)));
            for asset in &facet.assets {
                let Some(text) =
                    AssetText::of(&acquired.resolved.manifest, &acquired.contents, asset)
                else {
                    continue;
                };
                let before = old.as_ref().and_then(|(locked, stored)| {
                    let is_same = |other: &&LockedAsset| {
                        other.kind == asset.kind && other.effective_name() == asset.effective_name()
                    };
                    let before = locked.assets.iter().find(is_same)?;
                    AssetText::of(&stored.0, &stored.1, before)
                });
                changes.extend(text.change(name, self.scope(), before.as_ref()));
            }
        }
        changes.extend(self.removed_texts(goal));
        changes
    }

    /// Assets that are no longer there.
    fn removed_texts(&self, goal: &Goal) -> Vec<AssetChangeShown> {
        let facets = self.before.lock.facets().keys();
        let mut removed = Vec::new();
        for (facet, before) in facets.filter_map(|name| Some((name, self.before.lock.facet(name)?)))
        {
            let Ok(facet) = facet.parse::<ArtifactName>() else { continue };
            let after = goal.locked.get(&facet);
            for asset in &before.assets {
                let Some(name) = asset.effective_name() else { continue };
                let is_same = |other: &LockedAsset| {
                    other.kind == asset.kind && other.effective_name() == Some(name)
                };
                if !after.is_some_and(|after| after.assets.iter().any(is_same)) {
                    let change = gone(&facet, asset.kind, name);
                    removed.push(change);
                }
            }
        }
        removed
    }
}

fn gone(facet: &ArtifactName, kind: AssetKind, name: &AssetName) -> AssetChangeShown {
    AssetChangeShown {
        facet: facet.clone(),
        kind,
        name: name.clone(),
        before: None,
        after: None,
        binaries: Vec::new(),
        findings: Vec::new(),
    }
}

/// Whether a file of a facet is written that was not there.
fn is_written(goal: &Goal, facet: &ArtifactName) -> bool {
    let is_write = |step: &AssetStep| matches!(step.action, AssetAction::Write(_));
    goal.plan.assets.iter().any(|step| step.file.facet == facet.as_str() && is_write(step))
}

/// What the archive of a locked facet has, if it is stored.
fn stored_facet(facet: &LockedFacet) -> Option<(FacetManifest, Contents)> {
    let store = open_store().ok()?;
    let file = store.get_file(&facet.content_hash?).ok()??;
    let limits = ArchiveLimits::SPEC;
    let bytes = read_to_limit(&*file, MOST_OF_FACET).ok()??;
    let (archive, contents) = read_facet_files(&mut Cursor::new(bytes), &limits).ok()?;
    Some((archive.manifest, contents))
}

/// An asset with its texts.
struct AssetText<'a> {
    kind: AssetKind,
    name: &'a AssetName,
    description: String,
    primary: (&'a ArtifactPath, &'a [u8]),
    companions: Vec<(ArtifactPath, Vec<u8>)>,
}

impl<'a> AssetText<'a> {
    /// None if the project omits it.
    fn of(
        manifest: &FacetManifest,
        contents: &'a Contents,
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

    fn source(&self) -> AssetSource<'_> {
        AssetSource {
            kind: self.kind,
            name: self.name,
            description: &self.description,
            primary: self.primary.1,
            companions: &self.companions,
        }
    }

    fn file(&self, facet: &ArtifactName, client: Client, file: AssetFile) -> WantedFile {
        let AssetFile { base, path, content } = file;
        let view = InstalledFileView {
            base,
            path,
            digest: Digest::of(&content),
            facet: facet.to_string(),
            kind: self.kind,
            name: self.name.clone(),
            client: client.name().to_owned(),
        };
        WantedFile { view, content }
    }

    /// The text as clients read it: the description of the manifest is part of that.
    fn shown(&self, scope: AssetScope) -> String {
        let files = materialize(Client::ClaudeCode, scope, &self.source()).unwrap_or_default();
        let primary = files.into_iter().next().map(|file| file.content);
        text_of(primary.as_deref().unwrap_or(self.primary.1))
    }

    /// How it differs from the version before; none if it is the same.
    fn change(
        &self,
        facet: &ArtifactName,
        scope: AssetScope,
        old: Option<&AssetText<'_>>,
    ) -> Option<AssetChangeShown> {
        let subject = format!("{} {}", self.kind, self.name);
        let (before, after) = (old.map(|old| old.shown(scope)), self.shown(scope));
        let mut findings = findings(&subject, before.as_deref(), &after);
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

    fn companion(&self, path: &ArtifactPath) -> Option<&Vec<u8>> {
        let mut companions = self.companions.iter();
        companions.find(|(other, _)| other == path).map(|(_, bytes)| bytes)
    }
}

/// A difference that is none has no findings.
fn findings(subject: &str, before: Option<&str>, after: &str) -> Vec<Finding> {
    if before == Some(after) { Vec::new() } else { asset_findings(subject, before, after) }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
