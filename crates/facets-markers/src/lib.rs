#![doc = include_str!("../README.md")]

mod addresses;
mod blanks;
mod blobs;
mod characters;
mod chunks;
mod confusable;
mod context;
mod fold;
mod found;
mod hidden;
mod languages;
mod letters;
mod lists;
mod look;
mod marker;
mod markup;
mod matcher;
mod paths;
mod phrase;
mod phrases;
mod rules;
mod shell;
mod siblings;
mod words;

pub use context::{Context, ToolNames};
pub use hidden::is_hidden;
pub use look::{Approved, markers, new_markers, plain_text};
pub use marker::{Marker, Rule};
pub use rules::RULES;
