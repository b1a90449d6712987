//! Removes a folder with all that is in it, however deep that is and whatever its owner has locked.

use std::fs;
use std::path::Path;

use rustix::fs::CWD;

/// Removes a folder. There may be none, which is just as well.
pub(crate) fn remove_tree(path: &Path) {
    let emptied = facets_removal::open_unlocked(CWD, path).and_then(facets_removal::empty);
    let _ = emptied.and_then(|()| fs::remove_dir(path));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_with_all_that_is_in_it() {
        let place = tempfile::tempdir().unwrap();
        let tree = place.path().join("tree");
        fs::create_dir_all(tree.join("a/b")).unwrap();
        fs::write(tree.join("a/file"), "").unwrap();
        remove_tree(&tree);
        assert!(!tree.exists());
        remove_tree(&tree);
    }
}
