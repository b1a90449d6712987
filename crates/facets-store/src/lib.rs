#![doc = include_str!("../README.md")]

mod ancestors;
mod check;
mod collect;
mod content;
mod directory;
mod entry;
mod error;
mod fetching;
mod key;
mod limits;
mod locking;
mod manifest;
mod origin_note;
mod record;
mod removal;
mod staged_entry;
mod staging;
mod stamp;
mod store;
mod stored;
mod tree_part;
mod tree_writer;
mod verified;

pub use collect::{EntryVerdict, PruneReport, RemovalOutcome, StoreEntry};
pub use error::StoreError;
pub use fetching::FetchTurn;
pub use key::{EntryKey, TreeKey};
pub use limits::StoreLimits;
pub use manifest::{FileMode, TreeItem, TreeManifest};
pub use store::{Store, TreePin};
pub use stored::{CheckedBy, StoredFile, StoredTree};
pub use tree_part::TreePart;
pub use tree_writer::TreeWriter;
pub use verified::Verified;

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
