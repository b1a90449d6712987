//! What a comparison shows.

use crate::instance::Instance;

/// What the comparison of two schemas shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Both accept the same: proven.
    Equivalent,
    /// The new one accepts nothing more (proven), and refuses the example.
    Narrower,
    /// The new one refuses nothing more (proven), and accepts the example.
    Wider,
    /// It accepts one example that was refused, and refuses one that was accepted.
    Incomparable,
    /// Nobody can tell.
    CannotTell,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Equivalent, Self::Narrower, Self::Wider, Self::Incomparable, Self::CannotTell];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Equivalent => "equivalent",
            Self::Narrower => "narrower",
            Self::Wider => "wider",
            Self::Incomparable => "incomparable",
            Self::CannotTell => "cannot_tell",
        }
    }
}

/// What became of a schema, with examples.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaChange {
    /// What is proven.
    pub verdict: Verdict,
    /// Accepted now, and refused before.
    pub gained: Option<Instance>,
    /// Accepted before, and refused now.
    pub lost: Option<Instance>,
    /// The keyword that nobody can look into, if nobody can tell.
    pub keyword: Option<String>,
    /// Arguments that are declared now and were not.
    pub new_arguments: Vec<String>,
    /// Defaults, formats and the like that say something else now.
    pub other_notes: Vec<String>,
}
