#![doc = include_str!("../README.md")]

mod approvals;
mod clients;
mod error;
mod files;
mod journal;
mod manifest;
mod marks;
mod project;
mod runs;
mod user_directory;

pub use approvals::{Approval, Approvals};
pub use clients::ClientRecords;
pub use error::ProjectError;
pub use files::{LOCK, MANIFEST, STATE, is_ours};
pub use manifest::{declared_origin, with_server, without_server};
pub use project::{Change, Project, State, SurfaceOnDisk};
pub use runs::{RunEntry, RunLog, RunRecord, Runs, seconds_now};
pub use user_directory::UserDirectory;

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
