//! Names, their owners, and the version that lists show.

use std::collections::BTreeSet;

use facets_model::ArtifactName;

use crate::audit::{AuditNote, write_audit};
use crate::catalog::Catalog;
use crate::database::{Cells, Ending, Operation, Param, Transaction, Trouble};
use crate::error::CatalogError;
use crate::kind::ArtifactKind;
use crate::lookalike::{lookalike, plain, scope_of};
use crate::moment::Moment;
use crate::owner::{AuditWho, Owner};
use crate::page::{Cursor, Page, cut, key_of, rows_for};
use crate::record::NameSummary;
use crate::version_row::read_assets;
use crate::words::search_words;

/// The columns that [`read_name`] reads.
macro_rules! name_columns {
    () => {
        "n.name, n.owner, v.version, v.agents, v.commands, v.servers, v.skills, v.published_at, \
         v.author, v.description"
    };
}
pub(crate) use name_columns;

/// A page of names. `CROSS JOIN` keeps SQLite at this order of tables.
pub(crate) const LIST: &str = concat!(
    "SELECT ",
    name_columns!(),
    " FROM latest l CROSS JOIN names n CROSS JOIN versions v \
     WHERE l.kind = $1 AND l.name > $2 AND l.name < $3 AND n.kind = $1 AND n.name = l.name \
     AND v.kind = $1 AND v.name = l.name AND v.ordering = l.ordering ORDER BY l.name LIMIT $4"
);

const OWNER: &str = "SELECT COALESCE((SELECT owner FROM names WHERE kind = $1 AND name = $2), \
     (SELECT owner FROM scopes WHERE scope = $3))";

/// Behind every name, which has only lower-case letters, digits, `@`, `/` and `-`.
const BEHIND_ALL: &str = "~";

impl Catalog {
    /// The names that have a release which is not yanked, by their bytes. A scope may begin with `@`.
    pub async fn names(
        &self,
        kind: ArtifactKind,
        scope: Option<&str>,
        after: Option<&Cursor>,
        limit: u32,
    ) -> Result<Page<NameSummary>, CatalogError> {
        let scope = scope.map(|scope| scope.strip_prefix('@').unwrap_or(scope));
        // `0` is the character behind `/`.
        let (from, to) = match scope {
            Some(scope) => (format!("@{scope}/"), format!("@{scope}0")),
            None => (String::new(), BEHIND_ALL.to_owned()),
        };
        let from = key_of(after, &from).max(&from);
        let params = [kind.into(), from.into(), (&to).into(), rows_for(limit).into()];
        let rows = self.database.fetch(LIST, &params).await?;
        let items: Result<Vec<_>, _> = rows.iter().map(|row| read_name(&mut row.cells())).collect();
        Ok(cut(items?, limit, |item| item.name.to_string()))
    }

    /// Who may publish below a name: its owner, or that of its scope.
    pub async fn name_owner(
        &self,
        kind: ArtifactKind,
        name: &ArtifactName,
    ) -> Result<Option<Owner>, CatalogError> {
        let params = [kind.into(), name.into(), Param::from(scope_of(name))];
        let row = self.database.fetch_first(OWNER, &params).await?;
        row.map_or(Ok(None), |row| row.cells().optional_parsed())
    }

    /// Whether the name itself has an owner. One that has none can still be below a scope that has.
    pub async fn is_claimed(
        &self,
        kind: ArtifactKind,
        name: &ArtifactName,
    ) -> Result<bool, CatalogError> {
        const CLAIMED: &str = "SELECT owner FROM names WHERE kind = $1 AND name = $2";
        let row = self.database.fetch_first(CLAIMED, &[kind.into(), name.into()]).await?;
        Ok(row.is_some())
    }

    /// Gives a name to an owner, or reserves it for one.
    pub async fn set_owner(
        &self,
        kind: ArtifactKind,
        name: &ArtifactName,
        owner: &Owner,
        who: &AuditWho,
        now: Moment,
    ) -> Result<OwnerChange, CatalogError> {
        let subject = format!("{kind} {name}");
        let note = AuditNote::new(who, "owner", subject, Some(owner.to_string()));
        self.database.write(&SetOwner { kind, name, owner, note, now }).await
    }
}

pub(crate) fn read_name(cells: &mut Cells<'_>) -> Result<NameSummary, CatalogError> {
    Ok(NameSummary {
        name: cells.parsed()?,
        owner: cells.parsed()?,
        latest_version: cells.parsed()?,
        assets: read_assets(cells)?,
        published_at: cells.moment()?,
        author: cells.optional_owned_text()?,
        description: cells.optional_owned_text()?,
    })
}

/// What a new owner means for a name or a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerChange {
    /// It existed, and has this owner now.
    Given,
    /// It did not exist, and only this owner can publish to it.
    Reserved,
}

struct SetOwner<'a> {
    kind: ArtifactKind,
    name: &'a ArtifactName,
    owner: &'a Owner,
    note: AuditNote<'a>,
    now: Moment,
}

impl Operation for SetOwner<'_> {
    type Output = OwnerChange;

    async fn run(&self, transaction: &mut Transaction<'_>) -> Result<Ending<OwnerChange>, Trouble> {
        transaction.lock(CLAIMS).await?;
        let change = if lock_name(transaction, self.kind, self.name).await?.is_some() {
            const SET: &str = "UPDATE names SET owner = $3 WHERE kind = $1 AND name = $2";
            let params = [self.kind.into(), self.name.into(), self.owner.into()];
            transaction.execute(SET, &params).await?;
            OwnerChange::Given
        } else {
            insert_scope(transaction, self.name, self.owner, self.now).await?;
            insert_name(transaction, (self.kind, self.name), self.owner, self.now).await?;
            OwnerChange::Reserved
        };
        write_audit(transaction, &self.note, self.now).await?;
        Ok(Ending::Commit(change))
    }
}

/// The lock of transactions that claim a free name.
pub(crate) const CLAIMS: &str = "claims";

/// The owner of a name, which no other transaction changes before this one ended. Publishing and yanking
/// take it first, so that they see each other's versions when they look for the latest.
pub(crate) async fn lock_name(
    transaction: &mut Transaction<'_>,
    kind: ArtifactKind,
    name: &ArtifactName,
) -> Result<Option<Owner>, Trouble> {
    const LOCK: &str =
        "UPDATE names SET owner = owner WHERE kind = $1 AND name = $2 RETURNING owner";
    let row = transaction.fetch_first(LOCK, &[kind.into(), name.into()]).await?;
    Ok(row.map(|row| row.cells().parsed()).transpose()?)
}

pub(crate) async fn insert_name(
    transaction: &mut Transaction<'_>,
    (kind, name): (ArtifactKind, &ArtifactName),
    owner: &Owner,
    now: Moment,
) -> Result<(), Trouble> {
    const INSERT: &str = "INSERT INTO names (kind, name, owner, lookalike, claimed_at) \
         VALUES ($1, $2, $3, $4, $5)";
    let lookalike = lookalike(name);
    let params = [kind.into(), name.into(), owner.into(), (&lookalike).into(), now.into()];
    transaction.execute(INSERT, &params).await.map(drop)
}

/// Claims the scope of a name, if it has one that is free.
pub(crate) async fn insert_scope(
    transaction: &mut Transaction<'_>,
    name: &ArtifactName,
    owner: &Owner,
    now: Moment,
) -> Result<(), Trouble> {
    const INSERT: &str = "INSERT INTO scopes (scope, owner, lookalike, claimed_at) \
         VALUES ($1, $2, $3, $4) ON CONFLICT (scope) DO NOTHING";
    let Some(scope) = scope_of(name) else { return Ok(()) };
    let lookalike = plain(scope);
    let params = [scope.into(), owner.into(), (&lookalike).into(), now.into()];
    transaction.execute(INSERT, &params).await.map(drop)
}

/// What lists show of a name, and the words that find it.
#[derive(Default, PartialEq, Eq)]
struct Shown {
    ordering: Option<String>,
    description: Option<String>,
}

impl Shown {
    /// A name that lists do not show is not found either.
    fn words(&self, name: &ArtifactName) -> BTreeSet<String> {
        match self.ordering {
            Some(_) => search_words(name, self.description.as_deref()),
            None => BTreeSet::new(),
        }
    }
}

/// Makes lists and search show the highest release again. The name is locked.
pub(crate) async fn refresh_name(
    transaction: &mut Transaction<'_>,
    kind: ArtifactKind,
    name: &ArtifactName,
) -> Result<(), Trouble> {
    const BEFORE: &str = "SELECT v.ordering, v.description FROM latest l CROSS JOIN versions v \
         WHERE l.kind = $1 AND l.name = $2 AND v.kind = $1 AND v.name = $2 \
         AND v.ordering = l.ordering";
    const NOW: &str = "SELECT ordering, description FROM versions WHERE kind = $1 AND name = $2 \
         AND is_prerelease = 0 AND yanked_at IS NULL ORDER BY ordering DESC LIMIT 1";
    let before = read_shown(transaction, BEFORE, kind, name).await?;
    let now = read_shown(transaction, NOW, kind, name).await?;
    if before == now {
        return Ok(());
    }
    set_latest(transaction, (kind, name), now.ordering.as_deref()).await?;
    let (old, new) = (before.words(name), now.words(name));
    let gone: Vec<&String> = old.difference(&new).collect();
    let added: Vec<&String> = new.difference(&old).collect();
    change_words(transaction, DELETE_WORDS, (kind, name), &gone).await?;
    change_words(transaction, INSERT_WORDS, (kind, name), &added).await
}

async fn set_latest(
    transaction: &mut Transaction<'_>,
    (kind, name): (ArtifactKind, &ArtifactName),
    ordering: Option<&str>,
) -> Result<(), Trouble> {
    const SET: &str = "INSERT INTO latest (kind, name, ordering) VALUES ($1, $2, $3) \
         ON CONFLICT (kind, name) DO UPDATE SET ordering = excluded.ordering";
    const REMOVE: &str = "DELETE FROM latest WHERE kind = $1 AND name = $2";
    let changed = match ordering {
        Some(ordering) => {
            let params = [kind.into(), name.into(), ordering.into()];
            transaction.execute(SET, &params).await
        }
        None => transaction.execute(REMOVE, &[kind.into(), name.into()]).await,
    };
    changed.map(drop)
}

async fn read_shown(
    transaction: &mut Transaction<'_>,
    sql: &'static str,
    kind: ArtifactKind,
    name: &ArtifactName,
) -> Result<Shown, Trouble> {
    let row = transaction.fetch_first(sql, &[kind.into(), name.into()]).await?;
    let Some(row) = row else { return Ok(Shown::default()) };
    let mut cells = row.cells();
    let ordering = cells.optional_owned_text()?;
    let description = cells.optional_owned_text()?;
    Ok(Shown { ordering, description })
}

/// How many words a statement takes.
const WORDS: usize = 16;
const INSERT_WORDS: &str = "INSERT INTO search_words (kind, name, word) VALUES \
     ($1, $2, $3), ($1, $2, $4), ($1, $2, $5), ($1, $2, $6), ($1, $2, $7), ($1, $2, $8), \
     ($1, $2, $9), ($1, $2, $10), ($1, $2, $11), ($1, $2, $12), ($1, $2, $13), ($1, $2, $14), \
     ($1, $2, $15), ($1, $2, $16), ($1, $2, $17), ($1, $2, $18) ON CONFLICT DO NOTHING";
const DELETE_WORDS: &str = "DELETE FROM search_words WHERE kind = $1 AND name = $2 AND word IN \
     ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";

async fn change_words(
    transaction: &mut Transaction<'_>,
    sql: &'static str,
    (kind, name): (ArtifactKind, &ArtifactName),
    words: &[&String],
) -> Result<(), Trouble> {
    for some in words.chunks(WORDS) {
        // The last word fills the remaining parameters.
        let filled = some.iter().chain(std::iter::repeat(&some[some.len() - 1])).take(WORDS);
        let mut params: Vec<Param<'_>> = vec![kind.into(), name.into()];
        params.extend(filled.map(|word| Param::from(word.as_str())));
        transaction.execute(sql, &params).await?;
    }
    Ok(())
}
