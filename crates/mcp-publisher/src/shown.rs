//! What is to be shown, and what it means.

/// What a command ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Yes.
    Yes,
    /// A negative verdict.
    No,
    /// Could not judge.
    Unjudged,
}

impl Exit {
    /// The number that the shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Yes => 0,
            Self::No => 1,
            Self::Unjudged => 2,
        }
    }
}

/// What goes to standard output.
#[derive(Debug)]
pub(crate) enum ShownResult {
    /// These bytes, and no others.
    Exact(Vec<u8>),
    /// Text with colours, which are taken out where nobody sees them.
    Styled(String),
}

/// Everything that is to be shown, and nothing shown yet.
#[derive(Debug)]
pub(crate) struct Shown {
    /// The result, for standard output.
    pub(crate) result: ShownResult,
    /// The talk, for standard error. May have colours.
    pub(crate) talk: String,
    pub(crate) exit: Exit,
}

impl Shown {
    /// A result whose every byte counts.
    pub(crate) fn exact(result: impl Into<Vec<u8>>) -> Self {
        Self { result: ShownResult::Exact(result.into()), talk: String::new(), exit: Exit::Yes }
    }

    /// A result for people.
    pub(crate) fn styled(result: String) -> Self {
        Self { result: ShownResult::Styled(result), talk: String::new(), exit: Exit::Yes }
    }

    pub(crate) fn failure(talk: String) -> Self {
        Self { talk, exit: Exit::Unjudged, ..Self::exact(Vec::new()) }
    }

    pub(crate) fn with_exit(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }

    pub(crate) fn with_talk(self, talk: String) -> Self {
        Self { talk, ..self }
    }
}
