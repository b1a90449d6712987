//! Why a client's file cannot be read or changed.

use facets_digest::json::{JsonError, Position};
use facets_failure::Describe;
use facets_jsonc::EditError;

/// Why a client's file cannot be read or changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// A name that is no client's.
    #[error("{name:?} is no client that facet knows")]
    UnknownClient {
        /// As given.
        name: String,
    },
    /// The file is larger than any configuration.
    #[error("{size} bytes, allowed are {limit}")]
    TooLarge {
        /// Its size.
        size: usize,
        /// What is still read.
        limit: usize,
    },
    /// More of something than anybody writes.
    #[error("more than {limit} {what}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many are still read.
        limit: usize,
    },
    /// The text is not in the notation of its file.
    #[error("{problem} at line {}, column {}", position.line, position.column)]
    Syntax {
        /// Where.
        position: Position,
        /// What is wrong, or what was expected.
        problem: String,
    },
    /// A name stands twice, and nobody knows which is meant.
    #[error("{name:?} stands twice: at line {}, column {}", position.line, position.column)]
    Duplicate {
        /// Where the second one stands.
        position: Position,
        /// The name.
        name: String,
    },
    /// A member has a value of another kind.
    #[error("{place} is not {expected}: line {}, column {}", position.line, position.column)]
    Expected {
        /// Where.
        position: Position,
        /// Which member.
        place: String,
        /// What it should be.
        expected: &'static str,
    },
    /// The entry says neither clearly how to start a server nor where to call one.
    #[error("{place} {reason}")]
    Unclear {
        /// Which entry.
        place: String,
        /// What is unclear.
        reason: &'static str,
    },
    /// The client signs in by itself, which facet cannot do in its place.
    #[error("{place} has `{member}`: the client signs in by itself")]
    SignsIn {
        /// Which entry.
        place: String,
        /// The member that says so.
        member: String,
    },
    /// A header has no variable to move to.
    #[error("{place} sends the header {header:?}, and no variable is named for it")]
    HeaderWithoutVariable {
        /// Which entry.
        place: String,
        /// Which header.
        header: String,
    },
    /// The variable for a header is set already, or cannot be another one.
    #[error("{place} cannot take the variable {variable:?} for a header")]
    VariableTaken {
        /// Which entry.
        place: String,
        /// Which variable.
        variable: String,
    },
    /// A comment that would have to be kept elsewhere seems to hold a secret.
    #[error(
        "a comment in {place} seems to hold a secret: line {}, column {}",
        position.line, position.column
    )]
    SecretInComment {
        /// Which entry.
        place: String,
        /// Where.
        position: Position,
    },
    /// The entry cannot be changed without changing more.
    #[error("{place} cannot be changed alone")]
    Entangled {
        /// Which entry.
        place: String,
    },
    /// There is an entry of that name.
    #[error("{place} already exists with something else: rename that entry")]
    Exists {
        /// Which entry.
        place: String,
    },
    /// The entry is not there, or no longer.
    #[error("{place} is not there")]
    Gone {
        /// Which entry.
        place: String,
    },
    /// The entry is not what facet wrote.
    #[error("{place} was edited since facet wrote it")]
    Edited {
        /// Which entry.
        place: String,
    },
    /// The entry starts facet, and there is no record of what it started before.
    #[error("{place} still starts facet, and there is no record of what stood there")]
    Unrecorded {
        /// Which entry.
        place: String,
    },
    /// Somebody else wrote the file after it was read.
    #[error("another program has written this file meanwhile")]
    Overtaken,
    /// The file, or its folder, is read-only.
    #[error("it cannot be written")]
    Unwritable,
    /// A record of a change that is none.
    #[error("this is no record of a change: {problem}")]
    Record {
        /// What is wrong with it.
        problem: String,
    },
}

impl ClientError {
    /// Every code that [`Self::code`] can give.
    pub const CODES: &'static [&'static str] = &[
        "client-unknown",
        "client-file-too-large",
        "client-file-too-many",
        "client-file-syntax",
        "client-file-duplicate",
        "client-file-bad-member",
        "client-entry-unclear",
        "client-entry-signs-in",
        "client-entry-header",
        "client-entry-variable-taken",
        "client-entry-secret-in-comment",
        "client-entry-entangled",
        "client-entry-exists",
        "client-entry-gone",
        "client-entry-edited",
        "client-entry-unrecorded",
        "client-file-overtaken",
        "client-file-unwritable",
        "client-undo-malformed",
    ];

    pub(crate) fn syntax(text: &str, offset: usize, problem: impl Into<String>) -> Self {
        let position = Position::of(text.as_bytes(), offset);
        Self::Syntax { position, problem: problem.into() }
    }

    pub(crate) fn expected(
        text: &str,
        offset: usize,
        place: &[String],
        expected: &'static str,
    ) -> Self {
        let position = Position::of(text.as_bytes(), offset);
        Self::Expected { position, place: shown(place), expected }
    }

    pub(crate) fn entangled(place: &[String]) -> Self {
        Self::Entangled { place: shown(place) }
    }

    pub(crate) fn gone(place: &[String]) -> Self {
        Self::Gone { place: shown(place) }
    }

    /// The entry at a place starts facet, and nobody knows why.
    #[must_use]
    pub fn unrecorded(place: &[String]) -> Self {
        Self::Unrecorded { place: shown(place) }
    }

    pub(crate) fn edited(place: &[String]) -> Self {
        Self::Edited { place: shown(place) }
    }
}

impl Describe for ClientError {
    fn code(&self) -> &'static str {
        match self {
            Self::UnknownClient { .. } => "client-unknown",
            Self::TooLarge { .. } => "client-file-too-large",
            Self::TooMany { .. } => "client-file-too-many",
            Self::Syntax { .. } => "client-file-syntax",
            Self::Duplicate { .. } => "client-file-duplicate",
            Self::Expected { .. } => "client-file-bad-member",
            Self::Unclear { .. } => "client-entry-unclear",
            Self::SignsIn { .. } => "client-entry-signs-in",
            Self::HeaderWithoutVariable { .. } => "client-entry-header",
            Self::VariableTaken { .. } => "client-entry-variable-taken",
            Self::SecretInComment { .. } => "client-entry-secret-in-comment",
            Self::Entangled { .. } => "client-entry-entangled",
            Self::Exists { .. } => "client-entry-exists",
            Self::Gone { .. } => "client-entry-gone",
            Self::Edited { .. } => "client-entry-edited",
            Self::Unrecorded { .. } => "client-entry-unrecorded",
            Self::Overtaken => "client-file-overtaken",
            Self::Unwritable => "client-file-unwritable",
            Self::Record { .. } => "client-undo-malformed",
        }
    }

    fn expected(&self) -> Option<String> {
        Some("a file that can be edited".to_owned())
    }

    fn actual(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl From<EditError> for ClientError {
    fn from(error: EditError) -> Self {
        match error {
            EditError::Syntax { position, problem } => Self::Syntax { position, problem },
            EditError::Duplicate { position, name } => Self::Duplicate { position, name },
            EditError::TooManyValues { limit } => Self::TooMany { what: "values", limit },
            EditError::NotAnObject { place } | EditError::Entangled { place } => {
                Self::Entangled { place }
            }
        }
    }
}

impl From<JsonError> for ClientError {
    /// Only records are read as strict JSON, so this is about one of them.
    fn from(error: JsonError) -> Self {
        Self::Record { problem: error.to_string() }
    }
}

/// A place for people: names with points between, and nothing that could steer a terminal.
pub(crate) fn shown(place: &[String]) -> String {
    let mut out = String::new();
    for (index, name) in place.iter().enumerate() {
        if index > 0 {
            out.push('.');
        }
        for character in name.chars() {
            if character.is_control() {
                out.extend(character.escape_debug());
            } else {
                out.push(character);
            }
        }
    }
    out
}
