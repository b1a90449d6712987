//! What was accepted is written, all of it or nothing (spec 8.4), and what became of everything is reported.

use std::collections::BTreeMap;
use std::path::PathBuf;

use facets_lock::{Lock, LockError, LockedFacet, LockedServer};
use facets_plan::{AssetAction, AssetStep, FacetStep, Step, WriteReason};
use facets_project::{
    AssetChange, Change, InstalledFacet, InstalledFile, InstalledRecord, LOCK, MANIFEST,
    ProjectError, Receipt, State, with_clients,
};

use super::decisions::{Decided, ServerDecision, ServerVerdict};
use super::goal::{Goal, facet_change};
use super::task::InstallTask;
use crate::client_files::Client;
use crate::consent::InstallPage;
use crate::error::{OpsError, TaskError};
use crate::facet_entries::entry_digest;
use crate::install_report::{
    AssetFileStatus, InstallOutcome, InstallReport, InstalledFileShown, ItemStatus, PinnedHashes,
    ServerOutcome, ServerStatus,
};
use crate::pinning::closure_changes;

impl InstallTask {
    /// Writes everything that was accepted.
    pub(super) fn write(&self, goal: &Goal, decided: &Decided) -> Result<InstallOutcome, OpsError> {
        let manifest = self.new_manifest(goal)?;
        let manifest = manifest.filter(|text| Some(text) != self.before.manifest_text.as_ref());
        let lock = self.new_lock(goal, decided)?;
        let is_same_lock = lock.text() == self.before.lock.text();
        let has_pins = decided.pins().next().is_some();
        let installed = self.new_record(goal, &lock)?;
        let is_same_record = installed == self.project.installed()?;
        let is_unchanged = manifest.is_none() && is_same_lock && !goal.changes_files() && !has_pins;
        if is_unchanged && is_same_record {
            return Ok(InstallOutcome::Unchanged);
        }
        // Approvals first: without the lock they permit nothing.
        decided.pins().try_for_each(|proposal| proposal.approve(&self.project))?;
        let receipt = self.new_receipt(goal)?;
        self.project.change(|now| {
            self.require_same(now)?;
            Ok::<_, OpsError>(Change {
                manifest,
                lock: (!is_same_lock).then_some(lock),
                surfaces: decided.surfaces(now),
                closures: decided.closures(now),
                assets: goal.asset_changes(),
                installed: Some(installed),
                receipt,
            })
        })?;
        self.forget_removed(decided)?;
        // What was there already is only taken down.
        Ok(if is_unchanged { InstallOutcome::Unchanged } else { InstallOutcome::Applied })
    }

    /// Everything was decided by what manifest and lock were before.
    fn require_same(&self, now: &State) -> Result<(), OpsError> {
        let is_same = now.manifest_text == self.before.manifest_text
            && now.lock.text() == self.before.lock.text();
        if is_same { Ok(()) } else { Err(TaskError::ChangedMeanwhile.into()) }
    }

    /// What was decided about a server ends with it.
    fn forget_removed(&self, decided: &Decided) -> Result<(), OpsError> {
        let ledger = self.project.ledger()?;
        let removed =
            decided.servers.iter().filter(|one| matches!(one.verdict, ServerVerdict::Remove));
        removed.map(|one| &one.change.name).try_for_each(|name| ledger.end(name))?;
        Ok(())
    }

    fn new_manifest(&self, goal: &Goal) -> Result<Option<String>, OpsError> {
        if self.is_frozen() {
            return Ok(None);
        }
        let versions = goal.locked.iter();
        let versions = versions.map(|(name, facet)| (name.clone(), facet.version.to_string()));
        let manifest = self.manifest_with_versions(versions)?;
        if !goal.clients.is_new {
            return Ok(manifest);
        }
        let text = manifest.as_deref().or(self.before.manifest_text.as_deref());
        let names: Vec<&str> = goal.clients.clients.iter().map(|client| client.name()).collect();
        let edited = with_clients(text, &names);
        let failed = |source| ProjectError::Edit { path: MANIFEST.into(), source };
        Ok(Some(edited.map_err(failed)?))
    }

    fn new_lock(&self, goal: &Goal, decided: &Decided) -> Result<Lock, OpsError> {
        if self.is_frozen() {
            return Ok(self.before.lock.clone());
        }
        let mut lock = self.before.lock.clone();
        for FacetStep { name, step } in &goal.plan.facets {
            let facet = goal.locked.iter().find(|(other, _)| other.as_str() == name);
            let facet = facet.map(|(_, facet)| decided.with_accepted(name, facet));
            lock = match (step, facet) {
                (Step::Keep(before), Some(facet)) if *before == facet => lock,
                (Step::Remove(_), _) => lock.without_facet(name).map_err(lock_error)?,
                (_, Some(facet)) => lock.with_facet(name, &facet).map_err(lock_error)?,
                (_, None) => lock,
            };
        }
        for ServerDecision { change, verdict } in &decided.servers {
            lock = match verdict {
                ServerVerdict::Pin(proposal) => proposal.lock_with(&lock)?,
                ServerVerdict::Uncapture(entry) => {
                    lock.with_uncaptured(&change.name, entry).map_err(lock_error)?
                }
                ServerVerdict::Remove => lock.without_server(&change.name).map_err(lock_error)?,
                ServerVerdict::Stay(_) | ServerVerdict::Refused(..) => lock,
            };
        }
        Ok(lock)
    }

    /// What facet has written for this project when this is done. A file that the user edited stays recorded as
    /// facet wrote it.
    fn new_record(&self, goal: &Goal, lock: &Lock) -> Result<InstalledRecord, OpsError> {
        let before = self.project.installed()?;
        let written = |file: &AssetStep| {
            before.files().find(|old| (old.base, &old.path) == (file.file.base, &file.file.path))
        };
        let mut facets: BTreeMap<String, InstalledFacet> = BTreeMap::new();
        for (name, facet) in &goal.locked {
            let record = InstalledFacet {
                version: facet.version.clone(),
                integrity: facet.integrity,
                entry: lock
                    .facet(name.as_str())
                    .and_then(|entry| entry_digest(name.as_str(), entry)),
                files: Vec::new(),
            };
            facets.insert(name.to_string(), record);
        }
        for step in &goal.plan.assets {
            let known = written(step);
            let was_found = known.is_some_and(|old| old.is_found);
            let (digest, is_found) = match step.action {
                AssetAction::Write(_) => (step.file.digest, was_found),
                AssetAction::Keep { is_recorded } => (step.file.digest, was_found || !is_recorded),
                AssetAction::KeptEdited { .. } => {
                    (known.map_or(step.file.digest, |old| old.digest), was_found)
                }
                _ => continue,
            };
            let (Some(record), Ok(client)) =
                (facets.get_mut(&step.file.facet), step.file.client.parse::<Client>())
            else {
                continue;
            };
            record.files.push(InstalledFile {
                base: step.file.base,
                path: step.file.path.clone(),
                digest,
                kind: step.file.kind,
                name: step.file.name.clone(),
                client,
                is_found,
            });
        }
        Ok(InstalledRecord { facets, made_folders: before.made_folders })
    }

    /// The receipt that the reference reads: it owns what facet installed, and nothing that facet removed.
    fn new_receipt(&self, goal: &Goal) -> Result<Option<Receipt>, OpsError> {
        let Some(mut receipt) = self.project.receipt()? else { return Ok(None) };
        let failed = |source| ProjectError::Edit { path: "receipt".into(), source };
        for FacetStep { name, step } in &goal.plan.facets {
            let locked = goal.locked.iter().find(|(other, _)| other.as_str() == name);
            receipt = match (step, locked) {
                (Step::Remove(_), _) => receipt.without_facet(name).map_err(failed)?,
                (_, Some((_, facet))) => receipt.with_facet(name, facet).map_err(failed)?,
                (_, None) => receipt,
            };
        }
        Ok(Some(receipt))
    }

    /// What became of everything.
    pub(super) fn report(
        &self,
        goal: &Goal,
        page: InstallPage,
        decided: Decided,
        outcome: InstallOutcome,
    ) -> InstallReport {
        let mut notes = notes(goal);
        notes.extend(self.exact_pins());
        notes.extend(decided.notes);
        let servers = decided.servers.into_iter().map(|one| self.server_outcome(one, outcome));
        InstallReport {
            outcome,
            facets: facet_report(goal),
            files: self.file_report(goal),
            servers: servers.collect(),
            assets: page.assets,
            // Known to whoever asked the registries.
            yanked: Vec::new(),
            notes,
        }
    }

    pub(super) fn file_report(&self, goal: &Goal) -> Vec<InstalledFileShown> {
        goal.plan.assets.iter().filter_map(|step| self.file_shown(step)).collect()
    }

    fn file_shown(&self, step: &AssetStep) -> Option<InstalledFileShown> {
        let status = match step.action {
            AssetAction::Write(_) => AssetFileStatus::Written,
            AssetAction::Keep { .. } => AssetFileStatus::Kept,
            AssetAction::KeptEdited { .. } | AssetAction::KeptOnRemove => AssetFileStatus::Edited,
            AssetAction::Remove => AssetFileStatus::Removed,
            AssetAction::Forget | AssetAction::InTheWay => return None,
        };
        let path = if self.project.is_of_user() {
            self.project.asset_path(step.file.base, &step.file.path).ok()?
        } else {
            PathBuf::from(&step.file.path)
        };
        Some(InstalledFileShown {
            facet: step.file.facet.clone(),
            kind: step.file.kind,
            name: step.file.name.clone(),
            client: step.file.client.parse().ok()?,
            path,
            status,
        })
    }

    pub(super) fn server_outcome(
        &self,
        decided: ServerDecision,
        outcome: InstallOutcome,
    ) -> ServerOutcome {
        let ServerDecision { change, verdict } = decided;
        let is_applied = outcome == InstallOutcome::Applied;
        let is_locked = self.before.lock.server(&change.name).is_some();
        let pinned = |locked: Option<&LockedServer>| locked.map(PinnedHashes::of);
        let stays = || pinned(self.before.lock.server(&change.name));
        let (status, findings, page, pinned) = match verdict {
            ServerVerdict::Pin(proposal) => {
                let hashes = Some(PinnedHashes::of(&proposal.server));
                let findings = proposal.page.changes.clone().unwrap_or_default();
                let is_same = self.before.lock.server(&change.name).is_some_and(|before| {
                    let accepted = proposal.server.accepted.clone();
                    LockedServer { accepted, ..before.clone() } == proposal.server
                });
                let status = match (is_applied, is_locked) {
                    (false, _) => ServerStatus::Planned,
                    (true, true) if is_same => ServerStatus::Approved,
                    (true, true) => ServerStatus::Changed,
                    (true, false) => ServerStatus::Added,
                };
                (status, findings, Some(proposal.page), hashes)
            }
            ServerVerdict::Uncapture(_) => (ServerStatus::Uncaptured, Vec::new(), None, None),
            ServerVerdict::Remove => (ServerStatus::Removed, Vec::new(), None, None),
            ServerVerdict::Stay(status) => (status, Vec::new(), None, stays()),
            ServerVerdict::Refused(findings, page) => {
                (ServerStatus::Refused, findings, page.map(|page| *page), stays())
            }
        };
        ServerOutcome { change, status, findings, page, pinned }
    }
}

impl Decided {
    /// spec 8.8: the entry of a facet with what was accepted of its texts: now, and before of the very same
    fn with_accepted(&self, name: &str, facet: &LockedFacet) -> LockedFacet {
        match self.texts.get(name) {
            None => facet.clone(),
            Some(now) => LockedFacet { accepted: facet.accepted.with(now), ..facet.clone() },
        }
    }

    fn pins(&self) -> impl Iterator<Item = &crate::pinning::PinProposal> {
        self.servers.iter().filter_map(|one| match &one.verdict {
            ServerVerdict::Pin(proposal) => Some(&**proposal),
            _ => None,
        })
    }

    /// Surface files that are written or removed.
    fn surfaces(&self, now: &State) -> Vec<(String, Option<String>)> {
        let surface = |one: &ServerDecision| {
            let text = match &one.verdict {
                ServerVerdict::Pin(proposal) => Some(proposal.text.clone()),
                ServerVerdict::Remove => None,
                // What was seen of it is not what it is by now.
                ServerVerdict::Uncapture(_) if now.lock.server(&one.change.name).is_some() => None,
                _ => return None,
            };
            Some((one.change.name.clone(), text))
        };
        self.servers.iter().filter_map(surface).collect()
    }
}

impl Decided {
    /// Closure files that are written or removed.
    fn closures(&self, now: &State) -> Vec<(String, Option<String>)> {
        let closures = |one: &ServerDecision| match &one.verdict {
            ServerVerdict::Pin(proposal) => {
                closure_changes(now, &one.change.name, proposal.closure.clone())
            }
            ServerVerdict::Remove | ServerVerdict::Uncapture(_) => {
                closure_changes(now, &one.change.name, None)
            }
            _ => Vec::new(),
        };
        self.servers.iter().flat_map(closures).collect()
    }
}

impl Goal {
    /// The files that are written or removed, each with what is there now.
    fn asset_changes(&self) -> Vec<AssetChange> {
        let mut changes = Vec::new();
        for AssetStep { file, action } in &self.plan.assets {
            let (before, content) = match action {
                AssetAction::Write(reason) => {
                    let wanted = self.files.iter().find(|wanted| {
                        (wanted.view.base, &wanted.view.path) == (file.base, &file.path)
                    });
                    let Some(wanted) = wanted else { continue };
                    let before = match reason {
                        WriteReason::New | WriteReason::Gone => None,
                        WriteReason::Changed { from } => Some(*from),
                    };
                    (before, Some(wanted.content.clone()))
                }
                AssetAction::Remove => (Some(file.digest), None),
                _ => continue,
            };
            let (base, path) = (file.base, file.path.clone());
            changes.push(AssetChange { base, path, before, content });
        }
        changes
    }
}

impl PinnedHashes {
    pub(super) fn of(server: &LockedServer) -> Self {
        let artifact = server.pin.artifact();
        Self {
            integrity: artifact.map(|pin| pin.integrity),
            content_hash: artifact.map(|pin| pin.content_hash),
            api_surface: server.surface.api_surface,
            surface: server.surface.digest,
            behavior: server.surface.behavior,
        }
    }
}

pub(super) fn facet_report(goal: &Goal) -> Vec<(crate::install_page::FacetChange, ItemStatus)> {
    let status = |step: &FacetStep| match step.step {
        Step::Add(_) => ItemStatus::Added,
        Step::Change { .. } => ItemStatus::Changed,
        Step::Remove(_) => ItemStatus::Removed,
        Step::Keep(_) => ItemStatus::Kept,
    };
    goal.plan.facets.iter().map(|step| (facet_change(step), status(step))).collect()
}

/// What else is worth knowing.
fn notes(goal: &Goal) -> Vec<String> {
    let mut notes = Vec::new();
    if goal.clients.is_missing {
        notes.push(
            "no client with folders for texts was found; skills, agents and commands were not written: \
             facet install --client claude-code"
                .to_owned(),
        );
    }
    notes
}

fn lock_error(source: LockError) -> OpsError {
    OpsError::Project(ProjectError::Lock { path: LOCK.into(), source })
}
