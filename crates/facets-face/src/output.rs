//! Printing, once, at the end.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use facets_failure::Failure;

use crate::audience::Audience;
use crate::face::Face;
use crate::shown::{Exit, Shown, ShownResult};
use crate::text::escape_in_json;
use crate::{human, json};

impl Face {
    /// Prints, and turns the verdict into the exit code.
    #[must_use]
    pub fn print(&self, shown: &Shown, audience: Audience) -> ExitCode {
        let written = write_result(&shown.result);
        // Colours are removed without a terminal, or if NO_COLOR is set.
        let talked = anstream::stderr().write_all(shown.talk.as_bytes());
        let exit = match written.and(talked) {
            Ok(()) => shown.exit,
            // The reader has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => shown.exit,
            Err(error) => {
                let failure = self.output_failed(&error, audience);
                let _ = anstream::stderr().write_all(failure.as_bytes());
                Exit::Unjudged
            }
        };
        ExitCode::from(exit.code())
    }

    /// Standard output could not be written.
    fn output_failed(&self, error: &io::Error, audience: Audience) -> String {
        let failure = Failure {
            code: "output-failed",
            message: "cannot write the result to standard output".to_owned(),
            expected: Some("writable standard output".to_owned()),
            actual: Some(error.to_string()),
            next: format!("{} explain output-failed", self.program),
            ..Failure::default()
        };
        match audience {
            Audience::People => human::failure(&failure, false),
            // Standard output is what failed, so even JSON goes to standard error.
            Audience::Machines => format!("{}\n", json::failure(&failure, false)),
        }
    }
}

fn write_result(result: &ShownResult) -> io::Result<()> {
    match result {
        ShownResult::Styled(text) => {
            let mut stdout = anstream::stdout();
            stdout.write_all(text.as_bytes())?;
            stdout.flush()
        }
        ShownResult::Exact(bytes) => write_exactly(bytes),
        ShownResult::Canonical(bytes) if io::stdout().is_terminal() => {
            let text = String::from_utf8_lossy(bytes);
            write_exactly(format!("{}\n", escape_in_json(&text)).as_bytes())
        }
        ShownResult::Canonical(bytes) => write_exactly(bytes),
    }
}

fn write_exactly(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}
