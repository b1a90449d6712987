//! Wheels, unpacked into one directory as an installer does, with bytecode that is compiled once.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use facets_archive::EntryMode;
use facets_closure::pypi::PypiClosure;
use facets_launch::Launcher;
use facets_store::{FileMode, StoreError, TreeWriter};

use crate::bytecode::compile;
use crate::error::PackageError;
use crate::files::PackageFetcher;
use crate::interpreter::Interpreter;
use crate::npm_resolver::private_folder;
use crate::wheel_files::visit_installed;

/// Writes all wheels, and what Python makes of them.
pub(crate) fn write_wheels(
    files: &PackageFetcher<'_>,
    closure: &PypiClosure,
    (launcher, python): (&Launcher, &Interpreter),
    writer: &mut TreeWriter<'_>,
) -> Result<(), PackageError> {
    let folder = private_folder()?;
    let tree = folder.path().join("tree");
    fs::create_dir(&tree).map_err(unwritable(&tree))?;
    let target = &python.target;
    for (name, wheel) in closure.on(&target.platform, target.python) {
        let stored = files.stored(&wheel.file.sha256, name)?;
        // Two packages may have the same file; as with every installer, the last one counts.
        visit_installed(&stored, &wheel.file_name, &mut |path: &str, mode, content: &[u8]| {
            write_file(&tree.join(path), mode, content)
        })?;
    }
    compile(launcher, python, folder.path(), &tree)?;
    copy_tree(&tree, "", writer)
}

fn write_file(path: &Path, mode: EntryMode, content: &[u8]) -> Result<(), PackageError> {
    let failed = unwritable(path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(&failed)?;
    }
    fs::write(path, content).map_err(&failed)?;
    let mode = match mode {
        EntryMode::Plain => 0o644,
        EntryMode::Executable => 0o755,
    };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(failed)?;
    Ok(())
}

/// Copies everything; nothing but files and directories was made.
fn copy_tree(folder: &Path, prefix: &str, writer: &mut TreeWriter<'_>) -> Result<(), PackageError> {
    let failed = unwritable(folder);
    let mut entries =
        fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(&failed)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        let data = entry.metadata().map_err(&failed)?;
        if data.is_dir() {
            copy_tree(&entry.path(), &path, writer)?;
        } else if data.is_file() {
            let is_program = data.permissions().mode() & 0o100 != 0;
            let mode = if is_program { FileMode::Executable } else { FileMode::Plain };
            let file = fs::File::open(entry.path()).map_err(&failed)?;
            writer.file(&path, mode, file)?;
        }
    }
    Ok(())
}

pub(crate) fn unwritable(path: &Path) -> impl Fn(io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::of_write(&path, source)
}
