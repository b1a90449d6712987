//! Why a policy cannot be applied.

use std::path::{Path, PathBuf};

use facets_digest::json::Position;
use facets_failure::{Describe, FileProblem, LineColumn, shell_word};
use facets_model::manifest::Problem;

/// Something about the policy of a project.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// It is not one, as it is.
    #[error("{} is not a valid policy", path.display())]
    Problems {
        /// The file.
        path: PathBuf,
        /// Everything that is wrong, in the order of the file.
        problems: Vec<Problem>,
    },
    /// A file with nearly the right name would be passed over.
    #[error("{} has the wrong name for a policy", path.display())]
    OtherName {
        /// The file.
        path: PathBuf,
    },
    /// A condition cannot be evaluated over a finding.
    #[error("could not evaluate a condition of {}", path.display())]
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
    /// Every code, beside those of the problems.
    pub const CODES: &'static [&'static str] =
        &["policy-has-problems", "policy-other-name", "policy-condition-failed"];
}

impl Describe for PolicyError {
    fn code(&self) -> &'static str {
        match self {
            Self::Problems { .. } => "policy-has-problems",
            Self::OtherName { .. } => "policy-other-name",
            Self::Condition { .. } => "policy-condition-failed",
        }
    }

    fn expected(&self) -> Option<String> {
        let expected = match self {
            Self::Problems { .. } => "a valid policy",
            Self::OtherName { .. } => "facets.policy.yaml",
            Self::Condition { .. } => "true or false",
        };
        Some(expected.to_owned())
    }

    fn actual(&self) -> Option<String> {
        Some(match self {
            Self::Problems { problems, .. } => {
                let plural = if problems.len() == 1 { "" } else { "s" };
                format!("{} problem{plural}", problems.len())
            }
            Self::OtherName { .. } => "a similar name, which facet does not read".to_owned(),
            Self::Condition { problem, .. } => problem.clone(),
        })
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Self::Problems { path, .. }
            | Self::OtherName { path }
            | Self::Condition { path, .. } => Some(path),
        }
    }

    fn place(&self) -> Option<LineColumn> {
        let position = match self {
            Self::Problems { problems, .. } => problems.first().map(|problem| problem.position),
            Self::OtherName { .. } => None,
            Self::Condition { position, .. } => Some(*position),
        };
        position.map(|Position { line, column, .. }| LineColumn { line, column })
    }

    fn next(&self) -> String {
        match self {
            Self::OtherName { path } => format!("mv {} facets.policy.yaml", shell_word(path)),
            Self::Problems { problems, .. } => {
                let code = problems.first().map_or(self.code(), |problem| problem.code);
                format!("facet explain {code}")
            }
            Self::Condition { .. } => format!("facet explain {}", self.code()),
        }
    }

    fn problems(&self) -> Vec<FileProblem> {
        let Self::Problems { path, problems } = self else { return Vec::new() };
        problems.iter().map(|problem| problem.clone().in_file(path.clone())).collect()
    }
}
