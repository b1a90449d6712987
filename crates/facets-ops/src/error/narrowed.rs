//! Grants that were narrowed on this machine, and could not be written into the lock.

use std::path::Path;

use facets_failure::{Describe, FileProblem, LineColumn, Note, Stderr};

/// The new restrictions of a server hold, and what followed failed.
#[derive(Debug, thiserror::Error)]
#[error("{}", words(name, (!is_declined).then_some(&**cause)))]
pub struct NarrowedOnly {
    /// The server.
    pub(crate) name: String,
    /// What failed.
    pub(crate) cause: Box<dyn Describe + Send + Sync>,
    /// Whether somebody was asked, and said no.
    pub(crate) is_declined: bool,
    /// What to type to have them in the lock, too.
    pub(crate) next: String,
}

/// What holds comes first. Why the rest does not is known to whoever said no.
fn words(name: &str, cause: Option<&(dyn Describe + Send + Sync)>) -> String {
    let holds = format!(
        "the new restrictions of {name:?} are in force on this machine, but facets.lock was not changed"
    );
    match cause {
        Some(cause) => format!("{holds}: {cause}"),
        None => holds,
    }
}

impl Describe for NarrowedOnly {
    fn code(&self) -> &'static str {
        self.cause.code()
    }

    fn expected(&self) -> Option<String> {
        self.cause.expected()
    }

    fn actual(&self) -> Option<String> {
        self.cause.actual()
    }

    fn file(&self) -> Option<&Path> {
        self.cause.file()
    }

    fn place(&self) -> Option<LineColumn> {
        self.cause.place()
    }

    fn next(&self) -> String {
        self.next.clone()
    }

    fn problems(&self) -> Vec<FileProblem> {
        self.cause.problems()
    }

    fn error_output(&self) -> Option<Stderr> {
        self.cause.error_output()
    }

    fn notes(&self) -> Vec<Note> {
        self.cause.notes()
    }
}
