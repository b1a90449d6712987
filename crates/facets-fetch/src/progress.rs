//! Who sees how far files have come.

/// Hears how files get on, each by its number. Called from several threads.
pub trait FetchProgress: Sync {
    /// How long a file is.
    fn on_size(&self, _file: usize, _bytes: u64) {}
    /// So many bytes more have arrived.
    fn advance(&self, _file: usize, _bytes: u64) {}
    /// What has arrived of it is worth nothing; it begins anew.
    fn restart(&self, _file: usize) {}
    /// It is there, and verified.
    fn on_done(&self, _file: usize) {}
}

/// Shows nothing.
pub struct NoFetchProgress;

impl FetchProgress for NoFetchProgress {}
