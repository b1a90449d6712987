//! What is wrong with the compression.

use facets_failure::Describe;

/// What is wrong with the compression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GzipError {
    /// It does not begin as gzip does, or with parts that this format does not have.
    #[error("not a gzip file that is accepted here: {problem}")]
    Header {
        /// What is wrong.
        problem: &'static str,
    },
    /// The deflate stream is damaged.
    #[error("the compressed data is damaged")]
    Data,
    /// The bytes are not the ones that were compressed.
    #[error("the {what} at the end of the gzip file does not match the data")]
    Checksum {
        /// `checksum` or `length`.
        what: &'static str,
        /// What the file states.
        expected: u32,
        /// What was found.
        actual: u32,
    },
    /// Something follows the compressed data.
    #[error("bytes follow the end of the gzip file")]
    Trailing,
    /// It ends too early.
    #[error("the gzip file ends too early")]
    Truncated,
}

impl Describe for GzipError {
    fn code(&self) -> &'static str {
        match self {
            Self::Header { .. } => "archive-gzip-header",
            Self::Data => "archive-gzip-data",
            Self::Checksum { .. } => "archive-gzip-checksum",
            Self::Trailing => "archive-gzip-trailing",
            Self::Truncated => "archive-truncated",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::Header { .. } => "a gzip file with a plain header".to_owned(),
            Self::Data => "a valid deflate stream".to_owned(),
            Self::Checksum { expected, .. } => format!("{expected:08x}"),
            Self::Trailing => "one gzip member and nothing behind it".to_owned(),
            Self::Truncated => "a complete gzip file".to_owned(),
        })
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::Checksum { actual, .. } => Some(format!("{actual:08x}")),
            Self::Header { problem } => Some((*problem).to_owned()),
            Self::Data | Self::Trailing | Self::Truncated => None,
        }
    }
}
