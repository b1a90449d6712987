//! A few connections that are used in turn.
//!
//! A connection comes back only after its statement ended well. One whose statement failed, or whose caller
//! went away in between, is closed: nothing has to be guessed about its state, and no test of it is needed
//! before its next use.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout_at};

use super::connection::{Connection, Connector};
use super::trouble::Trouble;

/// How long to wait for a connection.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// How long to wait before a locked file is tried again.
const LOCKED_WAIT: Duration = Duration::from_millis(20);

/// A few connections that are used in turn.
pub(super) struct ConnectionPool {
    connector: Connector,
    permits: Semaphore,
    idle: Mutex<Vec<Connection>>,
}

impl ConnectionPool {
    pub(super) fn new(connector: Connector, most: usize) -> Self {
        Self { connector, permits: Semaphore::new(most), idle: Mutex::default() }
    }

    /// A connection for this caller alone.
    pub(super) async fn acquire(&self) -> Result<PooledConnection<'_>, Trouble> {
        let deadline = Instant::now() + LONGEST_WAIT;
        let Ok(Ok(permit)) = timeout_at(deadline, self.permits.acquire()).await else {
            return Err(too_slow("no connection became free within 5 seconds"));
        };
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => timeout_at(deadline, self.connect())
                .await
                .map_err(|_| too_slow("no connection was made within 5 seconds"))??,
        };
        Ok(PooledConnection { connection, pool: self, _permit: permit })
    }

    /// The change of the journal of a new file cannot wait for another process that does the same.
    async fn connect(&self) -> Result<Connection, Trouble> {
        loop {
            match self.connector.connect().await.map_err(Trouble::from) {
                Err(Trouble::Busy(_)) if matches!(self.connector, Connector::Sqlite(_)) => {
                    tokio::time::sleep(LOCKED_WAIT).await;
                }
                result => return result,
            }
        }
    }

    /// Closes the idle connections: where one is gone, the others are.
    pub(super) fn forget_idle(&self) {
        let idle = std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner));
        drop(idle);
    }
}

fn too_slow(text: &'static str) -> Trouble {
    Trouble::Busy(io::Error::new(io::ErrorKind::TimedOut, text).into())
}

/// A connection that is closed unless it is given back.
pub(super) struct PooledConnection<'p> {
    pub(super) connection: Connection,
    pool: &'p ConnectionPool,
    _permit: SemaphorePermit<'p>,
}

impl PooledConnection<'_> {
    pub(super) fn give_back(self) {
        let mut idle = self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(self.connection);
    }
}
