//! The guard between two sides: bytes of either in, bytes and decisions out. One program, because every
//! mutant (`cargo xtask mutants`) pays for each that is linked.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod attacks;
mod decisions;
mod large;
mod listings;
mod long_lines;
mod openings;
mod reports;
mod session;
mod support;
mod transparency;
