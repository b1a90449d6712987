//! Which journals this user has begun: a repository can bring one along.

use std::fs;
use std::path::{Path, PathBuf};

use facets_digest::Digest;

use crate::error::ProjectError;
use crate::files;
use crate::ledger::project_key;
use crate::user_directory::UserDirectory;

const FOLDER: &str = "journals";

/// Which journal of a project this user has begun.
pub(crate) struct Marks {
    user: UserDirectory,
    file: PathBuf,
}

impl Marks {
    /// Of the project at this place.
    pub(crate) fn of(place: &Path, user: &UserDirectory) -> Result<Self, ProjectError> {
        Ok(Self { user: user.clone(), file: user.checked(FOLDER)?.join(project_key(place)) })
    }

    pub(crate) fn set(&self, plan: Digest) -> Result<(), ProjectError> {
        self.user.made(FOLDER)?;
        files::write(&self.file, plan.to_string().as_bytes())
    }

    /// The change is done: the mark of its journal is removed.
    pub(crate) fn clear(&self) {
        let _ = fs::remove_file(&self.file);
    }

    /// Removes what an interrupted facet left of a mark.
    pub(crate) fn sweep(&self) {
        if let (Some(folder), Some(name)) = (self.file.parent(), self.file.file_name()) {
            files::sweep_staged(folder, &name.to_string_lossy());
        }
    }

    pub(crate) fn has(&self, plan: Digest) -> Result<bool, ProjectError> {
        Ok(files::read(&self.file)?.is_some_and(|bytes| bytes == plan.to_string().as_bytes()))
    }
}
