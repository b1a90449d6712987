//! What this user has approved on this machine (spec 8.5).

use std::fs;
use std::path::{Path, PathBuf};

use facets_digest::json::quoted;
use facets_digest::{Digest, Hasher};
use facets_lock::LockedServer;

use crate::error::ProjectError;
use crate::files::{self, io};
use crate::user_directory::UserDirectory;

const FOLDER: &str = "approvals";

/// What is approved: this start, of these declarations, with these grants. A command is
/// approved where it runs, because what it starts may lie there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    form: String,
}

impl Approval {
    /// What a lock entry asks for, in a project.
    #[must_use]
    pub fn of(server: &LockedServer, project: &Path) -> Self {
        let directory = match project.to_str() {
            _ if server.origin.is_remote() => "null".to_owned(),
            Some(place) => quoted(place),
            // A name that is no text is known by its bytes: two of them are never one.
            None => quoted(&Digest::of(project.as_os_str().as_encoded_bytes()).hex()),
        };
        let form = format!(
            "{{\"bytes\":null,\"directory\":{directory},\"grants\":{},\"launch\":\"{}\",\"source\":{},\"surface\":\"{}\",\"surface_file\":\"{}\"}}",
            server.grants.to_json(),
            server.launch_digest(),
            server.source.as_deref().map_or_else(|| "null".to_owned(), quoted),
            server.surface.digest,
            // Everything that was seen, also what is in no hash: resources, behaviour, era.
            server.surface.file_digest,
        );
        Self { form }
    }

    /// The name under which it is kept.
    fn key(&self) -> Digest {
        let mut hasher = Hasher::with_domain("approval");
        hasher.update(self.form.as_bytes());
        hasher.finish()
    }
}

/// The ledger: a file for each approval, so that two facets cannot spoil it.
#[derive(Clone, Debug)]
pub struct Approvals {
    user: UserDirectory,
    folder: PathBuf,
}

impl Approvals {
    /// The ledger of this user.
    pub fn of_this_user() -> Result<Self, ProjectError> {
        Self::in_directory(&UserDirectory::of_this_user()?)
    }

    /// The ledger in a user's directory, which must be ours alone.
    pub fn in_directory(user: &UserDirectory) -> Result<Self, ProjectError> {
        Ok(Self { user: user.clone(), folder: user.checked(FOLDER)? })
    }

    /// Whether this was approved.
    pub fn contains(&self, approval: &Approval) -> Result<bool, ProjectError> {
        let path = self.folder.join(approval.key().hex());
        Ok(files::read(&path)?.is_some_and(|bytes| bytes == approval.form.as_bytes()))
    }

    /// No longer approves it.
    pub fn remove(&self, approval: &Approval) -> Result<(), ProjectError> {
        let path = self.folder.join(approval.key().hex());
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(io("write", &path)(error))
            }
            _ => Ok(()),
        }
    }

    /// Approves it.
    pub fn add(&self, approval: &Approval) -> Result<(), ProjectError> {
        self.user.made(FOLDER)?;
        files::write(&self.folder.join(approval.key().hex()), approval.form.as_bytes())
    }
}
