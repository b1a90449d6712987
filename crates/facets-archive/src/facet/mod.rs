//! Archives of facets, byte for byte as the reference writes them (spec 4.1).

mod build_manifest;
mod pack;
mod read;
mod text;

pub use pack::{PackedFacet, pack_facet};
pub use read::{
    FacetArchive, read_facet, read_facet_files, read_facet_texts, unpack_facet, validate_facet,
};
