#![doc = include_str!("../README.md")]

mod addresses;
mod asset_rules;
mod blanks;
mod blobs;
mod characters;
mod chunks;
mod confusable;
mod context;
mod executed;
mod fold;
mod found;
mod hidden;
mod keys;
mod languages;
mod letters;
mod lists;
mod look;
mod marker;
mod markup;
mod matcher;
mod mixed;
mod names;
mod paths;
mod phrase;
mod phrases;
mod power;
mod presentation;
mod rare_letters;
mod rules;
mod shell;
mod siblings;
mod signs;
mod words;

pub use asset_rules::ASSET_RULES;
pub use context::{Context, ToolNames};
pub use executed::executed_commands;
pub use hidden::{is_hidden, is_mark};
pub use keys::{decodings, key_markers};
pub use look::{Approved, markers, new_markers, plain_text};
pub use marker::{Marker, Rule, RuleScope};
pub use names::{
    Disguise, disguise, plain_spelling, resembles, skeletons, spelled_out, visible_letters,
};
pub use power::Power;
pub use presentation::characters_seen;
pub use rules::RULES;
