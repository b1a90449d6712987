//! The files that grants really open, as JSON.

use std::path::PathBuf;

use facets_ops::grant::{OpenedFiles, OpenedPath};
use serde_json::{Value, json};

pub(super) fn json(opened: &OpenedFiles) -> Value {
    let paths = |paths: &[PathBuf]| -> Vec<String> {
        paths.iter().map(|path| path.display().to_string()).collect()
    };
    let read = |one: &OpenedPath| json!({ "path": one.path.display().to_string(), "without": paths(&one.without) });
    json!({
        "read": opened.read.iter().map(read).collect::<Vec<_>>(),
        "names": paths(&opened.names),
        "write": paths(&opened.write),
    })
}
