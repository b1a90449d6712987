//! The tables, step by step. A migration that was released is never changed.

use crate::database::{Ending, Operation, Transaction, Trouble};
use crate::error::CatalogError;

/// A step from one form of the tables to the next.
pub(crate) struct Migration {
    pub(crate) number: i64,
    pub(crate) name: &'static str,
    /// In the words that `Dialect::translate` knows.
    pub(crate) statements: &'static [&'static str],
}

/// Every migration, by its number.
pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, name: "first-tables", statements: FIRST_TABLES },
    Migration { number: 2, name: "owner-turns", statements: OWNER_TURNS },
];

/// The table of migrations that were run.
pub(crate) const TABLE: &str = "schema_version";

const FIRST_TABLES: &[&str] = &[
    "CREATE TABLE names (
        kind {text} NOT NULL, name {text} NOT NULL, owner {text} NOT NULL, lookalike {text} NOT NULL,
        claimed_at {integer} NOT NULL, PRIMARY KEY (kind, name)
    ) {narrow}",
    "CREATE INDEX names_lookalike ON names (kind, lookalike, owner)",
    // The version that lists show of a name. A name that has none to show has no row, so that a page of a
    // list needs no more rows than it shows.
    "CREATE TABLE latest (
        kind {text} NOT NULL, name {text} NOT NULL, ordering {text} NOT NULL,
        PRIMARY KEY (kind, name)
    ) {narrow}",
    "CREATE TABLE scopes (
        scope {text} NOT NULL PRIMARY KEY, owner {text} NOT NULL, lookalike {text} NOT NULL,
        claimed_at {integer} NOT NULL
    ) {narrow}",
    "CREATE INDEX scopes_lookalike ON scopes (lookalike)",
    // Large columns are last, so that lists do not read past them.
    "CREATE TABLE versions (
        kind {text} NOT NULL, name {text} NOT NULL, ordering {text} NOT NULL, version {text} NOT NULL,
        is_prerelease {integer} NOT NULL, content_hash {text} NOT NULL, integrity {text} NOT NULL,
        size {integer} NOT NULL, agents {integer} NOT NULL, commands {integer} NOT NULL,
        servers {integer} NOT NULL, skills {integer} NOT NULL, owner {text} NOT NULL,
        published_at {integer} NOT NULL, yanked_at {integer}, yanked_by {text}, yank_reason {text},
        upload {text} NOT NULL, surface_file {text}, surface_size {integer}, api_surface {text},
        surface {text}, behavior {text}, runtime {text}, tools {integer}, author {text},
        description {text}, resources {text}, entitlements {text}, manifest {text} NOT NULL,
        PRIMARY KEY (kind, name, ordering)
    ) {wide}",
    "CREATE INDEX versions_live ON versions (kind, name, is_prerelease, ordering)
        WHERE yanked_at IS NULL",
    "CREATE TABLE search_words (
        kind {text} NOT NULL, word {text} NOT NULL, name {text} NOT NULL,
        PRIMARY KEY (kind, word, name)
    ) {narrow}",
    "CREATE TABLE blob_uses (
        digest {text} NOT NULL, what {text} NOT NULL, size {integer} NOT NULL,
        PRIMARY KEY (digest, what)
    ) {narrow}",
    "CREATE TABLE uploads (
        id {text} NOT NULL PRIMARY KEY, owner {text} NOT NULL, expires_at {integer} NOT NULL
    ) {narrow}",
    "CREATE TABLE upload_blobs (
        digest {text} NOT NULL, upload {text} NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
        PRIMARY KEY (digest, upload)
    ) {narrow}",
    "CREATE INDEX upload_blobs_upload ON upload_blobs (upload)",
    "CREATE TABLE condemned (
        digest {text} NOT NULL PRIMARY KEY, condemned_at {integer} NOT NULL
    ) {narrow}",
    "CREATE TABLE jobs (
        id {text} NOT NULL PRIMARY KEY, sequence {integer} NOT NULL, state {text} NOT NULL,
        owner {text} NOT NULL, kind {text} NOT NULL, name {text} NOT NULL, version {text} NOT NULL,
        content_hash {text} NOT NULL, integrity {text} NOT NULL, size {integer} NOT NULL,
        upload {text} NOT NULL, claim {integer} NOT NULL, attempts {integer} NOT NULL, worker {text},
        lease_until {integer}, queued_at {integer} NOT NULL, finished_at {integer}, problem {text},
        document {text} NOT NULL
    ) {wide}",
    "CREATE UNIQUE INDEX jobs_sequence ON jobs (sequence)",
    "CREATE INDEX jobs_state ON jobs (state, sequence)",
    "CREATE INDEX jobs_version ON jobs (kind, name, version)",
    "CREATE INDEX jobs_upload ON jobs (upload)",
    "CREATE TABLE tokens (
        id {text} NOT NULL PRIMARY KEY, hash {text} NOT NULL UNIQUE, owner {text} NOT NULL,
        scopes {text} NOT NULL, note {text} NOT NULL, created_at {integer} NOT NULL,
        expires_at {integer}, revoked_at {integer}
    ) {narrow}",
    "CREATE TABLE audit (
        happened_at {integer} NOT NULL, id {text} NOT NULL, owner {text} NOT NULL, token_id {text},
        action {text} NOT NULL, subject {text} NOT NULL, detail {text},
        PRIMARY KEY (happened_at, id)
    ) {narrow}",
];

/// When the last job of each owner was taken, counted in jobs that were taken.
const OWNER_TURNS: &[&str] = &[
    "CREATE TABLE turns (
        owner {text} NOT NULL PRIMARY KEY, turn {integer} NOT NULL
    ) {narrow}",
    "CREATE INDEX turns_turn ON turns (turn)",
];

const CREATE_TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_version (
    number {integer} NOT NULL PRIMARY KEY, name {text} NOT NULL
) {narrow}";

/// The number of the last migration that was run.
pub(crate) const LAST: &str = "SELECT MAX(number) FROM schema_version";

/// The number of the last migration that there is.
pub(crate) fn known() -> i64 {
    MIGRATIONS.last().map_or(0, |migration| migration.number)
}

/// Refuses tables that a newer version made.
pub(crate) fn check(found: i64) -> Result<(), CatalogError> {
    let known = known();
    if found > known {
        return Err(CatalogError::NewerSchema { found, known });
    }
    Ok(())
}

/// The migrations that are still to be run.
pub(crate) fn pending(applied: i64) -> impl Iterator<Item = &'static Migration> {
    MIGRATIONS.iter().filter(move |migration| migration.number > applied)
}

/// Runs the pending migrations in one transaction; of two replicas, the second finds none.
pub(crate) struct Migrating;

impl Operation for Migrating {
    type Output = Vec<String>;

    async fn run(&self, transaction: &mut Transaction<'_>) -> Result<Ending<Vec<String>>, Trouble> {
        transaction.lock("schema").await?;
        transaction.define(CREATE_TABLE).await?;
        let row = transaction.fetch_first(LAST, &[]).await?;
        let applied = match row {
            Some(row) => row.cells().optional_integer()?.unwrap_or_default(),
            None => 0,
        };
        check(applied)?;
        let mut names = Vec::new();
        for migration in pending(applied) {
            run(transaction, migration).await?;
            names.push(migration.name.to_owned());
        }
        Ok(Ending::Commit(names))
    }
}

async fn run(transaction: &mut Transaction<'_>, migration: &Migration) -> Result<(), Trouble> {
    const RECORD: &str = "INSERT INTO schema_version (number, name) VALUES ($1, $2)";
    for statement in migration.statements {
        transaction.define(statement).await?;
    }
    let params = [migration.number.into(), migration.name.into()];
    transaction.execute(RECORD, &params).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_are_numbered_without_gaps() {
        for (index, migration) in (1_i64..).zip(MIGRATIONS) {
            assert_eq!(migration.number, index, "{}", migration.name);
        }
        assert_eq!(pending(known()).count(), 0);
        assert_eq!(pending(0).count(), MIGRATIONS.len());
        assert!(check(known()).is_ok());
        assert!(matches!(check(known() + 1), Err(CatalogError::NewerSchema { .. })));
    }
}
