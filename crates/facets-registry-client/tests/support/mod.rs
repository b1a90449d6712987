//! Registries that behave as badly as a test wants, and clients that ask them.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of this")]

pub mod asking;
pub mod server;
