//! A program, as its users know it.

/// A program, as its users know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face {
    /// What is typed to start it.
    pub program: &'static str,
    /// Its version.
    pub version: &'static str,
}
