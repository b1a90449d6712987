#![doc = include_str!("../README.md")]

mod address;
mod client;
mod clock;
mod download;
mod encodings;
mod error;
mod failures;
mod fetcher;
mod github;
mod hashing;
mod limits;
mod machine;
pub mod npm;
mod pace;
mod parallel;
mod pinned;
mod progress;
pub mod pypi;
mod server_problem;
mod stated_hash;
mod unnamed_file;
mod upstream;

pub use client::{HttpClient, RegistryDocument};
pub use download::VerifiedFile;
pub use error::{FetchError, Referral};
pub use facets_http::{Authorization, Credentials, ProxyChoice, Reach, Route};
pub use fetcher::{Fetched, Fetcher, Listed};
pub use github::GitHubConfig;
pub use hashing::matches_all;
pub use limits::FetchLimits;
pub use machine::Machine;
pub use pinned::PinnedFile;
pub use progress::{FetchProgress, NoFetchProgress};
pub use server_problem::{ServerProblem, TimeLimit};
pub use stated_hash::{StatedAlgorithm, StatedHash};
pub use upstream::{UpstreamFile, Yanked};

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
