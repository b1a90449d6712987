//! One side of a comparison.

use facets_surface::{Surface, SurfaceHashes};

/// A surface and its hashes.
#[derive(Clone, Copy, Debug)]
pub struct Side<'s> {
    /// What the server declares.
    pub surface: &'s Surface,
    /// Its hashes, which decide what is looked at.
    pub hashes: &'s SurfaceHashes,
}
