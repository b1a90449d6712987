//! The page that somebody reads before trusting a server, and the lists of what is trusted.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use facets_drift::Finding;
use facets_face::{Shown, plural, visible};
use facets_lock::{Grants, Profile, SURFACES};
use facets_ops::consent::{ApprovalPage, Replacement};
use facets_ops::grant::{describe_opened, grants_words};
use facets_ops::list::{ListReport, ListedServer};
use facets_project::{LOCK, MANIFEST, is_in_repository};
use facets_surface::Kind;
use serde_json::{Value, json};

use super::cost::Cost;
use super::first_sight::{FirstSight, json_of_markers};
use super::renderer::Renderer;
use super::{drift, drift_json, facets, origin, package, scan};

const BAD: Style = AnsiColor::Red.on_default().bold();
const WARN: Style = AnsiColor::Yellow.on_default();
const GOOD: Style = AnsiColor::Green.on_default();
const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();

/// Everything that an approval is about; long texts in full if it is verbose.
pub(crate) fn page(page: &ApprovalPage, is_verbose: bool) -> String {
    let mut out = String::new();
    identity(page, &mut out);
    artifact(page, &mut out);
    replacement(page, &mut out);
    if let Some(changes) = &page.changes {
        if changes.is_empty() && page.replaces.is_none() {
            let _ = writeln!(out, "nothing changed since it was approved");
        } else if !changes.is_empty() {
            let counted = drift::counted(changes.iter().map(|change| change.severity));
            let _ = writeln!(out, "\n{STRONG}what changed{STRONG:#}: {counted}");
            drift::list(changes, is_verbose, &mut out);
        }
        start_words(page, &mut out);
        return out;
    }
    declarations(page, is_verbose, &mut out);
    Cost::of(&page.surface).human(is_verbose, &mut out);
    reach(page, &mut out);
    grants(&page.grants, &mut out);
    if let Some(opened) = &page.opened {
        let _ = writeln!(out, "{}", visible(&describe_opened(opened, &page.grants)));
    }
    start_words(page, &mut out);
    out
}

/// One of several servers without critical findings: everything that it declares, and how it starts.
pub(crate) fn compact_page(page: &ApprovalPage, is_verbose: bool) -> String {
    let mut out = String::new();
    identity(page, &mut out);
    declarations(page, is_verbose, &mut out);
    start_words(page, &mut out);
    out
}

/// What is started from now on instead of what was pinned.
fn replacement(page: &ApprovalPage, out: &mut String) {
    let Some(Replacement { old, new }) = &page.replaces else { return };
    let (old, new) = (visible(&old.to_string()), visible(&new.to_string()));
    let same = if is_unchanged(page) { "; it declares the same" } else { "" };
    let _ = writeln!(out, "replaces {old} with {new}{same}");
}

/// Whether it declares what was approved before.
fn is_unchanged(page: &ApprovalPage) -> bool {
    page.changes.as_ref().is_some_and(Vec::is_empty)
}

/// Which bytes it is, where they are known.
fn artifact(page: &ApprovalPage, out: &mut String) {
    if let Some(artifact) = &page.artifact {
        out.push_str(&origin::artifact_lines(artifact));
    }
    if let Some(package) = &page.package {
        out.push_str(&package::lines(package));
    }
}

/// The place of the source that was read.
fn source_words(page: &ApprovalPage) -> String {
    match (&page.source, &page.artifact) {
        (Some(source), _) => visible(source),
        (None, Some(artifact)) => {
            visible(&format!("{} {}", artifact.pin.name, artifact.pin.version))
        }
        (None, None) => {
            page.package.as_ref().map(|one| visible(&one.pin.resolved)).unwrap_or_default()
        }
    }
}

/// As what a server identifies itself.
fn identity(page: &ApprovalPage, out: &mut String) {
    let identity = &page.surface.server;
    let said = visible(&format!("{} {}", identity.name, identity.version));
    let name = visible(&page.name);
    let _ = writeln!(
        out,
        "{STRONG}{name}{STRONG:#} {QUIET}identifies itself as{QUIET:#} {}",
        said.trim()
    );
}

/// Everything that a server declares, the worst first.
fn declarations(page: &ApprovalPage, is_verbose: bool, out: &mut String) {
    counts(page, out);
    let sight = FirstSight::new(&page.surface, &page.look, is_verbose);
    sight.instructions(out);
    names(page, is_verbose, out);
    sight.tools(out);
    sight.others(out);
    sight.for_other_clients(out);
    warnings(page, out);
    if !page.varies.is_empty() {
        let _ = writeln!(out, "\n{STRONG}on this machine{STRONG:#}");
        drift::list(&page.varies, true, out);
    }
}

/// spec 5.2: the environment that it gets is said before it is trusted
fn start_words(page: &ApprovalPage, out: &mut String) {
    for note in &page.notes {
        let _ = writeln!(out, "{WARN}note{WARN:#}: {}", visible(note));
    }
    let Some(settings) = &page.settings else { return };
    let profile = profile_words(settings.profile);
    let _ = writeln!(out, "{STRONG}environment{STRONG:#}: {profile}");
    if let Some(directory) = &settings.directory {
        let _ = writeln!(out, "{STRONG}directory{STRONG:#}: {}", visible(directory));
    }
    if let Some(seconds) = settings.timeout {
        let _ = writeln!(out, "{STRONG}timeout{STRONG:#}: {seconds} s");
    }
}

/// What a server gets of this machine.
pub(super) fn profile_words(profile: Profile) -> &'static str {
    match profile {
        Profile::Scratch => "an empty home directory each time, as with an older facet",
        Profile::Native => "your home directory, language and time zone, as without facet",
        Profile::Private => "private home directory (see `facet data`), LANG=C.UTF-8, TZ=UTC",
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
        .map(|(count, noun)| plural(count, noun))
        .collect();
    let counts = if counts.is_empty() { "nothing".to_owned() } else { counts.join(", ") };
    let _ = writeln!(out, "declares {counts}");
}

/// Names beside those that they look like.
fn names(page: &ApprovalPage, is_verbose: bool, out: &mut String) {
    if page.look.names.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{BAD}names that are not what they look like{BAD:#}");
    drift::list(&page.look.names, is_verbose, out);
}

fn warnings(page: &ApprovalPage, out: &mut String) {
    if page.warnings.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{WARN}worth a second look{WARN:#}");
    for warning in &page.warnings {
        let subject = visible(&warning.subject);
        let separator = if subject.is_empty() { "" } else { ": " };
        let _ = writeln!(out, "  {subject}{separator}{}", visible(&warning.message));
    }
}

fn reach(page: &ApprovalPage, out: &mut String) {
    match &page.surface.source.entitlements {
        None => {
            let _ = writeln!(out, "\n{QUIET}{}{QUIET:#}", scan::NOT_SCANNED);
        }
        Some(entitlements) if scan::is_unknown(entitlements) => {
            let source = source_words(page);
            let _ = writeln!(out, "\n{STRONG}its source ({source}){STRONG:#}: {}", scan::UNKNOWN);
        }
        Some(entitlements) => {
            let source = source_words(page);
            let _ = writeln!(out, "\n{STRONG}its source ({source}) can reach{STRONG:#}");
            scan::entitlements(entitlements, "  ", out);
        }
    }
}

/// spec 11.4: said plainly
fn grants(grants: &Grants, out: &mut String) {
    let words = visible(&grants_words(grants));
    let _ = writeln!(out, "\n{STRONG}grants{STRONG:#}: {words}");
}

/// What was pinned, behind other lines; the page itself, unless somebody has just read it.
pub(super) fn pinned(
    mut out: String,
    pages: &[&ApprovalPage],
    was_read: bool,
    next: Option<&str>,
    renderer: &Renderer,
) -> Shown {
    let mut is_pinned = false;
    for page in pages {
        if is_unchanged(page) && page.replaces.is_none() {
            nothing_to_approve(page, &mut out);
            continue;
        }
        is_pinned = true;
        if !was_read {
            out.push_str(&self::page(page, renderer.verbose));
            out.push('\n');
        }
        let tools = plural(page.surface.items(Kind::Tool).len(), "tool");
        let surface = page.hashes.surface.hex();
        let surface = &surface[..12];
        let name = visible(&page.name);
        let _ = writeln!(out, "{GOOD}approved{GOOD:#} {name} ({tools}, surface sha256:{surface}…)");
    }
    let mut talk = String::new();
    if is_pinned {
        talk.push_str(&commit_line(renderer).unwrap_or_default());
    }
    if let Some(next) = next {
        let _ = writeln!(talk, "next: {next}");
    }
    Shown { talk: if renderer.quiet { String::new() } else { talk }, ..Shown::styled(out) }
}

/// One that declares what was approved before; how long it is waited for may have been changed.
fn nothing_to_approve(page: &ApprovalPage, out: &mut String) {
    let _ = writeln!(out, "{STRONG}{}{STRONG:#}: nothing to approve", visible(&page.name));
    for note in &page.notes {
        let _ = writeln!(out, "  {WARN}note{WARN:#}: {}", visible(note));
    }
    if let Some(seconds) = page.settings.as_ref().and_then(|settings| settings.timeout) {
        let _ = writeln!(out, "  timeout: {seconds} s");
    }
}

/// What belongs into the repository. Elsewhere may be where nothing is committed, as with servers for every
/// project.
pub(super) fn commit_line(renderer: &Renderer) -> Option<String> {
    let is_here = renderer.directory.is_none() && !renderer.quiet;
    let is_committed = || std::env::current_dir().is_ok_and(|here| is_in_repository(&here));
    (is_here && is_committed()).then(|| format!("commit {MANIFEST}, {LOCK} and {SURFACES}\n"))
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
    let warnings: Vec<Value> = page
        .warnings
        .iter()
        .map(|warning| json!({ "subject": warning.subject, "message": warning.message }))
        .collect();
    let settings = page.settings.as_ref();
    json!({
        "name": page.name,
        "artifact": page.artifact.as_ref().map(origin::artifact_json),
        "package": page.package.as_ref().map(package::json),
        "surface": page.hashes.surface.to_string(),
        "api_surface": page.hashes.api_surface.to_string(),
        "behavior": page.hashes.behavior.digest.to_string(),
        "tools": tools,
        "markers": json_of_markers(&page.look),
        "names": page.look.names.iter().map(variation_json).collect::<Vec<_>>(),
        "warnings": warnings,
        "cost": Cost::of(&page.surface).json(),
        "entitlements": page.surface.source.entitlements.as_ref().map(scan::json_entitlements),
        "grants": super::json::grants(&page.grants),
        "profile": settings.map(|settings| settings.profile.name()),
        "directory": settings.and_then(|settings| settings.directory.clone()),
        "timeout": settings.and_then(|settings| settings.timeout),
        "opened": page.opened.as_ref().map(super::opened::json),
        "replaces": page.replaces.as_ref().map(|one| origin::json(&one.old)),
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
    let mut out = facets::list(&report.facets);
    let width = report.servers.iter().map(|server| visible(&server.name).chars().count()).max();
    for server in &report.servers {
        let name = visible(&server.name);
        let state = match (server.tools, server.approved) {
            _ if server.edited => "edited: `facet verify` says what".to_owned(),
            (None, _) if server.origin.is_none() => "not started by this facet".to_owned(),
            (None, _) => "not pinned".to_owned(),
            (Some(tools), true) => format!("approved, {}", plural(tools, "tool")),
            (Some(tools), false) => {
                let tools = plural(tools, "tool");
                match &server.approved_in {
                    None => format!("not approved on this machine, {tools}"),
                    Some(place) => format!("approved in {}, not here, {tools}", visible(place)),
                }
            }
        };
        let width = width.unwrap_or(0);
        let _ = writeln!(out, "{STRONG}{name:<width$}{STRONG:#}  {state}  {}", start(server));
        out.push_str(&facets::accepted(&server.accepted));
    }
    let empty = report.servers.is_empty() && report.facets.is_empty() && !quiet;
    let talk = if empty { "nothing is pinned here\n".to_owned() } else { String::new() };
    Shown { talk, ..Shown::styled(out) }
}

fn start(server: &ListedServer) -> String {
    let version = server.version.as_ref().map(|version| format!("{version} ")).unwrap_or_default();
    let text = server.origin.as_ref().map(ToString::to_string).unwrap_or_default();
    format!("{QUIET}{version}{}{QUIET:#}", visible(&text))
}

pub(super) fn list_json(report: &ListReport) -> Value {
    let servers: Vec<Value> = report
        .servers
        .iter()
        .map(|server| {
            json!({
                "name": server.name,
                "launch": server.origin.as_ref().map(origin::json),
                "version": server.version.as_ref().map(ToString::to_string),
                "tools": server.tools,
                "approved": server.approved,
                "approved_in": server.approved_in,
                "edited": server.edited,
                "accepted": facets::accepted_json(&server.accepted),
            })
        })
        .collect();
    json!({ "servers": servers, "facets": facets::list_json(&report.facets) })
}
