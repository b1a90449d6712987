//! What this user has approved on this machine (spec 8.5).

use std::fs;
use std::path::{Path, PathBuf};

use facets_digest::json::quoted;
use facets_digest::{Digest, Hasher};
use facets_lock::LockedServer;

use crate::error::ProjectError;
use crate::files::{self, io};

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
    folder: PathBuf,
}

impl Approvals {
    /// The ledger of this user.
    pub fn of_this_user() -> Result<Self, ProjectError> {
        Self::below(&home()?)
    }

    /// The ledger below a folder, which must be ours alone.
    pub fn below(home: &Path) -> Result<Self, ProjectError> {
        let folder = home.join("approvals");
        for folder in [home, &folder] {
            check_owner(folder)?;
        }
        Ok(Self { folder })
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
        make_private(self.folder.parent().unwrap_or(&self.folder))?;
        make_private(&self.folder)?;
        files::write(&self.folder.join(approval.key().hex()), approval.form.as_bytes())
    }
}

/// Where this user keeps things: `$FACET_DIR`, or `~/.facet`.
pub(crate) fn home() -> Result<PathBuf, ProjectError> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let home = set("FACET_DIR").map(PathBuf::from);
    let home = home.or_else(|| set("HOME").map(|home| Path::new(&home).join(".facet")));
    home.ok_or(ProjectError::NoHome)
}

/// Which journal of a project this user has begun.
pub(crate) struct Marks {
    file: PathBuf,
}

impl Marks {
    /// Of the project at this place.
    pub(crate) fn of(place: &Path) -> Result<Self, ProjectError> {
        let home = home()?;
        let folder = home.join("journals");
        for folder in [&home, &folder] {
            check_owner(folder)?;
        }
        let name = Digest::of(place.as_os_str().as_encoded_bytes()).hex();
        Ok(Self { file: folder.join(name) })
    }

    pub(crate) fn set(&self, plan: Digest) -> Result<(), ProjectError> {
        let folder = self.file.parent().unwrap_or(&self.file);
        make_private(folder.parent().unwrap_or(folder))?;
        make_private(folder)?;
        files::write(&self.file, plan.to_string().as_bytes())
    }

    /// The change is done, and its journal is nobody's any more.
    pub(crate) fn clear(&self) {
        let _ = fs::remove_file(&self.file);
    }

    pub(crate) fn has(&self, plan: Digest) -> Result<bool, ProjectError> {
        Ok(files::read(&self.file)?.is_some_and(|bytes| bytes == plan.to_string().as_bytes()))
    }
}

#[cfg(unix)]
pub(crate) fn make_private(folder: &Path) -> Result<(), ProjectError> {
    use std::os::unix::fs::DirBuilderExt as _;
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(io("write", folder))?;
    check_owner(folder)
}

#[cfg(not(unix))]
pub(crate) fn make_private(folder: &Path) -> Result<(), ProjectError> {
    fs::create_dir_all(folder).map_err(io("write", folder))
}

/// A ledger that others can write approves what others want.
#[cfg(unix)]
fn check_owner(folder: &Path) -> Result<(), ProjectError> {
    use std::os::unix::fs::MetadataExt as _;
    let data = match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        other => other.map_err(io("read", folder))?,
    };
    let reason = if !data.is_dir() {
        "it is not a plain folder"
    } else if data.uid() != rustix::process::getuid().as_raw() {
        "it belongs to another user"
    } else if data.mode() & 0o022 != 0 {
        "others can write to it"
    } else {
        return Ok(());
    };
    Err(ProjectError::Untrusted { path: folder.to_owned(), reason })
}

#[cfg(not(unix))]
fn check_owner(_: &Path) -> Result<(), ProjectError> {
    Ok(())
}
