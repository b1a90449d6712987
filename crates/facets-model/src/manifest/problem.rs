use std::path::PathBuf;

use facets_digest::json::{JsonError, Position};
use facets_failure::{FileProblem, LineColumn};

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
        Self {
            code: error.kind.code(),
            position: error.position,
            member: String::new(),
            found: error.kind.found(),
            allowed: error.kind.expected().to_owned(),
            fix: error.kind.fix().to_owned(),
        }
    }

    /// The same with the file that has it.
    #[must_use]
    pub fn in_file(self, file: PathBuf) -> FileProblem {
        let Self { code, position, member, found, allowed, fix } = self;
        let place = Some(LineColumn { line: position.line, column: position.column });
        FileProblem { file, place, code, member, found, allowed, fix }
    }
}
