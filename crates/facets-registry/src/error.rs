//! Why the registry does not do what it is asked to do.

use std::io;
use std::path::Path;

use facets_blobs::BlobError;
use facets_catalog::CatalogError;
use facets_failure::{Describe, FileProblem};

use crate::problem::RegistryProblem;

/// Why the registry does not do what it is asked to do.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The request is refused. That is an answer, not a failure.
    #[error("{}", .0.error)]
    Refused(RegistryProblem),
    /// The catalog does not answer, or not as it should.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// Blobs cannot be read or written.
    #[error(transparent)]
    Blobs(#[from] BlobError),
    /// A file of the registry cannot be read or written.
    #[error("cannot read or write {what}")]
    Io {
        /// Which.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// Something that should not happen.
    #[error("the registry failed: {reason}")]
    Internal {
        /// What.
        reason: String,
    },
}

impl From<RegistryProblem> for RegistryError {
    fn from(problem: RegistryProblem) -> Self {
        Self::Refused(problem)
    }
}

impl RegistryError {
    /// The codes of this crate alone, beside those of [`crate::PROBLEM_CODES`].
    pub const CODES: &'static [&'static str] =
        &["registry-failed", "registry-files", "registry-full", "registry-refused"];

    pub(crate) fn internal(reason: impl Into<String>) -> Self {
        Self::Internal { reason: reason.into() }
    }

    /// What a client is answered. Nothing of the machine is in it.
    #[must_use]
    pub fn problem(&self) -> RegistryProblem {
        match self {
            Self::Refused(problem) => problem.clone(),
            Self::Catalog(CatalogError::Unavailable { .. }) => unavailable("its catalog"),
            Self::Blobs(BlobError::Unavailable { .. }) => unavailable("its store"),
            Self::Blobs(BlobError::Full { .. }) | Self::Catalog(CatalogError::Full { .. }) => {
                full()
            }
            Self::Catalog(CatalogError::BadCursor) => bad_cursor(),
            Self::Catalog(CatalogError::Unstorable { what, reason }) => unstorable(what, reason),
            Self::Blobs(
                BlobError::Absent { .. } | BlobError::Damaged { .. } | BlobError::Unsound { .. },
            ) => damaged(),
            Self::Io { source, .. } if is_full(source) => full(),
            Self::Io { source, .. } if is_exhausted(source) => unavailable("free descriptors"),
            Self::Catalog(_) | Self::Blobs(_) | Self::Io { .. } | Self::Internal { .. } => failed(),
        }
    }

    /// The error of a crate below that this one only passes on.
    fn inner(&self) -> Option<&dyn Describe> {
        match self {
            Self::Catalog(error) => Some(error),
            Self::Blobs(error) => Some(error),
            Self::Refused(_) | Self::Io { .. } | Self::Internal { .. } => None,
        }
    }
}

fn unavailable(what: &str) -> RegistryProblem {
    let error = format!("the registry is waiting for {what}");
    let fix = "try again in some seconds; the operator sees the cause in the log and at /health";
    RegistryProblem::new("E_UNAVAILABLE", error, fix).with_retry_after(5)
}

fn full() -> RegistryProblem {
    let error = "the registry has no space left";
    let fix = "try again later; the operator frees space with `facet-registry gc`";
    RegistryProblem::new("E_UNAVAILABLE", error, fix).with_retry_after(60)
}

fn bad_cursor() -> RegistryProblem {
    let error = "the cursor is not one that this list returned";
    RegistryProblem::new("E_BAD_REQUEST", error, "begin the list again, without a cursor")
}

fn unstorable(what: &str, reason: &str) -> RegistryProblem {
    let error = format!("this {what} cannot be stored: {reason}");
    match what {
        "version" => {
            let fix = "choose a shorter version in the manifest, build and publish again";
            RegistryProblem::new("E_INVALID_VERSION", error, fix)
        }
        _ => RegistryProblem::new("E_BAD_REQUEST", error, "correct it and try again"),
    }
}

fn damaged() -> RegistryProblem {
    let error = "the stored bytes are missing or damaged, and are not served";
    let fix = "tell the operator, who lists such versions with `facet-registry check`; the owner \
               repairs it by publishing the same archive again";
    RegistryProblem::new("E_DAMAGED", error, fix).with_retry_after(300)
}

fn failed() -> RegistryProblem {
    let error = "the registry failed";
    let fix = "try again; if it fails again, give the operator the id of the request";
    RegistryProblem::new("E_INTERNAL", error, fix)
}

/// Whether freeing space would help.
fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// Whether too many files are open.
fn is_exhausted(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    [rustix::io::Errno::MFILE, rustix::io::Errno::NFILE]
        .iter()
        .any(|errno| code == Some(errno.raw_os_error()))
}

impl Describe for RegistryError {
    fn code(&self) -> &'static str {
        match self {
            Self::Refused(_) => "registry-refused",
            Self::Catalog(error) => error.code(),
            Self::Blobs(error) => error.code(),
            Self::Io { source, .. } if is_full(source) => "registry-full",
            Self::Io { .. } => "registry-files",
            Self::Internal { .. } => "registry-failed",
        }
    }

    fn expected(&self) -> Option<String> {
        match self {
            Self::Refused(problem) => Some(problem.fix.clone()),
            Self::Io { .. } => Some("a directory that the registry can read and write".to_owned()),
            Self::Internal { .. } => Some("no such failure".to_owned()),
            other => other.inner().and_then(Describe::expected),
        }
    }

    fn actual(&self) -> Option<String> {
        match self {
            // The sentence says it.
            Self::Refused(_) => None,
            Self::Io { source, .. } => Some(source.to_string()),
            Self::Internal { reason } => Some(reason.clone()),
            other => other.inner().and_then(Describe::actual),
        }
    }

    fn file(&self) -> Option<&Path> {
        self.inner().and_then(Describe::file)
    }

    fn next(&self) -> String {
        match (self, self.inner()) {
            (_, Some(error)) => error.next(),
            (Self::Io { source, .. }, None) if is_full(source) => "facet-registry gc".to_owned(),
            (other, None) => format!("facet-registry explain {}", other.code()),
        }
    }

    fn problems(&self) -> Vec<FileProblem> {
        self.inner().map(Describe::problems).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use facets_digest::Digest;

    use super::*;
    use crate::problem::PROBLEM_CODES;

    fn io(kind: ErrorKind) -> RegistryError {
        RegistryError::Io { what: "a temporary file", source: kind.into() }
    }

    /// One of each code of this crate.
    fn own() -> Vec<RegistryError> {
        vec![
            RegistryError::internal("a task failed"),
            io(ErrorKind::PermissionDenied),
            io(ErrorKind::StorageFull),
            failed().into(),
        ]
    }

    #[test]
    fn every_code_is_explained_and_every_explanation_has_a_code() {
        let codes: Vec<&str> = own().iter().map(Describe::code).collect();
        assert_eq!(codes, RegistryError::CODES);
        let pages = facets_failure::explanations(crate::EXPLANATIONS);
        let mut explained: Vec<&str> = pages.map(|page| page.code).collect();
        explained.sort_unstable();
        let problems = PROBLEM_CODES.iter().map(|(code, _)| *code);
        let mut all: Vec<&str> = problems.chain(codes).collect();
        all.sort_unstable();
        assert_eq!(explained, all);
    }

    #[test]
    fn every_error_says_what_was_expected_and_what_was_found() {
        for error in own() {
            let failure = error.describe();
            assert!(failure.expected.is_some_and(|text| !text.is_empty()), "{error:?}");
            let is_refused = matches!(error, RegistryError::Refused(_));
            assert_eq!(failure.actual.is_none_or(|text| text.is_empty()), is_refused, "{error:?}");
            assert!(failure.next.starts_with("facet-registry "), "{error:?}");
        }
    }

    #[test]
    fn a_client_learns_whether_trying_again_helps_and_nothing_of_the_machine() {
        let digest = Digest::of(b"a");
        let gone = || BlobError::Unavailable { reason: "10.0.0.1 does not answer".to_owned() };
        let cases = [
            (io(ErrorKind::StorageFull), "E_UNAVAILABLE", true),
            (io(ErrorKind::PermissionDenied), "E_INTERNAL", false),
            (RegistryError::internal("/srv/data is gone"), "E_INTERNAL", false),
            (gone().into(), "E_UNAVAILABLE", true),
            (BlobError::Absent { digest }.into(), "E_DAMAGED", true),
        ];
        for (error, code, again) in cases {
            let problem = error.problem();
            assert_eq!((problem.code, problem.retry_after.is_some()), (code, again), "{error:?}");
            let shown = problem.to_json();
            assert!(!shown.contains("10.0.0.1") && !shown.contains("/srv"), "{shown}");
        }
    }
}
