//! How facet itself is started.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use facets_files::FileError;

use crate::error::OpsError;

/// This very file, by its path, as it was when that was first asked for. Clients with windows have
/// another `PATH` than a terminal, and what `PATH` leads to may change.
pub(crate) fn own_program() -> String {
    static OWN: OnceLock<String> = OnceLock::new();
    let find = || {
        let own = std::env::current_exe().and_then(fs::canonicalize).unwrap_or_default();
        own.display().to_string()
    };
    OWN.get_or_init(find).clone()
}

/// No file of a client is written without knowing what it shall start.
pub(crate) fn own_program_or_refuse() -> Result<(), OpsError> {
    if Path::new(&own_program()).is_absolute() {
        return Ok(());
    }
    let source =
        std::io::Error::other("the program file was replaced or removed while facet was running");
    Err(OpsError::File(FileError::Unreadable { path: "facet".into(), source }))
}
