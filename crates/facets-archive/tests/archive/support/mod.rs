//! Archives made by hand: also such as no writer of ours would write.

#![allow(unreachable_pub, reason = "shared by the tests of this program")]

pub mod bomb;
pub mod script;
pub mod streams;
pub mod tar;
pub mod zip;

use std::fs;
use std::path::{Path, PathBuf};

use facets_archive::ArchiveError;
use facets_failure::Describe as _;

/// A manifest that every server of these tests can have.
pub const SERVER_YAML: &str = "name: demo\nversion: 1.0.0\nruntime: bun\nentry: index.ts\n";

/// The code of an error, or that there was none.
pub fn code<T>(result: &Result<T, ArchiveError>) -> &'static str {
    match result {
        Ok(_) => "accepted",
        Err(error) => {
            let code = error.code();
            assert!(ArchiveError::CODES.contains(&code), "{code} is not listed");
            code
        }
    }
}

/// Everything below a directory, as paths with slashes; directories end with one.
pub fn listing(root: &Path) -> Vec<String> {
    fn visit(root: &Path, folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() && !path.is_symlink() {
                found.push(format!("{name}/"));
                visit(root, &path, found);
            } else {
                found.push(name);
            }
        }
    }
    let mut found = Vec::new();
    visit(root, root, &mut found);
    found.sort();
    found
}

/// Writes files below a directory.
pub fn write_tree(root: &Path, files: &[(&str, &str)]) {
    for (path, content) in files {
        let full: PathBuf = root.join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, content).unwrap();
    }
}
