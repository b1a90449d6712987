//! Why a text cannot be read or changed.

use facets_digest::json::Position;
use facets_failure::LineColumn;

/// Why a text cannot be read or changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The text is not in its notation.
    #[error("{problem} at line {}, column {}", position.line, position.column)]
    Syntax {
        /// Where.
        position: Position,
        /// What is wrong, or what was expected.
        problem: String,
    },
    /// A name stands twice, so it is unclear which is meant.
    #[error("duplicate {name:?} at line {}, column {}", position.line, position.column)]
    Duplicate {
        /// Where the second one stands.
        position: Position,
        /// The name.
        name: String,
    },
    /// More values than the limit.
    #[error("more than {limit} values")]
    TooManyValues {
        /// How many are still read.
        limit: usize,
    },
    /// Something on the way to a member is not an object.
    #[error("{place} is not an object")]
    NotAnObject {
        /// What.
        place: String,
    },
    /// The change would have changed more than one member.
    #[error("{place} cannot be changed without changing more of the file")]
    Entangled {
        /// What was to be changed.
        place: String,
    },
}

impl EditError {
    /// The place in the text, where one is known.
    #[must_use]
    pub fn place(&self) -> Option<LineColumn> {
        match self {
            Self::Syntax { position, .. } | Self::Duplicate { position, .. } => {
                Some(LineColumn { line: position.line, column: position.column })
            }
            Self::TooManyValues { .. } | Self::NotAnObject { .. } | Self::Entangled { .. } => None,
        }
    }

    pub(crate) fn syntax(text: &str, offset: usize, problem: impl Into<String>) -> Self {
        let position = Position::of(text.as_bytes(), offset);
        Self::Syntax { position, problem: problem.into() }
    }
}
