#![doc = include_str!("../README.md")]

mod blobs;
mod cache;
mod error;
mod located;
mod put;
mod read;
mod verified_once;

pub use blobs::{BlobEntry, BlobLimits, BlobVerdict, Blobs};
pub use error::BlobError;
pub use located::{BlobsUrl, BlobsUrlError, S3Credentials};
pub use read::BlobStream;

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
