//! How reports are shown, and what every report has in common.

use std::ffi::OsString;
use std::path::PathBuf;

use facets_face::json::{self, document};
use facets_face::{Exit, Shown};
use facets_failure::{Describe as _, Failure, shell_word};
use facets_ops::{OpsError, SAME_WITH_YES};
use facets_run::StartRefusal;

use super::{human, sarif};
use crate::args::OutputFormat;

/// How reports are to be shown.
pub(crate) struct Renderer {
    pub(crate) format: OutputFormat,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    /// Where the command was told to work: advice has to say it too.
    pub(crate) directory: Option<PathBuf>,
}

impl Renderer {
    /// What went wrong, with advice that works where the reader is.
    pub(super) fn describe(&self, error: &OpsError) -> Failure {
        let mut failure = error.describe();
        failure.next = match failure.next.as_str() {
            SAME_WITH_YES => typed_with_yes(std::env::args_os().skip(1)),
            next => self.advice(next),
        };
        failure
    }

    /// A command as one has to type it here.
    pub(super) fn advice(&self, command: &str) -> String {
        let elsewhere = ["help", "explain"];
        match (&self.directory, command.strip_prefix("facet ")) {
            (Some(directory), Some(rest)) if !elsewhere.iter().any(|w| rest.starts_with(w)) => {
                format!("facet --directory {} {rest}", shell_word(directory))
            }
            _ => command.to_owned(),
        }
    }

    /// Chooses between the two faces of a report.
    pub(super) fn show(
        &self,
        human: impl FnOnce() -> Shown,
        json: impl FnOnce() -> serde_json::Value,
    ) -> Shown {
        match self.format {
            OutputFormat::Human => human(),
            // Commands that find nothing refuse SARIF before they begin.
            OutputFormat::Json | OutputFormat::Sarif => document(&json()),
        }
    }

    /// Whether nobody wants to see progress.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet || self.format != OutputFormat::Human
    }

    pub(crate) fn failure(&self, error: &OpsError) -> Shown {
        let failure = self.describe(error);
        let human = || Shown::failure(human::failure(&failure, self.verbose));
        if self.format == OutputFormat::Sarif {
            // Whoever waits for a log gets one, and the log of the job says why it is empty.
            return Shown { talk: human().talk, ..document(&sarif::of_failure(&failure)) }
                .with_exit(Exit::Unjudged);
        }
        self.show(human, || json::failure(&failure, self.verbose)).with_exit(Exit::Unjudged)
    }

    /// A failure of a command whose standard output belongs to somebody else.
    pub(crate) fn failure_aside(&self, error: &OpsError) -> Shown {
        let talk = match self.format {
            OutputFormat::Human | OutputFormat::Sarif => {
                human::failure(&self.describe(error), self.verbose)
            }
            OutputFormat::Json => {
                format!("{}\n", json::failure(&self.describe(error), self.verbose))
            }
        };
        Shown::failure(talk)
    }

    /// An error as the client hears it, which does not see where it comes from. What to type stands
    /// in the answer to its opening, which people are shown, and in no answer that a model reads.
    pub(crate) fn refusal(&self, error: &OpsError) -> StartRefusal {
        let Failure { message, next, .. } = self.describe(error);
        let place = std::env::current_dir().unwrap_or_default();
        let to_others = format!("{message} (in {})", place.display());
        StartRefusal {
            to_opening: format!("{to_others}. Next: {next}"),
            to_others: format!("{to_others}. A person has to decide"),
        }
    }
}

/// A command line with a yes beforehand: before the command that it starts, if there is one.
fn typed_with_yes(words: impl Iterator<Item = OsString>) -> String {
    let mut words: Vec<String> = words.map(|word| shell_word(word.as_ref())).collect();
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.insert(end, "--yes".to_owned());
    format!("facet {}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_yes_stands_before_the_command_that_is_started() {
        let typed = |words: &[&str]| typed_with_yes(words.iter().map(OsString::from));
        assert_eq!(
            typed(&["add", "s", "--", "run", "my server"]),
            "facet add s --yes -- run 'my server'"
        );
        assert_eq!(typed(&["adopt", "cursor"]), "facet adopt cursor --yes");
    }
}
