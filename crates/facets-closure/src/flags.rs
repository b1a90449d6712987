//! What a reviewer wants to know of a package beside its version.

/// Something that sets a package apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PackageFlag {
    /// It has files of machine code.
    Native,
    /// The server can do without it: a registry that does not have it, or another platform, is no problem.
    Optional,
    /// It has scripts that an installer would run. Facet does not run them.
    Script,
}

impl PackageFlag {
    const ALL: [Self; 3] = [Self::Native, Self::Optional, Self::Script];

    /// Its name in a closure.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Optional => "optional",
            Self::Script => "script",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|flag| flag.name() == name)
    }
}
