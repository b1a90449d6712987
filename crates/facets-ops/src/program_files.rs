//! The files that a program needs to be itself: its installation, and the package that it belongs
//! to.

use std::path::{Path, PathBuf};

use facets_launch::{ProcessLaunch, find_program};

/// A program outside the system's directories, and the libraries beside its `bin`: as it was
/// found and as it really lies, because a virtual environment is both.
pub(crate) fn installation_of(found: &Path) -> Vec<PathBuf> {
    const PARTS: [&str; 5] = ["bin", "lib", "lib64", "libexec", "pyvenv.cfg"];
    let absolute = std::path::absolute(found).ok();
    let real = absolute.as_ref().and_then(|path| std::fs::canonicalize(path).ok());
    let mut parts = Vec::new();
    for file in [absolute, real].into_iter().flatten() {
        let folder = file.parent().filter(|folder| folder.ends_with("bin"));
        if let Some(root) = folder.and_then(Path::parent) {
            parts
                .extend(PARTS.map(|part| root.join(part)).into_iter().filter(|part| part.exists()));
        }
        parts.push(file);
    }
    parts.retain(|part| !part.starts_with("/usr"));
    parts.sort();
    parts.dedup();
    parts
}

/// What a server has to read to be itself: its program, and the packages that this and its
/// arguments name. What it can write itself may be a link by now, and is granted anyway if it is none.
pub(crate) fn own_files(process: &ProcessLaunch, writable: &[PathBuf]) -> Vec<PathBuf> {
    let path = process.variables.search_path();
    let found = find_program(&process.program, &process.directory, &path);
    let mut files = found.as_deref().map(installation_of).unwrap_or_default();
    // A program that a package brought along belongs to it.
    let program = Path::new(&process.program);
    let is_brought = program.components().any(|part| part.as_os_str() == "node_modules");
    let program = is_brought.then(|| process.directory.join(program));
    let named = process.args.iter().map(|arg| process.directory.join(arg)).chain(program);
    let is_own =
        |path: &PathBuf| path.is_file() && !writable.iter().any(|folder| path.starts_with(folder));
    files.extend(named.filter(is_own).flat_map(|path| package_of(&path)));
    files
}

/// The package that a file belongs to, and those that it may stand on.
fn package_of(file: &Path) -> Vec<PathBuf> {
    let real = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let is_root = |folder: &&Path| {
        ["package.json", "pyproject.toml"].iter().any(|name| folder.join(name).is_file())
    };
    let mut parts = vec![real.clone()];
    parts.extend(real.ancestors().skip(1).find(is_root).map(Path::to_owned));
    let modules = real.ancestors().filter(|folder| folder.ends_with("node_modules"));
    parts.extend(modules.map(Path::to_owned));
    parts
}
