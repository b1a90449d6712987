//! Archives packed, read and unpacked, and hostile ones. One program, because every
//! mutant (`cargo xtask mutants`) pays for each that is linked.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod attacks;
mod facets;
mod ignored;
mod kept;
mod packages;
mod servers;
mod support;
mod trees;
mod vectors;
mod visits;
mod wheel_attacks;
mod wheel_limits;
mod wheel_paths;
mod wheels;
