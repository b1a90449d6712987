//! How much an archive may ask of its reader.

/// How much an archive may ask of its reader (spec 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// Entries of every kind.
    pub entries: usize,
    /// Bytes of one path.
    pub path: usize,
    /// Bytes of all paths together: they are held in memory.
    pub path_bytes: usize,
    /// Bytes of one file.
    pub file: u64,
    /// Bytes of the uncompressed archive, headers included.
    pub total: u64,
    /// Bytes of the archive as it is stored: a stream of empty blocks never ends.
    pub compressed: u64,
    /// Bytes that may come out for each compressed byte …
    pub ratio: u64,
    /// … once so many have come out.
    pub ratio_from: u64,
    /// Bytes of an uncompressed archive that stay in memory until they are unpacked; a larger one is read twice.
    pub kept: usize,
}

impl ArchiveLimits {
    /// What the specification prescribes.
    pub const SPEC: Self = Self {
        entries: 100_000,
        path: 1024,
        path_bytes: 16 << 20,
        file: 512 << 20,
        total: 2 << 30,
        compressed: 2 << 30,
        ratio: 200,
        ratio_from: 64 << 20,
        kept: 64 << 20,
    };
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        Self::SPEC
    }
}
