//! How facet itself is started.

use std::fs;

/// This very file, by its path. Clients with windows have another `PATH` than a terminal, and what `PATH`
/// leads to may change.
pub(crate) fn own_program() -> String {
    let own = std::env::current_exe().and_then(fs::canonicalize).unwrap_or_default();
    own.display().to_string()
}
