//! A change of a project: its files, those of clients, and what this machine knows about both.

use facets_digest::Digest;
use facets_lock::Lock;
use facets_model::AssetBase;

use crate::installed::InstalledRecord;
use crate::receipt::Receipt;

/// New contents of files.
#[derive(Debug, Default)]
pub struct Change {
    /// Of the manifest.
    pub manifest: Option<String>,
    /// Of the lock.
    pub lock: Option<Lock>,
    /// Surface files by the name of the server; none removes one.
    pub surfaces: Vec<(String, Option<String>)>,
    /// Closure files by the name of the server; none removes one.
    pub closures: Vec<(String, Option<String>)>,
    /// Files of clients.
    pub assets: Vec<AssetChange>,
    /// What is installed afterwards.
    pub installed: Option<InstalledRecord>,
    /// The receipt that the reference reads.
    pub receipt: Option<Receipt>,
}

/// A file of an asset that is written or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssetChange {
    /// What its path begins at.
    pub base: AssetBase,
    /// From there on, with slashes.
    pub path: String,
    /// What is there now, as far as the change was decided by it; none if nothing is. If it is something
    /// else, the user has just changed it, and the whole change is refused.
    pub before: Option<Digest>,
    /// The new content; none removes the file.
    pub content: Option<Vec<u8>>,
}
