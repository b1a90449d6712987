//! Reports as people and machines read them.

mod human;
mod json;

use std::path::Path;

use facets_face::file_results::Detail;
use facets_face::json::document;
use facets_face::{Exit, Shown, visible};
use facets_failure::{Describe as _, Explanation, Failure};
use facets_file_hashes::{FileHashReport, HashGenReport, verdict};

use crate::args::OutputFormat;
use crate::error::PublisherError;
use crate::init::InitReport;
use crate::validate::ValidateReport;

/// How reports are to be shown.
pub(crate) struct Renderer {
    pub(crate) format: OutputFormat,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
}

impl Renderer {
    /// Whether progress is hidden.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet || self.format == OutputFormat::Json
    }

    /// How much of each result is shown.
    fn detail(&self) -> Detail {
        Detail::of(self.verbose)
    }

    /// Chooses between the two faces of a report.
    fn show(
        &self,
        human: impl FnOnce() -> Shown,
        json: impl FnOnce() -> serde_json::Value,
    ) -> Shown {
        match self.format {
            OutputFormat::Human => human(),
            OutputFormat::Json => document(&json()),
        }
    }

    pub(crate) fn failure(&self, error: &PublisherError) -> Shown {
        let failure = described(error.describe());
        let human = || Shown::failure(facets_face::human::failure(&failure, self.verbose));
        let json = || facets_face::json::failure(&failure, self.verbose);
        self.show(human, json).with_exit(Exit::Unjudged)
    }

    pub(crate) fn init(&self, report: &InitReport) -> Shown {
        self.show(|| human::init(report, self.quiet), || json::init(report))
    }

    pub(crate) fn validate(&self, report: &ValidateReport) -> Shown {
        let exit = if report.is_valid() { Exit::Yes } else { Exit::No };
        let human = || human::validate(report, self.quiet);
        self.show(human, || json::validate(report)).with_exit(exit)
    }

    /// The document is the result in both formats; what is worth knowing about it goes to standard error.
    pub(crate) fn hash_gen(&self, file: &Path, report: HashGenReport) -> Shown {
        let HashGenReport { document, files, notes } = report;
        match document {
            Ok(text) => {
                let talk = match self.format {
                    _ if self.quiet => String::new(),
                    OutputFormat::Human => human::hashed(files, &notes),
                    OutputFormat::Json => json::hashed(file, files, &notes),
                };
                Shown::exact(text).with_talk(talk)
            }
            Err(failed) => {
                let human = || human::not_hashed(&failed, &notes, self.detail());
                let exit = verdict(&failed).into();
                self.show(human, || json::results(file, &failed, &notes)).with_exit(exit)
            }
        }
    }

    pub(crate) fn verify(&self, report: &FileHashReport) -> Shown {
        let exit = verdict(&report.results).into();
        let human = || human::verify(report, self.detail(), self.quiet);
        let json = || json::results(&report.file, &report.results, &report.notes);
        self.show(human, json).with_exit(exit)
    }

    pub(crate) fn explanation(&self, explanation: &Explanation) -> Shown {
        let human = || facets_face::human::explanation(explanation);
        self.show(human, || facets_face::json::explanation(explanation))
    }

    /// A text that is one whole: a script, a page.
    pub(crate) fn whole(&self, name: &str, text: Vec<u8>) -> Shown {
        let json = || serde_json::json!({ name: String::from_utf8_lossy(&text) });
        match self.format {
            OutputFormat::Human => Shown::exact(text),
            OutputFormat::Json => document(&json()),
        }
    }

    pub(crate) fn manual(&self, directory: &Path) -> Shown {
        let human = || Shown::exact(format!("{}\n", visible(&directory.display().to_string())));
        self.show(human, || serde_json::json!({ "directory": directory.display().to_string() }))
    }

    pub(crate) fn codes(&self, all: &[Explanation]) -> Shown {
        self.show(|| human::codes(all), || facets_face::json::codes(all))
    }
}

/// Errors of shared crates advise `facet explain`; this program explains them itself.
fn described(failure: Failure) -> Failure {
    let next = match failure.next.strip_prefix("facet explain ") {
        Some(code) => format!("mcp-publisher explain {code}"),
        None => failure.next.clone(),
    };
    Failure { next, ..failure }
}
