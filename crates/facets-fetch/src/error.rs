//! Why a file could not be fetched.

use std::fmt;

use facets_failure::Describe;
use facets_files::FileError;
use facets_http::AgentError;
use facets_model::FileIdentifier;

use crate::server_problem::{ServerProblem, TimeLimit};

/// Why a file could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// A file of this machine could not be read or written.
    #[error("{}{}", .0, system_reason(.0))]
    File(FileError),
    /// A configuration file or variable of a client cannot be used.
    #[error("{place}: {problem}")]
    Config {
        /// The file with its line, or the variable.
        place: String,
        /// What is wrong, without secrets.
        problem: String,
    },
    /// Upstream has no such package, version or file.
    #[error("{what} was not found on {host}")]
    NotFound {
        /// What was asked for.
        what: String,
        /// Who was asked.
        host: String,
    },
    /// The identifier names a release of several files.
    #[error("{identifier} is ambiguous: the release has {} files", files.len())]
    Ambiguous {
        /// What was asked for.
        identifier: FileIdentifier,
        /// The names of the files.
        files: Vec<String>,
    },
    /// Two indexes list a file of the same name, and what they state does not show whether it is the same.
    #[error("{identifier} is ambiguous: {first} and {second} list it without hashes to compare")]
    AmbiguousIndexes {
        /// The file.
        identifier: FileIdentifier,
        /// One index.
        first: String,
        /// The other one; the same if it lists the file twice.
        second: String,
    },
    /// Two indexes list different files of the same name.
    #[error("{identifier}: {first} and {second} state different hashes")]
    IndexConflict {
        /// The file.
        identifier: FileIdentifier,
        /// One index.
        first: String,
        /// The other one; the same if it lists the file twice.
        second: String,
        /// The hash that the first one states.
        expected: String,
        /// The hash that the second one states.
        actual: String,
    },
    /// The server cannot be reached, closes the connection, sends no valid answer, or answers 429 or 5xx again
    /// and again.
    #[error(transparent)]
    Unreachable(#[from] ServerProblem),
    /// The certificate of the server is not trusted.
    #[error("the certificate of {host} is not trusted: {reason}")]
    Certificate {
        /// Who was asked.
        host: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The server wants to know who asks, or does not let in who does.
    #[error("{host} answered with HTTP status {status}")]
    Unauthorized {
        /// Who was asked.
        host: String,
        /// 401 or 403.
        status: u16,
    },
    /// Any other status that is no success.
    #[error("{url} answered with HTTP status {status}")]
    Status {
        /// What was asked for, without secrets.
        url: String,
        /// The status.
        status: u16,
    },
    /// A redirect, or a link of a document, that is not followed.
    #[error("{url} {referral} {location}: {problem}")]
    Redirect {
        /// What was asked for, without secrets.
        url: String,
        /// Which of the two.
        referral: Referral,
        /// Where it leads, without secrets.
        location: String,
        /// Why it is not followed.
        problem: &'static str,
    },
    /// The address must not be asked.
    #[error("{url} is refused: {problem}")]
    AddressRefused {
        /// The address, without secrets.
        url: String,
        /// Why.
        problem: String,
    },
    /// The body is encoded though that was not accepted.
    #[error("{url} was sent with the encoding `{encoding}`, which was not accepted")]
    Encoded {
        /// What was asked for.
        url: String,
        /// How.
        encoding: String,
    },
    /// There are more bytes than are taken.
    #[error("{what} is larger than {limit} bytes")]
    TooLarge {
        /// What was fetched.
        what: String,
        /// How many are taken.
        limit: u64,
    },
    /// Fewer or more bytes arrived than were announced.
    #[error("{what} has {actual} bytes, and {expected} were announced")]
    Length {
        /// What was fetched.
        what: String,
        /// What was announced.
        expected: u64,
        /// What arrived, at least.
        actual: u64,
    },
    /// It did not arrive in time.
    #[error("{what} {limit}")]
    TooSlow {
        /// What was fetched.
        what: String,
        /// The time that is over.
        limit: TimeLimit,
    },
    /// What arrived is not what upstream states.
    #[error("{what} does not match {place}")]
    UpstreamMismatch {
        /// What was fetched.
        what: String,
        /// Where the hash is stated.
        place: &'static str,
        /// What is stated.
        expected: String,
        /// What arrived.
        actual: String,
    },
    /// A document of a registry cannot be read.
    #[error("{url}: {problem}")]
    Document {
        /// Where it is from.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// How a server names another address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Referral {
    /// A redirect.
    Redirect,
    /// A link to a file, in a document.
    Link,
}

impl fmt::Display for Referral {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Redirect => "redirects to",
            Self::Link => "links to",
        })
    }
}

/// What the system says: of a full disk, the path alone tells nothing.
fn system_reason(error: &FileError) -> String {
    match error {
        FileError::Unreadable { source, .. } | FileError::Unwritable { source, .. } => {
            format!(": {source}")
        }
        FileError::NotPlain { .. } | FileError::TooLarge { .. } => String::new(),
    }
}

// Not derived: the message already has the reason, which a source would repeat.
impl From<FileError> for FetchError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<AgentError> for FetchError {
    fn from(AgentError { place, problem }: AgentError) -> Self {
        Self::Config { place, problem }
    }
}

impl FetchError {
    /// The codes of this crate alone.
    pub const CODES: &'static [&'static str] = &[
        "fetch-address-refused",
        "fetch-ambiguous",
        "fetch-certificate",
        "fetch-config",
        "fetch-document",
        "fetch-encoded",
        "fetch-index-conflict",
        "fetch-length",
        "fetch-not-found",
        "fetch-redirect",
        "fetch-status",
        "fetch-too-large",
        "fetch-too-slow",
        "fetch-unauthorized",
        "fetch-unreachable",
        "fetch-upstream-mismatch",
    ];
}

impl Describe for FetchError {
    fn code(&self) -> &'static str {
        match self {
            Self::File(error) => error.code(),
            Self::Config { .. } => "fetch-config",
            Self::NotFound { .. } => "fetch-not-found",
            Self::Ambiguous { .. } | Self::AmbiguousIndexes { .. } => "fetch-ambiguous",
            Self::IndexConflict { .. } => "fetch-index-conflict",
            Self::Unreachable(_) => "fetch-unreachable",
            Self::Certificate { .. } => "fetch-certificate",
            Self::Unauthorized { .. } => "fetch-unauthorized",
            Self::Status { .. } => "fetch-status",
            Self::Redirect { .. } => "fetch-redirect",
            Self::AddressRefused { .. } => "fetch-address-refused",
            Self::Encoded { .. } => "fetch-encoded",
            Self::TooLarge { .. } => "fetch-too-large",
            Self::Length { .. } => "fetch-length",
            Self::TooSlow { .. } => "fetch-too-slow",
            Self::UpstreamMismatch { .. } => "fetch-upstream-mismatch",
            Self::Document { .. } => "fetch-document",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::File(error) => return error.expected(),
            Self::Config { .. } => "a setting that can be used".to_owned(),
            Self::NotFound { .. } => "a published file".to_owned(),
            Self::Ambiguous { .. } => "a release with one file, or the name of a file".to_owned(),
            Self::AmbiguousIndexes { .. } => {
                "indexes that state hashes of the same algorithm".to_owned()
            }
            Self::IndexConflict { expected, .. } => expected.clone(),
            Self::Unreachable(_) => "a server that answers".to_owned(),
            Self::Certificate { .. } => "a certificate that is trusted here".to_owned(),
            Self::Unauthorized { .. } => "credentials that the server accepts".to_owned(),
            Self::Status { .. } => "HTTP status 200".to_owned(),
            Self::Redirect { .. } => "a redirect that can be followed".to_owned(),
            Self::AddressRefused { .. } => "an address that may be asked".to_owned(),
            Self::Encoded { .. } => "the bytes as they are stored".to_owned(),
            Self::TooLarge { limit, .. } => format!("at most {limit} bytes"),
            Self::Length { expected, .. } => format!("{expected} bytes"),
            Self::TooSlow { limit, .. } => limit.expected(),
            Self::UpstreamMismatch { expected, .. } => expected.clone(),
            Self::Document { .. } => "a document of a package registry".to_owned(),
        })
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::File(error) => error.actual(),
            Self::Ambiguous { files, .. } => Some(files.join(", ")),
            Self::IndexConflict { actual, .. } => Some(actual.clone()),
            Self::Length { actual, .. } => Some(format!("{actual} bytes")),
            Self::UpstreamMismatch { actual, .. } => Some(actual.clone()),
            Self::Config { .. }
            | Self::NotFound { .. }
            | Self::AmbiguousIndexes { .. }
            | Self::Unreachable(_)
            | Self::Certificate { .. }
            | Self::Unauthorized { .. }
            | Self::Status { .. }
            | Self::Redirect { .. }
            | Self::AddressRefused { .. }
            | Self::Encoded { .. }
            | Self::TooLarge { .. }
            | Self::TooSlow { .. }
            | Self::Document { .. } => None,
        }
    }

    fn next(&self) -> String {
        match self {
            Self::File(error) => error.next(),
            other => format!("facet explain {}", other.code()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_full_disk_says_so() {
        // ENOSPC
        let source = io::Error::from_raw_os_error(28);
        let error = FetchError::from(FileError::Unwritable { path: "/tmp".into(), source });
        assert_eq!(error.code(), "disk-full");
        assert!(error.next().starts_with("free some space"), "{error:?}");
        assert_eq!(error.to_string(), "cannot write /tmp: No space left on device (os error 28)");
    }
}
