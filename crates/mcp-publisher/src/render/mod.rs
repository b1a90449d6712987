//! Reports as people and machines read them.

mod human;
mod json;

use std::io;
use std::path::Path;

use facets_failure::{Describe as _, Explanation, Failure};

use crate::args::OutputFormat;
use crate::error::PublisherError;
use crate::file_result::verdict;
use crate::hash_gen::HashGenReport;
use crate::init::InitReport;
use crate::shown::{Exit, Shown};
use crate::validate::ValidateReport;
use crate::verify::VerifyReport;

/// How reports are to be shown.
pub(crate) struct Renderer {
    pub(crate) format: OutputFormat,
    pub(crate) quiet: bool,
}

impl Renderer {
    /// Whether nobody wants to see progress.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet || self.format == OutputFormat::Json
    }

    /// Chooses between the two faces of a report.
    fn show(
        &self,
        human: impl FnOnce() -> Shown,
        json: impl FnOnce() -> serde_json::Value,
    ) -> Shown {
        match self.format {
            OutputFormat::Human => human(),
            OutputFormat::Json => json::document(&json()),
        }
    }

    pub(crate) fn failure(&self, error: &PublisherError) -> Shown {
        let failure = described(error.describe());
        let human = || Shown::failure(human::failure(&failure));
        self.show(human, || json::failure(&failure)).with_exit(Exit::Unjudged)
    }

    pub(crate) fn init(&self, report: &InitReport) -> Shown {
        self.show(|| human::init(report, self.quiet), || json::init(report))
    }

    pub(crate) fn validate(&self, report: &ValidateReport) -> Shown {
        let exit = if report.is_valid() { Exit::Yes } else { Exit::No };
        let human = || human::validate(report, self.quiet);
        self.show(human, || json::validate(report)).with_exit(exit)
    }

    /// The document is the result in both formats.
    pub(crate) fn hash_gen(&self, file: &Path, report: HashGenReport) -> Shown {
        let HashGenReport { document, files, notes } = report;
        match document {
            Ok(text) => {
                let talk =
                    if self.is_quiet() { String::new() } else { human::hashed(files, &notes) };
                Shown::exact(text).with_talk(talk)
            }
            Err(failed) => {
                let human = || human::not_hashed(&failed, &notes);
                let exit = verdict(&failed);
                self.show(human, || json::results(file, &failed, &notes)).with_exit(exit)
            }
        }
    }

    pub(crate) fn verify(&self, report: &VerifyReport) -> Shown {
        let exit = verdict(&report.results);
        let human = || human::verify(report, self.quiet);
        let json = || json::results(&report.file, &report.results, &report.notes);
        self.show(human, json).with_exit(exit)
    }

    pub(crate) fn explanation(&self, explanation: &Explanation) -> Shown {
        self.show(|| human::explanation(explanation), || json::explanation(explanation))
    }

    pub(crate) fn codes(&self, all: &[Explanation]) -> Shown {
        self.show(|| human::codes(all), || json::codes(all))
    }
}

/// Errors of shared crates advise to ask facet; here somebody else is asked.
fn described(failure: Failure) -> Failure {
    let next = match failure.next.strip_prefix("facet explain ") {
        Some(code) => format!("mcp-publisher explain {code}"),
        None => failure.next.clone(),
    };
    Failure { next, ..failure }
}

/// Help or version, asked for as JSON.
pub(crate) fn answer(name: &str, text: &str) -> Shown {
    json::document(&serde_json::json!({ name: text }))
}

/// A command line that clap refused, as JSON.
pub(crate) fn usage(message: &str) -> Shown {
    // clap's first paragraph is the error, the rest is advice for people.
    let paragraph = message.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.trim_start_matches("error: ").split_whitespace().collect();
    let refused = Failure {
        code: "usage",
        message: words.join(" "),
        expected: Some("a command line that `mcp-publisher help` describes".to_owned()),
        next: "mcp-publisher help".to_owned(),
        ..Failure::default()
    };
    json::document(&json::failure(&refused)).with_exit(Exit::Unjudged)
}

/// Standard output could not be written.
pub(crate) fn output_failed(error: &io::Error, format: OutputFormat) -> Shown {
    let failure = Failure {
        code: "output-failed",
        message: "cannot write the result to standard output".to_owned(),
        expected: Some("writable standard output".to_owned()),
        actual: Some(error.to_string()),
        next: "mcp-publisher explain output-failed".to_owned(),
        ..Failure::default()
    };
    match format {
        OutputFormat::Human => Shown::failure(human::failure(&failure)),
        // Standard output is what failed, so even JSON goes to standard error.
        OutputFormat::Json => Shown::failure(format!("{}\n", json::failure(&failure))),
    }
}
