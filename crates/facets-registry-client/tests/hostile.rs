//! Registries that lie, stall, flood and lead astray: each is an error with a code of its own after a bounded
//! number of requests, and the token reaches no other host.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "hostile/answers.rs"]
mod answers;
#[path = "hostile/archives.rs"]
mod archives;
#[path = "hostile/publications.rs"]
mod publications;
#[path = "hostile/redirects.rs"]
mod redirects;
mod support;
