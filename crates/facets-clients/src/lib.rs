#![doc = include_str!("../README.md")]

pub mod assets;
mod client;
mod dialect;
mod entry;
mod error;
mod guard;
mod guarded;
mod insert;
mod json_entry;
mod list;
mod mask;
mod opened;
mod parse;
mod record;
mod secret;
mod secrets;
mod segment;
mod toml;
mod toml_entry;
mod undo;
mod url_kind;

pub use client::{Client, ClientFile, ClientFormat, Places, Scope};
pub use entry::{Entry, EntryTransport, EnvValue, HeaderValue};
pub use error::ClientError;
pub use guard::guard;
pub use guarded::Guarded;
pub use insert::insert;
pub use mask::masked;
pub use parse::parse;
pub use secret::Secret;
pub use secrets::{looks_like_secret, secret_arguments};
pub use undo::{Undo, undo};
pub use url_kind::UrlKind;

/// The largest file that is read.
pub const MAX_BYTES: usize = 16 << 20;
/// The most servers that one file may name.
pub const MAX_ENTRIES: usize = 1_000;
/// The most members, and the most comments, that one entry may have.
pub const MAX_MEMBERS: usize = 2_000;

/// The byte order mark that some editors write, and the text behind it.
fn split_mark(text: &str) -> Result<(&str, &str), ClientError> {
    if text.len() > MAX_BYTES {
        return Err(ClientError::TooLarge { size: text.len(), limit: MAX_BYTES });
    }
    let length = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    Ok(text.split_at(length))
}

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
