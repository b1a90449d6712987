//! What a file is, by its name, its beginning, and where it lies.

use crate::files::Files;
use crate::resolve::{join, parent};
use crate::{Category, SourceFinding};

/// Whether a file's name says that it is source.
#[must_use]
pub fn is_source(path: &str) -> bool {
    const ENDINGS: &[&str] = &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"];
    let (stem, ending) = path.rsplit_once('.').unwrap_or((path, ""));
    ENDINGS.contains(&ending) && !(stem.ends_with(".d") && ending.ends_with("ts"))
}

/// Without an ending, the first line says what runs a file; without that, it is JavaScript.
pub(super) fn may_be_source(path: &str, source: &[u8]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if is_source(name) || name.ends_with(".d.ts") {
        return true;
    }
    let first = source.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match first.strip_prefix(b"#!") {
        Some(line) => {
            let line = String::from_utf8_lossy(line);
            ["node", "bun", "deno", "tsx"].iter().any(|runtime| line.contains(runtime))
        }
        None => !name.contains('.'),
    }
}

/// A folder and all that it lies in.
pub(super) fn outwards(folder: &str) -> Vec<&str> {
    let mut folders = vec![folder];
    while let Some(folder) = folders.last().filter(|folder| !matches!(**folder, "" | "/")) {
        folders.push(parent(folder));
    }
    folders
}

/// The folder of the package that a file belongs to; its own folder if there is none.
pub(super) fn package_of(file: &str, files: &dyn Files) -> String {
    let file = files.real(file);
    let folders = outwards(parent(&file));
    let package = folders.iter().find(|folder| files.is_file(&join(folder, "package.json")));
    (*package.unwrap_or(&parent(&file))).to_owned()
}

/// What it is to load data that is none of the program's.
pub(super) fn reads(line: u32) -> SourceFinding {
    SourceFinding {
        category: Category::Filesystem,
        identifier: "data outside of the program".to_owned(),
        line,
        path: Vec::new(),
        runs_anything: false,
    }
}

/// Files that are loaded and run nothing. Node runs a file of any other ending as a program.
pub(super) fn is_data(path: &str) -> bool {
    path.ends_with(".json")
}

/// Whether a file may be a program of a folder that does not say which are: by its ending,
/// however it is written, and types too, because a runtime runs them.
pub(super) fn is_program(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    is_source(&path) || [".d.ts", ".d.mts", ".d.cts"].iter().any(|end| path.ends_with(end))
}
