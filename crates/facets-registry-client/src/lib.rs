#![doc = include_str!("../README.md")]

mod address;
mod answer;
mod certificate_problem;
mod client;
mod document;
mod download;
mod error;
mod failed_attempt;
mod failures;
mod identity;
mod limits;
mod lists;
mod problem;
mod progress;
mod publication;
mod redirects;
mod refusal;
mod token;
mod transport;
mod upload;
mod wanted;

pub use address::RegistryAddress;
pub use client::RegistryClient;
pub use document::{AskedVersion, ServerVersionHashes, VersionDocument, VersionYank};
pub use error::RegistryClientError;
pub use identity::RegistryIdentity;
pub use limits::{RegistryClientLimits, TIMEOUT_VARIABLE};
pub use lists::{
    ArtifactPage, ListPosition, ListedArtifact, PublishedVersion, VersionDifference, VersionPage,
};
pub use problem::{REFUSAL_CODES, RegistryProblem};
pub use progress::{NoPublishProgress, ProbeWait, PublishProgress};
pub use publication::{Publication, PublicationOutcome};
pub use token::RegistryToken;
pub use upload::ArchiveUpload;
pub use wanted::{PublishedKind, ReleaseRange, ReleaseRangeError, WantedVersion};

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");

/// What the codes mean with which a registry refuses a request.
pub const REFUSAL_EXPLANATIONS: &str = include_str!("../refusals.md");
