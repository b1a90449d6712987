//! Private homes: what confined servers keep from one session to the next (spec 5.2). They lie with the
//! user, never in a project.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use facets_digest::Digest;
use facets_digest::json::{self, Limits, Provenance, Value, quoted};

use crate::error::ProjectError;
use crate::files::{self, io};
use crate::ledger::project_key;
use crate::user_directory::{UserDirectory, make_private};

const FOLDER: &str = "data";
const ABOUT: &str = "about.json";
const HOME: &str = "home";

/// What begins the name of data that is being cleared.
const CLEARED: &str = "cleared-";

/// Files that are counted before measuring ends.
const MOST_FILES: u64 = 1_000_000;

/// The private homes of a user.
#[derive(Clone, Debug)]
pub struct Homes {
    user: UserDirectory,
}

/// What one server keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivateHome {
    /// Where its project lies; for people.
    pub project: String,
    /// The name of the server.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// The files in it.
    pub files: u64,
    /// What they take of the disk.
    pub bytes: u64,
}

impl Homes {
    /// Of this user.
    #[must_use]
    pub fn of(user: &UserDirectory) -> Self {
        Self { user: user.clone() }
    }

    fn folder(project: &Path, name: &str) -> PathBuf {
        PathBuf::from(project_key(project)).join(Digest::of(name.as_bytes()).hex())
    }

    /// The home of a server, made if it is not there.
    pub fn home(&self, project: &Path, name: &str) -> Result<PathBuf, ProjectError> {
        let folder = self.user.made(FOLDER)?.join(Self::folder(project, name));
        let home = folder.join(HOME);
        for folder in folder.parent().into_iter().chain([folder.as_path()]) {
            make_private(folder)?;
        }
        // The server may have changed its mode; its parent folders are private.
        if fs::symlink_metadata(&home).is_ok_and(|data| data.is_dir()) {
            let private = fs::Permissions::from_mode(0o700);
            fs::set_permissions(&home, private).map_err(io("write", &home))?;
        }
        make_private(&home)?;
        let about = folder.join(ABOUT);
        if files::read(&about)?.is_none() {
            let project = quoted(&project.to_string_lossy());
            let text = format!("{{\"name\":{},\"project\":{project}}}\n", quoted(name));
            files::write(&about, text.as_bytes())?;
        }
        Ok(home)
    }

    /// All of them, by project and name.
    pub fn all(&self) -> Result<Vec<PrivateHome>, ProjectError> {
        let root = self.user.checked(FOLDER)?;
        let mut found = Vec::new();
        for project in folders(&root).into_iter().filter(|folder| !is_cleared(folder)) {
            found.extend(folders(&project).iter().filter_map(|folder| measured(folder)));
        }
        found.sort_by(|a, b| (&a.project, &a.name).cmp(&(&b.project, &b.name)));
        Ok(found)
    }

    /// What one server keeps; none if it keeps nothing.
    pub fn of_server(
        &self,
        project: &Path,
        name: &str,
    ) -> Result<Option<PrivateHome>, ProjectError> {
        Ok(measured(&self.user.checked(FOLDER)?.join(Self::folder(project, name))))
    }

    /// Removes what a server keeps. It is out of the way at once, and gone soon after.
    pub fn clear(&self, home: &PrivateHome) -> Result<(), ProjectError> {
        let root = self.user.checked(FOLDER)?;
        let Some(folder) = home.path.parent().filter(|folder| folder.starts_with(&root)) else {
            return Ok(());
        };
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let aside = root.join(format!("{CLEARED}{}-{name}", std::process::id()));
        fs::rename(folder, &aside).map_err(io("remove", folder))?;
        self.sweep()
    }

    /// Removes what was cleared, also by a facet that was killed over it.
    pub fn sweep(&self) -> Result<(), ProjectError> {
        let root = self.user.checked(FOLDER)?;
        for folder in folders(&root).iter().filter(|folder| is_cleared(folder)) {
            remove_tree(folder).map_err(io("remove", folder))?;
        }
        Ok(())
    }
}

fn is_cleared(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(CLEARED))
}

/// Removes a folder whose owner may have locked parts of it, however deep it is: folders in folders are
/// moved to the top first.
fn remove_tree(top: &Path) -> std::io::Result<()> {
    let unlock = |folder: &Path| fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    let (mut open, mut moved) = (vec![top.to_owned()], 0_u64);
    while let Some(folder) = open.pop() {
        unlock(&folder)?;
        for entry in fs::read_dir(&folder)?.collect::<Result<Vec<_>, _>>()? {
            if !entry.file_type()?.is_dir() {
                fs::remove_file(entry.path())?;
            } else if folder == top {
                open.push(entry.path());
            } else {
                moved += 1;
                let above = top.join(format!("{CLEARED}{moved}"));
                unlock(&entry.path())?;
                fs::rename(entry.path(), &above)?;
                open.push(above);
            }
        }
        if folder != top {
            fs::remove_dir(&folder)?;
        }
    }
    fs::remove_dir(top)
}

/// The plain folders in a folder, in order.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let plain = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut found: Vec<PathBuf> = plain.map(|entry| entry.path()).collect();
    found.sort();
    found
}

fn measured(folder: &Path) -> Option<PrivateHome> {
    let about = files::read(&folder.join(ABOUT)).ok().flatten()?;
    let value = json::parse(&about, Provenance::Captured, Limits::DEFINITION).ok()?;
    let Value::Object(object) = value else { return None };
    let text = |name: &str| match object.get(name) {
        Some(Value::String(text)) => Some(text.to_string()),
        _ => None,
    };
    let path = folder.join(HOME);
    let (files, bytes) = measure(&path, MOST_FILES);
    Some(PrivateHome { project: text("project")?, name: text("name")?, path, files, bytes })
}

/// The files in a home, and what they take of the disk. With more than `most`, the rest is not counted.
fn measure(home: &Path, most: u64) -> (u64, u64) {
    let (mut files, mut bytes, mut open) = (0, 0, vec![home.to_owned()]);
    // Links are not followed: their targets are not part of the home.
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(data) = entry.metadata() else { continue };
            files += 1;
            bytes += data.blocks() * 512;
            if data.is_dir() {
                open.push(entry.path());
            }
        }
        if files > most {
            break;
        }
    }
    (files, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measuring_ends_with_the_folder_that_has_too_many_files() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("folder")).unwrap();
        for name in ["a", "b", "folder/c", "folder/d"] {
            fs::write(home.path().join(name), "").unwrap();
        }
        assert_eq!(measure(home.path(), 3).0, 5);
        assert_eq!(measure(home.path(), 2).0, 3);
    }
}
