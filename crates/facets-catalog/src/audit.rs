//! Who did what.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use crate::catalog::Catalog;
use crate::database::{Cells, Param, Transaction, Trouble, shown};
use crate::error::CatalogError;
use crate::moment::Moment;
use crate::owner::{AuditWho, Owner};
use crate::page::{Cursor, Page, cut, rows_for};

/// Something that was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its own name.
    pub id: String,
    /// When.
    pub at: Moment,
    /// By whom.
    pub owner: Owner,
    /// With which token; without one by the operator.
    pub token_id: Option<String>,
    /// What: `publish`, `yank`, `unyank`, `owner`, `token-create`, `token-revoke`.
    pub action: String,
    /// To what: a version, a name or a token.
    pub subject: String,
    /// A reason, a digest or an owner.
    pub detail: Option<String>,
}

/// An entry that is to be written.
pub(crate) struct AuditNote<'a> {
    id: String,
    who: &'a AuditWho,
    action: &'static str,
    subject: String,
    detail: Option<String>,
}

impl<'a> AuditNote<'a> {
    pub(crate) fn new(
        who: &'a AuditWho,
        action: &'static str,
        subject: String,
        detail: Option<String>,
    ) -> Self {
        Self { id: random_id(), who, action, subject, detail }
    }
}

/// Two entries of the same millisecond need different names; nothing else depends on this.
fn random_id() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random())
}

pub(crate) async fn write_audit(
    transaction: &mut Transaction<'_>,
    note: &AuditNote<'_>,
    now: Moment,
) -> Result<(), Trouble> {
    const INSERT: &str = "INSERT INTO audit \
         (happened_at, id, owner, token_id, action, subject, detail) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let params = [
        now.into(),
        (&note.id).into(),
        (&note.who.owner).into(),
        Param::from(note.who.token_id.as_deref()),
        note.action.into(),
        (&note.subject).into(),
        shown(note.detail.as_deref()),
    ];
    transaction.execute(INSERT, &params).await.map(drop)
}

const LIST: &str = "SELECT id, happened_at, owner, token_id, action, subject, detail FROM audit \
     WHERE (happened_at, id) < ($1, $2) \
     ORDER BY happened_at DESC, id DESC LIMIT $3";

impl Catalog {
    /// Everything that was done, the last first, as the clocks of the replicas had it.
    pub async fn audit(
        &self,
        after: Option<&Cursor>,
        limit: u32,
    ) -> Result<Page<AuditEntry>, CatalogError> {
        let (at, id) = after.map_or(Ok((i64::MAX, "")), parse_key)?;
        let params = [at.into(), id.into(), rows_for(limit).into()];
        let rows = self.database.fetch(LIST, &params).await?;
        let items: Result<Vec<_>, _> =
            rows.iter().map(|row| read_entry(&mut row.cells())).collect();
        Ok(cut(items?, limit, |item| format!("{} {}", item.at.0, item.id)))
    }
}

fn parse_key(cursor: &Cursor) -> Result<(i64, &str), CatalogError> {
    let (at, id) = cursor.key().split_once(' ').ok_or(CatalogError::BadCursor)?;
    Ok((at.parse().map_err(|_| CatalogError::BadCursor)?, id))
}

fn read_entry(cells: &mut Cells<'_>) -> Result<AuditEntry, CatalogError> {
    Ok(AuditEntry {
        id: cells.owned_text()?,
        at: cells.moment()?,
        owner: cells.parsed()?,
        token_id: cells.optional_owned_text()?,
        action: cells.owned_text()?,
        subject: cells.owned_text()?,
        detail: cells.optional_owned_text()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_ids_are_the_same() {
        let ids: std::collections::BTreeSet<String> = (0..1000).map(|_| random_id()).collect();
        assert_eq!(ids.len(), 1000);
        assert!(ids.iter().all(|id| id.len() == 32));
    }
}
