//! What mcp-publisher calls itself.

use facets_face::Face;

pub(crate) const FACE: Face = Face { program: "mcp-publisher", version: env!("CARGO_PKG_VERSION") };
