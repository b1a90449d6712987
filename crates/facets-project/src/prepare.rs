//! What a change comes to, file by file, if all of it can be done.

use std::collections::BTreeSet;
use std::path::Path;

use facets_digest::Digest;
use facets_lock::{closure_path, surface_path};
use facets_model::AssetBase;

use crate::asset_check::AssetCheck;
use crate::change::{AssetChange, Change};
use crate::error::ProjectError;
use crate::files::{self, LOCK, MANIFEST};
use crate::installed::InstalledRecord;
use crate::journal::Prepared;
use crate::made_folders::AssetPaths;
use crate::places::Bases;
use crate::plan::{Plan, Step, Target, UserFile};
use crate::user_directory::UserDirectory;

/// A project whose change is prepared.
pub(crate) struct Preparation<'p> {
    /// As it is named in messages.
    pub(crate) root: &'p Path,
    /// Where it really lies.
    pub(crate) place: &'p Path,
    pub(crate) user: &'p UserDirectory,
    pub(crate) bases: Bases,
}

/// The record of installed files, before and after.
struct Records {
    before: InstalledRecord,
    after: InstalledRecord,
}

/// Steps, and the contents that they write.
#[derive(Default)]
struct Steps {
    steps: Vec<Step>,
    contents: Vec<Option<Vec<u8>>>,
}

impl Steps {
    fn add(&mut self, target: Target, before: Option<Digest>, content: Option<Vec<u8>>) {
        let after = content.as_deref().map(Digest::of);
        self.steps.push(Step { target, before, after });
        self.contents.push(content);
    }
}

impl Preparation<'_> {
    /// What is to be done. Nothing is written yet.
    pub(crate) fn prepare(self, change: Change) -> Result<Prepared, ProjectError> {
        AssetCheck::of(&self.bases, &change.assets)?.all()?;
        let paths = AssetPaths::of(&change.assets);
        let records = self.records(&paths, &change)?;
        let made = records.as_ref().map(|records| records.before.made_folders.as_slice());
        let folders = paths.left_folders(made.unwrap_or_default());
        let mut steps = Steps::default();
        for (server, text) in change.surfaces {
            let content = text.map(String::into_bytes);
            self.add_own(&mut steps, surface_path(&server), content)?;
        }
        for (server, text) in change.closures {
            let content = text.map(String::into_bytes);
            self.add_own(&mut steps, closure_path(&server), content)?;
        }
        if let Some(lock) = change.lock {
            let content = Some(lock.text().as_bytes().to_vec());
            self.add_own(&mut steps, LOCK.to_owned(), content)?;
        }
        if let Some(manifest) = change.manifest {
            self.add_own(&mut steps, MANIFEST.to_owned(), Some(manifest.into_bytes()))?;
        }
        if let Some(Records { after, .. }) = records {
            let text = (!after.is_empty()).then(|| after.to_json(self.place));
            self.add_of_user(&mut steps, UserFile::Installed, text)?;
        }
        if let Some(receipt) = change.receipt {
            let text = Some(receipt.text().to_owned());
            self.add_of_user(&mut steps, UserFile::Receipt, text)?;
        }
        for AssetChange { base, path, before, content } in change.assets {
            steps.add(Target::Asset(base, path), before, content);
        }
        let Steps { steps, contents } = steps;
        // What is not used need not be remembered.
        let used: BTreeSet<AssetBase> = paths.bases().collect();
        Ok(Prepared { plan: Plan { bases: self.bases.only(&used), steps, folders }, contents })
    }

    /// The record with the folders that facet makes. None if nothing of it changes.
    fn records(
        &self,
        paths: &AssetPaths,
        change: &Change,
    ) -> Result<Option<Records>, ProjectError> {
        if change.assets.is_empty() && change.installed.is_none() {
            return Ok(None);
        }
        let before = InstalledRecord::read(self.place, self.user)?;
        let mut after = change.installed.clone().unwrap_or_else(|| before.clone());
        after.made_folders = paths.made_folders(&self.bases, &before.made_folders, &after)?;
        Ok(Some(Records { before, after }))
    }

    fn add_own(
        &self,
        steps: &mut Steps,
        path: String,
        content: Option<Vec<u8>>,
    ) -> Result<(), ProjectError> {
        let before = files::read(&self.root.join(&path))?.as_deref().map(Digest::of);
        steps.add(Target::Own(path), before, content);
        Ok(())
    }

    fn add_of_user(
        &self,
        steps: &mut Steps,
        file: UserFile,
        content: Option<String>,
    ) -> Result<(), ProjectError> {
        let path = self.user.checked(file.folder())?.join(file.name(self.place));
        let before = files::read_own(&path)?.as_deref().map(Digest::of);
        let content = content.map(String::into_bytes);
        if before != content.as_deref().map(Digest::of) {
            steps.add(Target::User(file), before, content);
        }
        Ok(())
    }
}
