//! A surface as people and machines read it.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use facets_digest::Digest;
use facets_digest::json::{JsonError, Limits, Provenance, Value as Json};
use facets_face::{Shown, visible};
use facets_ops::digest_surface::DigestSurfaceReport;
use facets_ops::inspect::InspectReport;
use facets_surface::{Definition, Era, Kind, Part, ResourcesDigest, ToolIdentity};
use serde_json::{Map, Value, json};

use super::cost::Cost;
use super::first_sight::{FirstSight, json_of_markers};
use super::scan;

const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();
const WARN: Style = AnsiColor::Yellow.on_default();

pub(super) fn human(report: &InspectReport, quiet: bool, verbose: bool) -> Shown {
    let surface = &report.surface;
    let mut out = String::new();
    let era = match surface.era {
        Era::Initialize => "initialize",
        Era::Discover => "server/discover",
    };
    let name = visible(&format!("{} {}", surface.server.name, surface.server.version));
    let _ = writeln!(out, "{STRONG}{}{STRONG:#}", name.trim());
    let _ = writeln!(out, "protocol     {} ({era})", visible(&surface.protocol));
    let _ = writeln!(out, "api surface  {}", report.hashes.api_surface);
    let _ = writeln!(out, "surface      {}", report.hashes.surface);
    let _ = writeln!(out, "behaviour    {}", report.hashes.behavior.digest);
    let resources = resources_text(report.hashes.resources);
    let _ =
        writeln!(out, "resources    {}", resources.unwrap_or_else(|| "none announced".to_owned()));
    Cost::of(&report.surface).human(verbose, &mut out);
    reach(report, &mut out);
    let sight = FirstSight::new(surface, &report.look, verbose);
    if let Some(text) = &surface.instructions {
        let _ = writeln!(out, "\n{STRONG}instructions{STRONG:#}");
        sight.folded(text, "  ", &mut out);
    }
    sight.server_markers(&mut out);
    let sections: [(Kind, &str, Show); 4] = [
        (Kind::Tool, "tool", tool),
        (Kind::Prompt, "prompt", prompt),
        (Kind::Resource, "resource", resource),
        (Kind::ResourceTemplate, "resource template", resource),
    ];
    for (kind, noun, show) in sections {
        section(&sight.worst_first(kind), noun, &mut out, |item, out| {
            if verbose {
                whole(item, out)
            } else {
                show(item, &sight, out)
            }
            sight.item_markers(item, "    ", out);
        });
    }
    sight.for_other_clients(&mut out);
    if verbose {
        contracts(report, &mut out);
    }
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

/// What the server's code can reach, if somebody looked.
fn reach(report: &InspectReport, out: &mut String) {
    let Some(entitlements) = &report.surface.source.entitlements else {
        if !report.surface.items(Kind::Tool).is_empty() {
            let _ = writeln!(out, "\n{QUIET}{}{QUIET:#}", scan::NOT_SCANNED);
        }
        return;
    };
    if scan::is_unknown(entitlements) {
        let _ = writeln!(out, "\n{STRONG}its source{STRONG:#}: {}", scan::UNKNOWN);
        return;
    }
    let _ = writeln!(out, "\n{STRONG}its source can reach{STRONG:#}");
    scan::entitlements(entitlements, "  ", out);
    if let Some(scanned) = &report.scan {
        let path = facets_failure::shell_word(&scanned.shown);
        let _ = writeln!(out, "  {QUIET}facet scan {} shows why{QUIET:#}", visible(&path));
    }
}

/// The contract of every tool, in full.
fn contracts(report: &InspectReport, out: &mut String) {
    for contract in report.surface.contracts() {
        let name = visible(contract.name());
        let _ = writeln!(out, "\n{STRONG}contract of {name}{STRONG:#}");
        let hashes = report.hashes.behavior.tool(contract.name());
        let _ = writeln!(
            out,
            "  {}",
            hashes.map(|hashes| hashes.digest.to_string()).unwrap_or_default()
        );
        let text = contract.to_json();
        let Ok(value) = parsed(&text) else { continue };
        let mut form = Vec::new();
        value.write_pretty(0, &mut form);
        paragraph(&String::from_utf8_lossy(&form), "  ", out);
    }
}

fn parsed(text: &str) -> Result<Json<'_>, JsonError> {
    facets_digest::json::parse(text.as_bytes(), Provenance::Captured, Limits::DOCUMENT)
}

/// How one definition is shown.
type Show = fn(&Definition, &FirstSight<'_>, &mut String);

fn section(
    items: &[&Definition],
    noun: &str,
    out: &mut String,
    show: impl Fn(&Definition, &mut String),
) {
    if items.is_empty() {
        return;
    }
    let plural = if items.len() == 1 { "" } else { "s" };
    let _ = writeln!(out, "\n{STRONG}{} {noun}{plural}{STRONG:#}", items.len());
    for item in items {
        show(item, out);
    }
}

fn tool(tool: &Definition, sight: &FirstSight<'_>, out: &mut String) {
    described(tool, sight, out);
    let value = tool.value();
    if let Some(schema) = member(&value, "inputSchema") {
        parameters(schema, out);
    }
    not_shown(&value, &["name", "description", "inputSchema"], "", out);
}

fn parameters(schema: &Json<'_>, out: &mut String) {
    let Json::Object(object) = schema else { return };
    let required: Vec<&str> = match object.get("required") {
        Some(Json::Array(names)) => names.iter().filter_map(text).collect(),
        _ => Vec::new(),
    };
    if let Some(Json::Object(properties)) = object.get("properties") {
        for property in properties.members() {
            let required = required_word(required.contains(&&*property.name));
            let kind = kind_of(&property.value);
            let name = visible(&property.name);
            let _ = writeln!(out, "      {name}{required}: {}", visible(&kind));
            let described = member(&property.value, "description").and_then(text);
            paragraph(described.unwrap_or_default(), "          ", out);
            not_shown(&property.value, &["type", "description"], "    ", out);
        }
    }
    not_shown(
        schema,
        &["type", "properties", "required", "$schema", "additionalProperties"],
        "",
        out,
    );
}

fn required_word(is_required: bool) -> &'static str {
    if is_required { " (required)" } else { "" }
}

/// What there is beside what the page shows, so that nothing is hidden without a word.
fn not_shown(value: &Json<'_>, shown: &[&str], indent: &str, out: &mut String) {
    let Json::Object(object) = value else { return };
    let rest = object.members().iter().filter(|member| !shown.contains(&&*member.name));
    let rest: Vec<String> = rest
        .take(20)
        .map(|member| format!("{} ({} bytes)", member.name, member.value.to_canonical().len()))
        .collect();
    if !rest.is_empty() {
        let rest = visible(&rest.join(", "));
        let _ = writeln!(out, "      {indent}{QUIET}also {rest}; --verbose shows all{QUIET:#}");
    }
}

fn prompt(prompt: &Definition, sight: &FirstSight<'_>, out: &mut String) {
    described(prompt, sight, out);
    let value = prompt.value();
    if let Some(Json::Array(arguments)) = member(&value, "arguments") {
        for argument in arguments {
            let is_required = matches!(member(argument, "required"), Some(Json::Bool(true)));
            let required = required_word(is_required);
            let name = member(argument, "name").and_then(text).unwrap_or_default();
            let _ = writeln!(out, "      {}{required}", visible(name));
            let described = member(argument, "description").and_then(text);
            paragraph(described.unwrap_or_default(), "          ", out);
            not_shown(argument, &["name", "description", "required"], "    ", out);
        }
    }
    not_shown(&value, &["name", "description", "arguments"], "", out);
}

fn resource(resource: &Definition, sight: &FirstSight<'_>, out: &mut String) {
    described(resource, sight, out);
    not_shown(&resource.value(), &["uri", "uriTemplate", "description"], "", out);
}

/// The whole definition, as a surface file has it.
fn whole(item: &Definition, out: &mut String) {
    named(item, out);
    if let Some(description) = member(&item.value(), "description").and_then(text) {
        paragraph(description, "    ", out);
    }
    let mut form = Vec::new();
    item.value().write_pretty(0, &mut form);
    paragraph(&String::from_utf8_lossy(&form), "      ", out);
}

/// The name, and what it says of itself.
fn described(item: &Definition, sight: &FirstSight<'_>, out: &mut String) {
    named(item, out);
    if let Some(description) = member(&item.value(), "description").and_then(text) {
        sight.folded(description, "    ", out);
    }
}

fn named(item: &Definition, out: &mut String) {
    let value = item.value();
    let size = item.size();
    let short = item.digest().hex()[..12].to_owned();
    let hints = hints(&value);
    let _ = writeln!(
        out,
        "  {STRONG}{}{STRONG:#}{hints} {QUIET}({size} bytes, {short}…){QUIET:#}",
        visible(item.name())
    );
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
    if said.is_empty() { String::new() } else { format!(" [annotations: {}]", said.join(", ")) }
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

/// Every line of a text, with nothing in it that a terminal would obey or hide. Of a text
/// that nobody would read, the beginning.
fn paragraph(text: &str, indent: &str, out: &mut String) {
    const MOST: usize = 20_000;
    let end = text.char_indices().nth(MOST).map_or(text.len(), |(at, _)| at);
    for line in text[..end].lines() {
        let _ = writeln!(out, "{indent}{}", visible(line));
    }
    if end < text.len() {
        let _ = writeln!(
            out,
            "{indent}{QUIET}… and {} bytes more; --save keeps all{QUIET:#}",
            text.len() - end
        );
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
    let mut json = json_of_surface(report);
    json["markers"] = json_of_markers(&report.look).into();
    json
}

fn json_of_surface(report: &InspectReport) -> Value {
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
        "behavior": report.hashes.behavior.digest.to_string(),
        "entitlements": surface.source.entitlements.as_ref().map(scan::json_entitlements),
        "scanner": surface.source.entitlements.as_ref().and_then(|found| found.scanner),
        "cost": Cost::of(&report.surface).json(),
        "tools": tools_with_behavior(report),
        "contracts": contracts_json(report),
        "prompts": digests(Kind::Prompt),
        "resource_items": digests(Kind::Resource),
        "resource_templates": digests(Kind::ResourceTemplate),
        "warnings": report.warnings.iter().map(|warning| {
            json!({ "subject": warning.subject, "message": warning.message })
        }).collect::<Vec<_>>(),
        "saved": report.saved.as_ref().map(|path| path.display().to_string()),
    })
}

fn tools_with_behavior(report: &InspectReport) -> Map<String, Value> {
    let hashes = report.hashes.tools.iter();
    let mut all = tools(hashes.map(|(name, identity)| (name.as_str(), identity)));
    for (name, contract) in report.hashes.behavior.tools() {
        let parts = Part::ALL.iter().zip(&contract.parts);
        let mut behavior: Map<String, Value> = parts
            .map(|(part, digest)| (part.name().to_owned(), digest.to_string().into()))
            .collect();
        behavior.insert("digest".to_owned(), contract.digest.to_string().into());
        if let Some(tool) = all.get_mut(name) {
            tool["behavior"] = behavior.into();
        }
    }
    all
}

fn contracts_json(report: &InspectReport) -> Map<String, Value> {
    let contracts = report.surface.contracts();
    contracts
        .map(|contract| {
            // Exact integers beyond a double's are in the surface file; here they are numbers.
            let value = serde_json::from_str(&contract.to_json()).unwrap_or_default();
            (contract.name().to_owned(), value)
        })
        .collect()
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
        DigestSurfaceReport::Surface(report) => json_of_surface(report),
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
            line(&report.hashes.behavior.digest.to_string(), "behaviour");
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
