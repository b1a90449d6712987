//! Why bytes cannot be stored or read.

use std::error::Error as _;
use std::io;

use facets_digest::Digest;
use facets_failure::Describe;

/// Why bytes cannot be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// There is none with this digest.
    #[error("there is no blob {digest}")]
    Absent {
        /// Which.
        digest: Digest,
    },
    /// What is stored under a digest has a different one.
    #[error("blob {digest} is damaged")]
    Damaged {
        /// Which.
        digest: Digest,
        /// What it has become.
        actual: Digest,
    },
    /// What is stored under a digest cannot have it, as is known without reading it.
    #[error("blob {digest} is damaged")]
    Unsound {
        /// Which.
        digest: Digest,
        /// How that is known.
        reason: String,
    },
    /// Bytes that are to be stored are not those that were announced.
    #[error("the bytes to store do not match their digest")]
    Mismatch {
        /// What was announced.
        expected: Digest,
        /// What they are.
        actual: Digest,
    },
    /// No space is left.
    #[error("no space is left to store blobs")]
    Full {
        /// What the system said.
        reason: String,
    },
    /// The store cannot be reached, or does not answer in time.
    #[error("the store of blobs is not available")]
    Unavailable {
        /// What it said.
        reason: String,
    },
    /// The store cannot be used as it is configured.
    #[error("the store of blobs cannot be used")]
    Unusable {
        /// The reason.
        reason: String,
    },
    /// The file that is to be stored cannot be read, or one that was asked for not written.
    #[error("cannot read or write a file of the registry")]
    File(#[source] io::Error),
}

impl BlobError {
    /// Every code.
    pub const CODES: &'static [&'static str] = &[
        "blob-absent",
        "blob-damaged",
        "blob-mismatch",
        "blobs-full",
        "blobs-unavailable",
        "blobs-unusable",
    ];

    /// Whether the same call may succeed later.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Full { .. } | Self::Unavailable { .. })
    }

    pub(crate) fn of_file(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::Full { reason: error.to_string() }
            }
            _ => Self::File(error),
        }
    }

    pub(crate) fn of_store(digest: &Digest, error: &object_store::Error) -> Self {
        match error {
            object_store::Error::NotFound { .. } => Self::Absent { digest: *digest },
            other => Self::of_service(other),
        }
    }

    pub(crate) fn of_service(error: &object_store::Error) -> Self {
        let reason = reason_of(error);
        if is_full(error) { Self::Full { reason } } else { Self::Unavailable { reason } }
    }
}

/// Whether the system said, at the end of all causes, that no space is left.
fn is_full(error: &object_store::Error) -> bool {
    let mut cause = error.source();
    while let Some(one) = cause {
        let kind = one.downcast_ref::<io::Error>().map(io::Error::kind);
        if matches!(kind, Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)) {
            return true;
        }
        cause = one.source();
    }
    false
}

/// The last cause: what comes before it repeats it.
fn reason_of(error: &object_store::Error) -> String {
    let mut reason = error.to_string();
    let mut cause = error.source();
    while let Some(one) = cause {
        reason = one.to_string();
        cause = one.source();
    }
    reason
}

impl Describe for BlobError {
    fn code(&self) -> &'static str {
        match self {
            Self::Absent { .. } => "blob-absent",
            Self::Damaged { .. } | Self::Unsound { .. } => "blob-damaged",
            Self::Mismatch { .. } => "blob-mismatch",
            Self::Full { .. } => "blobs-full",
            Self::Unavailable { .. } => "blobs-unavailable",
            Self::Unusable { .. } | Self::File(_) => "blobs-unusable",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::Absent { .. } => "a blob with this digest".to_owned(),
            Self::Damaged { digest, .. } | Self::Unsound { digest, .. } => digest.to_string(),
            Self::Mismatch { expected, .. } => expected.to_string(),
            Self::Full { .. } => "space for another blob".to_owned(),
            Self::Unavailable { .. } => "an answer in time".to_owned(),
            Self::Unusable { .. } | Self::File(_) => {
                "a place that can be read and written".to_owned()
            }
        })
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::Damaged { actual, .. } | Self::Mismatch { actual, .. } => {
                Some(actual.to_string())
            }
            Self::Unsound { reason, .. }
            | Self::Full { reason }
            | Self::Unavailable { reason }
            | Self::Unusable { reason } => Some(reason.clone()),
            Self::File(error) => Some(error.to_string()),
            Self::Absent { .. } => None,
        }
    }

    fn next(&self) -> String {
        match self {
            Self::Full { .. } => "facet-registry gc".to_owned(),
            Self::Absent { .. } | Self::Damaged { .. } | Self::Unsound { .. } => {
                "facet-registry check".to_owned()
            }
            other => format!("facet-registry explain {}", other.code()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained() {
        let pages = facets_failure::explanations(crate::EXPLANATIONS);
        let explained: Vec<&str> = pages.map(|page| page.code).collect();
        assert_eq!(explained, BlobError::CODES);
    }

    #[test]
    fn a_full_disk_is_told_apart_from_an_absent_service() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let error = object_store::Error::Generic { store: "files", source: Box::new(full) };
        assert_eq!(BlobError::of_service(&error).code(), "blobs-full");
        let gone = io::Error::from(io::ErrorKind::ConnectionRefused);
        let error = object_store::Error::Generic { store: "S3", source: Box::new(gone) };
        assert_eq!(BlobError::of_service(&error).code(), "blobs-unavailable");
    }
}
