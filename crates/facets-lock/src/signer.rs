//! Who has to have signed what a server starts.

use std::fmt;

use facets_digest::json::{Value, quoted};

use crate::error::LockError;
use crate::members::EntryMembers;

/// A signer that the lock pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signer {
    /// The identity, as written.
    Identity(String),
    /// A signer in a form that this facet does not know, as canonical JSON. It is required all the same,
    /// stays what it is, and cannot be verified.
    Unreadable(String),
}

impl Signer {
    /// The one reader: a text is a signer, nothing or `null` is none, and anything else is a signer
    /// that cannot be verified here.
    pub(crate) fn read(entry: &EntryMembers<'_>) -> Result<Option<Self>, LockError> {
        if entry.raw("signer").is_none() {
            return Ok(None);
        }
        Ok(match entry.value("signer")? {
            Value::Null => None,
            Value::String(text) if !text.is_empty() => Some(Self::Identity(text.into_owned())),
            other => {
                let form = String::from_utf8_lossy(&other.to_canonical()).into_owned();
                Some(Self::Unreadable(form))
            }
        })
    }

    pub(crate) fn to_json(&self) -> String {
        match self {
            Self::Identity(text) => quoted(text),
            Self::Unreadable(raw) => raw.clone(),
        }
    }
}

impl fmt::Display for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identity(text) => f.write_str(text),
            Self::Unreadable(raw) => f.write_str(raw),
        }
    }
}
