//! Which file or function of an unpacked package is its program.

use std::fs;
use std::path::Path;

use facets_closure::npm::PackageManifest;
use facets_closure::pypi::{choose_script, normalised_name, read_scripts};

use crate::error::PackageError;
use crate::wheel_tree::unwritable;

/// More than any of these files has.
const LARGEST: u64 = 16 << 20;

/// The program of a package of npm: its name, and its file from the tree on.
pub fn npm_entry(
    tree: &Path,
    package: &str,
    wanted: Option<&str>,
) -> Result<(String, String), PackageError> {
    let folder = format!("node_modules/{package}");
    let manifest = PackageManifest::parse(&read(&tree.join(&folder).join("package.json"))?)?;
    let program = manifest.program(wanted)?;
    let path = format!("{folder}/{}", program.path.trim_start_matches("./"));
    let found = [path.clone(), format!("{path}.js"), format!("{path}/index.js")]
        .into_iter()
        .find(|path| tree.join(path).is_file());
    match found {
        Some(path) => Ok((program.name, path)),
        None => Err(PackageError::NoProgramFile {
            package: package.to_owned(),
            program: program.name,
            path: program.path,
        }),
    }
}

/// The program of a package of PyPI: its name, and `module:function`.
pub fn pypi_entry(
    tree: &Path,
    package: &str,
    wanted: Option<&str>,
) -> Result<(String, String), PackageError> {
    let own = normalised_name(package);
    let entries = fs::read_dir(tree).map_err(unwritable(tree))?.flatten();
    let info = entries.filter_map(|entry| entry.file_name().into_string().ok()).find(|name| {
        let stem = name.strip_suffix(".dist-info").and_then(|stem| stem.split_once('-'));
        stem.is_some_and(|(name, _)| normalised_name(name) == own)
    });
    let text = match info.map(|name| tree.join(name).join("entry_points.txt")) {
        Some(path) if path.is_file() => String::from_utf8_lossy(&read(&path)?).into_owned(),
        _ => String::new(),
    };
    let (name, entry) = choose_script(package, &read_scripts(&text), wanted)?;
    Ok((name, format!("{}:{}", entry.module, entry.function)))
}

fn read(path: &Path) -> Result<Vec<u8>, PackageError> {
    let failed = unwritable(path);
    let size = fs::metadata(path).map_err(&failed)?.len();
    if size > LARGEST {
        return Err(failed(std::io::ErrorKind::FileTooLarge.into()).into());
    }
    Ok(fs::read(path).map_err(failed)?)
}
