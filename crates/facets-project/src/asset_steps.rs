//! The steps of a change that are files of clients. They belong to the user as much as to facet: a file that
//! is neither as before nor as after stays, and the others go on (spec 8.4).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use facets_digest::Digest;
use facets_model::AssetBase;

use crate::asset_path::folders_around;
use crate::error::ProjectError;
use crate::files::{self, io};
use crate::folder::{Folder, Syncing};
use crate::plan::Plan;

/// Files of a change that each wait for the disk; of more, the file system waits as a whole.
pub(crate) const SYNCED_ONE_BY_ONE: usize = 64;

/// The steps of a journal that are files of clients.
pub(crate) struct AssetSteps<'j> {
    plan: &'j Plan,
    journal: &'j Path,
    syncing: Syncing,
}

/// One of them.
struct AssetStep<'j> {
    index: usize,
    base: AssetBase,
    path: &'j str,
    before: Option<Digest>,
    after: Option<Digest>,
}

impl AssetStep<'_> {
    fn name(&self) -> &str {
        file_name(self.path)
    }

    /// Short, however long the name of the file is.
    fn staged(&self) -> String {
        format!(".facet-{}.{}.tmp", self.index, std::process::id())
    }
}

/// What a folder has to be for a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Made,
    Left,
}

impl<'j> AssetSteps<'j> {
    pub(crate) fn of(plan: &'j Plan, journal: &'j Path) -> Self {
        let many = plan.assets().count() > SYNCED_ONE_BY_ONE;
        let syncing = if many { Syncing::Together } else { Syncing::Each };
        Self { plan, journal, syncing }
    }

    /// Does all of them; what was done already is found so.
    pub(crate) fn complete(&self) -> Result<(), ProjectError> {
        // First, because a folder can take the place of a file, or a file that of a folder.
        self.remove_files()?;
        self.remove_folders()?;
        let staged = self.stage()?;
        // A file that has its name before its content would be taken for one that the user changed.
        if self.syncing == Syncing::Together && !staged.is_empty() {
            self.sync_file_systems()?;
        }
        for step in &staged {
            self.place(step)?;
        }
        self.sweep()?;
        match self.syncing {
            Syncing::Together => self.sync_file_systems(),
            Syncing::Each => self.sync_folders(),
        }
    }

    fn steps(&self) -> impl Iterator<Item = AssetStep<'j>> {
        self.plan.assets().map(|(index, base, path, step)| AssetStep {
            index,
            base,
            path,
            before: step.before,
            after: step.after,
        })
    }

    fn remove_files(&self) -> Result<(), ProjectError> {
        for step in self.steps().filter(|step| step.after.is_none()) {
            let Some(folder) = self.enter(step.base, step.path, Missing::Left)? else { continue };
            // Nothing is there, or what the user put there.
            if step.before.is_some() && folder.find(step.name())?.is(step.before) {
                folder.remove_file(step.name())?;
            }
        }
        Ok(())
    }

    fn remove_folders(&self) -> Result<(), ProjectError> {
        for folder in &self.plan.folders {
            if folder.path.is_empty() {
                if let Some(base) = self.plan.bases.path(folder.base) {
                    let _ = fs::remove_dir(base);
                }
            } else if let Some(parent) = self.enter(folder.base, &folder.path, Missing::Left)? {
                parent.remove_empty(file_name(&folder.path));
            }
        }
        Ok(())
    }

    /// Writes new contents beside their places.
    fn stage(&self) -> Result<Vec<AssetStep<'j>>, ProjectError> {
        let mut staged = Vec::new();
        for step in self.steps() {
            let Some(digest) = step.after else { continue };
            let is_as_before = match self.enter(step.base, step.path, Missing::Left)? {
                Some(folder) => folder.find(step.name())?.is(step.before),
                None => step.before.is_none(),
            };
            if !is_as_before {
                continue;
            }
            let Some(folder) = self.enter(step.base, step.path, Missing::Made)? else { continue };
            let content = planned_content(self.journal, step.index, digest)?;
            folder.stage(&step.staged(), &content, self.syncing)?;
            staged.push(step);
        }
        Ok(staged)
    }

    /// Puts a staged file into its place, if that is still as before.
    fn place(&self, step: &AssetStep<'_>) -> Result<(), ProjectError> {
        let Some(folder) = self.enter(step.base, step.path, Missing::Left)? else { return Ok(()) };
        let (staged, name) = (step.staged(), step.name());
        if step.before.is_none() {
            folder.place_new(&staged, name)?;
        } else if folder.find(name)?.is(step.before) {
            folder.place(&staged, name)?;
        }
        // What could not be placed is removed by the sweep.
        Ok(())
    }

    /// The folder around a path. None where there is none, or a link or a file is in the way: that is the
    /// user's.
    fn enter(
        &self,
        base: AssetBase,
        path: &str,
        missing: Missing,
    ) -> Result<Option<Folder>, ProjectError> {
        let Some(root) = self.plan.bases.path(base) else { return Ok(None) };
        if missing == Missing::Made {
            fs::create_dir_all(root).map_err(io("write", root))?;
        }
        let mut folder = Folder::open(root)?;
        for around in folders_around(path) {
            let Some(parent) = folder else { return Ok(None) };
            let entered = match missing {
                Missing::Made => parent.enter_or_make(file_name(around)).map(Some),
                Missing::Left => parent.enter(file_name(around)),
            };
            folder = match entered {
                Err(ProjectError::Untrusted { .. }) => return Ok(None),
                other => other?,
            };
        }
        Ok(folder)
    }

    /// Removes what an interrupted facet has staged for these files, and what was not placed.
    fn sweep(&self) -> Result<(), ProjectError> {
        let mut swept = BTreeSet::new();
        for step in self.steps() {
            let folder = step.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            if !swept.insert((step.base, folder)) {
                continue;
            }
            let Some(folder) = self.enter(step.base, step.path, Missing::Left)? else { continue };
            for name in folder.files().iter().filter(|name| is_staged(name)) {
                folder.remove_file(name)?;
            }
        }
        Ok(())
    }

    fn sync_file_systems(&self) -> Result<(), ProjectError> {
        let mut systems = BTreeMap::new();
        for step in self.steps() {
            if let Some(folder) = self.nearest(step.base, step.path)? {
                systems.entry(folder.device()?).or_insert(folder);
            }
        }
        systems.values().try_for_each(Folder::sync_file_system)
    }

    /// The innermost folder around a path that exists.
    fn nearest(&self, base: AssetBase, path: &str) -> Result<Option<Folder>, ProjectError> {
        if let Some(folder) = self.enter(base, path, Missing::Left)? {
            return Ok(Some(folder));
        }
        self.plan.bases.path(base).map_or(Ok(None), Folder::open)
    }

    /// Waits until the disk has the names of all files, and of the folders around them.
    fn sync_folders(&self) -> Result<(), ProjectError> {
        let mut synced = BTreeSet::new();
        for step in self.steps() {
            for folder in folders_around(step.path).chain([step.path]) {
                let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
                if synced.insert((step.base, parent))
                    && let Some(folder) = self.enter(step.base, folder, Missing::Left)?
                {
                    folder.sync()?;
                }
            }
        }
        Ok(())
    }
}

/// What a step writes, if it is what the plan says.
pub(crate) fn planned_content(
    journal: &Path,
    index: usize,
    digest: Digest,
) -> Result<Vec<u8>, ProjectError> {
    let content = files::read(&journal.join(index.to_string()))?.unwrap_or_default();
    if Digest::of(&content) == digest {
        Ok(content)
    } else {
        Err(ProjectError::Interrupted { path: journal.to_owned() })
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a name is one that [`AssetStep::staged`] gives, in whichever process.
fn is_staged(name: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    facets_files::is_staged(name).and_then(|file| file.strip_prefix("facet-")).is_some_and(number)
}
