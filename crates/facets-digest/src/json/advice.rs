//! What would have been right, and what to do.

use super::error::JsonErrorKind;

impl JsonErrorKind {
    /// What stands there.
    #[must_use]
    pub fn found(&self) -> String {
        match self {
            Self::Unexpected { found, .. } => format!("{found:?}"),
            Self::UnexpectedEnd { .. } => "the end of the text".to_owned(),
            other => other.to_string(),
        }
    }

    /// What may stand there.
    #[must_use]
    pub const fn expected(&self) -> &'static str {
        match self {
            Self::Unexpected { expected, .. } | Self::UnexpectedEnd { expected } => expected,
            Self::DuplicateMember { .. } => "each name once",
            Self::InvalidUtf8 => "UTF-8",
            Self::LoneSurrogate { .. } => "a surrogate pair, or the character itself",
            Self::ByteOrderMark => "UTF-8 without a byte order mark",
            Self::NumberOverflow { .. } => "a number within the range of a double",
            Self::IntegerOutOfRange { .. } => "integers up to ±(2^53−1)",
            Self::IntegerTooLong { .. } => "integers of at most 1024 digits",
            Self::MalformedNumber { .. } => "a JSON number such as 1.5",
            Self::TooDeep { .. } | Self::TooLarge { .. } | Self::TooManyValues { .. } => {
                "a smaller document"
            }
            Self::TrailingBytes => "one document",
            Self::ControlCharacter { .. } => "escapes such as \\n",
            Self::InvalidEscape => "\\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX",
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn fix(&self) -> &'static str {
        match self {
            Self::DuplicateMember { .. } => "remove one of the two, or rename it",
            Self::InvalidUtf8 => "save the file as UTF-8",
            Self::LoneSurrogate { .. } => "write both halves of the pair, or the character itself",
            Self::ByteOrderMark => "save the file without it",
            Self::NumberOverflow { .. } => "write a smaller number, or put it in quotes",
            Self::IntegerOutOfRange { .. } | Self::IntegerTooLong { .. } => "put it in quotes",
            Self::MalformedNumber { .. } => "correct it, or put it in quotes",
            Self::TooDeep { .. } | Self::TooLarge { .. } | Self::TooManyValues { .. } => {
                "make the document smaller"
            }
            Self::TrailingBytes => "remove everything after the document",
            Self::UnexpectedEnd { .. } => "complete the document",
            Self::Unexpected { .. } => "correct the text at this position",
            Self::ControlCharacter { .. } => "escape the character",
            Self::InvalidEscape => "correct the escape",
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::json::{self, JsonErrorKind, Limits, Provenance};

    fn refusal(text: &str) -> JsonErrorKind {
        json::parse(text.as_bytes(), Provenance::Authored, Limits::DOCUMENT).unwrap_err().kind
    }

    #[test]
    fn says_what_stands_there_what_may_and_what_to_do() {
        let cases = [
            ("[1 2]", "'2'", "',' or ']'", "correct the text at this position"),
            ("[1", "the end of the text", "',' or ']'", "complete the document"),
            (
                r#"{"a":1,"a":2}"#,
                "duplicate member name \"a\"",
                "each name once",
                "remove one of the two, or rename it",
            ),
        ];
        for (text, found, expected, fix) in cases {
            let kind = refusal(text);
            let said = (kind.found(), kind.expected(), kind.fix());
            assert_eq!(said, (found.to_owned(), expected, fix), "{text}");
        }
    }
}
