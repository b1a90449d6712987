//! The package that a file belongs to.

use std::path::{Path, PathBuf};

use facets_digest::json::{self, Limits, Provenance, Value};
use facets_files::read_plain;
use facets_launch::settled_path;

use super::wide_folders::WideFolders;

const MANIFEST: &str = "package.json";
const PYTHON_MANIFEST: &str = "pyproject.toml";
const LARGEST_MANIFEST: u64 = 1 << 20;

/// Members of a manifest that name files of the package.
const NAMING: [&str; 6] = ["main", "module", "browser", "bin", "exports", "scripts"];

/// The folder of the package that a file is part of: nearest above it, not wider than a package, and
/// either in the directory where the server starts or one that names the file. A manifest that the server
/// can write, or whose link it can, is none.
pub(super) fn package_of(
    file: &Path,
    directory: &Path,
    wide: &WideFolders,
    writable: &[PathBuf],
) -> Option<PathBuf> {
    let has = |folder: &Path, name: &str| {
        settled_path(&folder.join(name), writable).is_some_and(|manifest| manifest.is_file())
    };
    let is_package = |folder: &&Path| has(folder, MANIFEST) || has(folder, PYTHON_MANIFEST);
    let folder = file.ancestors().skip(1).find(is_package)?;
    let directory = std::fs::canonicalize(directory).ok()?;
    // A server that starts in a home directory may belong anywhere.
    let is_here = !wide.contain(&directory) && folder.starts_with(&directory);
    let is_own = !wide.contain(folder) && (is_here || names(folder, file, writable));
    is_own.then(|| folder.to_owned())
}

/// Every `node_modules` that a file of a package in one lies in.
pub(super) fn modules_around(file: &Path) -> Vec<PathBuf> {
    file.ancestors().filter(|up| up.ends_with("node_modules")).map(Path::to_owned).collect()
}

/// Every `node_modules` that a file finds packages in.
pub(super) fn modules_for(file: &Path) -> Vec<PathBuf> {
    let folders = file.ancestors().skip(1).map(|folder| folder.join("node_modules"));
    // A link may lead anywhere.
    let is_folder = |path: &PathBuf| path.symlink_metadata().is_ok_and(|data| data.is_dir());
    folders.filter(is_folder).collect()
}

/// Whether the manifest of a package names a file.
fn names(folder: &Path, file: &Path, writable: &[PathBuf]) -> bool {
    let Ok(Some(bytes)) = read_plain(&folder.join(MANIFEST), LARGEST_MANIFEST) else {
        return false;
    };
    let Ok(manifest) = json::parse(&bytes, Provenance::Captured, Limits::DOCUMENT) else {
        return false;
    };
    let mut texts = Vec::new();
    NAMING.iter().filter_map(|name| manifest.member(name)).for_each(|value| {
        collect_texts(value, &mut texts);
    });
    let mut words = texts.iter().flat_map(|text| text.split_whitespace());
    words.any(|word| settled_path(&folder.join(word), writable).is_some_and(|path| path == file))
}

fn collect_texts(value: &Value<'_>, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.to_string()),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(object) => {
            object.members().iter().for_each(|member| collect_texts(&member.value, texts));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_names_its_files() {
        let place = tempfile::tempdir().unwrap();
        let folder = std::fs::canonicalize(place.path()).unwrap();
        std::fs::write(folder.join("a.js"), "").unwrap();
        let named = |manifest: &str| {
            std::fs::write(folder.join(MANIFEST), manifest).unwrap();
            names(&folder, &folder.join("a.js"), &[])
        };
        for manifest in [
            r#"{"main":"a.js"}"#,
            r#"{"bin":{"x":"./a.js"}}"#,
            r#"{"exports":{".":{"import":["./a.js"]}}}"#,
            r#"{"scripts":{"start":"node a.js --stdio"}}"#,
        ] {
            assert!(named(manifest), "{manifest}");
        }
        for manifest in [r#"{"main":"b.js"}"#, r#"{"name":"a.js"}"#, "{}", "nonsense"] {
            assert!(!named(manifest), "{manifest}");
        }
    }
}
