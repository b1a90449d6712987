//! Where this user keeps things: `$FACET_DIR`, or `~/.facet`.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::error::ProjectError;
use crate::files::io;

/// The project of a user.
const PROJECT: &str = "user";

/// The folder in which facet keeps what belongs to a user and a machine, and to no project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserDirectory {
    path: PathBuf,
}

impl UserDirectory {
    /// `$FACET_DIR`, or `~/.facet`, for what is about the project in the current directory.
    pub fn of_this_user() -> Result<Self, ProjectError> {
        let user = Self::named()?;
        let user = if TYPED.load(Ordering::Relaxed) {
            user.kept_outside_of(&started_in(), Around::Repositories)?
        } else {
            user.outside_of(&started_in())?
        };
        match std::env::current_dir() {
            Ok(here) => user.outside_of(&here),
            Err(_) => Ok(user),
        }
    }

    /// The same for what is about the user and no project: the current directory may be around it, as a
    /// home is, unless it is a repository.
    pub fn of_person() -> Result<Self, ProjectError> {
        let user = Self::named()?.kept_outside_of(&started_in(), Around::Repositories)?;
        match std::env::current_dir() {
            Ok(here) => user.kept_outside_of(&here, Around::Repositories),
            Err(_) => Ok(user),
        }
    }

    /// What the environment says, wherever that leads.
    fn named() -> Result<Self, ProjectError> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let path = set("FACET_DIR").map(PathBuf::from);
        let path = path.or_else(|| set("HOME").map(|home| Path::new(&home).join(".facet")));
        let path = path.ok_or(ProjectError::NoHome)?;
        // Another directory would be another user.
        if !path.is_absolute() {
            let reason = "the path is not absolute";
            return Err(ProjectError::BadUserDirectory { path, reason, around: None });
        }
        Ok(Self::at(path))
    }

    /// spec 8.5: what lies in a repository approves nothing in it
    pub fn outside_of(self, project: &Path) -> Result<Self, ProjectError> {
        self.kept_outside_of(project, Around::Project)
    }

    /// The same for a folder that the current directory may be around, as a home is, unless it is a
    /// repository.
    pub fn outside_of_repositories(self, place: &Path) -> Result<Self, ProjectError> {
        self.kept_outside_of(place, Around::Repositories)
    }

    fn kept_outside_of(self, project: &Path, around: Around) -> Result<Self, ProjectError> {
        // Nothing of this changes while facet runs, and it is asked often.
        static KNOWN: Mutex<BTreeSet<(PathBuf, PathBuf, Around)>> = Mutex::new(BTreeSet::new());
        let known = (self.path.clone(), project.to_owned(), around);
        if KNOWN.lock().unwrap_or_else(PoisonError::into_inner).contains(&known) {
            return Ok(self);
        }
        let user = self.checked_outside_of(project, usual_home(), around)?;
        KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(known);
        Ok(user)
    }

    fn checked_outside_of(
        self,
        project: &Path,
        home: Option<PathBuf>,
        around: Around,
    ) -> Result<Self, ProjectError> {
        let home = home.map(|home| real_path(&home));
        let real = real_path(&self.path);
        if home.as_ref().is_some_and(|home| home.join(".facet") == real) {
            return Ok(self);
        }
        let is_repository = |folder: &&Path| folder.join(".git").exists();
        let project = real_path(project);
        let mut repositories = project.ancestors().filter(is_repository);
        let itself = (around == Around::Project).then_some(project.as_path());
        // The user's own home, or a folder around it, did not come with a repository.
        let is_around_home =
            |folder: &Path| home.as_ref().is_some_and(|home| home.starts_with(folder));
        let is_foreign = |folder: &&Path| !is_around_home(folder) && real.starts_with(folder);
        if let Some(folder) = repositories.find(is_foreign) {
            let (path, around) = (self.path, Some(folder.to_owned()));
            let reason = "it is inside the repository of this directory";
            return Err(ProjectError::BadUserDirectory { path, reason, around });
        }
        if let Some(folder) = itself.filter(is_foreign) {
            let (path, around) = (self.path, Some(folder.to_owned()));
            let reason = "your approvals are inside this directory";
            return Err(ProjectError::BadUserDirectory { path, reason, around });
        }
        Ok(self)
    }

    /// Another folder. Nothing is made yet.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// A folder in it, for reading: neither must be one that others can write.
    pub(crate) fn checked(&self, name: &str) -> Result<PathBuf, ProjectError> {
        let folder = self.path.join(name);
        for folder in [&self.path, &folder] {
            check_owner(folder)?;
        }
        Ok(folder)
    }

    /// A folder in it, made if it does not exist, readable by this user alone.
    pub(crate) fn made(&self, name: &str) -> Result<PathBuf, ProjectError> {
        let folder = self.path.join(name);
        for folder in [&self.path, &folder] {
            make_private(folder)?;
        }
        Ok(folder)
    }

    /// A file in it, for reading: the folder must not be one that others can write.
    pub fn file(&self, name: &str) -> Result<PathBuf, ProjectError> {
        check_owner(&self.path)?;
        Ok(self.path.join(name))
    }

    /// A file in it, for writing: the folder is made if it does not exist, readable by this user alone.
    pub fn file_to_write(&self, name: &str) -> Result<PathBuf, ProjectError> {
        make_private(&self.path)?;
        Ok(self.path.join(name))
    }

    /// A folder in it, whether it is there or not.
    pub(crate) fn unchecked(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The project of this user that belongs to no folder: servers for every project.
    pub fn project(&self) -> Result<PathBuf, ProjectError> {
        self.made(PROJECT)
    }

    /// Whether a place is in it, or around it.
    #[must_use]
    pub fn touches(&self, place: &Path) -> bool {
        let (own, place) = (real_path(&self.path), real_path(place));
        own.starts_with(&place) || place.starts_with(&own)
    }

    /// Whether a place is in it.
    #[must_use]
    pub fn holds(&self, place: &Path) -> bool {
        real_path(place).starts_with(real_path(&self.path))
    }

    /// Where that lies, or would lie.
    #[must_use]
    pub fn project_path(&self) -> PathBuf {
        self.path.join(PROJECT)
    }
}

/// What must not hold a user's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Around {
    /// A project, and the repositories around it.
    Project,
    /// The repositories around a place.
    Repositories,
}

/// Whether a person typed the command, and no file of a client has it.
static TYPED: AtomicBool = AtomicBool::new(false);

/// To be called for commands that clients do not start: where one was typed is then no project by itself,
/// if it is told to work elsewhere.
pub fn typed_by_person() {
    TYPED.store(true, Ordering::Relaxed);
}

/// Where this process began, before it was told to work elsewhere: the file of a client may tell it.
fn started_in() -> PathBuf {
    static START: OnceLock<PathBuf> = OnceLock::new();
    START.get_or_init(|| std::env::current_dir().unwrap_or_default()).clone()
}

/// To be called before the directory is changed.
pub fn remember_start() {
    started_in();
}

/// The home of this user, whatever `HOME` says.
pub(crate) fn usual_home() -> Option<PathBuf> {
    let user = rustix::process::getuid().as_raw().to_string();
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let mut users = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let own = users.find(|fields| fields.get(2) == Some(&user.as_str()))?;
    own.get(5).map(PathBuf::from)
}

/// Where a path leads, also if its last parts do not exist yet.
fn real_path(path: &Path) -> PathBuf {
    for known in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (fs::canonicalize(known), path.strip_prefix(known)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path.to_owned()
}

pub(crate) fn make_private(folder: &Path) -> Result<(), ProjectError> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(io("write", folder))?;
    check_owner(folder)
}

/// A ledger that others can write approves what others want.
pub(crate) fn check_owner(folder: &Path) -> Result<(), ProjectError> {
    let data = match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        other => other.map_err(io("read", folder))?,
    };
    let reason = if !data.is_dir() {
        "it is a link, or not a directory"
    } else if data.uid() != rustix::process::getuid().as_raw() {
        "it belongs to another user"
    } else if data.mode() & 0o022 != 0 {
        "other users can write to it"
    } else {
        return Ok(());
    };
    Err(ProjectError::Untrusted { path: folder.to_owned(), reason })
}

/// facet makes the folder for this user alone; one that others can read came from elsewhere, as those of
/// a repository do.
pub(crate) fn check_private(folder: &Path) -> Result<(), ProjectError> {
    match fs::symlink_metadata(folder) {
        Ok(data) if data.mode() & 0o077 != 0 => {
            let reason = "other users can read it, so facet did not create it";
            Err(ProjectError::Untrusted { path: folder.to_owned(), reason })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// spec 8.5: the home of this user, and folders around it, do not count
    #[test]
    fn the_home_of_the_user_is_no_foreign_repository() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        for repository in [&home, &home.join(".facet"), &home.join("site")] {
            fs::create_dir_all(repository.join(".git")).unwrap();
        }
        let is_allowed = |own: &str, project: &str| {
            let user = UserDirectory::at(home.join(own));
            let project = home.join(project);
            user.checked_outside_of(&project, Some(home.clone()), Around::Project).is_ok()
        };
        assert!(is_allowed(".facet", ".facet/user"));
        assert!(is_allowed("other", "notes"), "home is a repository of its own");
        assert!(is_allowed("other", ""));
        assert!(is_allowed("other", "site/inner"));
        assert!(!is_allowed("site/other", "site/inner"));
        assert!(!is_allowed("notes/other", "notes"));
    }

    /// A home that the list of users does not have, and folders around it.
    #[test]
    fn what_is_about_the_user_works_around_their_directory_but_not_in_a_repository() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("h/.facet");
        let is_allowed = |around: Around| {
            let user = UserDirectory::at(own.clone());
            user.checked_outside_of(&folder.path().join("h"), None, around).is_ok()
        };
        assert!(is_allowed(Around::Repositories) && !is_allowed(Around::Project));
        fs::create_dir_all(folder.path().join("h/.git")).unwrap();
        assert!(!is_allowed(Around::Repositories) && !is_allowed(Around::Project));
    }

    /// The shell looks the home up by the name of the user.
    #[test]
    fn the_usual_home_is_that_of_the_list_of_users() {
        let shell = Command::new("sh").args(["-c", "eval echo ~$(id -un)"]).output().unwrap();
        let home = String::from_utf8(shell.stdout).unwrap();
        assert_eq!(usual_home(), Some(PathBuf::from(home.trim())));
    }
}
