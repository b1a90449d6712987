use std::path::PathBuf;

use facets_digest::json::Position;
use facets_model::manifest::Problem;

/// A problem and the file that has it.
#[derive(Debug)]
pub struct FileProblem {
    /// The file.
    pub file: PathBuf,
    /// The place, where there is one.
    pub position: Option<Position>,
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
    pub(crate) fn in_manifest(file: PathBuf, problem: Problem) -> Self {
        let Problem { code, position, member, found, allowed, fix } = problem;
        Self { file, position: Some(position), code, member, found, allowed, fix }
    }

    pub(crate) fn of_file(
        file: PathBuf,
        code: &'static str,
        member: &str,
        [found, allowed, fix]: [&str; 3],
    ) -> Self {
        Self {
            file,
            position: None,
            code,
            member: member.to_owned(),
            found: found.to_owned(),
            allowed: allowed.to_owned(),
            fix: fix.to_owned(),
        }
    }
}
