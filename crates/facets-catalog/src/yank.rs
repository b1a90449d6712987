//! Versions that are taken back, and given again.

use facets_model::{ArtifactName, Version};

use crate::audit::{AuditNote, write_audit};
use crate::catalog::Catalog;
use crate::database::{Ending, Operation, Param, Transaction, Trouble, shown};
use crate::error::CatalogError;
use crate::kind::ArtifactKind;
use crate::moment::Moment;
use crate::names::{lock_name, refresh_name};
use crate::ordering::ordering;
use crate::owner::AuditWho;
use crate::tokens::{TokenEnd, find_token_end};

/// What became of a yank, or of its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YankOutcome {
    /// It is as it was asked for.
    Done,
    /// It was so before.
    Already,
    /// There is no such version.
    NotFound,
    /// The name belongs to another owner.
    NotOwner,
    /// The token was revoked or expired after the request was accepted.
    TokenEnded(TokenEnd),
}

impl Catalog {
    /// Takes a version back: only readers who ask for it exactly still find it. Another reason replaces the first
    /// one; the time stays.
    pub async fn yank(
        &self,
        kind: ArtifactKind,
        name: &ArtifactName,
        version: &Version,
        reason: &str,
        who: &AuditWho,
        now: Moment,
    ) -> Result<YankOutcome, CatalogError> {
        let subject = format!("{kind} {name}@{version}");
        let note = AuditNote::new(who, "yank", subject, Some(reason.to_owned()));
        let ordering = ordering(version);
        let change = YankChange::Yank { reason };
        self.database.write(&Yanking { kind, name, ordering, change, who, note, now }).await
    }

    /// Gives a version again that was taken back.
    pub async fn unyank(
        &self,
        kind: ArtifactKind,
        name: &ArtifactName,
        version: &Version,
        who: &AuditWho,
        now: Moment,
    ) -> Result<YankOutcome, CatalogError> {
        let subject = format!("{kind} {name}@{version}");
        let note = AuditNote::new(who, "unyank", subject, None);
        let ordering = ordering(version);
        let change = YankChange::Unyank;
        self.database.write(&Yanking { kind, name, ordering, change, who, note, now }).await
    }
}

/// A version as it is stored.
enum VersionState {
    Offered,
    Yanked { reason: Option<String> },
}

enum YankChange<'a> {
    Yank { reason: &'a str },
    Unyank,
}

struct Yanking<'a> {
    kind: ArtifactKind,
    name: &'a ArtifactName,
    ordering: String,
    change: YankChange<'a>,
    who: &'a AuditWho,
    note: AuditNote<'a>,
    now: Moment,
}

impl Operation for Yanking<'_> {
    type Output = YankOutcome;

    async fn run(&self, transaction: &mut Transaction<'_>) -> Result<Ending<YankOutcome>, Trouble> {
        let Some(owner) = lock_name(transaction, self.kind, self.name).await? else {
            return Ok(Ending::Discard(YankOutcome::NotFound));
        };
        if let Some(end) = find_token_end(transaction, self.who, self.now).await? {
            return Ok(Ending::Discard(YankOutcome::TokenEnded(end)));
        }
        let Some(state) = self.state(transaction).await? else {
            return Ok(Ending::Discard(YankOutcome::NotFound));
        };
        if !self.who.may_act_for(&owner) {
            return Ok(Ending::Discard(YankOutcome::NotOwner));
        }
        if self.is_done(&state) {
            return Ok(Ending::Discard(YankOutcome::Already));
        }
        self.change(transaction).await?;
        refresh_name(transaction, self.kind, self.name).await?;
        write_audit(transaction, &self.note, self.now).await?;
        Ok(Ending::Commit(YankOutcome::Done))
    }
}

impl Yanking<'_> {
    /// Nothing if there is no such version.
    async fn state(
        &self,
        transaction: &mut Transaction<'_>,
    ) -> Result<Option<VersionState>, Trouble> {
        const FIND: &str = "SELECT yanked_at, yank_reason FROM versions \
             WHERE kind = $1 AND name = $2 AND ordering = $3";
        let params = [self.kind.into(), self.name.into(), (&self.ordering).into()];
        let row = transaction.fetch_first(FIND, &params).await?;
        let Some(row) = row else { return Ok(None) };
        let mut cells = row.cells();
        let is_yanked = cells.optional_integer()?.is_some();
        let reason = cells.optional_owned_text()?;
        Ok(Some(if is_yanked { VersionState::Yanked { reason } } else { VersionState::Offered }))
    }

    fn is_done(&self, state: &VersionState) -> bool {
        match (&self.change, state) {
            (YankChange::Unyank, VersionState::Offered) => true,
            (YankChange::Yank { reason }, VersionState::Yanked { reason: stored }) => {
                stored.as_deref() == Some(*reason)
            }
            (YankChange::Unyank, VersionState::Yanked { .. })
            | (YankChange::Yank { .. }, VersionState::Offered) => false,
        }
    }

    async fn change(&self, transaction: &mut Transaction<'_>) -> Result<(), Trouble> {
        const YANK: &str = "UPDATE versions SET yank_reason = $4, \
             yanked_at = COALESCE(yanked_at, $5), yanked_by = $6 \
             WHERE kind = $1 AND name = $2 AND ordering = $3";
        const UNYANK: &str = "UPDATE versions SET yank_reason = NULL, yanked_at = NULL, \
             yanked_by = NULL WHERE kind = $1 AND name = $2 AND ordering = $3";
        let mut params: Vec<Param<'_>> =
            vec![self.kind.into(), self.name.into(), (&self.ordering).into()];
        let sql = match self.change {
            YankChange::Yank { reason } => {
                params.extend([shown(Some(reason)), self.now.into(), (&self.who.owner).into()]);
                YANK
            }
            YankChange::Unyank => UNYANK,
        };
        transaction.execute(sql, &params).await.map(drop)
    }
}
