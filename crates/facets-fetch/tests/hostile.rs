//! Servers that lie, stall, cut off and lead astray: each is an error with a code of its own after a
//! bounded number of requests, and leaves nothing on disk.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "hostile/answers.rs"]
mod answers;
#[path = "hostile/bodies.rs"]
mod bodies;
#[path = "hostile/documents.rs"]
mod documents;
#[path = "hostile/ranges.rs"]
mod ranges;
#[path = "hostile/redirects.rs"]
mod redirects;
mod support;
