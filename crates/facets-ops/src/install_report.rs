//! What an install or an upgrade did.

use std::path::PathBuf;

use facets_digest::Digest;
use facets_drift::Finding;
use facets_model::{AssetKind, AssetName, Version};

use crate::client_files::Client;
use crate::consent::ApprovalPage;
use crate::install_page::{AssetChangeShown, FacetChange, ServerChange};

/// What came of an install or an upgrade.
#[derive(Debug)]
pub struct InstallReport {
    /// Whether anything was written.
    pub outcome: InstallOutcome,
    /// All facets of the project, and those that went.
    pub facets: Vec<(FacetChange, ItemStatus)>,
    /// All files in folders of clients.
    pub files: Vec<InstalledFileShown>,
    /// All servers of the project, and those that went.
    pub servers: Vec<ServerOutcome>,
    /// Texts that were shown, with their findings.
    pub assets: Vec<AssetChangeShown>,
    /// Versions that were asked for and were taken back.
    pub yanked: Vec<YankedVersion>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
}

/// A version that was taken back. It exists, and nothing chooses it any more.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct YankedVersion {
    /// Kind and name, as a registry has them: `facet demo`.
    pub subject: String,
    /// Which version.
    pub version: Version,
    /// Why.
    pub reason: String,
}

impl std::fmt::Display for YankedVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { subject, version, reason } = self;
        write!(f, "{subject} {version} was yanked")?;
        if reason.is_empty() { Ok(()) } else { write!(f, ": {reason}") }
    }
}

/// Whether anything was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallOutcome {
    /// It was.
    Applied,
    /// Everything was there already.
    Unchanged,
    /// It was only to be shown.
    Planned,
    /// Findings are worse than what was accepted: nothing was written.
    Refused,
}

impl InstallOutcome {
    /// Its word for programs.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Unchanged => "unchanged",
            Self::Planned => "planned",
            Self::Refused => "refused",
        }
    }
}

/// What became of one thing, or would.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemStatus {
    /// It is new.
    Added,
    /// It has another version, or other content.
    Changed,
    /// It stays.
    Kept,
    /// It went.
    Removed,
}

impl ItemStatus {
    /// Its word for programs.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Kept => "kept",
            Self::Removed => "removed",
        }
    }
}

/// A file in the folder of a client.
#[derive(Clone, Debug)]
pub struct InstalledFileShown {
    /// The facet.
    pub facet: String,
    /// What it belongs to.
    pub kind: AssetKind,
    /// The name of that in this project.
    pub name: AssetName,
    /// Whose folder.
    pub client: Client,
    /// Where.
    pub path: PathBuf,
    /// What became of it.
    pub status: AssetFileStatus,
}

/// What became of a file, or would.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssetFileStatus {
    /// Written.
    Written,
    /// As it should be.
    Kept,
    /// The user has edited it: it stays as it is.
    Edited,
    /// Removed.
    Removed,
}

impl AssetFileStatus {
    /// Its word for programs.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Kept => "kept",
            Self::Edited => "edited",
            Self::Removed => "removed",
        }
    }
}

/// What became of a server.
#[derive(Debug)]
pub struct ServerOutcome {
    /// Which, and from which version to which.
    pub change: ServerChange,
    /// What became of it.
    pub status: ServerStatus,
    /// What changes, or would.
    pub findings: Vec<Finding>,
    /// What it declares, if it was looked at.
    pub page: Option<ApprovalPage>,
    /// Its hashes in the lock, if it is pinned.
    pub pinned: Option<PinnedHashes>,
}

/// The hashes of a pinned server.
#[derive(Clone, Debug)]
pub struct PinnedHashes {
    /// Of a source-mode server: SHA-256 of the inner tar.
    pub integrity: Option<Digest>,
    /// Of a source-mode server: SHA-256 of the archive.
    pub content_hash: Option<Digest>,
    /// spec 5.3
    pub api_surface: Digest,
    /// spec 5.5
    pub surface: Digest,
    /// spec 6.2
    pub behavior: Digest,
}

/// What became of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerStatus {
    /// Pinned for the first time.
    Added,
    /// Pinned anew.
    Changed,
    /// As it is locked, and approved on this machine from now on.
    Approved,
    /// As it was, and approved on this machine.
    Kept,
    /// Pinned in the lock, and not approved on this machine.
    NotApproved,
    /// Known and not looked at: it does not start.
    Uncaptured,
    /// Somebody said no: it stays as it was.
    Declined,
    /// Its findings are worse than what was accepted: it stays as it was.
    Refused,
    /// Removed.
    Removed,
    /// It would be looked at.
    Planned,
}

impl ServerStatus {
    /// Its word for programs.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Approved => "approved",
            Self::Kept => "kept",
            Self::NotApproved => "not_approved",
            Self::Uncaptured => "uncaptured",
            Self::Declined => "declined",
            Self::Refused => "refused",
            Self::Removed => "removed",
            Self::Planned => "planned",
        }
    }
}
