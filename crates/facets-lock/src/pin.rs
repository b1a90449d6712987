//! What exactly an origin is: the bytes that were verified.

use facets_model::Origin;

/// What exactly an origin is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pin {
    /// A command or an address names no bytes that could be verified: it is started or called as
    /// written, and known by its surface alone.
    #[default]
    AsWritten,
}

impl Pin {
    /// The pin of an entry of this origin.
    pub(crate) fn read(origin: &Origin) -> Self {
        match origin {
            Origin::Command(_) | Origin::Address(_) => Self::AsWritten,
        }
    }

    /// The members of a lock entry that hold it, as JSON.
    pub(crate) fn members(self) -> Vec<(&'static str, String)> {
        match self {
            Self::AsWritten => Vec::new(),
        }
    }
}
