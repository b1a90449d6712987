use facets_digest::json::{JsonError, JsonErrorKind, Position};

/// Something wrong in a manifest (spec 3.4). The file's name is the caller's to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The word for `facet explain`.
    pub code: &'static str,
    /// Where it stands.
    pub position: Position,
    /// The member, as `servers.jira.image` or `files[2]`; empty for the file as a whole.
    pub member: String,
    /// What stands there.
    pub found: String,
    /// What may stand there.
    pub allowed: String,
    /// What to do about it.
    pub fix: String,
}

impl Problem {
    /// A fault of the notation.
    #[must_use]
    pub fn from_json(error: &JsonError) -> Self {
        let (found, allowed) = found_and_allowed(&error.kind);
        Self {
            code: error.kind.code(),
            position: error.position,
            member: String::new(),
            found,
            allowed,
            fix: fix(&error.kind).to_owned(),
        }
    }
}

fn found_and_allowed(kind: &JsonErrorKind) -> (String, String) {
    use JsonErrorKind as Kind;
    let allowed = match kind {
        Kind::Unexpected { found, expected } => {
            return (format!("{found:?}"), (*expected).to_owned());
        }
        Kind::UnexpectedEnd { expected } => {
            return ("the end of the text".to_owned(), (*expected).to_owned());
        }
        Kind::DuplicateMember { .. } => "each name once",
        Kind::InvalidUtf8 => "UTF-8",
        Kind::LoneSurrogate { .. } => "whole characters",
        Kind::ByteOrderMark => "UTF-8 without a byte order mark",
        Kind::NumberOverflow { .. } => "a finite double",
        Kind::IntegerOutOfRange { .. } => "integers up to ±(2^53−1)",
        Kind::IntegerTooLong { .. } => "integers of at most 1024 digits",
        Kind::MalformedNumber { .. } => "a JSON number such as 1.5",
        Kind::TooDeep { .. } | Kind::TooLarge { .. } | Kind::TooManyValues { .. } => {
            "a smaller document"
        }
        Kind::TrailingBytes => "one document",
        Kind::ControlCharacter { .. } => "escapes such as \\n",
        Kind::InvalidEscape => "\\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX",
    };
    (kind.to_string(), allowed.to_owned())
}

fn fix(kind: &JsonErrorKind) -> &'static str {
    use JsonErrorKind as Kind;
    match kind {
        Kind::DuplicateMember { .. } => "remove one of the two, or rename it",
        Kind::InvalidUtf8 => "save the file as UTF-8",
        Kind::LoneSurrogate { .. } => "write the pair, or the character itself",
        Kind::ByteOrderMark => "save the file without it",
        Kind::NumberOverflow { .. } => "write a smaller number, or put it in quotes",
        Kind::IntegerOutOfRange { .. } | Kind::IntegerTooLong { .. } => "put it in quotes",
        Kind::MalformedNumber { .. } => "correct it, or put it in quotes",
        Kind::TooDeep { .. } | Kind::TooLarge { .. } | Kind::TooManyValues { .. } => {
            "make the document smaller"
        }
        Kind::TrailingBytes => "remove what follows the document",
        Kind::UnexpectedEnd { .. } => "complete the document",
        Kind::Unexpected { .. } => "correct the document at this place",
        Kind::ControlCharacter { .. } => "escape the character",
        Kind::InvalidEscape => "correct the escape",
    }
}
