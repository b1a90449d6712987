//! Journal, ledger and records: changed as a whole, read as they were written.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod changes;
mod sessions;
mod support;
mod written_by;
