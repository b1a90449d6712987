#![doc = include_str!("../README.md")]

mod authentication;
mod backup;
mod blocking;
mod caller;
mod check;
mod clock;
mod contents;
mod contract;
mod diff;
mod error;
mod file_changes;
mod gc;
mod job_document;
mod json_text;
mod limits;
mod probe_folder;
mod probe_job;
mod probe_runtime;
mod prober;
mod probing;
mod problem;
mod publish;
mod publish_facet;
mod publish_server;
mod publishing;
mod random;
mod reading;
mod reads;
mod refusals;
mod registry;
mod repair;
mod scope;
mod server_record;
mod temporary_file;
mod text;
mod token_text;
mod tokens;
mod upkeep;
mod upload;
mod upload_pace;
mod upload_slots;
mod used_folder;
mod yank;

pub use backup::BackupReport;
pub use caller::Caller;
pub use check::{CheckReport, Damage, DamageKind};
pub use diff::VersionDiff;
pub use error::RegistryError;
pub use facets_blobs::BlobStream;
pub use facets_catalog::{
    ArtifactKind, AssetCounts, AuditEntry, Cursor, JobState, JobStatus, Moment, NameSummary, Owner,
    OwnerChange, Page, QueueDepth, ServerRecord, TokenRecord, VersionRange, VersionRecord,
    VersionSummary, Wanted, Yank,
};
pub use file_changes::FileChange;
pub use gc::{GcOptions, GcReport};
pub use limits::RegistryLimits;
pub use probing::{
    InstalledProgram, PROBE_STAGES, PROBE_WORKER, ProbeAnswer, ProbeFailure, ProbeRequest, probe,
    probe_worker,
};
pub use problem::{PROBLEM_CODES, RegistryProblem};
pub use publishing::PublishAnswer;
pub use reads::Readiness;
pub use registry::{Registry, RegistryPlaces, RegistrySetup};
pub use scope::{NamePattern, Scope, ScopeError};
pub use token_text::TokenText;
pub use upkeep::{NoUpkeepProgress, UpkeepProgress};
pub use upload::Upload;

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
