//! A refusal, as the registry answers it and as it is stored with a job.

use facets_digest::json::{self, Limits, Provenance, Value};

use crate::json_text::JsonText;

/// Every code of a refusal, with its HTTP status.
pub const PROBLEM_CODES: &[(&str, u16)] = &[
    ("E_BAD_REQUEST", 400),
    ("E_DAMAGED", 503),
    ("E_FORBIDDEN", 403),
    ("E_INTERNAL", 500),
    ("E_INVALID_ARCHIVE", 422),
    ("E_INVALID_MANIFEST", 422),
    ("E_INVALID_VERSION", 422),
    ("E_METHOD", 405),
    ("E_NAME_MISMATCH", 422),
    ("E_NAME_TOO_SIMILAR", 403),
    ("E_NOT_FOUND", 404),
    ("E_NOT_OWNER", 403),
    ("E_PRECONDITION", 412),
    ("E_QUEUE_FULL", 429),
    ("E_RANGE", 416),
    ("E_RATE_LIMITED", 429),
    ("E_SERVER_FAILED", 422),
    ("E_TIMEOUT", 408),
    ("E_TOO_LARGE", 413),
    ("E_UNAUTHORIZED", 401),
    ("E_UNAVAILABLE", 503),
    ("E_VERSION_EXISTS", 409),
];

/// Why a request is refused: a fact for a program, and sentences for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryProblem {
    /// The HTTP status.
    pub status: u16,
    /// The code, one of [`PROBLEM_CODES`].
    pub code: &'static str,
    /// What is wrong.
    pub error: String,
    /// What to do about it.
    pub fix: String,
    /// More for programs, as JSON.
    pub details: Option<String>,
    /// Seconds after which the same request may succeed.
    pub retry_after: Option<u32>,
}

impl RegistryProblem {
    /// A problem with the status of its code.
    #[must_use]
    pub fn new(code: &'static str, error: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            status: status_of(code),
            code,
            error: error.into(),
            fix: fix.into(),
            details: None,
            retry_after: None,
        }
    }

    /// The same with details, which are JSON.
    #[must_use]
    pub fn with_details(self, details: String) -> Self {
        Self { details: Some(details), ..self }
    }

    /// The same with the seconds after which another attempt makes sense.
    #[must_use]
    pub fn with_retry_after(self, seconds: u32) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    /// As it is stored with a job, and shown in its status.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = JsonText::object();
        out.number("status", u64::from(self.status));
        out.text("code", self.code);
        out.text("error", &self.error);
        out.text("fix", &self.fix);
        if let Some(details) = &self.details {
            out.raw("details", details);
        }
        if let Some(seconds) = self.retry_after {
            out.number("retry_after", u64::from(seconds));
        }
        out.finish()
    }

    /// Reads what [`Self::to_json`] writes; nothing if it is something else.
    #[must_use]
    pub fn from_json(text: &str) -> Option<Self> {
        let members = json::split_object(text.as_bytes(), Limits::DOCUMENT).ok()??;
        let raw = |name: &str| members.iter().find(|one| one.name == name).map(|one| one.value);
        let text = |name: &str| match json::parse(
            raw(name)?.as_bytes(),
            Provenance::Captured,
            Limits::DOCUMENT,
        ) {
            Ok(Value::String(text)) => Some(text.into_owned()),
            _ => None,
        };
        let stored = text("code")?;
        let code = PROBLEM_CODES.iter().map(|(code, _)| *code).find(|code| *code == stored)?;
        Some(Self {
            details: raw("details").map(str::to_owned),
            retry_after: raw("retry_after").and_then(|digits| digits.parse().ok()),
            ..Self::new(code, text("error")?, text("fix")?)
        })
    }
}

/// One that is not in the table is a defect of the registry.
fn status_of(code: &str) -> u16 {
    PROBLEM_CODES.iter().find(|(known, _)| *known == code).map_or(500, |(_, status)| *status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_read_as_it_was_written() {
        let plain = RegistryProblem::new("E_NOT_FOUND", "no \"x\"\n", "look elsewhere");
        assert_eq!(plain.status, 404);
        assert_eq!(RegistryProblem::from_json(&plain.to_json()), Some(plain.clone()));
        let full = plain.with_details("{\"a\":[1]}".to_owned()).with_retry_after(7);
        assert_eq!(RegistryProblem::from_json(&full.to_json()), Some(full.clone()));
        assert!(full.to_json().ends_with(r#""details":{"a":[1]},"retry_after":7}"#), "{full:?}");
    }

    #[test]
    fn other_texts_are_no_problems() {
        for text in ["", "{}", "probe-interrupted", r#"{"code":"E_OTHER","error":"e","fix":"f"}"#] {
            assert_eq!(RegistryProblem::from_json(text), None, "{text}");
        }
    }

    #[test]
    fn codes_are_sorted_and_stand_once() {
        assert!(PROBLEM_CODES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
