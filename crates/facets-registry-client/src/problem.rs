//! What a registry says about a request that it refuses: text from outside.

use std::time::Duration;

use facets_failure::Note;

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
