//! A server that did not start, with everything that says why.

use facets_failure::{Describe, Note, Stderr};
use facets_probe::ObserveError;

/// A server that did not start, explained.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
pub struct StartFailure {
    /// What failed.
    pub(crate) source: ObserveError,
    /// How it was started, and what is in its way.
    pub(crate) notes: Vec<Note>,
    /// What mends it, if that is known.
    pub(crate) mend: Option<String>,
}

impl Describe for StartFailure {
    fn code(&self) -> &'static str {
        self.source.code()
    }

    fn expected(&self) -> Option<String> {
        self.source.expected()
    }

    fn actual(&self) -> Option<String> {
        self.source.actual()
    }

    fn next(&self) -> String {
        self.mend.clone().unwrap_or_else(|| match &self.source {
            ObserveError::Launch(error) => error.next(),
            other => other.next(),
        })
    }

    fn error_output(&self) -> Option<Stderr> {
        self.source.error_output()
    }

    fn notes(&self) -> Vec<Note> {
        self.notes.clone()
    }
}
