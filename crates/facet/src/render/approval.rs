//! The page that somebody reads before trusting a server, and the lists of what is trusted.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use facets_drift::Finding;
use facets_drift::risk::Risk;
use facets_lock::{Grants, Profile, SURFACES};
use facets_ops::consent::ApprovalPage;
use facets_ops::grant::{describe_opened, grants_words};
use facets_ops::list::{ListReport, ListedServer};
use facets_project::{LOCK, MANIFEST};
use facets_surface::Kind;
use serde_json::{Value, json};

use super::cost::Cost;
use super::renderer::Renderer;
use super::text::visible;
use super::{drift, drift_json, human, origin, scan};
use crate::shown::Shown;

const BAD: Style = AnsiColor::Red.on_default().bold();
const WARN: Style = AnsiColor::Yellow.on_default();
const GOOD: Style = AnsiColor::Green.on_default();
const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();

/// Tools of one risk that are named before the rest is counted.
const TOOLS: usize = 12;

/// Everything that an approval is about.
pub(crate) fn page(page: &ApprovalPage) -> String {
    let mut out = String::new();
    let identity = &page.surface.server;
    let said = visible(&format!("{} {}", identity.name, identity.version));
    let _ = writeln!(
        out,
        "{STRONG}{}{STRONG:#} {QUIET}identifies itself as{QUIET:#} {}",
        visible(&page.name),
        said.trim()
    );
    if let Some(replaced) = &page.replaces {
        let _ = writeln!(out, "replaces {}", visible(&replaced.to_string()));
    }
    if let Some(changes) = &page.changes {
        if changes.is_empty() {
            let _ = writeln!(out, "nothing changed since it was approved");
        } else {
            let counted = drift::counted(changes.iter().map(|change| change.severity));
            let _ = writeln!(out, "\n{STRONG}what changed{STRONG:#}: {counted}");
            drift::list(changes, false, &mut out);
        }
        start_words(page, &mut out);
        return out;
    }
    counts(page, &mut out);
    words(page, &mut out);
    risks(page, &mut out);
    names(page, &mut out);
    markers(page, &mut out);
    Cost::of(&page.surface).human(false, &mut out);
    reach(page, &mut out);
    if !page.varies.is_empty() {
        let _ = writeln!(out, "\n{STRONG}on this machine{STRONG:#}");
        drift::list(&page.varies, true, &mut out);
    }
    grants(&page.grants, &mut out);
    if let Some(opened) = &page.opened {
        let _ = writeln!(out, "{}", visible(&describe_opened(opened)));
    }
    start_words(page, &mut out);
    out
}

/// What somebody reads about one of several servers without critical findings: who it is, every tool with
/// its description on one line, what is worth a second look, and how it starts.
pub(crate) fn compact_page(page: &ApprovalPage) -> String {
    let mut out = String::new();
    let identity = &page.surface.server;
    let said = visible(&format!("{} {}", identity.name, identity.version));
    let name = visible(&page.name);
    let _ = writeln!(
        out,
        "{STRONG}{name}{STRONG:#} {QUIET}identifies itself as{QUIET:#} {}",
        said.trim()
    );
    counts(page, &mut out);
    words(page, &mut out);
    for (risk, style) in [(Risk::High, BAD), (Risk::Medium, WARN), (Risk::Low, GOOD)] {
        for tool in page.look.tools.iter().filter(|tool| tool.assessment.risk == risk) {
            let text = visible(&folded(&description(page, &tool.name)));
            let name = visible(&tool.name);
            let _ =
                writeln!(out, "  {style}{}{style:#} {name} {QUIET}{text}{QUIET:#}", risk.name());
        }
    }
    names(page, &mut out);
    markers(page, &mut out);
    if !page.varies.is_empty() {
        let _ = writeln!(out, "{STRONG}on this machine{STRONG:#}");
        drift::list(&page.varies, true, &mut out);
    }
    start_words(page, &mut out);
    out
}

fn description(page: &ApprovalPage, tool: &str) -> String {
    let tools = page.surface.items(Kind::Tool);
    let tool = tools.iter().find(|known| known.name() == tool);
    let tool = tool.map(|tool| serde_json::from_str::<Value>(tool.raw()).unwrap_or_default());
    tool.and_then(|tool| tool["description"].as_str().map(str::to_owned)).unwrap_or_default()
}

/// A text on one line that fits a screen.
fn folded(text: &str) -> String {
    const LONGEST: usize = 100;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        None => line,
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}

/// spec 5.2: the environment that it gets is said before it is trusted
fn start_words(page: &ApprovalPage, out: &mut String) {
    for note in &page.notes {
        let _ = writeln!(out, "{WARN}note{WARN:#}: {}", visible(note));
    }
    let Some(settings) = &page.settings else { return };
    let profile = profile_words(settings.profile);
    let _ = write!(out, "{STRONG}it gets{STRONG:#} {profile}");
    if let Some(directory) = &settings.directory {
        let _ = write!(out, "; it starts in {}", visible(directory));
    }
    if let Some(seconds) = settings.timeout {
        let _ = write!(out, "; {seconds} seconds for an answer");
    }
    out.push('\n');
}

/// What a server gets of this machine.
pub(super) fn profile_words(profile: Profile) -> &'static str {
    match profile {
        Profile::Scratch => "an empty home directory each time, as with an older facet",
        Profile::Native => "your home directory, language and time zone, as without facet",
        Profile::Private => "a home directory of its own (facet data), no language, time zone UTC",
    }
}

fn counts(page: &ApprovalPage, out: &mut String) {
    let kinds = [
        (Kind::Tool, "tool"),
        (Kind::Prompt, "prompt"),
        (Kind::Resource, "resource"),
        (Kind::ResourceTemplate, "resource template"),
    ];
    let counts: Vec<String> = kinds
        .iter()
        .map(|(kind, noun)| (page.surface.items(*kind).len(), noun))
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| human::plural(count, noun))
        .collect();
    let counts = if counts.is_empty() { "nothing".to_owned() } else { counts.join(", ") };
    let _ = writeln!(out, "declares {counts}");
}

/// What it says to the model beside its tools, and what it offers beside them.
fn words(page: &ApprovalPage, out: &mut String) {
    const LINES: usize = 20;
    if let Some(text) = &page.surface.instructions {
        let _ = writeln!(out, "\n{STRONG}it tells the model{STRONG:#}");
        for line in text.lines().take(LINES) {
            let _ = writeln!(out, "  {}", visible(line));
        }
        let more = text.lines().count().saturating_sub(LINES);
        if more > 0 {
            let _ = writeln!(out, "  {QUIET}and {more} more lines{QUIET:#}");
        }
    }
    for kind in [Kind::Prompt, Kind::Resource, Kind::ResourceTemplate] {
        let items = page.surface.items(kind);
        if !items.is_empty() {
            let _ = writeln!(out, "\n{STRONG}{}{STRONG:#}", kind.list());
            for item in items.iter().take(TOOLS) {
                let _ = writeln!(out, "  {}", visible(item.name()));
            }
            if items.len() > TOOLS {
                let _ = writeln!(out, "  {QUIET}and {} more{QUIET:#}", items.len() - TOOLS);
            }
        }
    }
}

/// What its tools can do, by their words.
fn risks(page: &ApprovalPage, out: &mut String) {
    for (risk, style) in [(Risk::High, BAD), (Risk::Medium, WARN), (Risk::Low, GOOD)] {
        let tools: Vec<_> =
            page.look.tools.iter().filter(|tool| tool.assessment.risk == risk).collect();
        if tools.is_empty() {
            continue;
        }
        let count = human::plural(tools.len(), "tool");
        let _ = writeln!(out, "\n{style}{} risk{style:#}: {count}", risk.name());
        for tool in tools.iter().take(TOOLS) {
            let reasons = visible(&tool.assessment.reasons.join(", "));
            let separator = if reasons.is_empty() { "" } else { ": " };
            let _ = writeln!(out, "  {}{QUIET}{separator}{reasons}{QUIET:#}", visible(&tool.name));
        }
        if tools.len() > TOOLS {
            let _ = writeln!(out, "  {QUIET}and {} more{QUIET:#}", tools.len() - TOOLS);
        }
    }
}

/// Names beside those that they look like.
fn names(page: &ApprovalPage, out: &mut String) {
    if page.look.names.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{BAD}names that are not what they look like{BAD:#}");
    drift::list(&page.look.names, false, out);
}

fn markers(page: &ApprovalPage, out: &mut String) {
    if page.look.markers.is_empty() && page.warnings.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{WARN}worth a second look{WARN:#}");
    for marker in &page.look.markers {
        let subject = match marker.subject.as_str() {
            "" => "instructions".to_owned(),
            name => format!("{} {}", marker.subject_kind.name(), visible(name)),
        };
        let _ = writeln!(
            out,
            "  {subject}: \"{}\" {QUIET}[{}]{QUIET:#}",
            visible(&marker.evidence.words),
            marker.evidence.rule
        );
    }
    for warning in &page.warnings {
        let subject = visible(&warning.subject);
        let separator = if subject.is_empty() { "" } else { ": " };
        let _ = writeln!(out, "  {subject}{separator}{}", visible(&warning.message));
    }
}

fn reach(page: &ApprovalPage, out: &mut String) {
    match &page.surface.source.entitlements {
        None => {
            let _ = writeln!(
                out,
                "\n{QUIET}what its source can reach is unknown; --source DIR looks{QUIET:#}"
            );
        }
        Some(entitlements) => {
            let source = page.source.as_deref().map(visible).unwrap_or_default();
            let _ = writeln!(out, "\n{STRONG}its source ({source}) can reach{STRONG:#}");
            scan::entitlements(entitlements, "  ", out);
        }
    }
}

/// spec 11.4: said plainly
fn grants(grants: &Grants, out: &mut String) {
    let words = visible(&grants_words(grants));
    let _ = writeln!(out, "\n{STRONG}it may{STRONG:#} use {words}");
}

/// What was pinned, behind other lines; the page itself, unless somebody has just read it.
pub(super) fn pinned(
    mut out: String,
    pages: &[&ApprovalPage],
    was_read: bool,
    renderer: &Renderer,
) -> Shown {
    for page in pages {
        if !was_read {
            out.push_str(&self::page(page));
            out.push('\n');
        }
        let tools = human::plural(page.surface.items(Kind::Tool).len(), "tool");
        let _ = writeln!(
            out,
            "{GOOD}approved{GOOD:#} {} ({tools}, surface {})",
            visible(&page.name),
            page.hashes.surface
        );
    }
    let mut talk = String::new();
    // Elsewhere may be where nothing is committed, as with servers for every project.
    if renderer.directory.is_none() && !pages.is_empty() {
        let _ = writeln!(talk, "commit {MANIFEST}, {LOCK} and {SURFACES}");
    }
    let _ = writeln!(talk, "next: {}", renderer.advice("facet check"));
    Shown { talk: if renderer.quiet { String::new() } else { talk }, ..Shown::styled(out) }
}

pub(super) fn json_of(page: &ApprovalPage) -> Value {
    let tools: Vec<Value> = page
        .look
        .tools
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name,
                "risk": tool.assessment.risk.name(),
                "reasons": tool.assessment.reasons,
            })
        })
        .collect();
    let markers: Vec<Value> = page
        .look
        .markers
        .iter()
        .map(|marker| {
            json!({
                "subject": { "kind": marker.subject_kind.name(), "name": marker.subject },
                "rule": marker.evidence.rule,
                "words": marker.evidence.words,
            })
        })
        .collect();
    let warnings: Vec<Value> = page
        .warnings
        .iter()
        .map(|warning| json!({ "subject": warning.subject, "message": warning.message }))
        .collect();
    let settings = page.settings.as_ref();
    json!({
        "name": page.name,
        "surface": page.hashes.surface.to_string(),
        "api_surface": page.hashes.api_surface.to_string(),
        "behavior": page.hashes.behavior.digest.to_string(),
        "tools": tools,
        "markers": markers,
        "names": page.look.names.iter().map(variation_json).collect::<Vec<_>>(),
        "warnings": warnings,
        "cost": Cost::of(&page.surface).json(),
        "entitlements": page.surface.source.entitlements.as_ref().map(scan::json_entitlements),
        "grants": super::json::grants(&page.grants),
        "profile": settings.map(|settings| settings.profile.name()),
        "directory": settings.and_then(|settings| settings.directory.clone()),
        "timeout": settings.and_then(|settings| settings.timeout),
        "opened": page.opened.as_ref().map(super::opened::json),
        "replaces": page.replaces.as_ref().map(origin::json),
        "profile_varies": page.varies.iter().map(variation_json).collect::<Vec<_>>(),
        "changes": page.changes.as_ref().map(|changes| drift_json::json_of_all(changes)),
    })
}

fn variation_json(finding: &Finding) -> Value {
    json!({
        "subject": { "kind": finding.subject_kind.name(), "name": finding.subject },
        "member": finding.member,
        "severity": finding.severity.name(),
        "message": finding.sentence,
        "before": finding.before,
        "after": finding.after,
    })
}

pub(super) fn list(report: &ListReport, quiet: bool) -> Shown {
    let mut out = String::new();
    let width = report.servers.iter().map(|server| visible(&server.name).chars().count()).max();
    for server in &report.servers {
        let name = visible(&server.name);
        let state = match (server.tools, server.approved) {
            _ if server.edited => "edited: `facet verify` says what".to_owned(),
            (None, _) if server.origin.is_none() => "not started by this facet".to_owned(),
            (None, _) => "not pinned".to_owned(),
            (Some(tools), true) => format!("approved, {}", human::plural(tools, "tool")),
            (Some(tools), false) => {
                let tools = human::plural(tools, "tool");
                match &server.approved_in {
                    None => format!("not approved on this machine, {tools}"),
                    Some(place) => format!("approved in {}, not here, {tools}", visible(place)),
                }
            }
        };
        let width = width.unwrap_or(0);
        let _ = writeln!(out, "{STRONG}{name:<width$}{STRONG:#}  {state}  {}", start(server));
    }
    let empty = report.servers.is_empty() && !quiet;
    let talk = if empty { "nothing is pinned here\n".to_owned() } else { String::new() };
    Shown { talk, ..Shown::styled(out) }
}

fn start(server: &ListedServer) -> String {
    let text = server.origin.as_ref().map(ToString::to_string).unwrap_or_default();
    format!("{QUIET}{}{QUIET:#}", visible(&text))
}

pub(super) fn list_json(report: &ListReport) -> Value {
    let servers: Vec<Value> = report
        .servers
        .iter()
        .map(|server| {
            json!({
                "name": server.name,
                "launch": server.origin.as_ref().map(origin::json),
                "tools": server.tools,
                "approved": server.approved,
                "approved_in": server.approved_in,
                "edited": server.edited,
            })
        })
        .collect();
    json!({ "servers": servers })
}
