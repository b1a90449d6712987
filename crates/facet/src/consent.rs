//! The question before something is started.

use std::io::{IsTerminal as _, Write as _};

use facets_ops::inspect::{Answer, Consent, LaunchShown};

use crate::render;

/// Asks on the terminal, unless the answer was given beforehand.
pub(crate) struct Terminal {
    pub(crate) yes: bool,
}

impl Consent for Terminal {
    fn may_start(&self, launch: &LaunchShown<'_>) -> Answer {
        if self.yes {
            return Answer::Yes;
        }
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return Answer::Nobody;
        }
        let question = format!("{}Start it? [y/N] ", render::launch(launch));
        let mut stderr = anstream::stderr();
        if stderr.write_all(question.as_bytes()).and_then(|()| stderr.flush()).is_err() {
            return Answer::Nobody;
        }
        let mut line = String::new();
        match std::io::stdin().read_line(&mut line) {
            Ok(1..) if matches!(&*line.trim().to_lowercase(), "y" | "yes") => Answer::Yes,
            _ => Answer::No,
        }
    }
}
