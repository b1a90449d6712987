//! What keeps a file on its server, and how long is waited for it.

use std::fmt;
use std::time::Duration;

/// What keeps a file on its server: no connection, or one that brings no file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerProblem {
    /// There is no connection.
    #[error("cannot reach {host}: {reason}")]
    NoConnection {
        /// The server.
        host: String,
        /// What the system says.
        reason: String,
    },
    /// There was one.
    #[error("the connection to {host} broke: {reason}")]
    Broken {
        /// The server.
        host: String,
        /// What the system says.
        reason: String,
    },
    /// The server has a connection, and does not use it.
    #[error("{host} sent nothing for {} s", waited.as_secs_f32())]
    Silent {
        /// The server.
        host: String,
        /// How long was waited.
        waited: Duration,
    },
    /// HTTP status 429 or 5xx, again and again.
    #[error("{host} answers with HTTP status {status}{}", asked_to_wait(*wait))]
    Busy {
        /// The server.
        host: String,
        /// The status.
        status: u16,
        /// How long the server asks to wait, if that is longer than is waited.
        wait: Option<Duration>,
    },
    /// What it sends is not HTTP.
    #[error("{host} sends an invalid HTTP answer: {reason}")]
    InvalidAnswer {
        /// The server.
        host: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The end of the file could not be told from a broken connection.
    #[error("{host} does not say how long the file is")]
    UnknownLength {
        /// The server.
        host: String,
    },
    /// Not the rest of the file that was requested.
    #[error("{host} sent another part of the file than the requested one")]
    OtherPart {
        /// The server.
        host: String,
    },
    /// A thread of this process is gone.
    #[error("hashing of {url} ended unexpectedly")]
    Hashing {
        /// The file, without secrets.
        url: String,
    },
}

fn asked_to_wait(wait: Option<Duration>) -> String {
    wait.map_or_else(String::new, |wait| format!(", and asks to wait {} s", wait.as_secs()))
}

/// A time that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimit {
    /// For one file or document.
    File(Duration),
    /// For everything that a fetcher does.
    Everything(Duration),
    /// So many bytes a second did not arrive.
    Rate(u64),
}

impl TimeLimit {
    /// What would have been in time.
    pub(crate) fn expected(self) -> String {
        match self {
            Self::File(time) => format!("all bytes within {} s", time.as_secs()),
            Self::Everything(time) => format!("all files within {} s", time.as_secs()),
            Self::Rate(rate) => format!("at least {rate} bytes a second"),
        }
    }
}

/// The rest of a sentence that begins with what was fetched.
impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(time) => write!(f, "did not arrive within {} s", time.as_secs()),
            Self::Everything(time) => {
                let seconds = time.as_secs();
                write!(f, "did not arrive: the {seconds} s for all files together are over")
            }
            Self::Rate(rate) => write!(f, "arrives at fewer than {rate} bytes a second"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_answers_is_not_called_unreachable() {
        let host = || "h.example".to_owned();
        let busy = |wait| ServerProblem::Busy { host: host(), status: 503, wait };
        for (problem, expected) in [
            (busy(None), "h.example answers with HTTP status 503"),
            (
                busy(Some(Duration::from_hours(1))),
                "h.example answers with HTTP status 503, and asks to wait 3600 s",
            ),
            (
                ServerProblem::InvalidAnswer { host: host(), reason: "no version".to_owned() },
                "h.example sends an invalid HTTP answer: no version",
            ),
            (
                ServerProblem::UnknownLength { host: host() },
                "h.example does not say how long the file is",
            ),
            (
                ServerProblem::Silent { host: host(), waited: Duration::from_millis(1500) },
                "h.example sent nothing for 1.5 s",
            ),
        ] {
            assert_eq!(problem.to_string(), expected);
        }
    }
}
