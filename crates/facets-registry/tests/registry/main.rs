//! A registry on SQLite and files: published, read, damaged, collected, copied. One program, because every
//! mutant (`cargo xtask mutants`) pays for each that is linked.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod facets;
mod owners;
mod refusals;
mod servers;
mod support;
mod upkeep;
