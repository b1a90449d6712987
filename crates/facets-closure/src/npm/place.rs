//! Where a package lies in a tree, as npm writes it: `node_modules/a/node_modules/@s/b`.

use facets_model::is_npm_name;

const FOLDER: &str = "node_modules/";

/// Deeper trees exist in no lock.
const DEEPEST: usize = 64;

/// Whether a path is that of a package: `node_modules/NAME`, once or several times.
#[must_use]
pub fn is_place(path: &str) -> bool {
    let Some(first) = path.strip_prefix(FOLDER) else { return false };
    let mut names = first.split("/node_modules/");
    path.len() <= 1_024 && names.clone().count() <= DEEPEST && names.all(is_npm_name)
}

/// The name under which the code of a place imports the package.
#[must_use]
pub fn package_at(path: &str) -> &str {
    path.rsplit_once(FOLDER).map_or(path, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_packages_are_places() {
        for good in ["node_modules/a", "node_modules/@s/a", "node_modules/a/node_modules/@s/b.c"] {
            assert!(is_place(good), "{good}");
        }
        for bad in [
            "",
            "a",
            "node_modules",
            "node_modules/",
            "node_modules/../a",
            "node_modules/a/../b",
            "node_modules/a/b",
            "node_modules/@s",
            "node_modules/.bin",
            "/node_modules/a",
            "node_modules/a/node_modules",
            "node_modules/a\\b",
            "node_modules//a",
        ] {
            assert!(!is_place(bad), "{bad}");
        }
        assert_eq!(package_at("node_modules/a/node_modules/@s/b"), "@s/b");
    }
}
