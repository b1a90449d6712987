//! The two databases behind one small interface.

mod connection;
mod dialect;
mod param;
mod pool;
mod row;
mod transaction;
mod trouble;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub(crate) use dialect::Dialect;
pub(crate) use param::{Param, shown, size};
pub(crate) use row::{Cells, Row};
pub(crate) use transaction::Transaction;
pub(crate) use trouble::Trouble;

use crate::address::{CatalogUrl, FILE_NAME};
use crate::error::CatalogError;
use connection::Connector;
use pool::ConnectionPool;
use trouble::Attempts;

/// How many connections read a file of SQLite.
const READERS: usize = 4;
/// How many connections a replica has to PostgreSQL.
const CONNECTIONS: usize = 16;
/// How long a statement or a transaction may take.
const LONGEST: Duration = Duration::from_secs(15);

/// A database. Clones share its connections.
#[derive(Clone)]
pub(crate) struct Database {
    shared: Arc<Shared>,
}

struct Shared {
    dialect: Dialect,
    readers: ConnectionPool,
    /// SQLite has one writer; PostgreSQL writes with the same connections that read.
    writer: Option<ConnectionPool>,
    /// The file of SQLite.
    path: Option<PathBuf>,
}

/// How a transaction ends that had no error.
pub(crate) enum Ending<T> {
    /// Everything counts.
    Commit(T),
    /// Nothing counts; this is why.
    Discard(T),
}

/// A transaction that can be run again: it decides by what it finds in the database.
pub(crate) trait Operation: Sync {
    /// What the caller learns.
    type Output: Send;

    /// Runs once.
    fn run(
        &self,
        transaction: &mut Transaction<'_>,
    ) -> impl Future<Output = Result<Ending<Self::Output>, Trouble>> + Send;
}

impl Database {
    /// Connects once, so that an address that leads nowhere is noticed at the start.
    pub(crate) async fn open(url: &CatalogUrl) -> Result<Self, CatalogError> {
        let shared = match url {
            CatalogUrl::Sqlite(path) => Shared::sqlite(path)?,
            CatalogUrl::Postgres(url) => Shared::postgres(url)?,
        };
        let database = Self { shared: Arc::new(shared) };
        let connection = database.shared.writer().acquire().await?;
        connection.give_back();
        Ok(database)
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.shared.dialect
    }

    /// Every row of a statement that changes nothing.
    pub(crate) async fn fetch(
        &self,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>, CatalogError> {
        param::check(params)?;
        let mut attempts = Attempts::new();
        loop {
            let rows = self.shared.bounded(self.fetch_once(sql, params)).await;
            match rows {
                Ok(rows) => return Ok(rows),
                Err(trouble) => attempts.again(trouble).await?,
            }
        }
    }

    async fn fetch_once(
        &self,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>, Trouble> {
        let mut pooled = self.shared.readers.acquire().await?;
        let rows = pooled.connection.fetch(sql, params).await?;
        pooled.give_back();
        Ok(rows)
    }

    /// The first row of a statement that changes nothing.
    pub(crate) async fn fetch_first(
        &self,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<Option<Row>, CatalogError> {
        param::check(params)?;
        let mut attempts = Attempts::new();
        loop {
            let row = self.shared.bounded(self.fetch_first_once(sql, params)).await;
            match row {
                Ok(row) => return Ok(row),
                Err(trouble) => attempts.again(trouble).await?,
            }
        }
    }

    async fn fetch_first_once(
        &self,
        sql: &'static str,
        params: &[Param<'_>],
    ) -> Result<Option<Row>, Trouble> {
        let mut pooled = self.shared.readers.acquire().await?;
        let row = pooled.connection.fetch_first(sql, params).await?;
        pooled.give_back();
        Ok(row)
    }

    /// Runs a transaction. Where the answer to its commit is lost, it is run again, and finds what it did.
    pub(crate) async fn write<O: Operation>(
        &self,
        operation: &O,
    ) -> Result<O::Output, CatalogError> {
        let mut attempts = Attempts::new();
        loop {
            let output = self.shared.bounded(self.write_once(operation)).await;
            match output {
                Ok(output) => return Ok(output),
                Err(trouble) => attempts.again(trouble).await?,
            }
        }
    }

    async fn write_once<O: Operation>(&self, operation: &O) -> Result<O::Output, Trouble> {
        let pooled = self.shared.writer().acquire().await?;
        let mut transaction = Transaction::begin(pooled, self.shared.dialect).await?;
        match operation.run(&mut transaction).await {
            Ok(Ending::Commit(output)) => transaction.commit().await.map(|()| output),
            Ok(Ending::Discard(output)) => transaction.roll_back().await.map(|()| output),
            Err(trouble) => {
                // What went wrong first is what counts; a connection that cannot roll back is closed.
                let _ = transaction.roll_back().await;
                Err(trouble)
            }
        }
    }

    /// Copies a file of SQLite, whole and as of one moment. Others read and write meanwhile.
    pub(crate) async fn copy_to(&self, to: &Path) -> Result<(), CatalogError> {
        let Some(path) = &self.shared.path else { return Err(CatalogError::BackupUnsupported) };
        let failed = |source| CatalogError::BackupFailed { path: to.to_owned(), source };
        let Some(target) = to.to_str() else {
            return Err(failed("its path is not valid UTF-8".into()));
        };
        // A connection of its own: a copy takes longer than a transaction may.
        let connector = Connector::sqlite_writer(path);
        let mut connection = connector.connect().await.map_err(|error| failed(error.into()))?;
        let copied = connection.execute("VACUUM INTO $1", &[target.into()]).await;
        copied.map_err(|error| failed(error.into()))?;
        let file = tokio::fs::File::open(to).await.map_err(|error| failed(error.into()))?;
        file.sync_all().await.map_err(|error| failed(error.into()))
    }
}

impl fmt::Debug for Database {
    /// Without the address, which may have a password in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Database({:?})", self.shared.dialect)
    }
}

impl Shared {
    fn sqlite(path: &Path) -> Result<Self, CatalogError> {
        let path = if path.is_dir() { path.join(FILE_NAME) } else { path.to_owned() };
        // A name that begins with `file:` would be an address.
        let path = std::path::absolute(path)
            .map_err(|error| CatalogError::BadUrl { reason: error.to_string() })?;
        Ok(Self {
            dialect: Dialect::Sqlite,
            readers: ConnectionPool::new(Connector::sqlite_reader(&path), READERS),
            writer: Some(ConnectionPool::new(Connector::sqlite_writer(&path), 1)),
            path: Some(path),
        })
    }

    fn postgres(url: &str) -> Result<Self, CatalogError> {
        Ok(Self {
            dialect: Dialect::Postgres,
            readers: ConnectionPool::new(Connector::postgres(url)?, CONNECTIONS),
            writer: None,
            path: None,
        })
    }

    fn writer(&self) -> &ConnectionPool {
        self.writer.as_ref().unwrap_or(&self.readers)
    }

    /// Ends what takes too long, and closes idle connections once one is gone.
    async fn bounded<T>(
        &self,
        work: impl Future<Output = Result<T, Trouble>>,
    ) -> Result<T, Trouble> {
        let result = tokio::time::timeout(LONGEST, work).await;
        if matches!(result, Err(_) | Ok(Err(Trouble::Lost(_)))) {
            self.readers.forget_idle();
            self.writer().forget_idle();
        }
        result.unwrap_or_else(|_| {
            let text = "the database did not answer within 15 seconds";
            Err(Trouble::Busy(io::Error::new(io::ErrorKind::TimedOut, text).into()))
        })
    }
}
