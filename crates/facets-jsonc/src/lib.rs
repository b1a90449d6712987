#![doc = include_str!("../README.md")]

mod document;
mod edit;
mod error;
mod members;
mod set;

pub use document::{JsonDocument, MemberSpan, Notation, ObjectSpan};
pub use edit::{Edit, apply, line_end, line_start};
pub use error::EditError;
pub use members::{Filling, Style, add_behind, fill, remove};
pub use set::{Order, remove_member, set_member};
