//! What is to be shown, and what it means.

/// What a command ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Yes.
    Yes,
    /// A negative verdict.
    No,
    /// Could not judge.
    Unjudged,
    /// Whatever the server ended with.
    Code(u8),
}

impl Exit {
    /// The number that the shell sees.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Yes => 0,
            Self::No => 1,
            Self::Unjudged => 2,
            Self::Code(code) => code,
        }
    }
}

/// What goes to standard output.
#[derive(Debug)]
pub enum ShownResult {
    /// These bytes, and no others.
    Exact(Vec<u8>),
    /// Canonical JSON: exact, except that a terminal is not handed what it would act on.
    Canonical(Vec<u8>),
    /// Text with colours, which are removed without a terminal.
    Styled(String),
}

/// Everything that is to be shown, and nothing shown yet.
#[derive(Debug)]
pub struct Shown {
    /// The result, for standard output.
    pub result: ShownResult,
    /// The talk, for standard error. May have colours.
    pub talk: String,
    /// What the command ends with.
    pub exit: Exit,
}

impl Shown {
    /// A result whose every byte counts.
    #[must_use]
    pub fn exact(result: impl Into<Vec<u8>>) -> Self {
        Self { result: ShownResult::Exact(result.into()), talk: String::new(), exit: Exit::Yes }
    }

    /// A canonical form.
    #[must_use]
    pub fn canonical(result: Vec<u8>) -> Self {
        Self { result: ShownResult::Canonical(result), ..Self::exact(Vec::new()) }
    }

    /// A result for people.
    #[must_use]
    pub fn styled(result: String) -> Self {
        Self { result: ShownResult::Styled(result), talk: String::new(), exit: Exit::Yes }
    }

    /// No result, and why.
    #[must_use]
    pub fn failure(talk: String) -> Self {
        Self { talk, exit: Exit::Unjudged, ..Self::exact(Vec::new()) }
    }

    /// The same with this exit.
    #[must_use]
    pub fn with_exit(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }

    /// The same with this talk.
    #[must_use]
    pub fn with_talk(self, talk: String) -> Self {
        Self { talk, ..self }
    }
}
