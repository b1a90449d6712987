#![doc = include_str!("../README.md")]

mod asset_check;
mod asset_path;
mod asset_steps;
mod busy;
mod change;
mod clients;
mod error;
mod files;
mod folder;
mod followed_log;
mod homes;
mod installed;
mod journal;
mod ledger;
mod ledger_record;
mod made_folders;
mod manifest;
mod manifest_facets;
mod marks;
mod nearest;
mod old_approvals;
mod places;
mod plan;
mod prepare;
mod project;
mod receipt;
mod runs;
mod seen;
mod user_directory;

pub use change::{AssetChange, Change};
pub use clients::ClientRecords;
pub use error::ProjectError;
pub use files::{LOCK, MANIFEST, STATE, is_ours};
pub use followed_log::FollowedLog;
pub use homes::{Homes, PrivateHome};
pub use installed::{InstalledFacet, InstalledFile, InstalledRecord};
pub use ledger::Ledger;
pub use ledger_record::{Approval, LedgerRecord};
pub use manifest::{declared_origin, valid_manifest, with_server, without_server};
pub use manifest_facets::{with_clients, with_facet, with_registry_server, without_facet};
pub use nearest::{is_in_repository, project_around};
pub use places::AssetPlaces;
pub use project::{Project, State, SurfaceOnDisk};
pub use receipt::Receipt;
pub use runs::{RunEntry, RunLog, RunRecord, Runs, seconds_now};
pub use seen::{Seen, SeenVersion, SeenVersions};
pub use user_directory::{UserDirectory, remember_start, typed_by_person};

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
