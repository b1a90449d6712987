//! An error as it is shown.

use std::path::PathBuf;

use crate::error_output::Stderr;
use crate::line_column::LineColumn;
use crate::problem::FileProblem;

/// An error as it is shown: what happened, to what, expected and actual, what next.
#[derive(Debug, Default)]
pub struct Failure {
    /// The word for `facet explain`.
    pub code: &'static str,
    /// What happened, to what.
    pub message: String,
    /// The file or directory it is about.
    pub file: Option<PathBuf>,
    /// The place in that file.
    pub place: Option<LineColumn>,
    /// What would have been right.
    pub expected: Option<String>,
    /// What was there instead.
    pub actual: Option<String>,
    /// A command to type next.
    pub next: String,
    /// Everything that is wrong with the file, where that is why.
    pub problems: Vec<FileProblem>,
    /// What the server wrote to standard error, where that is why.
    pub error_output: Option<Stderr>,
    /// What else is worth knowing.
    pub notes: Vec<Note>,
}

/// Something worth knowing about an error, under one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What it is about: `profile`, `grants`, `env`.
    pub label: &'static str,
    /// What there is to know.
    pub text: String,
}
