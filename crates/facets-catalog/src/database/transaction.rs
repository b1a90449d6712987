//! Statements that count together, or not at all.

use super::dialect::Dialect;
use super::param::{self, Param};
use super::pool::PooledConnection;
use super::row::Row;
use super::trouble::Trouble;

/// An open transaction. Dropped, it is rolled back.
pub(crate) struct Transaction<'p> {
    pooled: PooledConnection<'p>,
    dialect: Dialect,
}

impl<'p> Transaction<'p> {
    pub(super) async fn begin(
        mut pooled: PooledConnection<'p>,
        dialect: Dialect,
    ) -> Result<Self, Trouble> {
        pooled.connection.execute(dialect.begin(), &[]).await?;
        Ok(Self { pooled, dialect })
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Every row of a statement, which may also change some.
    pub(crate) async fn fetch(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>, Trouble> {
        param::check(params)?;
        Ok(self.pooled.connection.fetch(sql, params).await?)
    }

    /// The first row of a statement.
    pub(crate) async fn fetch_first(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<Option<Row>, Trouble> {
        Ok(self.fetch(sql, params).await?.into_iter().next())
    }

    /// How many rows a statement changed.
    pub(crate) async fn execute(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<u64, Trouble> {
        param::check(params)?;
        Ok(self.pooled.connection.execute(sql, params).await?)
    }

    /// Runs a statement of a migration, written for this database.
    pub(crate) async fn define(&mut self, sql: &str) -> Result<(), Trouble> {
        Ok(self.pooled.connection.define(self.dialect.translate(sql)).await?)
    }

    /// Lets no other transaction pass here before this one ended.
    pub(crate) async fn lock(&mut self, what: &str) -> Result<(), Trouble> {
        match self.dialect {
            // It has the file to itself already.
            Dialect::Sqlite => Ok(()),
            Dialect::Postgres => {
                const LOCK: &str = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
                self.execute(LOCK, &[what.into()]).await.map(drop)
            }
        }
    }

    pub(super) async fn commit(self) -> Result<(), Trouble> {
        self.end("COMMIT").await
    }

    pub(super) async fn roll_back(self) -> Result<(), Trouble> {
        self.end("ROLLBACK").await
    }

    async fn end(mut self, sql: &'static str) -> Result<(), Trouble> {
        self.pooled.connection.execute(sql, &[]).await?;
        self.pooled.give_back();
        Ok(())
    }
}
