//! The files that a program needs to be itself: its installation, and the package that it belongs
//! to. What is opened here was not asked for, so it is as little as possible.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use facets_launch::{ProcessLaunch, executables, is_of_system, settled_path};

pub use opened::{OpenedFiles, OpenedPath};

mod opened;
mod package;
mod secret_names;
mod sources;
mod wide_folders;

use wide_folders::WideFolders;

/// What the administrator of a system has put beside its programs: of that a server can read what
/// everybody may.
const LOCAL: &str = "/usr/local";

/// What an installation has beside its `bin`.
const PARTS: [&str; 5] = ["bin", "lib", "lib64", "libexec", "pyvenv.cfg"];

/// A program outside the system's directories, and the libraries beside its `bin`: as it was
/// found and as it really lies, because a virtual environment is both. Nothing, if the server decides which
/// program that is: what it can write is granted anyway.
pub(crate) fn installation_of(found: &Path, writable: &[PathBuf]) -> Vec<OpenedPath> {
    let wide = WideFolders::of_this_user();
    let absolute = std::path::absolute(found).ok();
    let real = absolute.as_ref().and_then(|path| settled_path(path, writable));
    let Some((absolute, real)) = absolute.zip(real) else { return Vec::new() };
    let roots = [&absolute, &real].into_iter().filter_map(|file| {
        let folder = file.parent().filter(|folder| folder.ends_with("bin"))?;
        // `~/bin` is no installation, and `~/lib` none of its parts.
        settled_path(folder.parent()?, writable).filter(|root| !wide.contain(root))
    });
    let roots: Vec<PathBuf> = roots.collect();
    let mut parts: Vec<PathBuf> = roots.iter().flat_map(|root| parts_of(root)).collect();
    parts.extend((!wide.are_own(&real)).then_some(real));
    // What it can write itself is granted anyway, and may be a link by the time that it is opened.
    let is_granted = |part: &Path| writable.iter().any(|folder| part.starts_with(folder));
    parts.retain(|part| !is_granted(part) && !is_readable_anyway(part));
    parts.sort();
    parts.dedup();
    parts.into_iter().map(|part| OpenedPath::without_secrets(part, writable)).collect()
}

/// spec 11.4: the system's directories, and of those of its administrator what everybody may read
fn is_readable_anyway(part: &Path) -> bool {
    let is_for_all = || part.metadata().is_ok_and(|data| data.is_file() && data.mode() & 0o4 != 0);
    is_of_system(part) && (!part.starts_with(LOCAL) || is_for_all())
}

/// spec 11.4: a link beside `bin` may lead to another part (`lib64` to `lib`), and to nothing else
fn parts_of(root: &Path) -> Vec<PathBuf> {
    let known = PARTS.map(|part| root.join(part));
    let real = known.iter().filter_map(|part| std::fs::canonicalize(part).ok());
    real.filter(|part| known.contains(part)).collect()
}

/// What a server has to read to be itself: its program with its interpreters, and the packages that
/// this and its arguments name. What it can write itself, or where what it can write leads, is none of these:
/// it would decide what is opened.
pub(crate) fn own_files(process: &ProcessLaunch, writable: &[PathBuf]) -> OpenedFiles {
    let path = process.variables.search_path();
    let programs = executables(&process.program, &process.directory, &path, writable);
    let mut opened = OpenedFiles::default();
    opened.read.extend(programs.iter().flat_map(|program| installation_of(program, writable)));
    opened.names.extend(opened.read.iter().filter_map(OpenedPath::split_folder));
    // spec 11.1: of an artifact all files are known, and nothing around them belongs to it.
    if let Some(files) = &process.verified {
        let known = files.read.iter().chain([&files.tree]).cloned();
        opened.read.extend(known.map(OpenedPath::whole));
        return opened;
    }
    // A program that a package brought along belongs to it.
    let program = Path::new(&process.program);
    let program = is_in_modules(program).then(|| process.directory.join(program));
    let named = process.args.iter().map(|arg| process.directory.join(arg)).chain(program);
    let wide = WideFolders::of_this_user();
    let is_own = |file: &PathBuf| file.is_file() && !wide.are_own(file);
    for file in named.filter_map(|file| settled_path(&file, writable)).filter(is_own) {
        let (modules, package) = if is_in_modules(&file) {
            (package::modules_around(&file), None)
        } else if sources::is_source(&file) {
            let package = package::package_of(&file, &process.directory, &wide, writable);
            (package::modules_for(&file), package)
        } else {
            (Vec::new(), None)
        };
        // Bun looks for files and packages by listing the folders that they lie in.
        if programs.iter().any(|program| program.ends_with("bun")) {
            let folders = modules.iter().chain([&file]).filter_map(|path| path.parent());
            let folders = folders.filter(|folder| !wide.contain(folder));
            opened.names.extend(folders.map(Path::to_owned));
        }
        let package = package.map(|folder| OpenedPath::without_secrets(folder, writable));
        opened.names.extend(package.as_ref().and_then(OpenedPath::split_folder));
        opened.read.extend(modules.into_iter().chain([file]).map(OpenedPath::whole));
        opened.read.extend(package);
    }
    opened
}

/// The folder that a program belongs to, if it is an installation of its own; else the program.
pub(crate) fn installation_root(real: &Path) -> PathBuf {
    let folder = real.parent().filter(|folder| folder.ends_with("bin"));
    let root = folder.and_then(Path::parent);
    let root = root.filter(|root| !WideFolders::of_this_user().contain(root));
    root.unwrap_or(real).to_owned()
}

/// Whether a path is one under which people keep secrets, or holds more than any one program.
pub(crate) fn may_hold_secrets(path: &Path) -> bool {
    let wide = WideFolders::of_this_user();
    let is_secret = |part: &Path| {
        let name = part.file_name().unwrap_or_default().to_string_lossy();
        secret_names::is_secret(&name, part.is_dir())
    };
    wide.contain(path) || wide.are_own(path) || path.ancestors().any(is_secret)
}

fn is_in_modules(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "node_modules")
}
