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
        let (allowed, fix) = allowed_and_fix(&error.kind);
        Self {
            code: error.kind.code(),
            position: error.position,
            member: String::new(),
            found: error.kind.to_string(),
            allowed: allowed.to_owned(),
            fix: fix.to_owned(),
        }
    }
}

fn allowed_and_fix(kind: &JsonErrorKind) -> (&'static str, &'static str) {
    use JsonErrorKind as Kind;
    match kind {
        Kind::DuplicateMember { .. } => ("each name once", "remove one of the two, or rename it"),
        Kind::InvalidUtf8 => ("UTF-8", "save the file as UTF-8"),
        Kind::LoneSurrogate { .. } => {
            ("whole characters", "write the pair, or the character itself")
        }
        Kind::ByteOrderMark => ("UTF-8 without a byte order mark", "save the file without it"),
        Kind::NumberOverflow { .. } => {
            ("a finite double", "write a smaller number, or put it in quotes")
        }
        Kind::IntegerOutOfRange { .. } | Kind::IntegerTooLong { .. } => {
            ("integers up to ±(2^53−1)", "put it in quotes")
        }
        Kind::MalformedNumber { .. } => {
            ("a JSON number such as 1.5", "correct it, or put it in quotes")
        }
        Kind::TooDeep { .. } | Kind::TooLarge { .. } | Kind::TooManyValues { .. } => {
            ("a smaller document", "make the document smaller")
        }
        Kind::TrailingBytes => ("one document", "remove what follows the document"),
        Kind::UnexpectedEnd { .. } => ("a complete document", "complete the document"),
        Kind::Unexpected { .. } => ("JSON", "correct the document at this place"),
        Kind::ControlCharacter { .. } => ("escapes such as \\n", "escape the character"),
        Kind::InvalidEscape => {
            ("\\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX", "correct the escape")
        }
    }
}
