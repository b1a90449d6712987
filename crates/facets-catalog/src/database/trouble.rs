//! What went wrong with a statement, and whether it helps to try again.

use std::borrow::Cow;
use std::time::Duration;

use crate::error::{CatalogError, Cause};

/// How often a statement or transaction is tried.
const MOST_ATTEMPTS: u32 = 5;
/// How long to wait before the second attempt; each wait is twice as long as the one before.
const FIRST_WAIT: Duration = Duration::from_millis(10);

/// What went wrong with a statement.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Another transaction got in the way, and was faster.
    Conflict(Cause),
    /// The connection is gone, or none can be made.
    Lost(Cause),
    /// It took too long.
    Busy(Cause),
    /// Anything that stays as it is.
    Lasting(CatalogError),
}

impl From<CatalogError> for Trouble {
    fn from(error: CatalogError) -> Self {
        Self::Lasting(error)
    }
}

impl From<Trouble> for CatalogError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Conflict(source) | Trouble::Lost(source) | Trouble::Busy(source) => {
                Self::Unavailable { source }
            }
            Trouble::Lasting(error) => error,
        }
    }
}

impl From<sqlx::Error> for Trouble {
    fn from(error: sqlx::Error) -> Self {
        let code = match error.as_database_error() {
            Some(said) => said.code().map(Cow::into_owned),
            None => None,
        };
        if let Some(code) = code {
            // The codes of PostgreSQL have five characters, those of SQLite are shorter numbers.
            let sort = if code.len() == 5 { of_postgres } else { of_sqlite };
            return sort(&code, error.into());
        }
        let is_lasting = matches!(
            error,
            sqlx::Error::ColumnDecode { .. }
                | sqlx::Error::Decode(_)
                | sqlx::Error::Encode(_)
                | sqlx::Error::Configuration(_)
        );
        if is_lasting {
            return Self::Lasting(CatalogError::Failed { source: error.into() });
        }
        // Whatever it was, the state of the connection is unknown.
        Self::Lost(error.into())
    }
}

/// By the table of codes in the manual of PostgreSQL.
fn of_postgres(code: &str, cause: Cause) -> Trouble {
    match code {
        "40001" | "40P01" => Trouble::Conflict(cause),
        // A limit on a statement or on a wait for a lock.
        "57014" | "55P03" => Trouble::Busy(cause),
        // The server stops, starts, has no connection left, or is one that only answers reads.
        "57P01" | "57P02" | "57P03" | "53300" | "25006" => Trouble::Lost(cause),
        _ if code.starts_with("08") => Trouble::Lost(cause),
        "53100" | "53200" => Trouble::Lasting(CatalogError::Full { source: cause }),
        "XX001" | "XX002" => Trouble::Lasting(CatalogError::damaged("the database says so", cause)),
        _ => Trouble::Lasting(CatalogError::Failed { source: cause }),
    }
}

/// By the primary result codes of SQLite, which are the last eight bits of the others.
fn of_sqlite(code: &str, cause: Cause) -> Trouble {
    match code.parse::<i32>().unwrap_or_default() & 0xff {
        // Busy, locked.
        5 | 6 => Trouble::Busy(cause),
        // Read-only, input or output failed, cannot open: the disk may come back.
        8 | 10 | 14 => Trouble::Lasting(CatalogError::Unavailable { source: cause }),
        13 => Trouble::Lasting(CatalogError::Full { source: cause }),
        11 | 26 => Trouble::Lasting(CatalogError::damaged("the file of the catalog", cause)),
        _ => Trouble::Lasting(CatalogError::Failed { source: cause }),
    }
}

/// Counts attempts.
pub(super) struct Attempts {
    made: u32,
}

impl Attempts {
    pub(super) fn new() -> Self {
        Self { made: 0 }
    }

    /// Waits if another attempt may help, and is an error if none may.
    pub(super) async fn again(&mut self, trouble: Trouble) -> Result<(), CatalogError> {
        self.made += 1;
        let may_help = matches!(trouble, Trouble::Conflict(_) | Trouble::Lost(_));
        if !may_help || self.made >= MOST_ATTEMPTS {
            return Err(trouble.into());
        }
        tokio::time::sleep(FIRST_WAIT * 2_u32.pow(self.made - 1)).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use facets_failure::Describe as _;

    use super::*;

    fn code(trouble: Trouble) -> &'static str {
        CatalogError::from(trouble).code()
    }

    #[test]
    fn each_database_says_in_its_own_way_what_helps() {
        let cause = || Cause::from("so");
        assert!(matches!(of_postgres("40P01", cause()), Trouble::Conflict(_)));
        assert!(matches!(of_postgres("08006", cause()), Trouble::Lost(_)));
        assert!(matches!(of_postgres("55P03", cause()), Trouble::Busy(_)));
        assert_eq!(code(of_postgres("53100", cause())), "catalog-full");
        assert_eq!(code(of_postgres("42P01", cause())), "catalog-failed");
        assert!(matches!(of_sqlite("5", cause()), Trouble::Busy(_)));
        assert!(matches!(of_sqlite("517", cause()), Trouble::Busy(_)), "busy, with a snapshot");
        assert_eq!(code(of_sqlite("13", cause())), "catalog-full");
        assert_eq!(code(of_sqlite("26", cause())), "catalog-damaged");
        assert_eq!(code(of_sqlite("778", cause())), "catalog-unavailable");
        assert_eq!(code(of_sqlite("1", cause())), "catalog-failed");
    }

    #[tokio::test]
    async fn attempts_are_bounded_and_only_made_where_they_help() {
        let mut attempts = Attempts::new();
        for _ in 1..MOST_ATTEMPTS {
            attempts.again(Trouble::Lost(Cause::from("gone"))).await.unwrap();
        }
        let last = attempts.again(Trouble::Lost(Cause::from("gone"))).await;
        assert!(matches!(last, Err(CatalogError::Unavailable { .. })));
        let busy = Attempts::new().again(Trouble::Busy(Cause::from("slow"))).await;
        assert!(matches!(busy, Err(CatalogError::Unavailable { .. })));
    }
}
