//! Plans of installs and upgrades, from texts of manifests to steps.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod assets;
mod conflicts;
mod facets;
mod frozen;
mod order;
mod problems;
mod servers;
mod steps;
mod support;
