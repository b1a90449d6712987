#![doc = include_str!("../README.md")]

mod busy;
mod clients;
mod error;
mod files;
mod followed_log;
mod homes;
mod journal;
mod ledger;
mod ledger_record;
mod manifest;
mod marks;
mod nearest;
mod old_approvals;
mod project;
mod runs;
mod user_directory;

pub use clients::ClientRecords;
pub use error::ProjectError;
pub use files::{LOCK, MANIFEST, STATE, is_ours};
pub use followed_log::FollowedLog;
pub use homes::{Homes, PrivateHome};
pub use ledger::Ledger;
pub use ledger_record::{Approval, LedgerRecord};
pub use manifest::{declared_origin, with_server, without_server};
pub use nearest::{is_in_repository, project_around};
pub use project::{Change, Project, State, SurfaceOnDisk};
pub use runs::{RunEntry, RunLog, RunRecord, Runs, seconds_now};
pub use user_directory::{UserDirectory, remember_start, typed_by_person};

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
