//! What is wrong with a facet.

use facets_digest::Digest;
use facets_failure::Describe;

/// A facet is not what its own manifests state, or cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FacetError {
    /// The outer archive is not one of a facet.
    #[error("not a .facet archive: {problem}")]
    Container {
        /// What is wrong.
        problem: String,
    },
    /// `build-manifest.json` cannot be used.
    #[error("build-manifest.json: {problem}")]
    BuildManifest {
        /// What is wrong.
        problem: String,
    },
    /// Another version of the format.
    #[error("build-manifest.json has facetVersion {found}")]
    FormatVersion {
        /// The version.
        found: String,
    },
    /// A facet of format 0.1 that declares servers, which that format does not have.
    #[error("a facet of format 0.1 cannot declare servers")]
    LegacyServers,
    /// A facet that is made of other facets.
    #[error("the facet is composed of other facets, which is not supported")]
    Composition,
    /// A file that the manifest does not name.
    #[error("{path:?} is in the archive, but not declared in {declared_in}")]
    Undeclared {
        /// The file.
        path: String,
        /// The manifest.
        declared_in: &'static str,
    },
    /// A file that is named and not there.
    #[error("{path:?} is declared in {declared_in}, but not in the archive")]
    Missing {
        /// The file.
        path: String,
        /// The manifest.
        declared_in: &'static str,
    },
    /// A file is not the one that the build manifest states.
    #[error("{path:?} does not have the hash that build-manifest.json states")]
    FileHash {
        /// The file.
        path: String,
        /// What is stated.
        expected: Digest,
        /// What was found.
        actual: Digest,
    },
    /// A text for an assistant is none.
    #[error("{path:?} cannot be used as a text: {problem}")]
    Text {
        /// The file.
        path: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// The reference could not read the last file.
    #[error("{path:?} is empty and would end the archive on a multiple of 10240 bytes")]
    EmptyLast {
        /// The file.
        path: String,
    },
}

impl Describe for FacetError {
    fn code(&self) -> &'static str {
        match self {
            Self::Container { .. } => "archive-facet-container",
            Self::BuildManifest { .. } => "archive-build-manifest",
            Self::FormatVersion { .. } => "archive-facet-version",
            Self::LegacyServers => "archive-legacy-servers",
            Self::Composition => "archive-composition",
            Self::Undeclared { .. } => "archive-undeclared-file",
            Self::Missing { .. } => "archive-missing-file",
            Self::FileHash { .. } => "archive-file-hash-mismatch",
            Self::Text { .. } => "archive-text",
            Self::EmptyLast { .. } => "archive-empty-last-entry",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::Container { .. } => {
                "a tar archive with build-manifest.json and archive.tar.gz".to_owned()
            }
            Self::BuildManifest { .. } => {
                "facetVersion, archive, integrity and files, as facet writes them".to_owned()
            }
            Self::FormatVersion { .. } => "0.2 or 0.1".to_owned(),
            Self::LegacyServers => "format 0.2".to_owned(),
            Self::Composition => "a facet with its own assets".to_owned(),
            Self::Undeclared { .. } | Self::Missing { .. } => {
                "exactly the files that are declared".to_owned()
            }
            Self::FileHash { expected, .. } => expected.to_string(),
            Self::Text { .. } => "UTF-8 text that is not blank, of at most 16 MiB".to_owned(),
            Self::EmptyLast { .. } => "an archive that every reader reads to its end".to_owned(),
        })
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::FileHash { actual, .. } => Some(actual.to_string()),
            Self::FormatVersion { found } => Some(found.clone()),
            _ => None,
        }
    }
}
