use std::fmt;

/// A place in a text, for people: both counted from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Bytes before it, counted from 0.
    pub offset: usize,
    /// Line, ended by `\n`.
    pub line: usize,
    /// Column in characters (bytes where the text is not UTF-8).
    pub column: usize,
}

impl Position {
    /// Finds line and column of a byte offset.
    #[must_use]
    pub fn of(text: &[u8], offset: usize) -> Self {
        let before = &text[..offset.min(text.len())];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        let in_line = &before[line_start..];
        let column =
            1 + std::str::from_utf8(in_line).map_or(in_line.len(), |text| text.chars().count());
        Self { offset, line, column }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Why a text is not the JSON we accept, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at line {}, column {}", position.line, position.column)]
pub struct JsonError {
    /// What is wrong.
    pub kind: JsonErrorKind,
    /// Where it begins.
    pub position: Position,
}

/// Everything the reader refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonErrorKind {
    /// A name stands twice in one object.
    #[error("duplicate member name {name:?}")]
    DuplicateMember {
        /// The name, unescaped.
        name: String,
    },
    /// A byte sequence that is not UTF-8.
    #[error("invalid UTF-8")]
    InvalidUtf8,
    /// Half of a surrogate pair, as a `\u` escape.
    #[error("lone surrogate \\u{unit:04x}: not a character")]
    LoneSurrogate {
        /// The code unit.
        unit: u16,
    },
    /// The text begins with U+FEFF.
    #[error("byte order mark before the document")]
    ByteOrderMark,
    /// The number does not fit a double.
    #[error("number {literal} overflows a double")]
    NumberOverflow {
        /// As written, shortened.
        literal: String,
    },
    /// An integer that a double cannot hold exactly, in a document that we author.
    #[error("integer {literal} is beyond ±(2^53−1)")]
    IntegerOutOfRange {
        /// As written, shortened.
        literal: String,
    },
    /// An integer of more digits than a captured definition may have.
    #[error("integer of {digits} digits; the limit is {}", super::limits::MAX_INTEGER_DIGITS)]
    IntegerTooLong {
        /// How many it has.
        digits: usize,
    },
    /// Something that begins like a number and is none.
    #[error("malformed number: {reason}")]
    MalformedNumber {
        /// What the grammar misses.
        reason: &'static str,
    },
    /// More containers inside each other than allowed.
    #[error("nesting deeper than {limit}")]
    TooDeep {
        /// The depth that is still allowed.
        limit: usize,
    },
    /// Something other than white space follows the document.
    #[error("bytes after the end of the document")]
    TrailingBytes,
    /// The text ends too early.
    #[error("the text ends where {expected} is expected")]
    UnexpectedEnd {
        /// What would have been next.
        expected: &'static str,
    },
    /// A character that cannot stand here.
    #[error("found {found:?} where {expected} is expected")]
    Unexpected {
        /// The character.
        found: char,
        /// What would have been next.
        expected: &'static str,
    },
    /// A control character that a string must escape.
    #[error("control character U+{:04X} in a string must be escaped", u32::from(*found))]
    ControlCharacter {
        /// The character.
        found: char,
    },
    /// A backslash before something that is no escape.
    #[error("invalid escape in a string")]
    InvalidEscape,
    /// More bytes than allowed.
    #[error("{size} bytes; the limit is {limit}")]
    TooLarge {
        /// The size of the text.
        size: usize,
        /// The size that is still allowed.
        limit: usize,
    },
    /// More values than allowed.
    #[error("more than {limit} values")]
    TooManyValues {
        /// The count that is still allowed.
        limit: usize,
    },
}

impl JsonErrorKind {
    /// The word for `facet explain`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::DuplicateMember { .. } => "json-duplicate-member",
            Self::InvalidUtf8 => "json-invalid-utf8",
            Self::LoneSurrogate { .. } => "json-lone-surrogate",
            Self::ByteOrderMark => "json-byte-order-mark",
            Self::NumberOverflow { .. } => "json-number-overflow",
            Self::IntegerOutOfRange { .. } => "json-integer-out-of-range",
            Self::IntegerTooLong { .. } => "json-integer-too-long",
            Self::MalformedNumber { .. } => "json-malformed-number",
            Self::TooDeep { .. } => "json-too-deep",
            Self::TrailingBytes => "json-trailing-bytes",
            Self::UnexpectedEnd { .. } => "json-unexpected-end",
            Self::Unexpected { .. } => "json-unexpected-character",
            Self::ControlCharacter { .. } => "json-control-character",
            Self::InvalidEscape => "json-invalid-escape",
            Self::TooLarge { .. } => "json-too-large",
            Self::TooManyValues { .. } => "json-too-many-values",
        }
    }

    /// Every code that [`Self::code`] can give.
    pub const CODES: &'static [&'static str] = &[
        "json-duplicate-member",
        "json-invalid-utf8",
        "json-lone-surrogate",
        "json-byte-order-mark",
        "json-number-overflow",
        "json-integer-out-of-range",
        "json-integer-too-long",
        "json-malformed-number",
        "json-too-deep",
        "json-trailing-bytes",
        "json-unexpected-end",
        "json-unexpected-character",
        "json-control-character",
        "json-invalid-escape",
        "json-too-large",
        "json-too-many-values",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_columns_in_characters() {
        let text = "{\n  \"é💡\": x}".as_bytes();
        let at = text.iter().position(|&byte| byte == b'x').unwrap();
        assert_eq!(Position::of(text, at), Position { offset: at, line: 2, column: 9 });
        assert_eq!(Position::of(text, 0), Position { offset: 0, line: 1, column: 1 });
        assert_eq!(Position::of(b"a\n", 2), Position { offset: 2, line: 2, column: 1 });
        assert_eq!(Position::of(text, at).to_string(), "2:9");
    }
}
