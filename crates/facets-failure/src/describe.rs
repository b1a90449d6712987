//! What every error can say about itself.

use std::error::Error;
use std::path::Path;

use crate::error_output::Stderr;
use crate::failure::{Failure, Note};
use crate::line_column::LineColumn;
use crate::problem::FileProblem;

/// An error that people and machines can read.
pub trait Describe: Error {
    /// The word for `facet explain`.
    fn code(&self) -> &'static str;

    /// What would have been right.
    fn expected(&self) -> Option<String>;

    /// What was there instead.
    fn actual(&self) -> Option<String>;

    /// The file or directory it is about.
    fn file(&self) -> Option<&Path> {
        None
    }

    /// The place in that file.
    fn place(&self) -> Option<LineColumn> {
        None
    }

    /// A command to type next.
    fn next(&self) -> String {
        format!("facet explain {}", self.code())
    }

    /// Everything that is wrong with the file, where that is why.
    fn problems(&self) -> Vec<FileProblem> {
        Vec::new()
    }

    /// What the server wrote to standard error, where that is why.
    fn error_output(&self) -> Option<Stderr> {
        None
    }

    /// What else is worth knowing.
    fn notes(&self) -> Vec<Note> {
        Vec::new()
    }

    /// All of it.
    fn describe(&self) -> Failure {
        Failure {
            code: self.code(),
            message: self.to_string(),
            file: self.file().map(Path::to_owned),
            place: self.place(),
            expected: self.expected(),
            actual: self.actual(),
            next: self.next(),
            problems: self.problems(),
            error_output: self.error_output(),
            notes: self.notes(),
        }
    }
}
