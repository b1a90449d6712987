//! One connection to either database. The types of the driver end here.

use std::path::Path;
use std::time::Duration;

use sqlx::postgres::{PgArguments, PgConnectOptions};
use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions as _, PgConnection, Postgres, Sqlite, SqliteConnection};

use super::param::Param;
use super::row::Row;
use crate::error::CatalogError;

/// How long SQLite waits for another process that writes.
const BUSY: Duration = Duration::from_secs(5);
/// How many statements a connection keeps prepared: more than this crate has.
const STATEMENTS: usize = 128;

/// How a connection is made.
pub(super) enum Connector {
    Sqlite(SqliteConnectOptions),
    Postgres(PgConnectOptions),
}

impl Connector {
    /// Writes to a file, which is made if it does not exist.
    pub(super) fn sqlite_writer(path: &Path) -> Self {
        let options = sqlite(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .pragma("cache_size", "-8192")
            .pragma("journal_size_limit", "67108864");
        Self::Sqlite(options)
    }

    /// Reads from a file. Its journal is that of the writer.
    pub(super) fn sqlite_reader(path: &Path) -> Self {
        let options = sqlite(path)
            .pragma("query_only", "ON")
            .pragma("cache_size", "-4096")
            .pragma("mmap_size", "67108864");
        Self::Sqlite(options)
    }

    pub(super) fn postgres(url: &str) -> Result<Self, CatalogError> {
        let options: PgConnectOptions = url
            .parse()
            .map_err(|error: sqlx::Error| CatalogError::BadUrl { reason: error.to_string() })?;
        let options = options
            .application_name("facet-registry")
            .statement_cache_capacity(STATEMENTS)
            .disable_statement_logging()
            // Also where the server has no limits: a wait is bounded on both sides.
            .options([
                ("statement_timeout", "10s"),
                ("lock_timeout", "5s"),
                ("idle_in_transaction_session_timeout", "60s"),
            ]);
        Ok(Self::Postgres(options))
    }

    pub(super) async fn connect(&self) -> Result<Connection, sqlx::Error> {
        match self {
            Self::Sqlite(options) => options.connect().await.map(Connection::Sqlite),
            Self::Postgres(options) => options.connect().await.map(Connection::Postgres),
        }
    }
}

fn sqlite(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(true)
        .busy_timeout(BUSY)
        .statement_cache_capacity(STATEMENTS)
        .row_buffer_size(128)
        .pragma("temp_store", "MEMORY")
        .disable_statement_logging()
}

/// A connection to either database.
pub(super) enum Connection {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Connection {
    /// Every row. The statement is prepared once for each connection.
    pub(super) async fn fetch(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>, sqlx::Error> {
        match self {
            Self::Sqlite(connection) => {
                let rows = sqlite_query(sql, params).fetch_all(connection).await?;
                Ok(rows.into_iter().map(Row::Sqlite).collect())
            }
            Self::Postgres(connection) => {
                let rows = postgres_query(sql, params).fetch_all(connection).await?;
                Ok(rows.into_iter().map(Row::Postgres).collect())
            }
        }
    }

    /// The first row. Only for statements that change nothing: the rest of them is not run.
    pub(super) async fn fetch_first(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<Option<Row>, sqlx::Error> {
        match self {
            Self::Sqlite(connection) => {
                let row = sqlite_query(sql, params).fetch_optional(connection).await?;
                Ok(row.map(Row::Sqlite))
            }
            Self::Postgres(connection) => {
                let row = postgres_query(sql, params).fetch_optional(connection).await?;
                Ok(row.map(Row::Postgres))
            }
        }
    }

    /// How many rows a statement changed.
    pub(super) async fn execute(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<u64, sqlx::Error> {
        match self {
            Self::Sqlite(connection) => {
                let done = sqlite_query(sql, params).execute(connection).await?;
                Ok(done.rows_affected())
            }
            Self::Postgres(connection) => {
                let done = postgres_query(sql, params).execute(connection).await?;
                Ok(done.rows_affected())
            }
        }
    }

    /// Runs a statement of a migration, which has no parameters and is not prepared.
    pub(super) async fn define(&mut self, sql: String) -> Result<(), sqlx::Error> {
        let statement = sqlx::raw_sql(AssertSqlSafe(sql));
        match self {
            Self::Sqlite(connection) => statement.execute(connection).await.map(drop),
            Self::Postgres(connection) => statement.execute(connection).await.map(drop),
        }
    }
}

fn sqlite_query<'q>(sql: &'static str, params: &[Param<'_>]) -> Query<'q, Sqlite, SqliteArguments> {
    params.iter().fold(sqlx::query::<Sqlite>(sql), |query, param| match param {
        Param::Text(text) => query.bind(text.as_deref()),
        Param::Integer(number) => query.bind(*number),
    })
}

fn postgres_query<'q>(sql: &'static str, params: &[Param<'_>]) -> Query<'q, Postgres, PgArguments> {
    params.iter().fold(sqlx::query::<Postgres>(sql), |query, param| match param {
        Param::Text(text) => query.bind(text.as_deref()),
        Param::Integer(number) => query.bind(*number),
    })
}
