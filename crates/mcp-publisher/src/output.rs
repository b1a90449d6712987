//! Printing, once, at the end.

use std::io::{self, Write as _};
use std::process::ExitCode;

use crate::args::OutputFormat;
use crate::render;
use crate::shown::{Exit, Shown, ShownResult};

/// Prints, and turns the verdict into the exit code.
pub(crate) fn print(shown: &Shown, format: OutputFormat) -> ExitCode {
    let written = write_result(&shown.result);
    // Colours are taken out where nobody sees them, or NO_COLOR asks for it.
    let talked = anstream::stderr().write_all(shown.talk.as_bytes());
    let exit = match written.and(talked) {
        Ok(()) => shown.exit,
        // The reader has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => shown.exit,
        Err(error) => {
            let failure = render::output_failed(&error, format);
            let _ = anstream::stderr().write_all(failure.talk.as_bytes());
            Exit::Unjudged
        }
    };
    ExitCode::from(exit.code())
}

fn write_result(result: &ShownResult) -> io::Result<()> {
    match result {
        ShownResult::Styled(text) => {
            let mut out = anstream::stdout();
            out.write_all(text.as_bytes())?;
            out.flush()
        }
        ShownResult::Exact(bytes) => {
            let mut out = io::stdout().lock();
            out.write_all(bytes)?;
            out.flush()
        }
    }
}
