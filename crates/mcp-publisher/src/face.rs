//! What mcp-publisher calls itself.

use facets_face::Face;

/// By which the completion script of a shell asks.
pub(crate) const COMPLETION_VARIABLE: &str = "MCP_PUBLISHER_COMPLETE";

pub(crate) const FACE: Face = Face { program: "mcp-publisher", version: env!("CARGO_PKG_VERSION") };
