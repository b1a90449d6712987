//! Files around a tree that bun reads when a file of the tree imports something.

use std::path::{Path, PathBuf};

/// Packages of every directory above a file are found by its imports.
const PACKAGES: &str = "node_modules";

/// Its `imports`, `name` and `exports` resolve imports of everything below, up to the next one.
const MANIFEST: &str = "package.json";

/// Files and directories above a tree that can replace what an import means, the nearest first. No option of bun
/// keeps them out: a server that may read one of them must not be started.
#[must_use]
pub fn read_surroundings(tree: &Path) -> Vec<PathBuf> {
    // bun looks above the real path of a file.
    let tree = tree.canonicalize().unwrap_or_else(|_| tree.to_owned());
    let mut found = Vec::new();
    let mut has_manifest = is_there(&tree.join(MANIFEST));
    for folder in tree.ancestors().skip(1) {
        found.extend(Some(folder.join(PACKAGES)).filter(|path| is_there(path)));
        let manifest = folder.join(MANIFEST);
        if !has_manifest && is_there(&manifest) {
            has_manifest = true;
            found.push(manifest);
        }
    }
    found
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn packages_and_the_nearest_manifest_above_a_tree_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let tree = top.join("a/b/tree");
        fs::create_dir_all(tree.join("node_modules")).unwrap();
        let found = || -> Vec<PathBuf> {
            let all = read_surroundings(&tree);
            all.into_iter().filter(|path| path.starts_with(&top)).collect()
        };
        assert_eq!(found(), Vec::<PathBuf>::new(), "packages of the tree are its own");
        fs::create_dir(top.join("a/node_modules")).unwrap();
        symlink("nowhere", top.join("node_modules")).unwrap();
        let packages = vec![top.join("a/node_modules"), top.join("node_modules")];
        assert_eq!(found(), packages);
        fs::write(top.join("package.json"), "{}").unwrap();
        assert_eq!(found().len(), 3);
        fs::write(top.join("a/b/package.json"), "{}").unwrap();
        assert_eq!(found()[0], top.join("a/b/package.json"));
        assert_eq!(found().len(), 3, "it hides the one above");
        fs::write(tree.join("package.json"), "{}").unwrap();
        assert_eq!(found(), packages);
    }

    #[test]
    fn the_real_path_of_a_tree_counts() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        fs::create_dir_all(top.join("a/tree")).unwrap();
        fs::create_dir_all(top.join("a/node_modules")).unwrap();
        fs::create_dir(top.join("elsewhere")).unwrap();
        symlink(top.join("a/tree"), top.join("elsewhere/tree")).unwrap();
        let found = read_surroundings(&top.join("elsewhere/tree"));
        assert!(found.contains(&top.join("a/node_modules")), "{found:?}");
    }
}
