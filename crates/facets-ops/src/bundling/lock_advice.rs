//! How a user writes `bun.lock`: with the bun of facet, because there may be no other.

use std::path::{Path, PathBuf};

use facets_failure::shell_word;
use facets_model::RuntimeName;
use facets_runtime::{Runtimes, current};
use facets_store::Store;

/// What to type for a lock that is missing or stale.
#[derive(Clone, Copy)]
pub(super) struct LockAdvice<'a> {
    /// The directory of the server, as it was given.
    pub(super) directory: &'a Path,
    pub(super) store: &'a Store,
}

impl LockAdvice<'_> {
    /// The command that writes `bun.lock`, or the one that installs what writes it.
    pub(super) fn next(self) -> String {
        let installed = Runtimes::new(self.store).installed(current(RuntimeName::Bun));
        match installed {
            Ok(Some(bun)) => lock_command(&bun.program(), self.directory),
            // It says then where the program is.
            Ok(None) | Err(_) => {
                "facet runtime install bun, then the same command again".to_owned()
            }
        }
    }
}

/// Writes the lock as text, and installs nothing.
fn lock_command(bun: &Path, directory: &Path) -> String {
    // Without `./` in the middle.
    let directory: PathBuf = directory.components().collect();
    let (bun, directory) = (shell_word(bun), shell_word(&directory));
    format!("{bun} install --lockfile-only --save-text-lockfile --cwd {directory}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_names_the_managed_bun_and_the_directory() {
        let command = lock_command(Path::new("/cache/bin/bun"), Path::new("/home/ada/./my server"));
        let expected = "/cache/bin/bun install --lockfile-only --save-text-lockfile --cwd '/home/ada/my server'";
        assert_eq!(command, expected);
    }

    #[test]
    fn a_bun_that_is_not_installed_is_installed_first() {
        let cache = tempfile::tempdir().unwrap();
        let store = Store::open(&cache.path().join("facet")).unwrap();
        let advice = LockAdvice { directory: Path::new("server"), store: &store };
        assert!(advice.next().starts_with("facet runtime install bun"), "{}", advice.next());
    }
}
