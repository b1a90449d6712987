//! Why the catalog cannot answer.

use std::error::Error;
use std::path::{Path, PathBuf};

use facets_failure::Describe;

/// What the driver of a database said.
pub(crate) type Cause = Box<dyn Error + Send + Sync>;

/// Why the catalog cannot answer.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// A text is not the address of a catalog.
    #[error("the address of the catalog is invalid")]
    BadUrl {
        /// The reason, without the address: it may have a password in it.
        reason: String,
    },
    /// The database does not answer, is locked, or has no connection left.
    #[error("the catalog is not available")]
    Unavailable {
        /// What the driver said.
        source: Cause,
    },
    /// No space is left on the disk of the database.
    #[error("no space is left for the catalog")]
    Full {
        /// What the driver said.
        source: Cause,
    },
    /// The tables were made by a newer version.
    #[error("the catalog was written by a newer version")]
    NewerSchema {
        /// The number of the last migration that the database has.
        found: i64,
        /// The number of the last migration that this version has.
        known: i64,
    },
    /// A stored value cannot be read, or the file is not a database.
    #[error("the catalog is damaged: {what}")]
    Damaged {
        /// What cannot be read.
        what: String,
        /// The reason.
        source: Cause,
    },
    /// A cursor is not one that a list returned.
    #[error("the cursor is invalid")]
    BadCursor,
    /// A value has no place in the database.
    #[error("this {what} cannot be stored")]
    Unstorable {
        /// What it is.
        what: &'static str,
        /// The reason.
        reason: &'static str,
    },
    /// The database has its own tool for backups.
    #[error("a catalog in PostgreSQL is not backed up by the registry")]
    BackupUnsupported,
    /// The file of the backup could not be written.
    #[error("cannot write the backup {}", path.display())]
    BackupFailed {
        /// The file.
        path: PathBuf,
        /// What the driver or the system said.
        source: Cause,
    },
    /// The database refused a statement.
    #[error("the catalog failed")]
    Failed {
        /// What the driver said.
        source: Cause,
    },
}

impl CatalogError {
    /// Every code.
    pub const CODES: &'static [&'static str] = &[
        "catalog-backup-failed",
        "catalog-backup-unsupported",
        "catalog-bad-cursor",
        "catalog-bad-url",
        "catalog-damaged",
        "catalog-failed",
        "catalog-full",
        "catalog-newer-schema",
        "catalog-unavailable",
        "catalog-unstorable",
    ];

    pub(crate) fn damaged(what: impl Into<String>, source: impl Into<Cause>) -> Self {
        Self::Damaged { what: what.into(), source: source.into() }
    }
}

impl Describe for CatalogError {
    fn code(&self) -> &'static str {
        match self {
            Self::BadUrl { .. } => "catalog-bad-url",
            Self::Unavailable { .. } => "catalog-unavailable",
            Self::Full { .. } => "catalog-full",
            Self::NewerSchema { .. } => "catalog-newer-schema",
            Self::Damaged { .. } => "catalog-damaged",
            Self::BadCursor => "catalog-bad-cursor",
            Self::Unstorable { .. } => "catalog-unstorable",
            Self::BackupUnsupported => "catalog-backup-unsupported",
            Self::BackupFailed { .. } => "catalog-backup-failed",
            Self::Failed { .. } => "catalog-failed",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::BadUrl { .. } => "`postgres://USER@HOST/DATABASE`, or a path".to_owned(),
            Self::Unavailable { .. } => "a database that answers".to_owned(),
            Self::Full { .. } => "free space on the disk of the database".to_owned(),
            Self::NewerSchema { known, .. } => format!("tables up to migration {known}"),
            Self::Damaged { .. } => "values as they were stored".to_owned(),
            Self::BadCursor => "the cursor of the previous page".to_owned(),
            Self::Unstorable { what, .. } => format!("a {what} that both databases can store"),
            Self::BackupUnsupported => "a backup by `pg_dump`".to_owned(),
            Self::BackupFailed { .. } => "a new file in a directory with free space".to_owned(),
            Self::Failed { .. } => "a database that this version supports".to_owned(),
        })
    }

    fn actual(&self) -> Option<String> {
        Some(match self {
            Self::BadUrl { reason } => reason.clone(),
            Self::Unavailable { source }
            | Self::Full { source }
            | Self::Damaged { source, .. }
            | Self::BackupFailed { source, .. }
            | Self::Failed { source } => source.to_string(),
            Self::NewerSchema { found, .. } => format!("migration {found}"),
            Self::BadCursor => "another text".to_owned(),
            Self::Unstorable { reason, .. } => (*reason).to_owned(),
            Self::BackupUnsupported => "a backup by the registry".to_owned(),
        })
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::BackupFailed { path, .. } => Some(path),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every variant, once, by its code.
    fn all() -> Vec<CatalogError> {
        let cause = || Cause::from("the driver said so");
        vec![
            CatalogError::BackupFailed { path: PathBuf::from("/b"), source: cause() },
            CatalogError::BackupUnsupported,
            CatalogError::BadCursor,
            CatalogError::BadUrl { reason: "it is empty".to_owned() },
            CatalogError::damaged("a version", "it is empty"),
            CatalogError::Failed { source: cause() },
            CatalogError::Full { source: cause() },
            CatalogError::NewerSchema { found: 9, known: 1 },
            CatalogError::Unavailable { source: cause() },
            CatalogError::Unstorable { what: "text", reason: "it has a NUL character" },
        ]
    }

    #[test]
    fn every_error_has_a_code_of_its_own_that_is_explained() {
        let codes: Vec<&str> = all().iter().map(Describe::code).collect();
        assert_eq!(codes, CatalogError::CODES);
        let mut explained: Vec<&str> =
            facets_failure::explanations(crate::EXPLANATIONS).map(|one| one.code).collect();
        explained.sort_unstable();
        assert_eq!(explained, CatalogError::CODES);
    }

    #[test]
    fn every_error_says_what_was_expected_and_what_was_found() {
        for error in all() {
            let failure = error.describe();
            assert!(failure.expected.is_some_and(|text| !text.is_empty()), "{error:?}");
            assert!(failure.actual.is_some_and(|text| !text.is_empty()), "{error:?}");
            assert!(failure.next.starts_with("facet "), "{error:?}");
        }
    }
}
