//! Journal, ledger and records: changed as a whole, read as they were written.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod assets;
mod changes;
mod errors;
mod homes;
mod ledger;
mod seen;
mod sessions;
mod support;
mod user_directory;
mod written_by;
