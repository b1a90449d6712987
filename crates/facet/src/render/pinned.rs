//! One server as it is pinned.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use facets_face::{Shown, ShownResult, visible};
use facets_model::Origin;
use facets_ops::grant::grants_words;
use facets_ops::show::{PinnedArtifact, ShowReport};
use serde_json::{Value, json};

use super::approval::profile_words;
use super::renderer::Renderer;
use super::runtime_words::runtime_words;
use super::{facets, inspect, origin, package};

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
    match &report.artifact {
        None => line("starts", &report.origin.to_string()),
        Some(artifact) => {
            for (label, text) in artifact_lines(&report.origin, artifact) {
                line(label, &text);
            }
        }
    }
    for (label, text) in report.package.iter().flat_map(package::labelled_lines) {
        line(label, &text);
    }
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
    out.push_str(&facets::accepted(&report.accepted));
    out.push('\n');
    out
}

/// Which bytes a source-mode server is, where they come from, and what starts them.
fn artifact_lines(origin: &Origin, artifact: &PinnedArtifact) -> [(&'static str, String); 5] {
    let PinnedArtifact { pin, platform, runtime_digest } = artifact;
    let runtime = runtime_words(&pin.runtime);
    let runtime = match runtime_digest {
        Some(digest) => format!("{runtime} for {platform}, {digest}"),
        None => format!("{runtime}, none pinned for {platform}"),
    };
    [
        ("starts", format!("{} {}", pin.name, pin.version)),
        ("from", origin.to_string()),
        ("integrity", pin.integrity.to_string()),
        ("content hash", pin.content_hash.to_string()),
        ("runtime", runtime),
    ]
}

fn artifact_json(artifact: &PinnedArtifact) -> Value {
    let PinnedArtifact { pin, runtime_digest, .. } = artifact;
    json!({
        "name": pin.name.as_str(),
        "version": pin.version.to_string(),
        "integrity": pin.integrity.to_string(),
        "content_hash": pin.content_hash.to_string(),
        "runtime": runtime_words(&pin.runtime),
        "runtime_digest": runtime_digest.map(|digest| digest.to_string()),
    })
}

fn to_json(report: &ShowReport) -> Value {
    let profile = (!report.origin.is_remote()).then(|| report.settings.profile.name());
    json!({
        "name": report.name,
        "launch": origin::json(&report.origin),
        "artifact": report.artifact.as_ref().map(artifact_json),
        "package": report.package.as_ref().map(package::json),
        "profile": profile,
        "directory": report.settings.directory,
        "timeout": report.settings.timeout,
        "source": report.source,
        "grants": super::json::grants(&report.grants),
        "approved": report.approved,
        "approved_in": report.approved_in,
        "accepted": facets::accepted_json(&report.accepted),
        "declared": inspect::json(&report.declared),
    })
}
