//! An error as it is shown.

use std::path::{Path, PathBuf};

use facets_digest::json::Position;

use crate::FileProblem;

/// An error as it is shown: what happened, to what, expected and actual, what next.
#[derive(Debug)]
pub struct Failure {
    /// The word for `facet explain`.
    pub code: &'static str,
    /// What happened, to what.
    pub message: String,
    /// The file or directory it is about.
    pub file: Option<PathBuf>,
    /// The place in that file.
    pub position: Option<Position>,
    /// What would have been right.
    pub expected: Option<String>,
    /// What was there instead.
    pub actual: Option<String>,
    /// A command to type next.
    pub next: String,
    /// Everything that is wrong with the file, where that is why.
    pub problems: Vec<FileProblem>,
}

/// A path as it can be typed into a shell.
#[must_use]
pub fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@:".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
