//! A surface as people and machines read it.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use facets_digest::Digest;
use facets_digest::json::Value as Json;
use facets_ops::digest_surface::DigestSurfaceReport;
use facets_ops::inspect::{Filesystem, InspectReport, LaunchShown, Network};
use facets_surface::{Definition, Era, Kind, ResourcesDigest, ToolIdentity};
use serde_json::{Map, Value, json};

use super::text::visible;
use crate::output::Shown;

const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();
const WARN: Style = AnsiColor::Yellow.on_default();

/// What would be started, in full.
pub(crate) fn launch(launch: &LaunchShown<'_>) -> String {
    let words: Vec<String> = launch
        .words
        .iter()
        .map(|word| visible(&format!("{:?}", word.display().to_string())))
        .collect();
    let mut out = format!("This would start\n  {STRONG}{}{STRONG:#}\n", words.join(" "));
    let _ = writeln!(out, "in {}", visible(&launch.directory.display().to_string()));
    if !launch.variables.is_empty() {
        let _ = writeln!(out, "with the variables {}", visible(&launch.variables.join(", ")));
    }
    let closed = launch.sandbox.network == Network::Closed;
    let network = if closed { "no network" } else { "the network, as you can" };
    let files = match &launch.sandbox.filesystem {
        Filesystem::Open => "all files, as you can".to_owned(),
        Filesystem::Listed { read, .. } => {
            let read: Vec<String> = read.iter().map(|path| path.display().to_string()).collect();
            format!("reading the system's files and {}", visible(&read.join(", ")))
        }
    };
    let _ = writeln!(out, "with {network}, and {files}.");
    out
}

pub(super) fn human(report: &InspectReport, quiet: bool) -> Shown {
    let surface = &report.surface;
    let mut out = String::new();
    let era = match surface.era {
        Era::Initialize => "handshake",
        Era::Discover => "no handshake",
    };
    let name = visible(&format!("{} {}", surface.server.name, surface.server.version));
    let _ = writeln!(out, "{STRONG}{}{STRONG:#}", name.trim());
    let _ = writeln!(out, "protocol     {} ({era})", visible(&surface.protocol));
    let _ = writeln!(out, "api surface  {}", report.hashes.api_surface);
    let _ = writeln!(out, "surface      {}", report.hashes.surface);
    let resources = resources_text(report.hashes.resources);
    let _ =
        writeln!(out, "resources    {}", resources.unwrap_or_else(|| "none announced".to_owned()));
    if let Some(text) = &surface.instructions {
        let _ = writeln!(out, "\n{STRONG}instructions{STRONG:#}");
        paragraph(text, "  ", &mut out);
    }
    section(surface.items(Kind::Tool), "tool", &mut out, tool);
    section(surface.items(Kind::Prompt), "prompt", &mut out, plain);
    section(surface.items(Kind::Resource), "resource", &mut out, plain);
    section(surface.items(Kind::ResourceTemplate), "resource template", &mut out, plain);
    if !report.warnings.is_empty() {
        let _ = writeln!(out, "\n{WARN}worth a second look{WARN:#}");
        for warning in &report.warnings {
            let subject = visible(&warning.subject);
            let separator = if subject.is_empty() { "" } else { ": " };
            let _ = writeln!(out, "  {subject}{separator}{}", visible(&warning.message));
        }
    }
    let mut talk = String::new();
    if let (Some(path), false) = (&report.saved, quiet) {
        let _ = writeln!(talk, "saved {}", visible(&path.display().to_string()));
    }
    Shown { talk, ..Shown::styled(out) }
}

fn section(items: &[Definition], noun: &str, out: &mut String, show: fn(&Definition, &mut String)) {
    if items.is_empty() {
        return;
    }
    let plural = if items.len() == 1 { "" } else { "s" };
    let _ = writeln!(out, "\n{STRONG}{} {noun}{plural}{STRONG:#}", items.len());
    for item in items {
        show(item, out);
    }
}

fn tool(tool: &Definition, out: &mut String) {
    plain(tool, out);
    let value = tool.value();
    let Some(Json::Object(schema)) = member(&value, "inputSchema") else { return };
    let required: Vec<&str> = match schema.get("required") {
        Some(Json::Array(names)) => names.iter().filter_map(text).collect(),
        _ => Vec::new(),
    };
    let Some(Json::Object(properties)) = schema.get("properties") else { return };
    for property in properties.members() {
        let star = if required.contains(&&*property.name) { "*" } else { "" };
        let kind = kind_of(&property.value);
        let described = member(&property.value, "description").and_then(text).unwrap_or_default();
        let line = format!("{}{star}: {kind}  {}", property.name, first_line(described));
        let _ = writeln!(out, "      {}", visible(line.trim_end()));
    }
}

fn plain(item: &Definition, out: &mut String) {
    let value = item.value();
    let size = item.raw().len();
    let short = item.digest().hex()[..12].to_owned();
    let hints = hints(&value);
    let _ = writeln!(
        out,
        "  {STRONG}{}{STRONG:#}{hints} {QUIET}({size} bytes, {short}…){QUIET:#}",
        visible(item.name())
    );
    if let Some(description) = member(&value, "description").and_then(text) {
        paragraph(description, "    ", out);
    }
}

/// What the server claims about a tool's effects.
fn hints(value: &Json<'_>) -> String {
    let Some(Json::Object(annotations)) = member(value, "annotations") else {
        return String::new();
    };
    let words = [
        ("readOnlyHint", "read-only", "not read-only"),
        ("destructiveHint", "destructive", "not destructive"),
        ("idempotentHint", "idempotent", "not idempotent"),
        ("openWorldHint", "open world", "closed world"),
    ];
    let said = words.iter().filter_map(|(name, yes, no)| match annotations.get(name)? {
        Json::Bool(true) => Some(*yes),
        Json::Bool(false) => Some(*no),
        _ => None,
    });
    let said: Vec<&str> = said.collect();
    if said.is_empty() { String::new() } else { format!(" [says: {}]", said.join(", ")) }
}

fn kind_of(schema: &Json<'_>) -> String {
    match member(schema, "type") {
        Some(Json::String(kind)) => kind.to_string(),
        Some(Json::Array(kinds)) => kinds.iter().filter_map(text).collect::<Vec<_>>().join(" or "),
        _ if member(schema, "enum").is_some() => "one of a list".to_owned(),
        _ => "any".to_owned(),
    }
}

fn member<'v, 'a>(value: &'v Json<'a>, name: &str) -> Option<&'v Json<'a>> {
    match value {
        Json::Object(object) => object.get(name),
        _ => None,
    }
}

fn text<'v>(value: &'v Json<'_>) -> Option<&'v str> {
    match value {
        Json::String(text) => Some(text),
        _ => None,
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Every line of a text, with nothing in it that a terminal would obey or hide.
fn paragraph(text: &str, indent: &str, out: &mut String) {
    for line in text.lines() {
        let _ = writeln!(out, "{indent}{}", visible(line));
    }
}

fn resources_text(digest: ResourcesDigest) -> Option<String> {
    match digest {
        ResourcesDigest::Absent => None,
        ResourcesDigest::Volatile => Some("volatile".to_owned()),
        ResourcesDigest::Stable(digest) => Some(digest.to_string()),
    }
}

pub(super) fn json(report: &InspectReport) -> Value {
    let surface = &report.surface;
    let digests = |kind: Kind| -> Map<String, Value> {
        let item = |item: &Definition| {
            (item.name().to_owned(), json!({ "digest": item.digest().to_string() }))
        };
        surface.items(kind).iter().map(item).collect()
    };
    let info: Value = serde_json::from_str(&surface.server.info).unwrap_or_default();
    json!({
        "server": info,
        "era": surface.era.name(),
        "protocol": surface.protocol,
        "instructions": surface.instructions,
        "api_surface": report.hashes.api_surface.to_string(),
        "surface": report.hashes.surface.to_string(),
        "resources": resources_text(report.hashes.resources),
        "tools": tools(report.hashes.tools.iter().map(|(name, identity)| (name.as_str(), identity))),
        "prompts": digests(Kind::Prompt),
        "resource_items": digests(Kind::Resource),
        "resource_templates": digests(Kind::ResourceTemplate),
        "warnings": report.warnings.iter().map(|warning| {
            json!({ "subject": warning.subject, "message": warning.message })
        }).collect::<Vec<_>>(),
        "saved": report.saved.as_ref().map(|path| path.display().to_string()),
    })
}

fn tools<'r>(tools: impl Iterator<Item = (&'r str, &'r ToolIdentity)>) -> Map<String, Value> {
    let text = |digest: &Option<Digest>| digest.map(|digest| digest.to_string());
    let entry = |(name, identity): (&str, &ToolIdentity)| {
        let value = json!({
            "digest": identity.digest.to_string(),
            "description": text(&identity.description),
            "schema": text(&identity.schema),
        });
        (name.to_owned(), value)
    };
    tools.map(entry).collect()
}

pub(super) fn json_digests(report: &DigestSurfaceReport) -> Value {
    match report {
        DigestSurfaceReport::Surface(report) => json(report),
        DigestSurfaceReport::Tools { api_surface, tools: list } => json!({
            "api_surface": api_surface.to_string(),
            "surface": null,
            "resources": null,
            "tools": tools(list.iter().map(|(name, identity)| (name.as_str(), identity))),
        }),
    }
}

pub(super) fn human_digests(report: &DigestSurfaceReport) -> Shown {
    let mut out = String::new();
    let mut line = |digest: &str, what: &str| {
        let _ = writeln!(out, "{digest}  {}", visible(what));
    };
    match report {
        DigestSurfaceReport::Surface(report) => {
            line(&report.hashes.api_surface.to_string(), "api surface");
            line(&report.hashes.surface.to_string(), "surface");
            if let Some(resources) = resources_text(report.hashes.resources) {
                line(&resources, "resources");
            }
            for (name, identity) in &report.hashes.tools {
                line(&identity.digest.to_string(), &format!("tool {name}"));
            }
        }
        DigestSurfaceReport::Tools { api_surface, tools } => {
            line(&api_surface.to_string(), "api surface");
            for (name, identity) in tools {
                line(&identity.digest.to_string(), &format!("tool {name}"));
            }
        }
    }
    Shown::exact(out)
}
