//! `mcp-publisher validate`: every problem of a file at once.

use std::path::{Path, PathBuf};

use facets_file_hashes::ServerFile;
use facets_model::server_json::{ProblemSeverity, ServerJsonProblem, check};

use crate::error::PublisherError;

/// What is wrong with a file.
#[derive(Debug)]
pub(crate) struct ValidateReport {
    pub(crate) file: PathBuf,
    /// In the order of the file.
    pub(crate) problems: Vec<ServerJsonProblem>,
}

impl ValidateReport {
    /// How many problems are this bad.
    pub(crate) fn count(&self, severity: ProblemSeverity) -> usize {
        self.problems.iter().filter(|one| one.severity == severity).count()
    }

    /// Whether a registry would take the file.
    pub(crate) fn is_valid(&self) -> bool {
        self.count(ProblemSeverity::Error) == 0
    }
}

/// Checks a file.
pub(crate) fn validate(path: &Path) -> Result<ValidateReport, PublisherError> {
    let file = ServerFile::read(path)?;
    let problems = match file.text {
        Ok(text) => check(&text),
        Err(problem) => vec![ServerJsonProblem { severity: ProblemSeverity::Error, problem }],
    };
    Ok(ValidateReport { file: file.path, problems })
}
