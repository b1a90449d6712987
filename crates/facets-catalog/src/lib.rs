#![doc = include_str!("../README.md")]

mod address;
mod audit;
mod catalog;
mod database;
mod error;
mod job_claims;
mod jobs;
mod kind;
mod lookalike;
mod migrations;
mod moment;
mod names;
mod ordering;
mod owner;
mod page;
mod publish;
mod record;
mod scopes;
mod search;
#[cfg(test)]
mod tests;
mod tokens;
mod upkeep;
mod uploads;
mod version_row;
mod versions;
mod wanted;
mod words;
mod yank;

pub use address::CatalogUrl;
pub use audit::AuditEntry;
pub use catalog::{Catalog, Migrate, SchemaState};
pub use error::CatalogError;
pub use job_claims::{Claimant, ClaimedJob, JobClaim, Lease, PROBE_INTERRUPTED};
pub use jobs::{EnqueueOutcome, JobState, JobStatus, NewJob, QueueDepth};
pub use kind::ArtifactKind;
pub use moment::Moment;
pub use names::OwnerChange;
pub use owner::{AuditWho, Owner, OwnerError};
pub use page::{Cursor, Page};
pub use publish::{NewVersion, PublishOutcome};
pub use record::{AssetCounts, NameSummary, ServerRecord, VersionRecord, VersionSummary, Yank};
pub use tokens::{NewToken, RevokeOutcome, TokenEnd, TokenRecord};
pub use upkeep::BlobUse;
pub use uploads::{Condemned, NewUpload, UploadStart};
pub use wanted::{VersionRange, VersionRangeError, Wanted};
pub use words::has_too_many_words;
pub use yank::YankOutcome;

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
