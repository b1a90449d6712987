//! What came of one file.

use facets_failure::Describe as _;
use facets_fetch::{FetchError, UpstreamFile};

/// What came of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileStatus {
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
    pub const ALL: [Self; 10] = [
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
    #[must_use]
    pub const fn word(self) -> &'static str {
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
pub struct FileResult {
    /// The identifier, or the member that has none.
    pub identifier: String,
    /// The file that it is about: several results may be about one file.
    pub file: String,
    /// What came of it.
    pub status: FileStatus,
    /// The hash that is stated.
    pub expected: Option<String>,
    /// The hash of the published file.
    pub actual: Option<String>,
    /// What there is to know.
    pub detail: Option<String>,
    /// The host that was asked for the file, and nothing else of its address.
    pub from: Option<String>,
    /// Its package, if the document states no hash at all for that package.
    pub unhashed: Option<String>,
}

impl FileResult {
    /// Without hashes.
    pub(crate) fn new(identifier: &str, status: FileStatus, detail: String) -> Self {
        Self {
            identifier: identifier.to_owned(),
            file: identifier.to_owned(),
            status,
            expected: None,
            actual: None,
            detail: Some(detail),
            from: None,
            unhashed: None,
        }
    }

    /// What two hashes say.
    pub(crate) fn compared(identifier: &str, expected: &str, actual: &str) -> Self {
        let status = if expected == actual { FileStatus::Ok } else { FileStatus::Mismatch };
        Self {
            expected: Some(expected.to_owned()),
            actual: Some(actual.to_owned()),
            detail: None,
            ..Self::new(identifier, status, String::new())
        }
    }

    /// A file that could not be fetched.
    pub(crate) fn failed(identifier: &str, error: &FetchError) -> Self {
        let status = status_of(error);
        let is_mismatch = status == FileStatus::Mismatch;
        Self {
            expected: error.expected().filter(|_| is_mismatch),
            actual: error.actual().filter(|_| is_mismatch),
            ..Self::new(identifier, status, format!("{error} [{}]", error.code()))
        }
    }

    /// The same, about a file that upstream has.
    pub(crate) fn about(self, file: &UpstreamFile) -> Self {
        let host = file.url.host_str().unwrap_or_default();
        let from = match file.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        Self { file: file.identifier.to_string(), from: Some(from), ..self }
    }

    /// The same, about a file that is known by this name.
    pub(crate) fn about_package(self, package: &str) -> Self {
        Self { file: package.to_owned(), ..self }
    }

    /// Whether it is the file that was hashed.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.status == FileStatus::Ok
    }
}

/// An outage is no mismatch: whatever leaves the bytes unknown is unreachable.
fn status_of(error: &FetchError) -> FileStatus {
    match error {
        FetchError::NotFound { .. } => FileStatus::NotFound,
        FetchError::Ambiguous { .. } | FetchError::AmbiguousIndexes { .. } => FileStatus::Ambiguous,
        FetchError::TooLarge { .. } => FileStatus::TooLarge,
        // Which of two files pip takes is not known: that is no outage, but a finding.
        FetchError::UpstreamMismatch { .. } | FetchError::IndexConflict { .. } => {
            FileStatus::Mismatch
        }
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

/// What several results say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashVerdict {
    /// There are results, and all are ok.
    Verified,
    /// Something is wrong, or there are no results.
    Refuted,
    /// Nothing is wrong, but a file could not be fetched.
    Unknown,
}

/// Nothing worse than unreachable is unknown; nothing at all is not verified.
#[must_use]
pub fn verdict(results: &[FileResult]) -> HashVerdict {
    let mut bad = results.iter().filter(|result| !result.is_ok()).peekable();
    if results.is_empty() {
        HashVerdict::Refuted
    } else if bad.peek().is_none() {
        HashVerdict::Verified
    } else if bad.all(|result| result.status == FileStatus::Unreachable) {
        HashVerdict::Unknown
    } else {
        HashVerdict::Refuted
    }
}

#[cfg(test)]
mod tests {
    use facets_model::FileIdentifier;

    use super::*;

    #[test]
    fn indexes_that_differ_are_a_finding_and_no_outage() {
        let identifier = || FileIdentifier::Npm { name: "a".to_owned(), version: "1".to_owned() };
        let (first, second) =
            (|| "https://a.example/".to_owned(), || "https://b.example/".to_owned());
        let conflict = FetchError::IndexConflict {
            identifier: identifier(),
            first: first(),
            second: second(),
            expected: "sha256:00".to_owned(),
            actual: "sha256:01".to_owned(),
        };
        let result = FileResult::failed("npm:a@1", &conflict);
        assert_eq!(result.status, FileStatus::Mismatch);
        let hashes = (result.expected.as_deref(), result.actual.as_deref());
        assert_eq!(hashes, (Some("sha256:00"), Some("sha256:01")));
        let (first, second) = (first(), second());
        let unclear = FetchError::AmbiguousIndexes { identifier: identifier(), first, second };
        assert_eq!(FileResult::failed("npm:a@1", &unclear).status, FileStatus::Ambiguous);
    }

    #[test]
    fn only_outages_alone_leave_the_question_open() {
        let result = |status| FileResult::new("npm:a@1", status, String::new());
        let ok = || result(FileStatus::Ok);
        let away = || result(FileStatus::Unreachable);
        assert_eq!(verdict(&[ok(), ok()]), HashVerdict::Verified);
        assert_eq!(verdict(&[ok(), away()]), HashVerdict::Unknown);
        assert_eq!(verdict(&[away(), result(FileStatus::Mismatch)]), HashVerdict::Refuted);
        assert_eq!(verdict(&[ok(), result(FileStatus::Missing)]), HashVerdict::Refuted);
        assert_eq!(verdict(&[]), HashVerdict::Refuted);
    }
}
