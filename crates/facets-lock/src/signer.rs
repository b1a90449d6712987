//! Who has to have signed what a server starts.

use std::fmt;

use facets_digest::json::{Value, quoted};

use crate::error::LockError;
use crate::members::EntryMembers;

/// A signer that the lock pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signer(String);

impl Signer {
    /// The identity, as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The one reader: a text is a signer, nothing or `null` is none, and anything else is refused.
    pub(crate) fn read(entry: &EntryMembers<'_>) -> Result<Option<Self>, LockError> {
        if entry.raw("signer").is_none() {
            return Ok(None);
        }
        match entry.value("signer")? {
            Value::Null => Ok(None),
            Value::String(text) if !text.is_empty() => Ok(Some(Self(text.into_owned()))),
            _ => Err(entry.bad("signer", "the identity of a signer")),
        }
    }

    pub(crate) fn to_json(&self) -> String {
        quoted(&self.0)
    }
}

impl fmt::Display for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
