//! What a registry says about a request that it refuses: text from outside.

use std::time::Duration;

use facets_failure::Note;

/// spec 9.4: every code with which a registry refuses a request
pub const REFUSAL_CODES: &[&str] = &[
    "E_BAD_REQUEST",
    "E_DAMAGED",
    "E_FORBIDDEN",
    "E_INTERNAL",
    "E_INVALID_ARCHIVE",
    "E_INVALID_MANIFEST",
    "E_INVALID_VERSION",
    "E_METHOD",
    "E_NAME_MISMATCH",
    "E_NAME_TOO_SIMILAR",
    "E_NOT_FOUND",
    "E_NOT_OWNER",
    "E_PRECONDITION",
    "E_QUEUE_FULL",
    "E_RANGE",
    "E_RATE_LIMITED",
    "E_SERVER_FAILED",
    "E_TIMEOUT",
    "E_TOO_LARGE",
    "E_UNAUTHORIZED",
    "E_UNAVAILABLE",
    "E_VERSION_EXISTS",
];

/// What a registry says about a request that it refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryProblem {
    /// The registry.
    pub host: String,
    /// The HTTP status.
    pub status: u16,
    /// The registry's own code, such as `E_NOT_OWNER`; empty if it gives none.
    pub code: String,
    /// What is wrong.
    pub error: String,
    /// What the registry advises.
    pub fix: Option<String>,
    /// Where it explains that.
    pub docs_url: Option<String>,
    /// More about it, as JSON.
    pub details: Option<String>,
    /// What a server that was started wrote to standard error.
    pub stderr: Option<String>,
    /// How long the registry asks to wait.
    pub retry_after: Option<Duration>,
}

impl RegistryProblem {
    /// What a status alone says.
    pub(crate) fn of_status(host: &str, status: u16) -> Self {
        Self {
            host: host.to_owned(),
            status,
            code: String::new(),
            error: format!("HTTP status {status}"),
            fix: None,
            docs_url: None,
            details: None,
            stderr: None,
            retry_after: None,
        }
    }

    /// The code of this crate: those of the registry can be anything.
    pub(crate) fn own_code(&self) -> &'static str {
        match self.status {
            401 => "registry-unauthorized",
            403 => "registry-forbidden",
            404 | 410 => "registry-not-found",
            409 => "registry-version-exists",
            408 | 429 | 500..=599 => "registry-busy",
            _ => "registry-refused",
        }
    }

    /// What happened, in the words of the registry.
    pub(crate) fn sentence(&self) -> String {
        let Self { host, code, error, .. } = self;
        match code.as_str() {
            "" => format!("{host} refused the request: {error}"),
            code => format!("{host} refused the request: {error} ({code})"),
        }
    }

    /// What else it says.
    pub(crate) fn notes(&self) -> Vec<Note> {
        let wait = self.retry_after.map(|wait| format!("{} s, then try again", wait.as_secs()));
        // What a server printed is shown line by line.
        let details = self.details.clone().filter(|_| self.stderr.is_none());
        let notes = [
            ("fix", self.fix.clone()),
            ("docs", self.docs_url.clone()),
            ("details", details),
            ("wait", wait),
        ];
        let note =
            |(label, text): (&'static str, Option<String>)| Some(Note { label, text: text? });
        notes.into_iter().filter_map(note).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_refusal_is_explained() {
        let explained = facets_failure::explanations(crate::REFUSAL_EXPLANATIONS);
        let explained: Vec<&str> = explained.map(|one| one.code).collect();
        assert_eq!(explained, REFUSAL_CODES);
    }

    #[test]
    fn the_refusals_are_those_of_the_specification() {
        let page = facets_testkit::repository_root().join("docs/spec/9-registry.md");
        let page = std::fs::read_to_string(page).unwrap();
        let (_, section) = page.split_once("## 9.4 Refusals").unwrap();
        let (section, _) = section.split_once("## 9.5").unwrap();
        let rows = section.lines().filter(|line| line.starts_with("| `E_"));
        let cells = rows.filter_map(|row| row.split('|').nth(1));
        let codes =
            cells.flat_map(|cell| cell.split(',')).map(|code| code.trim().trim_matches('`'));
        let codes: BTreeSet<&str> = codes.collect();
        assert_eq!(codes, REFUSAL_CODES.iter().copied().collect());
    }
}
