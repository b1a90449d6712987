#![doc = include_str!("../README.md")]

mod bundle_hash;
mod comparison;
mod complete;
mod error;
mod file_result;
mod hash_gen;
mod listing;
mod server_file;
mod shorten;
mod verify;

pub use error::FileHashesError;
pub use file_result::{FileResult, FileStatus, HashVerdict, verdict};
pub use hash_gen::{HashGenReport, hash_gen};
pub use server_file::ServerFile;
pub use verify::{FileHashReport, Unhashed, verify};

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
