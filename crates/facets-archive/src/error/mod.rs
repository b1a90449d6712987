//! Why an archive is refused, or could not be read or written.

mod content;
mod facet;
mod gzip;
mod limit;
mod path;
mod tar;
mod tree;
mod unpack;
mod wheel;

use std::io;
use std::path::Path;

use facets_failure::{Describe, DiskProblem, FileProblem};

pub use content::ContentError;
pub use facet::FacetError;
pub use gzip::GzipError;
pub use limit::{LimitError, LimitKind};
pub use path::EntryPathError;
pub use tar::TarError;
pub use tree::{TreeError, TreeProblem, TreeProblemKind};
pub use unpack::UnpackError;
pub use wheel::WheelError;

/// Why an archive is refused, or could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The bytes of the archive could not be read.
    #[error("cannot read the archive")]
    Unreadable {
        /// What the system said.
        source: io::Error,
    },
    /// The bytes of the archive could not be written.
    #[error("cannot write the archive")]
    Unwritable {
        /// What the system said.
        source: io::Error,
    },
    /// The compression is damaged.
    #[error(transparent)]
    Gzip(#[from] GzipError),
    /// An entry is not one that is accepted.
    #[error(transparent)]
    Tar(#[from] TarError),
    /// A wheel is not a zip file that is accepted.
    #[error(transparent)]
    Wheel(#[from] WheelError),
    /// The path of an entry is not one that is accepted.
    #[error(transparent)]
    Path(#[from] EntryPathError),
    /// There is more than is taken.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A facet is not what its own manifests state.
    #[error(transparent)]
    Facet(#[from] FacetError),
    /// The content is not what was expected.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// A tree cannot be packed.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// An archive could not be unpacked.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
}

impl ArchiveError {
    /// Every code.
    pub const CODES: &'static [&'static str] = &[
        "archive-build-manifest",
        "archive-changed",
        "archive-collision",
        "archive-composition",
        "archive-content-hash-mismatch",
        "archive-duplicate",
        "archive-empty-last-entry",
        "archive-end",
        "archive-entry-type",
        "archive-facet-container",
        "archive-facet-version",
        "archive-file-as-directory",
        "archive-file-changed",
        "archive-file-hash-mismatch",
        "archive-file-too-large",
        "archive-gzip-checksum",
        "archive-gzip-data",
        "archive-gzip-header",
        "archive-gzip-trailing",
        "archive-header-checksum",
        "archive-header-format",
        "archive-header-not-canonical",
        "archive-header-number",
        "archive-identity-mismatch",
        "archive-ignore-file",
        "archive-integrity-mismatch",
        "archive-legacy-servers",
        "archive-manifest",
        "archive-missing-file",
        "archive-mode",
        "archive-native-addon",
        "archive-no-entry",
        "archive-no-manifest",
        "archive-order",
        "archive-padding",
        "archive-path-absolute",
        "archive-path-backslash",
        "archive-path-character",
        "archive-path-control",
        "archive-path-device",
        "archive-path-empty",
        "archive-path-not-utf8",
        "archive-path-segment",
        "archive-path-too-long",
        "archive-path-top-level",
        "archive-path-trailing",
        "archive-pax",
        "archive-pax-conflict",
        "archive-pax-record",
        "archive-ratio",
        "archive-secret",
        "archive-sparse",
        "archive-special-file",
        "archive-symlink",
        "archive-target-occupied",
        "archive-text",
        "archive-too-large",
        "archive-too-many-entries",
        "archive-trailing-bytes",
        "archive-tree-unreadable",
        "archive-truncated",
        "archive-undeclared-file",
        "archive-unpack-failed",
        "archive-unreadable",
        "archive-unwritable",
        "archive-zip-checksum",
        "archive-zip-data",
        "archive-zip-directory",
        "archive-zip-encrypted",
        "archive-zip-end",
        "archive-zip-extra",
        "archive-zip-flags",
        "archive-zip-gap",
        "archive-zip-method",
        "archive-zip-mismatch",
        "archive-zip-overlap",
        "archive-zip-size",
        "archive-zip64",
    ];

    /// The error that knows what happened, where it is not this one.
    fn detail(&self) -> Option<&dyn Describe> {
        match self {
            Self::Unreadable { .. } | Self::Unwritable { .. } => None,
            Self::Gzip(error) => Some(error),
            Self::Tar(error) => Some(error),
            Self::Wheel(error) => Some(error),
            Self::Path(error) => Some(error),
            Self::Limit(error) => Some(error),
            Self::Facet(error) => Some(error),
            Self::Content(error) => Some(error),
            Self::Tree(error) => Some(error),
            Self::Unpack(error) => Some(error),
        }
    }

    /// Whether the disk is the reason why the archive itself could not be written.
    fn disk_problem(&self) -> Option<DiskProblem> {
        match self {
            Self::Unwritable { source } => DiskProblem::of(source),
            _ => None,
        }
    }
}

impl Describe for ArchiveError {
    fn code(&self) -> &'static str {
        match (self, self.detail()) {
            (_, Some(detail)) => detail.code(),
            (Self::Unwritable { .. }, None) => {
                self.disk_problem().map_or("archive-unwritable", DiskProblem::code)
            }
            (_, None) => "archive-unreadable",
        }
    }

    fn expected(&self) -> Option<String> {
        match self.detail() {
            Some(detail) => detail.expected(),
            None => self.disk_problem().map(DiskProblem::expected),
        }
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::Unreadable { source } | Self::Unwritable { source } => Some(source.to_string()),
            _ => self.detail().and_then(Describe::actual),
        }
    }

    fn file(&self) -> Option<&Path> {
        self.detail().and_then(Describe::file)
    }

    fn next(&self) -> String {
        match (self.detail(), self.disk_problem()) {
            (Some(detail), _) => detail.next(),
            (None, Some(problem)) => problem.next(),
            (None, None) => format!("facet explain {}", self.code()),
        }
    }

    fn problems(&self) -> Vec<FileProblem> {
        self.detail().map(Describe::problems).unwrap_or_default()
    }
}

/// The archive itself could not be read.
pub(crate) fn unreadable(source: io::Error) -> ArchiveError {
    ArchiveError::Unreadable { source }
}

/// The archive itself could not be written.
pub(crate) fn unwritable(source: io::Error) -> ArchiveError {
    ArchiveError::Unwritable { source }
}

#[cfg(test)]
mod tests {
    use facets_failure::explanations;

    use super::*;

    #[test]
    fn a_full_disk_has_the_code_that_it_has_everywhere() {
        // ENOSPC of Linux
        let full = || io::Error::from_raw_os_error(28);
        let unpacked = UnpackError::Unwritable { path: "a".to_owned(), source: full() };
        for error in [ArchiveError::from(unpacked), unwritable(full())] {
            let failure = error.describe();
            assert_eq!(failure.code, "disk-full");
            assert_eq!(failure.expected.as_deref(), Some("enough free space on the disk"));
            assert!(failure.next.starts_with("free some space"), "{failure:?}");
        }
        let refused = unwritable(io::ErrorKind::PermissionDenied.into());
        assert_eq!(refused.code(), "archive-unwritable");
        assert_eq!(refused.next(), "facet explain archive-unwritable");
    }

    #[test]
    fn every_code_is_explained_and_every_explanation_has_a_code() {
        let explained: Vec<&str> = explanations(crate::EXPLANATIONS).map(|one| one.code).collect();
        assert_eq!(explained, ArchiveError::CODES);
        for one in explanations(crate::EXPLANATIONS) {
            assert!(one.text.len() > 60, "{} says too little", one.code);
        }
    }
}
