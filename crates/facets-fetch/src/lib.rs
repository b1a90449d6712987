#![doc = include_str!("../README.md")]

mod client;
mod download;
mod error;
mod fetcher;
mod github;
mod hashing;
mod limits;
mod machine;
pub mod npm;
mod pace;
mod progress;
pub mod pypi;
mod stated_hash;
mod unnamed_file;
mod upstream;

pub use client::{HttpClient, RegistryDocument};
pub use download::VerifiedFile;
pub use error::FetchError;
pub use facets_http::{Authorization, Credentials, ProxyChoice, Reach, Route};
pub use fetcher::{Fetched, Fetcher};
pub use github::GitHubConfig;
pub use limits::FetchLimits;
pub use machine::Machine;
pub use progress::{FetchProgress, NoFetchProgress};
pub use stated_hash::{StatedAlgorithm, StatedHash};
pub use upstream::{UpstreamFile, Yanked};

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
