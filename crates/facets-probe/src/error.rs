//! Why a server could not be looked at.

use facets_failure::{Describe, Stderr};
use facets_launch::{Ending, LaunchError};
use facets_mcp::{CaptureError, TransportError};

/// Why nothing could be seen.
#[derive(Debug, thiserror::Error)]
pub enum ObserveError {
    /// It could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// Its supervisor was killed or stopped while it ran, and nobody else was there to do it.
    #[error("the server attacked its supervisor")]
    SupervisorLost,
    /// It was started or reached, and failed.
    #[error("{}", capture_words(source, ending.as_ref()))]
    Capture {
        /// What failed.
        source: CaptureError,
        /// What it wrote to standard error.
        stderr: Stderr,
        /// How it ended, if it ended by itself.
        ending: Option<Ending>,
    },
}

/// Whether the server closed its output: how it ended says why.
fn is_closed(source: &CaptureError) -> bool {
    matches!(source, CaptureError::Transport { source: TransportError::Closed, .. })
}

/// What failed; of a server that ended before it answered, how it ended.
fn capture_words(source: &CaptureError, ending: Option<&Ending>) -> String {
    let ended = match ending {
        Some(Ending::Exited(code)) => format!("exited with code {code}"),
        Some(Ending::Killed(signal)) => format!("was ended by signal {signal}"),
        Some(Ending::Unknown | Ending::SupervisorLost) | None => return source.to_string(),
    };
    match source {
        CaptureError::Transport { method, source: TransportError::Closed } => {
            format!("the server {ended} before it answered {method}")
        }
        other => other.to_string(),
    }
}

impl ObserveError {
    /// The same without these values in what the server wrote or answered.
    #[must_use]
    pub fn without_values(self, values: &[String]) -> Self {
        match self {
            Self::Capture { source, stderr, ending } => Self::Capture {
                source: source.without_values(values),
                stderr: stderr.without(values),
                ending,
            },
            other => other,
        }
    }

    /// The codes that no crate below has.
    pub const CODES: &'static [&'static str] = &["supervisor-lost"];
}

impl Describe for ObserveError {
    fn code(&self) -> &'static str {
        match self {
            Self::Launch(error) => error.code(),
            Self::SupervisorLost => "supervisor-lost",
            Self::Capture { source, .. } => source.code(),
        }
    }

    fn expected(&self) -> Option<String> {
        match self {
            Self::Launch(error) => error.expected(),
            Self::SupervisorLost => Some("a server that leaves its supervisor alone".to_owned()),
            Self::Capture { source, .. } => source.expected(),
        }
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::Launch(error) => error.actual(),
            Self::SupervisorLost => {
                Some("the supervisor was killed or stopped; everything was ended".to_owned())
            }
            Self::Capture { source: source @ CaptureError::Unstable { .. }, .. } => source.actual(),
            Self::Capture { source, ending, .. } => {
                let ended = match ending.as_ref().filter(|_| !is_closed(source)) {
                    Some(Ending::Exited(code)) => Some(format!("it ended with code {code}")),
                    Some(Ending::Killed(signal)) => {
                        Some(format!("it was ended by signal {signal}"))
                    }
                    Some(Ending::Unknown | Ending::SupervisorLost) | None => None,
                };
                let said: Vec<String> = [source.said(), ended].into_iter().flatten().collect();
                (!said.is_empty()).then(|| said.join("; "))
            }
        }
    }

    fn next(&self) -> String {
        match self {
            Self::Capture { source, .. } => source.next(),
            other => format!("facet explain {}", other.code()),
        }
    }

    fn error_output(&self) -> Option<Stderr> {
        match self {
            Self::Capture { stderr, .. } if !stderr.is_empty() => Some(stderr.clone()),
            _ => None,
        }
    }
}
