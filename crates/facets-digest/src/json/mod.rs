//! Strict JSON in, canonical JSON out (spec 1.3 and 1.4).
//!
//! [`parse`] reads a whole document into a [`Value`] that borrows from its input;
//! [`Value::to_canonical`] writes the one form that is hashed. [`Tokenizer`] is the layer
//! below, for readers that need positions.
//!
//! ```
//! use facets_digest::json::{self, Limits, Origin};
//! let value = json::parse(br#"{"b": 1.0, "a": "\u0041"}"#, Origin::Authored, Limits::DOCUMENT)?;
//! assert_eq!(value.to_canonical(), br#"{"a":"A","b":1}"#);
//! # Ok::<(), json::JsonError>(())
//! ```

mod canonical;
mod error;
mod number;
mod order;
mod pretty;
mod read;
mod scan;
mod split;
mod token;
mod value;

pub use canonical::{quoted, write_list, write_string};
pub use error::{JsonError, JsonErrorKind, Position};
pub use number::{MAX_SAFE_INTEGER, Number, Origin};
pub use order::compare_utf16;
pub use pretty::write_pretty_list;
pub use read::parse;
pub use split::{RawMember, split_array, split_object};
pub use token::{Token, TokenKind, Tokenizer};
pub use value::{Member, Object, Value};

/// How much a document may ask of its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the whole text.
    pub bytes: usize,
    /// Containers inside each other; the outermost is depth 1.
    pub depth: usize,
    /// Values of every kind, containers included: they bound the memory of the tree.
    pub values: usize,
}

impl Limits {
    /// For one definition captured from a server, measured alone. Few values, because each
    /// takes memory far beyond its bytes.
    pub const DEFINITION: Self = Self { bytes: 16 << 20, depth: 128, values: 500_000 };

    /// For documents that people hand to us.
    pub const DOCUMENT: Self = Self { bytes: 64 << 20, depth: 128, values: 4_000_000 };
}
