//! Reading what a registry says about a request that it refuses.

use facets_digest::json::Value;
use url::Url;

use crate::address::host;
use crate::answer::{AnswerMembers, parse_json};
use crate::problem::RegistryProblem;

/// Characters that are kept of one text.
const MOST_TEXT: usize = 2000;
/// The same of details, which may have what a server printed.
const MOST_DETAILS: usize = 16_000;

impl RegistryProblem {
    /// Reads the body of an answer. One that is no problem leaves the status.
    #[must_use]
    pub fn parse(url: &Url, status: u16, body: &[u8]) -> Self {
        let host = &host(url);
        match parse_json(url, body) {
            Ok(value) => Self::of_value(url, host, status, &value),
            Err(_) => Self::of_status(host, status),
        }
    }

    /// Reads a problem that is a part of an answer.
    pub(crate) fn of_value(url: &Url, host: &str, status: u16, value: &Value<'_>) -> Self {
        let members = AnswerMembers::new(url, value);
        let text = |name: &str| members.optional_text(name).ok().flatten();
        let short = |text: &str| shortened(text, MOST_TEXT);
        let plain = Self::of_status(host, status);
        let details = value.member("details").filter(|details| !matches!(details, Value::Null));
        let stderr = details.and_then(|details| match details.member("stderr") {
            Some(Value::String(text)) => Some(shortened(text, MOST_DETAILS)),
            _ => None,
        });
        let canonical = |value: &Value<'_>| {
            shortened(&String::from_utf8_lossy(&value.to_canonical()), MOST_DETAILS)
        };
        Self {
            code: text("code").map(short).unwrap_or_default(),
            error: text("error").or_else(|| text("detail")).map_or(plain.error, short),
            fix: text("fix").filter(|fix| !fix.is_empty()).map(short),
            docs_url: text("docs_url").filter(|url| !url.is_empty()).map(short),
            details: details.map(canonical),
            stderr,
            ..Self::of_status(host, status)
        }
    }
}

/// The beginning of a text that may be of any length.
fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(status: u16, body: &str) -> RegistryProblem {
        let url: Url = "https://r.example/v0/facets".parse().unwrap();
        RegistryProblem::parse(&url, status, body.as_bytes())
    }

    #[test]
    fn a_problem_is_passed_on_in_the_words_of_the_registry() {
        let problem = read(
            409,
            r#"{"status":409,"code":"E_VERSION_EXISTS","error":"demo 1.0.0 exists","fix":"raise \u001b[1m it",
                "docs_url":"https://r.example/docs","details":{"b":1,"a":"x"},"request_id":"1"}"#,
        );
        let sentence = "r.example refused the request: demo 1.0.0 exists (E_VERSION_EXISTS)";
        assert_eq!(problem.sentence(), sentence);
        assert_eq!(problem.own_code(), "registry-version-exists");
        assert_eq!(problem.details.as_deref(), Some(r#"{"a":"x","b":1}"#));
        let notes: Vec<&str> = problem.notes().iter().map(|note| note.label).collect();
        assert_eq!(notes, ["fix", "docs", "details"]);
        assert_eq!(problem.fix.as_deref(), Some("raise \u{1b}[1m it"));
    }

    #[test]
    fn an_answer_that_is_no_problem_leaves_the_status() {
        for body in ["", "<html>", "[]", "{}", r#"{"code":1,"error":[],"fix":null}"#, "\u{feff}{}"]
        {
            let problem = read(502, body);
            assert_eq!((problem.error.as_str(), problem.code.as_str()), ("HTTP status 502", ""));
            assert_eq!(problem.own_code(), "registry-busy", "{body}");
            assert!(problem.notes().is_empty(), "{body}");
        }
    }

    #[test]
    fn long_texts_are_shortened_and_what_a_server_printed_is_kept_apart() {
        let long = "é".repeat(50_000);
        let body = format!(
            r#"{{"code":"E_SERVER_FAILED","error":"{long}","details":{{"stderr":"one\ntwo"}}}}"#
        );
        let problem = read(422, &body);
        assert_eq!(problem.error.chars().count(), MOST_TEXT + 1);
        assert_eq!(problem.stderr.as_deref(), Some("one\ntwo"));
        assert!(problem.notes().is_empty());
    }
}
