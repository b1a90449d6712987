//! Facets that are removed: their files, their entries, and the servers that nothing else asks for.

use facets_digest::Digest;
use facets_plan::{AssetAction, AssetStep, DiskView, InstalledFileView, OnDisk, plan_assets};
use facets_project::{
    AssetChange, InstalledFacet, InstalledRecord, Project, ProjectError, Receipt, State,
};

use crate::error::OpsError;
use crate::facet_servers::facet_servers;
use crate::install_report::{AssetFileStatus, InstalledFileShown};

/// The servers that only these facets ask for.
pub(crate) fn servers_of_facets(facets: &[String], state: &State) -> Vec<String> {
    let is_declared = |name: &str| {
        let manifest = state.manifest.as_ref();
        manifest.is_some_and(|all| crate::pinned::declared_server(all, name).is_some())
    };
    let is_removed = |facet: &str| facets.iter().any(|name| name == facet);
    let servers = facet_servers(state).into_iter();
    let only_theirs = servers.filter(|(name, by)| {
        by.iter().all(|facet| is_removed(facet.as_str()))
            && !is_declared(name)
            && state.lock.servers().contains_key(name)
    });
    only_theirs.map(|(name, _)| name).collect()
}

/// What happens to the files of facets that are removed. Those that the user edited stay.
pub(crate) struct FileRemoval {
    steps: Vec<AssetStep>,
    record: InstalledRecord,
}

impl FileRemoval {
    pub(crate) fn of(facets: &[String], project: &Project) -> Result<Self, OpsError> {
        let mut record = project.installed()?;
        let mut before = Vec::new();
        for name in facets {
            let facet = record.facets.remove(name);
            // What was there before the install stays.
            let made = facet.map(|facet| InstalledFacet {
                files: facet.files.into_iter().filter(|file| !file.is_found).collect(),
                ..facet
            });
            before.extend(made.iter().flat_map(|facet| views(name, facet)));
        }
        // A file that another facet has, too, is not this one's alone.
        before.retain(|file| {
            !record.files().any(|other| (other.base, &other.path) == (file.base, &file.path))
        });
        let disk = on_disk(project, &before)?;
        Ok(Self { steps: plan_assets(&before, &[], &disk), record })
    }

    pub(crate) fn changes(&self) -> Vec<AssetChange> {
        let removed = self.steps.iter().filter(|step| step.action == AssetAction::Remove);
        let change = |step: &AssetStep| AssetChange {
            base: step.file.base,
            path: step.file.path.clone(),
            before: Some(step.file.digest),
            content: None,
        };
        removed.map(change).collect()
    }

    pub(crate) fn record(&self) -> InstalledRecord {
        self.record.clone()
    }

    /// What is told about each file.
    pub(crate) fn files(&self, project: &Project) -> Vec<InstalledFileShown> {
        let shown = |step: &AssetStep| {
            let status = match step.action {
                AssetAction::Remove => AssetFileStatus::Removed,
                AssetAction::KeptOnRemove => AssetFileStatus::Edited,
                _ => return None,
            };
            let path = if project.is_of_user() {
                project.asset_path(step.file.base, &step.file.path).ok()?
            } else {
                step.file.path.clone().into()
            };
            Some(InstalledFileShown {
                facet: step.file.facet.clone(),
                kind: step.file.kind,
                name: step.file.name.clone(),
                client: step.file.client.parse().ok()?,
                path,
                status,
            })
        };
        self.steps.iter().filter_map(shown).collect()
    }
}

/// The receipt without these facets; none if there is nothing to change.
pub(crate) fn receipt_without(
    facets: &[String],
    project: &Project,
) -> Result<Option<Receipt>, OpsError> {
    let Some(mut receipt) = project.receipt()? else { return Ok(None) };
    for name in facets {
        let failed = |source| ProjectError::Edit { path: "receipt".into(), source };
        receipt = receipt.without_facet(name).map_err(failed)?;
    }
    Ok(Some(receipt))
}

fn views(name: &str, facet: &InstalledFacet) -> Vec<InstalledFileView> {
    let files = facet.files.iter().map(|file| InstalledFileView {
        base: file.base,
        path: file.path.clone(),
        digest: file.digest,
        facet: name.to_owned(),
        kind: file.kind,
        name: file.name.clone(),
        client: file.client.name().to_owned(),
    });
    files.collect()
}

/// What is where these files are recorded.
pub(crate) fn on_disk(
    project: &Project,
    files: &[InstalledFileView],
) -> Result<DiskView, OpsError> {
    let mut disk = DiskView::new();
    for file in files {
        let found = match project.read_asset(file.base, &file.path) {
            Ok(None) => continue,
            Ok(Some(bytes)) => OnDisk::File(Digest::of(&bytes)),
            Err(ProjectError::Untrusted { .. }) => OnDisk::NotAFile,
            Err(error) => return Err(error.into()),
        };
        disk.insert((file.base, file.path.clone()), found);
    }
    Ok(disk)
}

/// Every file that is recorded, with the facet that it belongs to.
pub(crate) fn recorded_files(record: &InstalledRecord) -> Vec<InstalledFileView> {
    record.facets.iter().flat_map(|(name, facet)| views(name, facet)).collect()
}
