//! A copy of a tree that its server may write to: some servers keep their data beside their own code. Every pinned file
//! in it is compared with the lock before each start.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use facets_digest::{NoProgress, digest_reader};
use facets_files::FileError;
use facets_project::{Homes, Project};
use facets_store::{FileMode, StoredTree, TreeItem, Verified};

use crate::error::{OpsError, PackageStartError};

/// Where copies lie in the private home of a server.
const FOLDER: &str = "facet-packages";

/// The copy of a tree for one server of a project, made if it is not there, and verified.
pub(crate) fn private_copy(
    tree: &Verified<StoredTree>,
    project: &Project,
    name: &str,
) -> Result<PathBuf, OpsError> {
    let home = Homes::of(&project.user()?).home(project.place(), name)?;
    let folder = home.join(FOLDER);
    let copy = folder.join(&tree.digest().hex()[..16]);
    if !copy.is_dir() {
        fs::create_dir_all(&folder).map_err(unwritable(&folder))?;
        let staged = tempfile::Builder::new().prefix(".new-").tempdir_in(&folder);
        let staged = staged.map_err(unwritable(&folder))?;
        let content = staged.path().join("tree");
        write_copy(tree, &content)?;
        // Another start may have been quicker.
        if fs::rename(&content, &copy).is_err() && !copy.is_dir() {
            return Err(unwritable(&copy)(io::ErrorKind::AlreadyExists.into()));
        }
    }
    verify_copy(tree, &copy, name)?;
    Ok(copy)
}

fn write_copy(tree: &StoredTree, copy: &Path) -> Result<(), OpsError> {
    fs::create_dir(copy).map_err(unwritable(copy))?;
    for (path, item) in tree.manifest().items() {
        let target = copy.join(path);
        match item {
            TreeItem::Directory => fs::create_dir(&target).map_err(unwritable(&target))?,
            TreeItem::File { mode, .. } => {
                fs::copy(tree.path().join(path), &target).map_err(unwritable(&target))?;
                let mode = match mode {
                    FileMode::Plain => 0o644,
                    FileMode::Executable => 0o755,
                };
                let permissions = fs::Permissions::from_mode(mode);
                fs::set_permissions(&target, permissions).map_err(unwritable(&target))?;
            }
        }
    }
    Ok(())
}

/// Compares every pinned file; what the server added is its own.
pub(crate) fn verify_copy(tree: &StoredTree, copy: &Path, name: &str) -> Result<(), OpsError> {
    for (path, item) in tree.manifest().items() {
        let TreeItem::File { digest, size, .. } = item else { continue };
        let file = copy.join(path);
        let is_plain = file.symlink_metadata().is_ok_and(|data| data.is_file());
        let found = if is_plain {
            File::open(&file).and_then(|opened| digest_reader(opened, &NoProgress)).ok()
        } else {
            None
        };
        if found.is_none_or(|found| (found.digest, found.size) != (*digest, *size)) {
            return Err(PackageStartError::CopyModified {
                server: name.to_owned(),
                path: file,
                expected: *digest,
                actual: found.map(|found| found.digest),
            }
            .into());
        }
    }
    Ok(())
}

fn unwritable(path: &Path) -> impl Fn(io::Error) -> OpsError {
    let path = path.to_owned();
    move |source| OpsError::File(FileError::Unwritable { path: path.clone(), source })
}
