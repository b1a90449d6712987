//! Finding programs: the one search of `PATH`.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Every file that is executed when a program starts: itself, the interpreters that its first
/// lines name, and what loads them.
#[must_use]
pub fn executables(program: &OsStr, directory: &Path, path: &OsStr) -> Vec<PathBuf> {
    const LOADERS: [&str; 5] = [
        "/lib64/ld-linux-x86-64.so.2",
        "/lib/ld-linux-aarch64.so.1",
        "/lib/ld-musl-x86_64.so.1",
        "/lib/ld-musl-aarch64.so.1",
        "/lib/ld-linux.so.2",
    ];
    let mut found: Vec<PathBuf> =
        LOADERS.iter().map(PathBuf::from).filter(|loader| loader.exists()).collect();
    let mut next = find_program(program, directory, path);
    // A script may name a script; more than a few nobody writes.
    for _ in 0..8 {
        let Some(file) = next.take() else { break };
        next = interpreter(&file).and_then(|words| {
            let [first, rest @ ..] = words.as_slice() else { return None };
            found.push(first.into());
            let is_env = Path::new(first).file_name().is_some_and(|name| name == "env");
            let named = rest.iter().find(|word| !word.starts_with('-'));
            match named.filter(|_| is_env) {
                Some(program) => find_program(OsStr::new(program), directory, path),
                None => Some(first.into()),
            }
        });
        found.push(file);
    }
    found.sort();
    found.dedup();
    found
}

/// The words behind `#!`, if a file begins with that.
fn interpreter(file: &Path) -> Option<Vec<String>> {
    let mut start = [0; 512];
    let count = std::fs::File::open(file).and_then(|mut file| file.read(&mut start)).ok()?;
    let line = start[..count].split(|byte| *byte == b'\n').next()?.strip_prefix(b"#!")?;
    let line = std::str::from_utf8(line).ok()?;
    Some(line.split_whitespace().map(str::to_owned).collect())
}

/// Where our own programs are looked for.
#[must_use]
pub fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into())
}

/// The file that would be started for a name, looked up as a shell does in a search path.
#[must_use]
pub fn find_program(program: &OsStr, directory: &Path, path: &OsStr) -> Option<PathBuf> {
    let as_path = Path::new(program);
    let candidates: Vec<PathBuf> = if as_path.components().count() > 1 || as_path.is_absolute() {
        vec![directory.join(as_path)]
    } else {
        std::env::split_paths(path).map(|folder| directory.join(folder).join(program)).collect()
    };
    candidates.into_iter().find(|candidate| is_executable(candidate))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
