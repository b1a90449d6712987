//! Versions of one name.

use facets_model::{ArtifactName, Floor};

use crate::catalog::Catalog;
use crate::database::{Cells, Row};
use crate::error::CatalogError;
use crate::kind::ArtifactKind;
use crate::ordering::{self, ABOVE_ALL, BELOW_ALL};
use crate::page::{Cursor, Page, cut, key_of, rows_for};
use crate::record::{VersionRecord, VersionSummary};
use crate::version_row::{read_version, read_yank, version_columns};
use crate::wanted::Wanted;

/// One version, also if it is yanked.
pub(crate) const EXACT: &str = concat!(
    "SELECT ",
    version_columns!(),
    " FROM versions WHERE kind = $1 AND name = $2 AND ordering = $3"
);

/// The highest release between two bounds.
pub(crate) const HIGHEST: &str = concat!(
    "SELECT ",
    version_columns!(),
    " FROM versions WHERE kind = $1 AND name = $2 AND is_prerelease = 0 AND yanked_at IS NULL \
     AND ordering >= $3 AND ordering < $4 ORDER BY ordering DESC LIMIT 1"
);

/// The highest release at or above $3, else the highest prerelease between $3 and $4. Any release that
/// qualifies is above any prerelease that does.
pub(crate) const HIGHEST_ABOVE_PRERELEASE: &str = concat!(
    "SELECT ",
    version_columns!(),
    " FROM versions WHERE kind = $1 AND name = $2 AND ordering = COALESCE(\
     (SELECT ordering FROM versions WHERE kind = $1 AND name = $2 AND is_prerelease = 0 \
     AND yanked_at IS NULL AND ordering >= $3 ORDER BY ordering DESC LIMIT 1), \
     (SELECT ordering FROM versions WHERE kind = $1 AND name = $2 AND is_prerelease = 1 \
     AND yanked_at IS NULL AND ordering >= $3 AND ordering < $4 ORDER BY ordering DESC LIMIT 1))"
);

/// All versions, the highest first.
pub(crate) const LIST: &str = "SELECT version, content_hash, integrity, published_at, yanked_at, \
     yanked_by, yank_reason FROM versions WHERE kind = $1 AND name = $2 AND ordering < $3 \
     ORDER BY ordering DESC LIMIT $4";

impl Catalog {
    /// The version that a reader asks for. Only an exact one may be yanked.
    pub async fn find(
        &self,
        kind: ArtifactKind,
        name: &ArtifactName,
        wanted: &Wanted,
    ) -> Result<Option<VersionRecord>, CatalogError> {
        let row = match wanted {
            Wanted::Exact(version) => {
                let ordering = ordering::ordering(version);
                let params = [kind.into(), name.into(), (&ordering).into()];
                self.database.fetch_first(EXACT, &params).await?
            }
            Wanted::Latest => self.highest(kind, name, (BELOW_ALL, ABOVE_ALL)).await?,
            Wanted::Range(range) => {
                let below = range.prefix();
                let above = format!("{below}{ABOVE_ALL}");
                self.highest(kind, name, (&below, &above)).await?
            }
            Wanted::AtLeast(floor) => self.highest_above(kind, name, floor).await?,
        };
        row.map(|row| read_version(kind, name, &mut row.cells())).transpose()
    }

    async fn highest(
        &self,
        kind: ArtifactKind,
        name: &ArtifactName,
        (from, to): (&str, &str),
    ) -> Result<Option<Row>, CatalogError> {
        let params = [kind.into(), name.into(), from.into(), to.into()];
        self.database.fetch_first(HIGHEST, &params).await
    }

    /// spec 2.2: a prerelease only when the floor is a prerelease of the same core version
    async fn highest_above(
        &self,
        kind: ArtifactKind,
        name: &ArtifactName,
        floor: &Floor,
    ) -> Result<Option<Row>, CatalogError> {
        let floor = floor.to_string();
        let from = ordering::ordering_of(&floor);
        if !floor.contains('-') {
            return self.highest(kind, name, (&from, ABOVE_ALL)).await;
        }
        let to = ordering::release_ordering(&floor);
        let params = [kind.into(), name.into(), (&from).into(), (&to).into()];
        self.database.fetch_first(HIGHEST_ABOVE_PRERELEASE, &params).await
    }

    /// All versions of a name, the highest first, yanked ones included.
    pub async fn versions(
        &self,
        kind: ArtifactKind,
        name: &ArtifactName,
        after: Option<&Cursor>,
        limit: u32,
    ) -> Result<Page<VersionSummary>, CatalogError> {
        let before = key_of(after, ABOVE_ALL);
        let params = [kind.into(), name.into(), before.into(), rows_for(limit).into()];
        let rows = self.database.fetch(LIST, &params).await?;
        let items: Result<Vec<_>, _> =
            rows.iter().map(|row| read_summary(&mut row.cells())).collect();
        Ok(cut(items?, limit, |item| ordering::ordering(&item.version)))
    }
}

fn read_summary(cells: &mut Cells<'_>) -> Result<VersionSummary, CatalogError> {
    Ok(VersionSummary {
        version: cells.parsed()?,
        content_hash: cells.parsed()?,
        integrity: cells.parsed()?,
        published_at: cells.moment()?,
        yanked: read_yank(cells)?,
    })
}
