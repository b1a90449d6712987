//! Strict JSON in, canonical JSON out (spec 1.3 and 1.4).
//!
//! [`parse`] reads a whole document into a [`Value`] that borrows from its input;
//! [`Value::to_canonical`] writes the one form that is hashed. [`Tokenizer`] is the layer
//! below, for readers that need positions.
//!
//! ```
//! use facets_digest::json::{self, Limits, Provenance};
//! let value = json::parse(br#"{"b": 1.0, "a": "\u0041"}"#, Provenance::Authored, Limits::DOCUMENT)?;
//! assert_eq!(value.to_canonical(), br#"{"a":"A","b":1}"#);
//! # Ok::<(), json::JsonError>(())
//! ```

mod advice;
mod canonical;
mod error;
mod limits;
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
pub use limits::Limits;
pub use number::{MAX_SAFE_INTEGER, Number, Provenance};
pub use order::compare_utf16;
pub use pretty::write_pretty_list;
pub use read::parse;
pub use split::{RawMember, split_array, split_object};
pub use token::{Token, TokenKind, Tokenizer};
pub use value::{Member, Object, Value};
