//! What facet-registry calls itself.

use facets_face::Face;

pub(crate) const FACE: Face =
    Face { program: "facet-registry", version: env!("CARGO_PKG_VERSION") };
