//! Names that the format fixes.

/// The schema that new files name.
pub const CURRENT_SCHEMA: &str =
    "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/// The one member of `_meta` that the registry keeps.
pub const PUBLISHER_PROVIDED: &str = "io.modelcontextprotocol.registry/publisher-provided";

/// Where hashes stand inside of it, for registries that refuse them at the top.
pub const PROVIDED_HASHES: &str = "facets.dev/file_hashes";

/// The member with the hashes.
pub const FILE_HASHES: &str = "file_hashes";

/// Codes of numbers that JSON readers round or refuse. Nothing here depends on them.
pub(super) const LARGE_NUMBERS: &[&str] =
    &["json-integer-out-of-range", "json-integer-too-long", "json-number-overflow"];
