//! How much a document may ask of its reader.

/// spec 1.4: the longest integer literal of a captured definition.
pub(super) const MAX_INTEGER_DIGITS: usize = 1024;

/// How much a document may ask of its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the whole text.
    pub bytes: usize,
    /// Containers inside each other; the outermost is depth 1.
    pub depth: usize,
    /// Values of every kind, containers included: they bound the memory of the tree.
    pub values: usize,
}

impl Limits {
    /// For one definition captured from a server, measured alone. Few values, because each
    /// takes memory far beyond its bytes.
    pub const DEFINITION: Self = Self { bytes: 16 << 20, depth: 128, values: 500_000 };

    /// For documents that people hand to us.
    pub const DOCUMENT: Self = Self { bytes: 64 << 20, depth: 128, values: 4_000_000 };
}
