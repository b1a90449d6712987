//! Servers that behave as badly as a test wants, and fetchers that are configured to ask them.

#![allow(dead_code, unreachable_pub, unused_imports, reason = "each test file uses a part of this")]

pub mod certificates;
pub mod fetching;
pub mod packages;
pub mod server;
