//! `facet verify --file`: are the published files the ones that a `server.json` states? Nothing is
//! started, and no project is needed.

use std::path::PathBuf;

use facets_drift::Severity;
use facets_fetch::{FetchLimits, FetchProgress, Fetcher, Machine, Reach};
use facets_file_hashes::{FileResult, FileStatus, ServerFile, Unhashed, verify};
use facets_policy::Mark;

use crate::error::OpsError;
use crate::judgement::Judgement;
use crate::policy::{self, AppliedPolicy, Loaded};

/// What to verify.
#[derive(Debug)]
pub struct VerifyFileRequest {
    /// A `server.json`.
    pub file: PathBuf,
    /// Where it was typed, seen from here: npm and pip look for their configuration there.
    pub typed_in: PathBuf,
    /// What is bad enough to say no.
    pub fail_on: Severity,
    /// A policy instead of the one of this directory.
    pub policy: Option<PathBuf>,
}

/// A file of a package, and what it counts as.
#[derive(Debug)]
pub struct JudgedFile {
    /// What came of it.
    pub result: FileResult,
    /// How bad that is; nothing if it is ok, or could not be fetched.
    pub severity: Option<Severity>,
    /// What the policy did; none if it did nothing.
    pub mark: Option<Mark>,
}

impl JudgedFile {
    /// Whether it is bad enough to say no.
    #[must_use]
    pub fn is_bad(&self, fail_on: Severity) -> bool {
        self.severity.is_some_and(|severity| severity >= fail_on)
    }
}

/// What came of all files.
#[derive(Debug)]
pub struct VerifyFileReport {
    /// The `server.json`.
    pub file: PathBuf,
    /// Those of the entries first, in their order; then what has none.
    pub files: Vec<JudgedFile>,
    /// What is worth knowing.
    pub notes: Vec<String>,
    /// What is bad enough to say no.
    pub fail_on: Severity,
    /// The policy that was applied.
    pub policy: Option<AppliedPolicy>,
}

impl VerifyFileReport {
    /// A no is one, whatever could not be fetched; nothing at all is no yes.
    #[must_use]
    pub fn judgement(&self) -> Judgement {
        let is_unknown = |file: &JudgedFile| file.result.status == FileStatus::Unreachable;
        if self.files.is_empty() || self.files.iter().any(|file| file.is_bad(self.fail_on)) {
            Judgement::No
        } else if self.files.iter().any(is_unknown) {
            Judgement::Unknown
        } else {
            Judgement::Yes
        }
    }
}

/// Compares the hashes of a `server.json` with the published files.
pub fn verify_file(
    request: &VerifyFileRequest,
    progress: &dyn FetchProgress,
) -> Result<VerifyFileReport, OpsError> {
    let loaded = policy::load(request.policy.as_deref())?;
    let file = ServerFile::read(&request.file)?;
    // As the user's own npm and pip would fetch.
    let mut machine = Machine::here();
    machine.directory = machine.directory.join(&request.typed_in);
    let fetcher = Fetcher::new(machine, Reach::AsUser, FetchLimits::default());
    let report = verify(&file, Unhashed::Listed, &fetcher, progress)?;
    let files = report.results.into_iter().map(|result| judge(result, loaded.as_ref())).collect();
    Ok(VerifyFileReport {
        file: report.file,
        files,
        notes: report.notes,
        fail_on: request.fail_on,
        policy: loaded.as_ref().map(policy::applied),
    })
}

/// spec 12.6: a policy judges packages without any hash, and nothing else
fn judge(result: FileResult, loaded: Option<&Loaded>) -> JudgedFile {
    let (severity, mark) = match (&result.unhashed, result.status) {
        (Some(package), _) => {
            let (severity, mark) = policy::grade_unhashed(loaded, package);
            (Some(severity), mark)
        }
        (None, FileStatus::Ok | FileStatus::Unreachable) => (None, None),
        (None, _) => (Some(Severity::Critical), None),
    };
    JudgedFile { result, severity, mark }
}
