//! What went wrong with a policy, in words.

use std::path::{Path, PathBuf};

use facets_digest::json::Position;
use facets_model::manifest::Problem;

use crate::FileProblem;

/// Something about the policy of a project.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// It is not one, as it is.
    #[error("{} is not a policy that can be applied", path.display())]
    Problems {
        /// The file.
        path: PathBuf,
        /// Everything that is wrong, in the order of the file.
        problems: Vec<Problem>,
    },
    /// A file with nearly the right name would be passed over.
    #[error("{} is not where facet looks for a policy", path.display())]
    OtherName {
        /// The file.
        path: PathBuf,
    },
    /// A condition cannot be evaluated over a finding.
    #[error("a condition of {} could not be evaluated", path.display())]
    Condition {
        /// The policy.
        path: PathBuf,
        /// Where the condition stands.
        position: Position,
        /// Why.
        problem: String,
    },
}

impl PolicyError {
    /// Every code.
    pub const CODES: &'static [&'static str] =
        &["policy-has-problems", "policy-other-name", "policy-condition-failed"];

    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Problems { .. } => "policy-has-problems",
            Self::OtherName { .. } => "policy-other-name",
            Self::Condition { .. } => "policy-condition-failed",
        }
    }

    pub(super) fn file(&self) -> &Path {
        match self {
            Self::Problems { path, .. }
            | Self::OtherName { path }
            | Self::Condition { path, .. } => path,
        }
    }

    pub(super) fn position(&self) -> Option<Position> {
        match self {
            Self::Problems { problems, .. } => problems.first().map(|problem| problem.position),
            Self::OtherName { .. } => None,
            Self::Condition { position, .. } => Some(*position),
        }
    }

    pub(super) fn problems(&self) -> Vec<FileProblem> {
        let Self::Problems { path, problems } = self else { return Vec::new() };
        let with_file = |problem: &Problem| FileProblem::in_manifest(path.clone(), problem.clone());
        problems.iter().map(with_file).collect()
    }

    pub(super) fn expected_and_actual(&self) -> (Option<String>, Option<String>) {
        let both = |expected: &str, actual: String| (Some(expected.to_owned()), Some(actual));
        match self {
            Self::Problems { problems, .. } => {
                let plural = if problems.len() == 1 { "" } else { "s" };
                both("a policy in order", format!("{} problem{plural}", problems.len()))
            }
            Self::OtherName { .. } => both("facets.policy.yaml", "another name".to_owned()),
            Self::Condition { problem, .. } => both("true or false", problem.clone()),
        }
    }

    pub(super) fn next(&self) -> String {
        match self {
            Self::OtherName { path } => {
                format!("mv {} facets.policy.yaml", crate::shell_word(path))
            }
            Self::Problems { problems, .. } => {
                let code = problems.first().map_or(self.code(), |problem| problem.code);
                format!("facet explain {code}")
            }
            Self::Condition { .. } => format!("facet explain {}", self.code()),
        }
    }
}
