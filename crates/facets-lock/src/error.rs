//! Why a lock cannot be used.

use facets_digest::json::JsonError;

use facets_failure::{Describe, LineColumn};
use facets_jsonc::EditError;

/// Why a lock cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// It is not JSON.
    #[error("{0}")]
    Json(#[from] JsonError),
    /// It is not an object with a version.
    #[error("`lockfileVersion` is missing")]
    NotALock,
    /// A version that this facet does not know.
    #[error("{member} is {found}")]
    Version {
        /// Which.
        member: &'static str,
        /// What it is.
        found: String,
        /// What this facet reads.
        known: &'static str,
    },
    /// A member has a value that it cannot have.
    #[error("{place} is not {expected}")]
    Member {
        /// Which.
        place: String,
        /// What it should be.
        expected: &'static str,
    },
    /// An entry of ours in a lock without the version of our entries.
    #[error("`serversVersion` is missing in facets.lock")]
    NoServersVersion,
    /// An entry whose name no server can have.
    #[error("its name is not a valid server name")]
    BadServerName,
    /// An entry whose name no facet can have.
    #[error("its name is not a valid facet name")]
    BadFacetName,
    /// A declaration that no manifest can hold, so that no lock can repeat it.
    #[error("the declaration of `{server}` cannot be written")]
    Declaration {
        /// The name of the server.
        server: String,
    },
    /// It cannot be changed.
    #[error("{0}")]
    Edit(#[from] EditError),
}

impl LockError {
    /// Every code, without those of JSON.
    pub const CODES: &'static [&'static str] =
        &["lock-not-a-lock", "lock-unknown-version", "lock-bad-member", "lock-cannot-be-edited"];
}

impl Describe for LockError {
    fn code(&self) -> &'static str {
        match self {
            Self::Json(error) => error.kind.code(),
            Self::NotALock => "lock-not-a-lock",
            Self::Version { .. } => "lock-unknown-version",
            Self::Member { .. }
            | Self::NoServersVersion
            | Self::BadServerName
            | Self::BadFacetName
            | Self::Declaration { .. } => "lock-bad-member",
            Self::Edit(_) => "lock-cannot-be-edited",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::Json(error) => error.kind.expected().to_owned(),
            Self::Version { known, .. } => format!("version {known}"),
            _ => "a lock as facet writes it".to_owned(),
        })
    }

    fn actual(&self) -> Option<String> {
        Some(match self {
            Self::Json(error) => error.kind.found(),
            Self::Version { .. } => format!("{self}, which this facet does not support"),
            other => other.to_string(),
        })
    }

    fn place(&self) -> Option<LineColumn> {
        match self {
            Self::Json(JsonError { position, .. }) => {
                Some(LineColumn { line: position.line, column: position.column })
            }
            Self::Edit(error) => error.place(),
            _ => None,
        }
    }
}
