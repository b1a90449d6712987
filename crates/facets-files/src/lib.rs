#![doc = include_str!("../README.md")]

mod error;
mod read;
mod write;

pub use error::FileError;
pub use read::{read_plain, read_regular, read_to_limit};
pub use write::{Placement, is_staged, staged_path, sync_folder, write_atomically, write_synced};

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
