//! Which project a directory belongs to.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::files::{LOCK, MANIFEST};
use crate::user_directory::usual_home;

/// Others may write.
const WORLD_WRITABLE: u32 = 0o002;

/// The nearest folder around a directory that has a manifest or a lock, or none (spec 8.1).
#[must_use]
pub fn project_around(directory: &Path) -> Option<PathBuf> {
    let here = directory.canonicalize().ok()?;
    let set_home = std::env::var_os("HOME").map(PathBuf::from);
    let homes: Vec<PathBuf> = set_home
        .into_iter()
        .chain(usual_home())
        .filter_map(|home| home.canonicalize().ok())
        .collect();
    nearest(&here, &homes)
}

/// Whether a directory lies in a repository of git.
#[must_use]
pub fn is_in_repository(directory: &Path) -> bool {
    directory.ancestors().any(|folder| folder.join(".git").exists())
}

fn nearest(here: &Path, homes: &[PathBuf]) -> Option<PathBuf> {
    let owner = here.metadata().ok()?.uid();
    for folder in here.ancestors() {
        let is_here = folder == here;
        if !is_here && (homes.iter().any(|home| home == folder) || !is_of(folder, owner)) {
            return None;
        }
        let mut files = [MANIFEST, LOCK].iter().map(|name| folder.join(name));
        if files
            .any(|file| if is_here { file.symlink_metadata().is_ok() } else { is_of(&file, owner) })
        {
            return Some(folder.to_owned());
        }
        // What lies around a repository is another project.
        if folder.join(".git").symlink_metadata().is_ok() || homes.iter().any(|home| home == folder)
        {
            return None;
        }
    }
    None
}

/// Whether a file or folder belongs to this user or to the owner of where the search began, and nobody
/// else can write it: a file that others put somewhere makes no project of everything below.
fn is_of(path: &Path, owner: u32) -> bool {
    let own = rustix::process::getuid().as_raw();
    path.symlink_metadata().is_ok_and(|data| {
        (data.uid() == owner || data.uid() == own) && data.mode() & WORLD_WRITABLE == 0
    })
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    struct Tree {
        folder: tempfile::TempDir,
    }

    impl Tree {
        fn new(folders: &[&str], files: &[&str]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let tree = Self { folder };
            for name in folders {
                fs::create_dir_all(tree.path(name)).unwrap();
            }
            for name in files {
                fs::write(tree.path(name), "{}").unwrap();
            }
            tree
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().canonicalize().unwrap().join(name)
        }

        fn nearest(&self, from: &str, homes: &[&str]) -> Option<PathBuf> {
            let homes: Vec<PathBuf> = homes.iter().map(|home| self.path(home)).collect();
            nearest(&self.path(from), &homes)
        }
    }

    #[test]
    fn the_nearest_project_around_a_folder_is_found() {
        let tree = Tree::new(&["a/b/c", "a/b/other"], &["a/facets.lock", "a/b/other/facets.json"]);
        assert_eq!(tree.nearest("a/b/c", &[]), Some(tree.path("a")));
        assert_eq!(tree.nearest("a", &[]), Some(tree.path("a")));
        assert_eq!(tree.nearest("a/b/other", &[]), Some(tree.path("a/b/other")));
    }

    #[test]
    fn a_repository_ends_the_search() {
        let tree = Tree::new(&["a/repository/.git", "a/repository/src"], &["a/facets.lock"]);
        assert_eq!(tree.nearest("a/repository/src", &[]), None);
        fs::write(tree.path("a/repository/facets.json"), "{}").unwrap();
        assert_eq!(tree.nearest("a/repository/src", &[]), Some(tree.path("a/repository")));
    }

    #[test]
    fn a_home_directory_is_a_project_only_for_itself() {
        let tree = Tree::new(&["home/work"], &["home/facets.lock", "facets.lock"]);
        assert_eq!(tree.nearest("home/work", &["home"]), None);
        assert_eq!(tree.nearest("home", &["home"]), Some(tree.path("home")));
        fs::remove_file(tree.path("home/facets.lock")).unwrap();
        assert_eq!(tree.nearest("home", &["home"]), None);
    }

    #[test]
    fn a_file_that_everybody_can_write_makes_no_project_of_what_lies_below() {
        let tree = Tree::new(&["a/mine"], &["a/facets.json"]);
        fs::set_permissions(tree.path("a/facets.json"), Permissions::from_mode(0o666)).unwrap();
        assert_eq!(tree.nearest("a/mine", &[]), None);
        assert_eq!(tree.nearest("a", &[]), Some(tree.path("a")));
    }

    #[test]
    fn a_folder_that_everybody_can_write_is_no_project_for_what_lies_in_it() {
        let tree = Tree::new(&["shared/mine"], &["shared/facets.json"]);
        fs::set_permissions(tree.path("shared"), Permissions::from_mode(0o1777)).unwrap();
        assert_eq!(tree.nearest("shared/mine", &[]), None);
        assert_eq!(tree.nearest("shared", &[]), Some(tree.path("shared")));
    }
}
