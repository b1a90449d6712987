//! Tokens. Only their hashes are known.

use facets_digest::Digest;

use crate::audit::{AuditNote, write_audit};
use crate::catalog::Catalog;
use crate::database::{Cells, Dialect, Ending, Operation, Transaction, Trouble, shown};
use crate::error::CatalogError;
use crate::moment::Moment;
use crate::owner::{AuditWho, Owner};

/// A token that is to be made.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// A random name, by which it is revoked.
    pub id: String,
    /// The SHA-256 of its text.
    pub hash: Digest,
    /// Whose it is.
    pub owner: Owner,
    /// What it allows.
    pub scopes: Vec<String>,
    /// What it is for.
    pub note: String,
    /// When it ends.
    pub expires: Option<Moment>,
}

/// A token that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRecord {
    /// Its name.
    pub id: String,
    /// The SHA-256 of its text.
    pub hash: Digest,
    /// Whose it is.
    pub owner: Owner,
    /// What it allows.
    pub scopes: Vec<String>,
    /// What it is for.
    pub note: String,
    /// When it was made.
    pub created: Moment,
    /// When it ends.
    pub expires: Option<Moment>,
    /// When it was revoked, if it was.
    pub revoked: Option<Moment>,
}

/// What became of a revocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokeOutcome {
    /// It is revoked from now on.
    Done,
    /// It was revoked before.
    Already,
    /// There is no such token.
    NotFound,
}

/// Why a token allows nothing any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenEnd {
    /// It was revoked.
    Revoked,
    /// Its time is over.
    Expired,
}

macro_rules! find_end {
    () => {
        "SELECT revoked_at, expires_at FROM tokens WHERE id = $1"
    };
}

macro_rules! token_columns {
    () => {
        "id, hash, owner, scopes, note, created_at, expires_at, revoked_at"
    };
}

impl Catalog {
    /// Makes a token.
    pub async fn create_token(
        &self,
        token: &NewToken,
        who: &AuditWho,
        now: Moment,
    ) -> Result<(), CatalogError> {
        let has_gap = |scope: &String| scope.is_empty() || scope.contains(char::is_whitespace);
        if token.scopes.iter().any(has_gap) {
            let reason = "it is empty or has a blank";
            return Err(CatalogError::Unstorable { what: "scope of a token", reason });
        }
        let scopes = token.scopes.join(" ");
        let subject = format!("token {}", token.id);
        let detail = format!("{} {scopes}", token.owner);
        let note = AuditNote::new(who, "token-create", subject, Some(detail));
        self.database.write(&Creating { token, scopes, note, now }).await
    }

    /// Every token, by the time it was made, revoked and expired ones included.
    pub async fn tokens(&self) -> Result<Vec<TokenRecord>, CatalogError> {
        const LIST: &str =
            concat!("SELECT ", token_columns!(), " FROM tokens ORDER BY created_at, id");
        let rows = self.database.fetch(LIST, &[]).await?;
        rows.iter().map(|row| read_token(&mut row.cells())).collect()
    }

    /// The token with a hash, also if it is revoked or expired.
    pub async fn token(&self, hash: &Digest) -> Result<Option<TokenRecord>, CatalogError> {
        const FIND: &str = concat!("SELECT ", token_columns!(), " FROM tokens WHERE hash = $1");
        let row = self.database.fetch_first(FIND, &[hash.into()]).await?;
        row.map(|row| read_token(&mut row.cells())).transpose()
    }

    /// Whether the token with this name was revoked or has expired.
    pub async fn token_end(&self, id: &str, now: Moment) -> Result<Option<TokenEnd>, CatalogError> {
        let row = self.database.fetch_first(find_end!(), &[id.into()]).await?;
        let Some(row) = row else { return Ok(None) };
        read_end(&mut row.cells(), now)
    }

    /// Ends a token.
    pub async fn revoke_token(
        &self,
        id: &str,
        who: &AuditWho,
        now: Moment,
    ) -> Result<RevokeOutcome, CatalogError> {
        let note = AuditNote::new(who, "token-revoke", format!("token {id}"), None);
        self.database.write(&Revoking { id, note, now }).await
    }
}

fn read_token(cells: &mut Cells<'_>) -> Result<TokenRecord, CatalogError> {
    Ok(TokenRecord {
        id: cells.owned_text()?,
        hash: cells.parsed()?,
        owner: cells.parsed()?,
        scopes: cells.text()?.split_whitespace().map(str::to_owned).collect(),
        note: cells.owned_text()?,
        created: cells.moment()?,
        expires: cells.optional_moment()?,
        revoked: cells.optional_moment()?,
    })
}

/// Receiving a request takes time, and waiting for a probe takes more: the token may end meanwhile. One that has not
/// is not revoked before the transaction ends, either.
pub(crate) async fn find_token_end(
    transaction: &mut Transaction<'_>,
    who: &AuditWho,
    now: Moment,
) -> Result<Option<TokenEnd>, Trouble> {
    // Without a condition on the times: rows that are not found are not locked.
    const FIND_AND_LOCK: &str = concat!(find_end!(), " FOR SHARE");
    let Some(id) = &who.token_id else { return Ok(None) };
    let sql = match transaction.dialect() {
        // It has the file to itself already.
        Dialect::Sqlite => find_end!(),
        Dialect::Postgres => FIND_AND_LOCK,
    };
    let row = transaction.fetch_first(sql, &[id.into()]).await?;
    let Some(row) = row else { return Ok(None) };
    Ok(read_end(&mut row.cells(), now)?)
}

fn read_end(cells: &mut Cells<'_>, now: Moment) -> Result<Option<TokenEnd>, CatalogError> {
    let (revoked, expires) = (cells.optional_moment()?, cells.optional_moment()?);
    Ok(if revoked.is_some() {
        Some(TokenEnd::Revoked)
    } else if expires.is_some_and(|expires| expires <= now) {
        Some(TokenEnd::Expired)
    } else {
        None
    })
}

struct Creating<'a> {
    token: &'a NewToken,
    scopes: String,
    note: AuditNote<'a>,
    now: Moment,
}

impl Operation for Creating<'_> {
    type Output = ();

    async fn run(&self, transaction: &mut Transaction<'_>) -> Result<Ending<()>, Trouble> {
        // The same name and hash again: it was this very call, whose answer was lost.
        const INSERT: &str = "INSERT INTO tokens \
             (id, hash, owner, scopes, note, created_at, expires_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (hash) DO NOTHING";
        let token = self.token;
        let params = [
            (&token.id).into(),
            (&token.hash).into(),
            (&token.owner).into(),
            (&self.scopes).into(),
            shown(Some(&token.note)),
            self.now.into(),
            token.expires.into(),
        ];
        if transaction.execute(INSERT, &params).await? > 0 {
            write_audit(transaction, &self.note, self.now).await?;
        }
        Ok(Ending::Commit(()))
    }
}

struct Revoking<'a> {
    id: &'a str,
    note: AuditNote<'a>,
    now: Moment,
}

impl Operation for Revoking<'_> {
    type Output = RevokeOutcome;

    async fn run(
        &self,
        transaction: &mut Transaction<'_>,
    ) -> Result<Ending<RevokeOutcome>, Trouble> {
        const REVOKE: &str =
            "UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";
        const FIND: &str = "SELECT id FROM tokens WHERE id = $1";
        if transaction.execute(REVOKE, &[self.id.into(), self.now.into()]).await? > 0 {
            write_audit(transaction, &self.note, self.now).await?;
            return Ok(Ending::Commit(RevokeOutcome::Done));
        }
        let found = transaction.fetch_first(FIND, &[self.id.into()]).await?;
        let outcome =
            if found.is_some() { RevokeOutcome::Already } else { RevokeOutcome::NotFound };
        Ok(Ending::Discard(outcome))
    }
}
