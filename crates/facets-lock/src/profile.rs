//! The environment that a server is started in (spec 5.2).

use crate::grants::{Extent, Grants};

/// Which environment a server is started in, for capture and for use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// An empty `HOME` that goes with the process, `TZ=UTC`, `LANG=C.UTF-8`, `PATH`, and the
    /// variables that the entry names. An entry that says nothing means this: an older facet wrote it.
    #[default]
    Scratch,
    /// The user's own `HOME`, locale and time zone: all files are granted.
    Native,
    /// A `HOME` that only this server of this project has, and that survives: files are confined.
    Private,
}

impl Profile {
    /// spec 5.2: the profile follows from the file grant
    #[must_use]
    pub fn following(grants: &Grants) -> Self {
        match grants.filesystem {
            Extent::All => Self::Native,
            Extent::None | Extent::Listed(_) => Self::Private,
        }
    }

    /// The profile with other grants. What an older facet pinned stays as it was.
    #[must_use]
    pub fn with_grants(self, grants: &Grants) -> Self {
        match self {
            Self::Scratch => Self::Scratch,
            Self::Native | Self::Private => Self::following(grants),
        }
    }

    /// What the lock calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scratch => "scratch",
            Self::Native => "native",
            Self::Private => "private",
        }
    }
}
