//! Why a registry was of no help.

use std::io;
use std::time::Duration;

use facets_digest::Digest;
use facets_failure::{Describe, Note, Stderr};
use facets_http::AgentError;

use crate::limits::TIMEOUT_VARIABLE;
use crate::problem::RegistryProblem;

/// What to do where it is not known what a registry has decided.
const PUBLISH_AGAIN: &str =
    "publish it again; that is safe, because the same content is never published twice";

/// Why a registry was of no help.
#[derive(Debug, thiserror::Error)]
pub enum RegistryClientError {
    /// The address is none that a registry is asked at.
    #[error("{url} cannot be used as a registry: {problem}")]
    Address {
        /// The address, as it was given.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The text is no token.
    #[error("the token cannot be used: {problem}")]
    Token {
        /// What is wrong with it, without the token.
        problem: &'static str,
    },
    /// A certificate or proxy of the configuration cannot be used.
    #[error("{place}: {problem}")]
    Config {
        /// What was configured.
        place: String,
        /// What is wrong, without secrets.
        problem: String,
    },
    /// There is no connection.
    #[error("cannot reach {host}: {reason}")]
    Unreachable {
        /// The registry.
        host: String,
        /// What the system says.
        reason: String,
    },
    /// There was one.
    #[error("the connection to {host} broke: {reason}")]
    Broken {
        /// The registry.
        host: String,
        /// What the system says.
        reason: String,
    },
    /// There was none in the time that is waited.
    #[error("cannot reach {host}: no connection within {} s, to ask for {asked}", waited.as_secs_f32())]
    NoConnection {
        /// The registry.
        host: String,
        /// What was asked for.
        asked: String,
        /// How long was waited.
        waited: Duration,
    },
    /// The registry has a connection, and does not use it.
    #[error("{host} sent nothing for {} s, asked for {asked}", waited.as_secs_f32())]
    Silent {
        /// The registry.
        host: String,
        /// What was asked for.
        asked: String,
        /// How long was waited.
        waited: Duration,
    },
    /// A request took longer than is waited.
    #[error("{url} did not answer completely within {} s", limit.as_secs())]
    TooSlow {
        /// What was asked for.
        url: String,
        /// How long a request may take.
        limit: Duration,
    },
    /// The certificate of the registry is not trusted.
    #[error("the certificate of {host} is not trusted: {reason}")]
    Certificate {
        /// The registry.
        host: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A redirect that is not followed.
    #[error("{url} redirects to {location}: {problem}")]
    Redirect {
        /// What was asked for.
        url: String,
        /// Where it leads.
        location: String,
        /// Why it is not followed.
        problem: &'static str,
    },
    /// An answer that is none of a registry.
    #[error("{url} sent an invalid answer: {problem}")]
    Answer {
        /// What was asked for.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// There are more bytes than are taken.
    #[error("{what} is larger than {limit} bytes")]
    TooLarge {
        /// What was asked for.
        what: String,
        /// How many are taken.
        limit: u64,
    },
    /// The archive is not the one that the registry states.
    #[error("the archive of {what} does not match its content hash")]
    Mismatch {
        /// Name and version.
        what: String,
        /// What the registry states.
        expected: Digest,
        /// What arrived.
        actual: Digest,
    },
    /// The registry refuses the request, and says why.
    #[error("{}", .0.sentence())]
    Refused(Box<RegistryProblem>),
    /// The registry has the archive, and has not decided in the time that is waited.
    #[error("{host} has accepted the archive, and has not published it yet: {reason}")]
    Pending {
        /// The registry.
        host: String,
        /// What it is waiting for.
        reason: String,
        /// What the registry advises.
        fix: Option<String>,
    },
    /// The registry may have the archive, and what it decided did not arrive.
    #[error("{0}")]
    Interrupted(Box<RegistryClientError>),
    /// The archive that is uploaded cannot be read.
    #[error("the archive cannot be read while it is uploaded: {source}")]
    Upload {
        /// What the system says.
        source: io::Error,
    },
    /// The archive that is downloaded cannot be written.
    #[error("the archive cannot be written: {source}")]
    Download {
        /// What the system says.
        source: io::Error,
    },
}

impl From<AgentError> for RegistryClientError {
    fn from(AgentError { place, problem }: AgentError) -> Self {
        Self::Config { place, problem }
    }
}

impl RegistryClientError {
    /// Every code.
    pub const CODES: &'static [&'static str] = &[
        "registry-address",
        "registry-answer",
        "registry-busy",
        "registry-certificate",
        "registry-config",
        "registry-forbidden",
        "registry-mismatch",
        "registry-not-found",
        "registry-pending",
        "registry-redirect",
        "registry-refused",
        "registry-token",
        "registry-too-large",
        "registry-too-slow",
        "registry-transfer",
        "registry-unauthorized",
        "registry-unreachable",
        "registry-version-exists",
    ];

    /// What the registry says, if it refuses the request.
    #[must_use]
    pub fn problem(&self) -> Option<&RegistryProblem> {
        match self {
            Self::Refused(problem) => Some(problem),
            _ => None,
        }
    }

    /// Whether the registry has no such thing, as far as this token may see.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.problem().is_some_and(|problem| problem.status == 404)
    }

    /// The same once more, if the registry did not answer: for what would be asked next, and is not waited for.
    #[must_use]
    pub fn unanswered(&self) -> Option<Self> {
        Some(match self {
            Self::Unreachable { host, reason } => {
                Self::Unreachable { host: host.clone(), reason: reason.clone() }
            }
            Self::NoConnection { host, asked, waited } => {
                let (host, asked) = (host.clone(), asked.clone());
                Self::NoConnection { host, asked, waited: *waited }
            }
            Self::Silent { host, asked, waited } => {
                Self::Silent { host: host.clone(), asked: asked.clone(), waited: *waited }
            }
            Self::TooSlow { url, limit } => Self::TooSlow { url: url.clone(), limit: *limit },
            _ => return None,
        })
    }

    /// The same, where the registry may have the archive.
    pub(crate) fn after_upload(self) -> Self {
        match self {
            cut @ (Self::Unreachable { .. }
            | Self::NoConnection { .. }
            | Self::Broken { .. }
            | Self::Silent { .. }
            | Self::TooSlow { .. }) => Self::Interrupted(Box::new(cut)),
            other => other,
        }
    }

    /// Whether another version of the same name and number is published already.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        self.problem().is_some_and(|problem| problem.status == 409)
    }
}

impl Describe for RegistryClientError {
    fn code(&self) -> &'static str {
        match self {
            Self::Address { .. } => "registry-address",
            Self::Token { .. } => "registry-token",
            Self::Config { .. } => "registry-config",
            Self::Unreachable { .. }
            | Self::NoConnection { .. }
            | Self::Broken { .. }
            | Self::Silent { .. } => "registry-unreachable",
            Self::TooSlow { .. } => "registry-too-slow",
            Self::Certificate { .. } => "registry-certificate",
            Self::Redirect { .. } => "registry-redirect",
            Self::Answer { .. } => "registry-answer",
            Self::TooLarge { .. } => "registry-too-large",
            Self::Mismatch { .. } => "registry-mismatch",
            Self::Refused(problem) => problem.own_code(),
            Self::Pending { .. } => "registry-pending",
            Self::Interrupted(cause) => cause.code(),
            Self::Upload { .. } | Self::Download { .. } => "registry-transfer",
        }
    }

    fn expected(&self) -> Option<String> {
        let expected = match self {
            Self::Address { .. } => "https://HOST, or http:// with an address of this machine",
            Self::Token { .. } => "a token as the registry gives it out",
            Self::Config { .. } => "a setting that can be used",
            Self::Unreachable { .. } | Self::Broken { .. } => "a registry that answers",
            Self::NoConnection { waited, .. } => {
                return Some(format!("a connection within {} s", waited.as_secs_f32()));
            }
            Self::Silent { waited, .. } => {
                return Some(format!("the next bytes within {} s", waited.as_secs_f32()));
            }
            Self::TooSlow { limit, .. } => {
                return Some(format!("a whole answer within {} s", limit.as_secs()));
            }
            Self::Certificate { .. } => "a certificate that is trusted here",
            Self::Redirect { .. } => {
                "a redirect to the same host, or of an archive to another one over https"
            }
            Self::Answer { .. } => "an answer of a registry",
            Self::TooLarge { limit, .. } => return Some(format!("at most {limit} bytes")),
            Self::Mismatch { expected, .. } => return Some(expected.to_string()),
            // The registry has said it in its own words.
            Self::Refused(_) => return None,
            Self::Pending { .. } => "a published version",
            Self::Interrupted(cause) => return cause.expected(),
            Self::Upload { .. } => "a readable archive",
            Self::Download { .. } => "a place to write to",
        };
        Some(expected.to_owned())
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::Mismatch { actual, .. } => Some(actual.to_string()),
            _ => None,
        }
    }

    fn next(&self) -> String {
        match self {
            Self::Refused(problem) if problem.status == 401 => "facet login".to_owned(),
            Self::NoConnection { waited, .. } | Self::Silent { waited, .. } => {
                let longer = (waited.as_secs() * 3).clamp(60, 600);
                format!(
                    "the same command after `export {TIMEOUT_VARIABLE}={longer}`, if the registry is only slow"
                )
            }
            other => format!("facet explain {}", other.code()),
        }
    }

    fn error_output(&self) -> Option<Stderr> {
        let text = self.problem()?.stderr.as_deref()?;
        Some(Stderr::of(text)).filter(|said| !said.is_empty())
    }

    fn notes(&self) -> Vec<Note> {
        let note = |label: &'static str| move |text: String| Note { label, text };
        match self {
            Self::Refused(problem) => problem.notes(),
            Self::Pending { fix, .. } => fix.clone().map(note("fix")).into_iter().collect(),
            Self::Interrupted(_) => vec![note("fix")(PUBLISH_AGAIN.to_owned())],
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained() {
        let explained: Vec<&str> =
            facets_failure::explanations(crate::EXPLANATIONS).map(|one| one.code).collect();
        assert_eq!(explained, RegistryClientError::CODES);
    }
}
