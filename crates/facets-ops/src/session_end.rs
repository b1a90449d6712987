//! How a session ended: in words, and as the exit code of `facet run` (spec 11.5).

use facets_launch::Ending;
use facets_run::SessionEnd;

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEnding {
    /// In words.
    pub words: String,
    /// What `facet run` ends with.
    pub exit_code: u8,
    /// Whether the client or the user wanted it to end.
    pub is_wanted: bool,
}

impl SessionEnding {
    /// What becomes of the end of a session.
    #[must_use]
    pub fn of(end: &SessionEnd) -> Self {
        let (words, exit_code) = match end {
            SessionEnd::ServerEnded(Ending::SupervisorLost)
            | SessionEnd::NeverSpoke(Ending::SupervisorLost)
            | SessionEnd::ClientLeft(Some(Ending::SupervisorLost)) => {
                let text = "the server's supervisor was killed or stopped; facet ended everything \
                            that the server had started [supervisor-lost]";
                (text.to_owned(), 2)
            }
            // 14.2: the code is passed on, also if the client had left by then
            SessionEnd::ClientLeft(Some(ending @ Ending::Exited(code))) => {
                (format!("the client left; {}", ending_words(ending)), code_of(*code))
            }
            SessionEnd::ClientLeft(_) => ("the client left".to_owned(), 0),
            SessionEnd::Stopped => ("it was stopped".to_owned(), 0),
            SessionEnd::Drift(what) => (what.clone(), 1),
            SessionEnd::NotRestarted(reason) => {
                (format!("could not restart the server: {reason}"), 2)
            }
            SessionEnd::ServerEnded(ending) | SessionEnd::NeverSpoke(ending) => {
                let code = match ending {
                    Ending::Exited(code) => code_of(*code),
                    Ending::Killed(signal) => code_of(128 + signal),
                    Ending::Unknown | Ending::SupervisorLost => 2,
                };
                (ending_words(ending), code)
            }
        };
        let is_lost = matches!(end, SessionEnd::ClientLeft(Some(Ending::SupervisorLost)));
        let is_wanted = matches!(end, SessionEnd::ClientLeft(_) | SessionEnd::Stopped) && !is_lost;
        Self { words, exit_code, is_wanted }
    }
}

fn code_of(code: i32) -> u8 {
    u8::try_from(code).unwrap_or(u8::MAX)
}

fn ending_words(ending: &Ending) -> String {
    match ending {
        Ending::Exited(code) => format!("the server ended with code {}", code_of(*code)),
        Ending::Killed(signal) => format!("the server was killed by signal {signal}"),
        Ending::Unknown | Ending::SupervisorLost => {
            "the server ended; its exit status is unknown".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_has_its_words_and_its_code() {
        let drift = SessionEnd::Drift("x".to_owned());
        let left = |ending| SessionEnd::ClientLeft(Some(ending));
        for (end, words, exit_code, is_wanted) in [
            (SessionEnd::ClientLeft(None), "the client left", 0, true),
            (left(Ending::Exited(3)), "the client left; the server ended with code 3", 3, true),
            (left(Ending::Killed(9)), "the client left", 0, true),
            (SessionEnd::Stopped, "it was stopped", 0, true),
            (drift, "x", 1, false),
            (
                SessionEnd::NotRestarted("why".to_owned()),
                "could not restart the server: why",
                2,
                false,
            ),
            (
                SessionEnd::ServerEnded(Ending::Exited(300)),
                "the server ended with code 255",
                255,
                false,
            ),
            (
                SessionEnd::NeverSpoke(Ending::Exited(126)),
                "the server ended with code 126",
                126,
                false,
            ),
            (
                SessionEnd::NeverSpoke(Ending::Killed(9)),
                "the server was killed by signal 9",
                137,
                false,
            ),
            (
                SessionEnd::ServerEnded(Ending::Unknown),
                "the server ended; its exit status is unknown",
                2,
                false,
            ),
        ] {
            let expected = SessionEnding { words: words.to_owned(), exit_code, is_wanted };
            assert_eq!(SessionEnding::of(&end), expected);
        }
        let lost = SessionEnding::of(&left(Ending::SupervisorLost));
        assert_eq!((lost.exit_code, lost.is_wanted), (2, false));
        assert!(lost.words.ends_with("[supervisor-lost]"));
    }
}
