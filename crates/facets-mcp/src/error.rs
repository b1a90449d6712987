use std::time::Duration;

use facets_failure::{Describe, last_lines};
use facets_surface::{DefinitionError, Kind};
use facets_wire::{MessageError, RpcError};

/// Why a message could not be sent or received.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// Nothing came in time.
    #[error("the server did not answer in time")]
    Timeout,
    /// The server closed the connection.
    #[error("the server closed its output")]
    Closed,
    /// The server does not read what we send.
    #[error("the server does not read its input")]
    NotReading,
    /// One message is too large.
    #[error("a message is larger than {limit} bytes")]
    MessageTooLarge {
        /// What is allowed.
        limit: usize,
    },
    /// All messages together are too large.
    #[error("the server sent more than {limit} bytes")]
    TooMuch {
        /// What is allowed.
        limit: usize,
    },
    /// HTTP says no.
    #[error("the server answered with HTTP status {status}")]
    Status {
        /// The status.
        status: u16,
        /// What the body said, shortened.
        body: String,
    },
    /// The server cannot be reached, or TLS fails.
    #[error("{reason}")]
    Unreachable {
        /// What the client said.
        reason: String,
    },
    /// A redirect that leads somewhere else.
    #[error("the server redirects to {location}")]
    Redirect {
        /// Where.
        location: String,
    },
    /// Neither JSON nor an event stream.
    #[error("the server answered with the content type {found:?}")]
    ContentType {
        /// What it says.
        found: String,
    },
    /// The body is encoded though nobody asked for it.
    #[error("the server sent its answer compressed as {found:?}, which facet did not accept")]
    Encoding {
        /// How.
        found: String,
    },
}

impl TransportError {
    fn without(self, hidden: &HiddenValues<'_>) -> Self {
        match self {
            Self::Status { status, body } => Self::Status { status, body: hidden.masked(body) },
            Self::Unreachable { reason } => Self::Unreachable { reason: hidden.masked(reason) },
            Self::Redirect { location } => Self::Redirect { location: hidden.masked(location) },
            Self::ContentType { found } => Self::ContentType { found: hidden.masked(found) },
            Self::Encoding { found } => Self::Encoding { found: hidden.masked(found) },
            other => other,
        }
    }
}

/// Values that are not shown, the longest first.
struct HiddenValues<'v>(Vec<&'v str>);

impl<'v> HiddenValues<'v> {
    /// Shorter ones are no secrets, and stand everywhere.
    const SHORTEST: usize = 8;

    /// Each of them, and the token behind `Bearer`.
    fn of(values: &'v [String]) -> Self {
        let tokens = values.iter().filter_map(|value| value.split_once(' '));
        let tokens = tokens.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let tokens = tokens.map(|(_, token)| token.trim());
        let mut hidden: Vec<&str> = values.iter().map(String::as_str).chain(tokens).collect();
        hidden.retain(|value| value.len() >= Self::SHORTEST);
        hidden.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self(hidden)
    }

    fn masked(&self, text: String) -> String {
        let text = self.0.iter().fold(text, |text, value| text.replace(*value, "…"));
        // What the server said may have been cut off in the middle of a value.
        let cut = self.0.iter().filter_map(|value| {
            let begins =
                |end: &usize| value.is_char_boundary(*end) && text.ends_with(&value[..*end]);
            (Self::SHORTEST..value.len()).rev().find(begins)
        });
        match cut.max() {
            Some(length) => format!("{}…", &text[..text.len() - length]),
            None => text,
        }
    }
}

/// Why a surface could not be captured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaptureError {
    /// The way to the server failed.
    #[error("{method}: {source}")]
    Transport {
        /// What was asked.
        method: &'static str,
        /// What failed.
        source: TransportError,
    },
    /// No answer within the time for one.
    #[error("no answer to {method} within {} s", after.as_secs_f64())]
    NoAnswer {
        /// What was asked.
        method: &'static str,
        /// The time that was given.
        after: Duration,
        /// How the first line begins that it wrote instead, and that is no message.
        noise: Option<String>,
    },
    /// A message is not JSON-RPC.
    #[error("{method}: the server sent an invalid message: {source}")]
    InvalidMessage {
        /// What was asked meanwhile.
        method: &'static str,
        /// What is wrong with it.
        source: MessageError,
        /// How it begins.
        line: String,
    },
    /// The server refused to begin.
    #[error("the server rejected {method}: {source}")]
    Refused {
        /// What was asked.
        method: &'static str,
        /// What it said.
        source: RpcError,
    },
    /// A result does not have the members it needs.
    #[error("`{member}` is missing or invalid in the result of {method}")]
    Malformed {
        /// What was asked.
        method: &'static str,
        /// What is missing.
        member: &'static str,
    },
    /// A listed item is no definition.
    #[error("item {index} of {method} cannot be hashed: {source}")]
    Definition {
        /// What was asked.
        method: &'static str,
        /// Which item, counted from 0 over all pages.
        index: usize,
        /// What is wrong with it.
        source: DefinitionError,
    },
    /// Two items of one name.
    #[error("{} lists `{name}` twice", kind.method())]
    Duplicate {
        /// Which list.
        kind: Kind,
        /// Which name.
        name: String,
    },
    /// The same cursor a second time.
    #[error("{method} repeats the cursor {cursor:?}")]
    RepeatedCursor {
        /// What was asked.
        method: &'static str,
        /// The cursor.
        cursor: String,
    },
    /// Too many pages.
    #[error("{method} has more than {limit} pages")]
    TooManyPages {
        /// What was asked.
        method: &'static str,
        /// What is allowed.
        limit: usize,
    },
    /// Too many items.
    #[error("{method} has more than {limit} items")]
    TooManyItems {
        /// What was asked.
        method: &'static str,
        /// What is allowed.
        limit: usize,
    },
    /// Two lists in one session differ.
    #[error("{} returned two different lists in one session", kind.method())]
    Unstable {
        /// Which list.
        kind: Kind,
        /// The names that differ.
        names: Vec<String>,
    },
    /// Everything together took too long.
    #[error("reading the declarations took longer than {} s", limit.as_secs())]
    TooSlow {
        /// What is allowed.
        limit: Duration,
    },
}

impl CaptureError {
    /// Every code that [`Self::code`] can give.
    pub const CODES: &'static [&'static str] = &[
        "server-bad-definition",
        "server-closed",
        "server-content-type",
        "server-duplicate-name",
        "server-http-status",
        "server-invalid-message",
        "server-malformed-result",
        "server-message-too-large",
        "server-no-answer",
        "server-not-reading",
        "server-redirect",
        "server-refused",
        "server-repeated-cursor",
        "server-too-many-items",
        "server-too-many-pages",
        "server-too-much",
        "server-too-slow",
        "server-unauthorized",
        "server-unreachable",
        "unstable-surface",
    ];
}

impl CaptureError {
    /// The same without these values, which the server may have sent back: headers hold secrets.
    #[must_use]
    pub fn without_values(self, values: &[String]) -> Self {
        let hidden = HiddenValues::of(values);
        match self {
            Self::Transport { method, source } => {
                Self::Transport { method, source: source.without(&hidden) }
            }
            Self::InvalidMessage { method, source, line } => {
                Self::InvalidMessage { method, source, line: hidden.masked(line) }
            }
            Self::Refused { method, source: RpcError { code, message } } => {
                let message = hidden.masked(message);
                Self::Refused { method, source: RpcError { code, message } }
            }
            Self::NoAnswer { method, after, noise } => {
                Self::NoAnswer { method, after, noise: noise.map(|line| hidden.masked(line)) }
            }
            other => other,
        }
    }

    /// What the server itself said that made it fail.
    #[must_use]
    pub fn said(&self) -> Option<String> {
        match self {
            Self::Transport { source: TransportError::Status { body, .. }, .. } => {
                Some(format!("the server said: {}", last_lines(body)))
            }
            Self::InvalidMessage { line, .. } => Some(format!("the line begins: {line}")),
            Self::NoAnswer { noise: Some(line), .. } => {
                Some(format!("it wrote lines that are not MCP messages, such as {}", short(line)))
            }
            _ => None,
        }
    }
}

/// As much of a line as an error has room for, with whatever cannot be seen escaped.
fn short(line: &str) -> String {
    const SHOWN: usize = 80;
    let mut shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}

impl Describe for CaptureError {
    fn code(&self) -> &'static str {
        match self {
            Self::Transport { source, .. } => match source {
                TransportError::Timeout => "server-no-answer",
                TransportError::Closed => "server-closed",
                TransportError::NotReading => "server-not-reading",
                TransportError::MessageTooLarge { .. } => "server-message-too-large",
                TransportError::TooMuch { .. } => "server-too-much",
                TransportError::Status { status: 401 | 403, .. } => "server-unauthorized",
                TransportError::Status { .. } => "server-http-status",
                TransportError::Unreachable { .. } => "server-unreachable",
                TransportError::Redirect { .. } => "server-redirect",
                TransportError::ContentType { .. } | TransportError::Encoding { .. } => {
                    "server-content-type"
                }
            },
            Self::NoAnswer { .. } => "server-no-answer",
            Self::InvalidMessage { .. } => "server-invalid-message",
            Self::Refused { .. } => "server-refused",
            Self::Malformed { .. } => "server-malformed-result",
            Self::Definition { .. } => "server-bad-definition",
            Self::Duplicate { .. } => "server-duplicate-name",
            Self::RepeatedCursor { .. } => "server-repeated-cursor",
            Self::TooManyPages { .. } => "server-too-many-pages",
            Self::TooManyItems { .. } => "server-too-many-items",
            Self::Unstable { .. } => "unstable-surface",
            Self::TooSlow { .. } => "server-too-slow",
        }
    }

    fn expected(&self) -> Option<String> {
        let expected = match self {
            Self::Unstable { .. } => "the same list twice",
            _ => "a valid answer of an MCP server",
        };
        Some(expected.to_owned())
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::Unstable { names, .. } => Some(format!("different: {}", names.join(", "))),
            other => other.said(),
        }
    }

    fn next(&self) -> String {
        match self.code() {
            "server-unauthorized" => "facet inspect URL --header Authorization=MY_TOKEN".to_owned(),
            code => format!("facet explain {code}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "sk-0123456789";

    fn values() -> Vec<String> {
        vec![format!("Bearer {TOKEN}"), "short".to_owned()]
    }

    fn status(body: &str) -> CaptureError {
        let source = TransportError::Status { status: 401, body: body.to_owned() };
        CaptureError::Transport { method: "initialize", source }
    }

    #[test]
    fn values_that_a_server_sends_back_are_not_quoted() {
        let sent_back = [
            status(&format!("bad header Bearer {TOKEN}, short")),
            status(&format!("unknown token {TOKEN}, short")),
            CaptureError::Refused {
                method: "initialize",
                source: RpcError { code: -1, message: format!("{TOKEN}? short") },
            },
            CaptureError::InvalidMessage {
                method: "initialize",
                source: MessageError::NotRpc { reason: "no method" },
                line: format!("{TOKEN} short"),
            },
            CaptureError::Transport {
                method: "initialize",
                source: TransportError::Redirect { location: format!("/short?{TOKEN}") },
            },
        ];
        for error in sent_back {
            let error = error.without_values(&values());
            let shown = format!("{error} {}", error.actual().unwrap_or_default());
            assert!(!shown.contains(TOKEN), "{shown}");
            assert!(shown.contains('…') && shown.contains("short"), "{shown}");
        }
    }

    #[test]
    fn a_value_that_was_cut_off_is_not_quoted_either() {
        let cut = status("unknown token sk-0123456").without_values(&values());
        assert_eq!(cut, status("unknown token …"));
        let other = status("unknown token sk-012").without_values(&values());
        assert_eq!(other, status("unknown token sk-012"));
    }
}
