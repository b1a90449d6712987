//! The whole program on SQLite with files, and on PostgreSQL with an object store: published, read, collected, killed,
//! cut off, filled up. One program, because both services are started once in it, and its tests mostly wait.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "../support/mod.rs"]
mod support;

mod archives;
mod backend;
mod fairness;
mod faults;
mod full_disk;
mod kills;
mod newer_schema;
mod node;
mod reads;
mod replicas;
mod servers;
mod upkeep;
mod verifying;
