//! One server as it is pinned.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use facets_face::{Shown, ShownResult, visible};
use facets_ops::grant::grants_words;
use facets_ops::show::ShowReport;
use serde_json::{Value, json};

use super::approval::profile_words;
use super::renderer::Renderer;
use super::{inspect, origin};

const STRONG: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const WARN: Style = AnsiColor::Yellow.on_default();

impl Renderer {
    pub(crate) fn show_pinned(&self, report: &ShowReport) -> Shown {
        let human = || {
            let declared = inspect::human(&report.declared, self.quiet, self.verbose);
            let declared_text = match declared.result {
                ShownResult::Styled(text) => text,
                ShownResult::Exact(_) | ShownResult::Canonical(_) => String::new(),
            };
            Shown { talk: declared.talk, ..Shown::styled(head(report) + &declared_text) }
        };
        self.show(human, || to_json(report))
    }
}

/// How it starts and what it may do.
fn head(report: &ShowReport) -> String {
    let mut out = String::new();
    let approved = match (&report.approved, &report.approved_in) {
        (true, _) => format!("{GOOD}approved on this machine{GOOD:#}"),
        (false, None) => format!("{WARN}not approved on this machine{WARN:#}"),
        (false, Some(place)) => {
            format!("{WARN}approved in {}, not here{WARN:#}", visible(place))
        }
    };
    let _ = writeln!(out, "{STRONG}{}{STRONG:#} {approved}", visible(&report.name));
    let mut line = |label: &str, text: &str| {
        let _ = writeln!(out, "{label:<12} {}", visible(text));
    };
    line("starts", &report.origin.to_string());
    let variables: Vec<&str> = report.origin.variables().into_iter().collect();
    if !variables.is_empty() {
        line("variables", &variables.join(", "));
    }
    if !report.origin.is_remote() {
        line("environment", profile_words(report.settings.profile));
    }
    if let Some(directory) = &report.settings.directory {
        line("directory", directory);
    }
    if let Some(seconds) = report.settings.timeout {
        line("timeout", &format!("{seconds} s until its first answer"));
    }
    if let Some(source) = &report.source {
        line("source", source);
    }
    line("grants", &grants_words(&report.grants));
    out.push('\n');
    out
}

fn to_json(report: &ShowReport) -> Value {
    let profile = (!report.origin.is_remote()).then(|| report.settings.profile.name());
    json!({
        "name": report.name,
        "launch": origin::json(&report.origin),
        "profile": profile,
        "directory": report.settings.directory,
        "timeout": report.settings.timeout,
        "source": report.source,
        "grants": super::json::grants(&report.grants),
        "approved": report.approved,
        "approved_in": report.approved_in,
        "declared": inspect::json(&report.declared),
    })
}
