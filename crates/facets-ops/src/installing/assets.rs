//! Text assets: the files that clients get, and how their texts differ from those that are installed.

use std::collections::BTreeMap;
use std::io::Cursor;

use facets_archive::{ArchiveLimits, read_facet_files};
use facets_clients::assets::{AssetFile, materialize};
use facets_digest::Digest;
use facets_files::read_to_limit;
use facets_lock::{LockedAsset, LockedFacet};
use facets_model::manifest::FacetManifest;
use facets_model::{ArtifactName, AssetKind, AssetName};

use facets_plan::{AssetAction, AssetStep, InstalledFileView, plan_assets};
use facets_project::{InstalledFacet, InstalledFile, ProjectError};

use super::goal::{Goal, WantedFile};
use super::task::InstallTask;
use crate::acquiring::AcquiredFacet;
use crate::asset_text::{AssetText, FacetContents, OldAsset};
use crate::client_files::Client;
use crate::error::{OpsError, TaskError};
use crate::facet_removal::{on_disk, recorded_files};
use crate::install_page::AssetChangeShown;
use crate::stored_artifact::open_store;

/// The largest archive of a facet that is read to show a difference.
const MOST_OF_FACET: u64 = 64 << 20;

/// The file of a skill that is no companion.
const SKILL: &str = "SKILL.md";

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
                    let made = made.into_iter().map(|file| wanted_file(&text, name, *client, file));
                    files.extend(made);
                }
            }
        }
        Ok(files)
    }

    /// What happens to each file, by what is there now.
    pub(super) fn plan_files(&self, files: &[WantedFile]) -> Result<Vec<AssetStep>, OpsError> {
        let after: Vec<InstalledFileView> = files.iter().map(|file| file.view.clone()).collect();
        self.require_folders(&after)?;
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

    /// A link in the place of a folder is not a file that is in the way: an alias would not help.
    fn require_folders(&self, files: &[InstalledFileView]) -> Result<(), OpsError> {
        for file in files {
            let Err(ProjectError::Untrusted { path, .. }) =
                self.project.read_asset(file.base, &file.path)
            else {
                continue;
            };
            let is_folder = path != self.project.asset_path(file.base, &file.path)?;
            if is_folder {
                let target = std::fs::read_link(&path).ok();
                let path = path.strip_prefix(".").unwrap_or(&path).to_owned();
                return Err(TaskError::Folder { path, target }.into());
            }
        }
        Ok(())
    }

    /// The texts that change with this plan, each with what is suspicious in it.
    pub(super) fn text_changes(&self, goal: &Goal) -> Vec<AssetChangeShown> {
        let installed = self.project.installed().unwrap_or_default();
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
            // A lock that came with a repository says nothing of what this user has read.
            let others = installed.facets.get(name.as_str()).filter(|record| {
                record.integrity != facet.integrity
                    && before.is_none_or(|before| before.integrity != record.integrity)
            });
            for asset in &facet.assets {
                let Some(text) =
                    AssetText::of(&acquired.resolved.manifest, &acquired.contents, asset)
                else {
                    continue;
                };
                let locked = || {
                    old.as_ref().and_then(|(locked, stored)| {
                        let is_same = |other: &&LockedAsset| {
                            other.kind == asset.kind
                                && other.effective_name() == asset.effective_name()
                        };
                        let before = locked.assets.iter().find(is_same)?;
                        AssetText::of(&stored.0, &stored.1, before)
                            .map(|before| before.into_old(self.scope()))
                    })
                };
                let before = match others {
                    Some(record) => self.installed_asset(record, asset),
                    None => locked(),
                };
                changes.extend(text.change(name, self.scope(), before.as_ref()));
            }
        }
        changes.extend(self.removed_texts(goal));
        changes
    }

    /// An asset as it is installed, if nobody has edited it.
    fn installed_asset(&self, record: &InstalledFacet, asset: &LockedAsset) -> Option<OldAsset> {
        let name = asset.effective_name()?;
        let is_meant = |file: &&InstalledFile| (file.kind, &file.name) == (asset.kind, name);
        let files: Vec<&InstalledFile> = record.files.iter().filter(is_meant).collect();
        // All clients read the same Markdown; one of them has agents in another notation.
        let is_markdown = |file: &&&InstalledFile| file.path.ends_with(".md");
        let client = files.iter().find(is_markdown)?.client;
        let folder = format!("/skills/{name}/");
        let (mut text, mut companions) = (None, Vec::new());
        for file in files.into_iter().filter(|file| file.client == client) {
            let bytes = self.project.read_asset(file.base, &file.path).ok()??;
            if Digest::of(&bytes) != file.digest {
                return None;
            }
            let inside = file.path.split_once(&folder).map(|(_, inside)| inside);
            match inside.filter(|inside| asset.kind == AssetKind::Skill && *inside != SKILL) {
                Some(inside) => companions.push((inside.parse().ok()?, bytes)),
                None => text = String::from_utf8(bytes).ok(),
            }
        }
        Some(OldAsset { text: text?, companions })
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
fn stored_facet(facet: &LockedFacet) -> Option<(FacetManifest, FacetContents)> {
    let store = open_store().ok()?;
    let file = store.get_file(&facet.content_hash?).ok()??;
    let limits = ArchiveLimits::SPEC;
    let bytes = read_to_limit(&*file, MOST_OF_FACET).ok()??;
    let (archive, contents) = read_facet_files(&mut Cursor::new(bytes), &limits).ok()?;
    Some((archive.manifest, contents))
}

/// A file that is wanted for a client.
fn wanted_file(
    text: &AssetText<'_>,
    facet: &ArtifactName,
    client: Client,
    file: AssetFile,
) -> WantedFile {
    let AssetFile { base, path, content } = file;
    let view = InstalledFileView {
        base,
        path,
        digest: Digest::of(&content),
        facet: facet.to_string(),
        kind: text.kind,
        name: text.name.clone(),
        client: client.name().to_owned(),
    };
    WantedFile { view, content }
}
