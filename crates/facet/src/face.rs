//! What facet calls itself.

use facets_face::Face;

pub(crate) const FACE: Face = Face { program: "facet", version: env!("CARGO_PKG_VERSION") };
