//! How far a publication has come.

/// What a registry is waiting for before a version is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeWait {
    /// Others come first.
    Queued {
        /// How many, if the registry says so.
        ahead: Option<u64>,
    },
    /// The server is being started.
    Running,
}

/// Sees how far a publication has come.
pub trait PublishProgress: Sync {
    /// So many bytes are uploaded.
    fn on_upload(&self, _bytes: u64) {}
    /// So many bytes more are on their way.
    fn advance(&self, _bytes: u64) {}
    /// The registry has all of it, and is not done yet.
    fn on_wait(&self, _wait: ProbeWait) {}
}

/// Shows nothing.
#[derive(Debug)]
pub struct NoPublishProgress;

impl PublishProgress for NoPublishProgress {}
