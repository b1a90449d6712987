//! The catalog, on SQLite and on PostgreSQL: every test runs on both.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

/// Runs each test on both databases.
macro_rules! on_both {
    ($($test:ident),+ $(,)?) => {
        mod sqlite {
            $(
                #[test]
                fn $test() {
                    crate::support::on_sqlite(super::$test);
                }
            )+
        }
        mod postgres {
            $(
                #[test]
                fn $test() {
                    crate::support::on_postgres(super::$test);
                }
            )+
        }
    };
}

mod audit;
mod claims;
mod finding;
mod jobs;
mod lists;
mod opening;
mod outages;
mod publishing;
mod search;
mod support;
mod tokens;
mod uploads;
