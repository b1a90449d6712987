//! Command lines that clap answers itself, or refuses.

use clap::error::ErrorKind;
use facets_failure::Failure;

use crate::audience::Audience;
use crate::face::Face;
use crate::json;
use crate::shown::{Exit, Shown};
use crate::text::visible;

impl Face {
    /// Help and version are answers; everything else that clap reports is a wrong command line, and
    /// `refusal` says what is wrong with it.
    #[must_use]
    pub fn command_line(&self, error: &clap::Error, refusal: &str, audience: Audience) -> Shown {
        match (error.kind(), audience) {
            (ErrorKind::DisplayHelp, Audience::Machines) => {
                json::document(&serde_json::json!({ "help": error.to_string() }))
            }
            (ErrorKind::DisplayVersion, Audience::Machines) => {
                json::document(&serde_json::json!({ "version": self.version }))
            }
            (ErrorKind::DisplayHelp | ErrorKind::DisplayVersion, Audience::People) => {
                Shown::styled(error.render().ansi().to_string())
            }
            (_, Audience::Machines) => self.usage(refusal),
            // The refused words are quoted, and may be anything.
            (_, Audience::People) => {
                Shown::failure(refusal.lines().map(|line| visible(line) + "\n").collect())
            }
        }
    }

    /// A wrong command line, as JSON.
    #[must_use]
    pub fn usage(&self, message: &str) -> Shown {
        // clap's first paragraph is the error, the rest is advice for people.
        let paragraph = message.split("\n\n").next().unwrap_or_default();
        let words: Vec<&str> = paragraph.trim_start_matches("error: ").split_whitespace().collect();
        let refused = Failure {
            code: "usage",
            message: words.join(" "),
            expected: Some(format!("a command line that `{} help` describes", self.program)),
            next: format!("{} help", self.program),
            ..Failure::default()
        };
        json::document(&json::failure(&refused, false)).with_exit(Exit::Unjudged)
    }
}
