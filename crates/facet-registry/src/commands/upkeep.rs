//! Check, collection, migration, and the record of what was done.

use std::path::Path;

use facets_catalog::Migrate;
use facets_registry::{
    AuditEntry, BackupReport, CheckReport, Cursor, GcOptions, GcReport, NoUpkeepProgress, Registry,
};

use crate::config::{StorageSettings, parse_duration};
use crate::error::ProgramError;
use crate::opened::{make_private, open_catalog};

/// Entries of one page.
const PAGE: usize = 500;

pub(super) async fn check(registry: &Registry) -> Result<CheckReport, ProgramError> {
    Ok(registry.check(&NoUpkeepProgress).await?)
}

pub(super) fn gc_options(older_than: &str, dry_run: bool) -> Result<GcOptions, ProgramError> {
    let older_than = parse_duration(older_than).ok_or_else(|| ProgramError::InvalidSetting {
        name: "--older-than".to_owned(),
        expected: "a duration such as 30m, 1h or 2d".to_owned(),
        actual: older_than.to_owned(),
        file: None,
        command: "gc",
    })?;
    Ok(GcOptions { older_than, dry_run })
}

pub(super) async fn collect(
    registry: &Registry,
    options: &GcOptions,
) -> Result<GcReport, ProgramError> {
    Ok(registry.gc(options, &NoUpkeepProgress).await?)
}

pub(super) async fn back_up(
    registry: &Registry,
    target: &Path,
) -> Result<BackupReport, ProgramError> {
    Ok(registry.backup(target).await?)
}

/// Names of the migrations that were run.
pub(super) async fn migrate(storage: &StorageSettings) -> Result<Vec<String>, ProgramError> {
    make_private(&storage.data)?;
    match open_catalog(storage, Migrate::No).await {
        Ok(_) => Ok(Vec::new()),
        Err(ProgramError::SchemaBehind { pending }) => {
            open_catalog(storage, Migrate::Yes).await?;
            Ok(pending)
        }
        Err(other) => Err(other),
    }
}

/// The latest entries.
pub(super) async fn audit(
    registry: &Registry,
    limit: u32,
) -> Result<Vec<AuditEntry>, ProgramError> {
    let limit = limit as usize;
    let mut entries = Vec::new();
    let mut cursor: Option<Cursor> = None;
    while entries.len() < limit {
        let left = u32::try_from((limit - entries.len()).min(PAGE)).unwrap_or(1);
        let page = registry.audit(cursor.as_ref(), left).await?;
        entries.extend(page.items);
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    Ok(entries)
}
