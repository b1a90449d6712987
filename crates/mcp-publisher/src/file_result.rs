//! What came of one file.

use facets_face::Exit;
use facets_failure::Describe as _;
use facets_fetch::FetchError;

/// What came of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileStatus {
    /// It is the one that was hashed.
    Ok,
    /// It is another one.
    Mismatch,
    /// It is not published.
    NotFound,
    /// It could not be fetched.
    Unreachable,
    /// Several files could be meant.
    Ambiguous,
    /// It is larger than what is hashed.
    TooLarge,
    /// The entry or the package cannot be read.
    Malformed,
    /// The identifier is of no kind that is known.
    UnknownIdentifier,
    /// No package has it.
    NotInPackages,
    /// It has no hash.
    Missing,
}

impl FileStatus {
    /// All of them.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 10] = [
        Self::Ok,
        Self::Mismatch,
        Self::NotFound,
        Self::Unreachable,
        Self::Ambiguous,
        Self::TooLarge,
        Self::Malformed,
        Self::UnknownIdentifier,
        Self::NotInPackages,
        Self::Missing,
    ];

    /// The word for it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Mismatch => "mismatch",
            Self::NotFound => "not_found",
            Self::Unreachable => "unreachable",
            Self::Ambiguous => "ambiguous",
            Self::TooLarge => "too_large",
            Self::Malformed => "malformed",
            Self::UnknownIdentifier => "unknown_identifier",
            Self::NotInPackages => "not_in_packages",
            Self::Missing => "missing",
        }
    }
}

/// A file, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileResult {
    /// The identifier, or the member that has none.
    pub(crate) identifier: String,
    pub(crate) status: FileStatus,
    /// The hash that is stated.
    pub(crate) expected: Option<String>,
    /// The hash of the published file.
    pub(crate) actual: Option<String>,
    /// What there is to know.
    pub(crate) detail: Option<String>,
}

impl FileResult {
    /// Without hashes.
    pub(crate) fn new(identifier: &str, status: FileStatus, detail: String) -> Self {
        let identifier = identifier.to_owned();
        Self { identifier, status, expected: None, actual: None, detail: Some(detail) }
    }

    /// What two hashes say.
    pub(crate) fn compared(identifier: &str, expected: &str, actual: &str) -> Self {
        let status = if expected == actual { FileStatus::Ok } else { FileStatus::Mismatch };
        Self {
            identifier: identifier.to_owned(),
            status,
            expected: Some(expected.to_owned()),
            actual: Some(actual.to_owned()),
            detail: None,
        }
    }

    /// A file that could not be fetched.
    pub(crate) fn failed(identifier: &str, error: &FetchError) -> Self {
        let status = status_of(error);
        let is_mismatch = status == FileStatus::Mismatch;
        Self {
            identifier: identifier.to_owned(),
            status,
            expected: error.expected().filter(|_| is_mismatch),
            actual: error.actual().filter(|_| is_mismatch),
            detail: Some(format!("{error} [{}]", error.code())),
        }
    }

    pub(crate) fn is_ok(&self) -> bool {
        self.status == FileStatus::Ok
    }
}

/// An outage is no mismatch: whatever leaves the bytes unknown is unreachable.
fn status_of(error: &FetchError) -> FileStatus {
    match error {
        FetchError::NotFound { .. } => FileStatus::NotFound,
        FetchError::Ambiguous { .. } => FileStatus::Ambiguous,
        FetchError::TooLarge { .. } => FileStatus::TooLarge,
        FetchError::UpstreamMismatch { .. } => FileStatus::Mismatch,
        FetchError::File(_)
        | FetchError::Config { .. }
        | FetchError::Unreachable { .. }
        | FetchError::Certificate { .. }
        | FetchError::Unauthorized { .. }
        | FetchError::Status { .. }
        | FetchError::Redirect { .. }
        | FetchError::AddressRefused { .. }
        | FetchError::Encoded { .. }
        | FetchError::Length { .. }
        | FetchError::TooSlow { .. }
        | FetchError::Document { .. } => FileStatus::Unreachable,
    }
}

/// All ok is yes; nothing worse than unreachable could not be judged; nothing at all is no yes.
pub(crate) fn verdict(results: &[FileResult]) -> Exit {
    let mut bad = results.iter().filter(|result| !result.is_ok()).peekable();
    if results.is_empty() {
        Exit::No
    } else if bad.peek().is_none() {
        Exit::Yes
    } else if bad.all(|result| result.status == FileStatus::Unreachable) {
        Exit::Unjudged
    } else {
        Exit::No
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_outages_alone_leave_the_question_open() {
        let result = |status| FileResult::new("npm:a@1", status, String::new());
        let ok = || result(FileStatus::Ok);
        let away = || result(FileStatus::Unreachable);
        assert_eq!(verdict(&[ok(), ok()]), Exit::Yes);
        assert_eq!(verdict(&[ok(), away()]), Exit::Unjudged);
        assert_eq!(verdict(&[away(), result(FileStatus::Mismatch)]), Exit::No);
        assert_eq!(verdict(&[ok(), result(FileStatus::Missing)]), Exit::No);
        assert_eq!(verdict(&[]), Exit::No);
    }
}
