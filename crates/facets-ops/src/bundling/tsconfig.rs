//! The `tsconfig.json` that bun obeys: that of the server, or none.

use std::path::PathBuf;

use super::workshop::Workshop;
use crate::error::OpsError;

/// In the order in which bun takes them.
const NAMES: [&str; 2] = ["tsconfig.json", "jsconfig.json"];

/// The settings for the compiler. Without being told, bun looks for them in every directory up to the root of the
/// machine.
pub(super) fn settings_file(workshop: &Workshop) -> Result<PathBuf, OpsError> {
    match NAMES.into_iter().find(|name| workshop.has(name)) {
        Some(name) => Ok(workshop.source().join(name)),
        None => workshop.write("tsconfig.json", "{}"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn settings_above_the_server_are_not_read() {
        let cache = tempfile::tempdir().unwrap();
        fs::write(cache.path().join("tsconfig.json"), r#"{"compilerOptions":{}}"#).unwrap();
        let workshop = Workshop::with_files(cache.path(), &[("index.ts", "")]);
        let file = settings_file(&workshop).unwrap();
        assert_eq!(fs::read_to_string(file).unwrap(), "{}");
        for name in ["jsconfig.json", "tsconfig.json"] {
            let workshop = Workshop::with_files(cache.path(), &[(name, "{}")]);
            assert_eq!(settings_file(&workshop).unwrap(), workshop.source().join(name));
        }
    }
}
