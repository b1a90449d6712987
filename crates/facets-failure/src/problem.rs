//! One of several things that are wrong with a file.

use std::path::PathBuf;

use crate::line_column::LineColumn;

/// A problem and the file that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileProblem {
    /// The file.
    pub file: PathBuf,
    /// The place, where there is one.
    pub place: Option<LineColumn>,
    /// The word for `facet explain`.
    pub code: &'static str,
    /// The member of a manifest, else empty.
    pub member: String,
    /// What stands there.
    pub found: String,
    /// What may stand there.
    pub allowed: String,
    /// What to do about it.
    pub fix: String,
}

impl FileProblem {
    /// A problem of a file as a whole: what was found, what is allowed, what to do.
    #[must_use]
    pub fn of_file(
        file: PathBuf,
        code: &'static str,
        member: &str,
        [found, allowed, fix]: [&str; 3],
    ) -> Self {
        Self {
            file,
            place: None,
            code,
            member: member.to_owned(),
            found: found.to_owned(),
            allowed: allowed.to_owned(),
            fix: fix.to_owned(),
        }
    }
}
