//! What checks and backups need.

use std::path::Path;

use facets_digest::Digest;

use crate::catalog::Catalog;
use crate::database::Cells;
use crate::error::CatalogError;
use crate::page::{Cursor, Page, cut, key_of, rows_for};

/// A blob that a version needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobUse {
    /// The blob.
    pub digest: Digest,
    /// Its size, as it was published.
    pub size: u64,
    /// One of its uses, such as `facet @acme/demo@1.0.0 archive`.
    pub what: String,
}

const USES: &str = "SELECT digest, MIN(size), MIN(what) FROM blob_uses WHERE digest > $1 \
     GROUP BY digest ORDER BY digest LIMIT $2";

impl Catalog {
    /// Every blob that a version needs, each once, by its digest.
    pub async fn blobs_in_use(
        &self,
        after: Option<&Cursor>,
        limit: u32,
    ) -> Result<Page<BlobUse>, CatalogError> {
        let params = [key_of(after, "").into(), rows_for(limit).into()];
        let rows = self.database.fetch(USES, &params).await?;
        let items: Result<Vec<_>, _> = rows.iter().map(|row| read_use(&mut row.cells())).collect();
        Ok(cut(items?, limit, |item| item.digest.to_string()))
    }

    /// Copies the catalog to a new file, as of one moment. Only for SQLite.
    pub async fn backup(&self, to: &Path) -> Result<(), CatalogError> {
        self.database.copy_to(to).await
    }
}

fn read_use(cells: &mut Cells<'_>) -> Result<BlobUse, CatalogError> {
    Ok(BlobUse { digest: cells.parsed()?, size: cells.unsigned()?, what: cells.owned_text()? })
}
