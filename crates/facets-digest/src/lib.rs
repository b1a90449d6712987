#![doc = include_str!("../README.md")]

mod digest;
mod hashing;
pub mod json;
mod read_buffer;

pub use digest::{Algorithm, Digest, DigestParseError};
pub use hashing::{FileDigest, Hasher, NoProgress, Progress, digest_many, digest_reader};
pub use read_buffer::ReadBuffer;

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
