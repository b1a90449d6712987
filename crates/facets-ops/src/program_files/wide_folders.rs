//! Folders that hold more than any one program.

use std::path::{Path, PathBuf};

use facets_project::UserDirectory;

/// Where the system keeps things, or users do.
const SHARED: &[&str] = &[
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/media",
    "/mnt",
    "/nix/store",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/srv",
    "/sys",
    "/tmp",
    "/usr/bin",
    "/usr/lib",
    "/usr/local/bin",
    "/var/lib",
    "/var/tmp",
];

/// The folders that are never opened only because a program lies in them.
pub(super) struct WideFolders {
    /// Neither these nor what is around them.
    places: Vec<PathBuf>,
    /// Nor this, though it may lie in a project.
    temporary: PathBuf,
    /// Nor anything in or around this: what facet keeps for this user.
    own: Option<UserDirectory>,
}

impl WideFolders {
    pub(super) fn of_this_user() -> Self {
        let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let homes = users.lines().filter_map(|line| line.split(':').nth(5)).map(PathBuf::from);
        let places = SHARED.iter().map(PathBuf::from).chain(homes);
        let places = places.chain(std::env::home_dir());
        let places = places.filter(|place| place.is_absolute());
        let places = places.flat_map(|place| {
            let real = std::fs::canonicalize(&place).ok();
            [Some(place), real].into_iter().flatten()
        });
        let temporary = std::env::temp_dir();
        let temporary = std::fs::canonicalize(&temporary).unwrap_or(temporary);
        Self { places: places.collect(), temporary, own: UserDirectory::of_this_user().ok() }
    }

    pub(super) fn contain(&self, folder: &Path) -> bool {
        self.places.iter().any(|place| place.starts_with(folder))
            || folder == self.temporary
            || self.own.as_ref().is_some_and(|own| own.touches(folder))
    }

    /// Whether a file lies in what facet keeps for this user.
    pub(super) fn are_own(&self, file: &Path) -> bool {
        self.own.as_ref().is_some_and(|own| own.holds(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_system_directories_and_what_is_around_them_are_wide() {
        let here = WideFolders::of_this_user();
        for folder in ["/", "/home", "/root", "/tmp", "/usr", "/var", "/etc"] {
            assert!(here.contain(Path::new(folder)), "{folder}");
        }
        assert!(!here.contain(Path::new("/app")) && !here.contain(Path::new("/opt/x")));
    }
}
