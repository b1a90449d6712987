//! Who sees how far an install has come.

use facets_fetch::{FetchProgress, NoFetchProgress};

/// Hears what is acquired, and how far each part of it has come. Called from several threads.
pub trait InstallProgress: Sync {
    /// These are acquired now. From here on each has its number in this list, from 0.
    fn begin(&self, _items: &[String]) {}

    /// Sees the bytes of each, by that number. What is already stored has none.
    fn files(&self) -> &dyn FetchProgress {
        &NoFetchProgress
    }

    /// Something worth knowing that stops nothing.
    fn note(&self, _text: &str) {}

    /// The same, and worse: it is said also where little is said.
    fn warn(&self, _text: &str) {}
}

/// Shows nothing.
#[derive(Debug)]
pub struct NoInstallProgress;

impl InstallProgress for NoInstallProgress {}
