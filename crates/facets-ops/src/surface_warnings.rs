//! What a reader of a surface should look at twice. No verdict, only what is there.

use std::collections::BTreeMap;

use facets_digest::json::Value;
use facets_mcp::Capture;
use facets_model::collision_key;
use facets_surface::{Definition, Kind, Listing, Surface};

/// Something worth a second look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceWarning {
    /// What it is about; empty for the server as a whole.
    pub subject: String,
    /// What there is to see.
    pub message: String,
}

pub(crate) fn warnings(surface: &Surface, capture: Option<&Capture>) -> Vec<SurfaceWarning> {
    let mut found = Vec::new();
    if let Some(capture) = capture {
        behaviour(capture, &mut found);
    }
    if let Some(text) = &surface.instructions {
        hidden_characters("instructions", text, &mut found);
    }
    for kind in [Kind::Tool, Kind::Prompt, Kind::Resource, Kind::ResourceTemplate] {
        if let Some(Listing::Refused { code }) = surface.listing(kind) {
            warn(kind.list(), format!("announced, but refused with error {code}"), &mut found);
        }
        similar_names(surface.items(kind), &mut found);
        for item in surface.items(kind) {
            texts(item.name(), &item.value(), &mut found);
        }
    }
    for tool in surface.items(Kind::Tool) {
        odd_schema(tool, &mut found);
    }
    found
}

fn warn(subject: &str, message: String, found: &mut Vec<SurfaceWarning>) {
    found.push(SurfaceWarning { subject: subject.to_owned(), message });
}

fn behaviour(capture: &Capture, found: &mut Vec<SurfaceWarning>) {
    let Capture { requests, strays, noise, .. } = capture;
    if let Some(first) = noise.first() {
        let message =
            format!("{} lines that are no messages on its output, first: {first}", noise.len());
        warn("", message, found);
    }
    let acting = requests.iter().filter(|method| !matches!(&***method, "ping" | "roots/list"));
    let acting: Vec<&str> = acting.map(String::as_str).collect();
    if !acting.is_empty() {
        warn(
            "",
            format!("asks the client to act while it is only listed: {}", acting.join(", ")),
            found,
        );
    }
    if *strays > 0 {
        warn("", format!("{strays} replies that nobody asked for"), found);
    }
}

/// Two names that some reader, or some eye, takes for one.
fn similar_names(items: &[Definition], found: &mut Vec<SurfaceWarning>) {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for item in items {
        let visible: String = item.name().chars().filter(|c| !is_hidden(*c)).collect();
        if let Some(earlier) = seen.insert(collision_key(&visible), item.name()) {
            warn(item.name(), format!("looks like `{earlier}`, and is another"), found);
        }
        if item.kind() == Kind::Tool && !item.name().is_ascii() {
            warn(item.name(), "has characters beyond ASCII in its name".to_owned(), found);
        }
    }
}

fn odd_schema(tool: &Definition, found: &mut Vec<SurfaceWarning>) {
    let value = tool.value();
    let Value::Object(object) = &value else { return };
    match object.get("inputSchema") {
        None => warn(tool.name(), "has no input schema".to_owned(), found),
        Some(Value::Object(_)) => {}
        Some(_) => warn(tool.name(), "has an input schema that is not an object".to_owned(), found),
    }
}

/// Every text of a definition, wherever it stands.
fn texts(subject: &str, value: &Value<'_>, found: &mut Vec<SurfaceWarning>) {
    match value {
        Value::String(text) => hidden_characters(subject, text, found),
        Value::Array(items) => items.iter().for_each(|item| texts(subject, item, found)),
        Value::Object(object) => object.members().iter().for_each(|member| {
            hidden_characters(subject, &member.name, found);
            texts(subject, &member.value, found);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn hidden_characters(subject: &str, text: &str, found: &mut Vec<SurfaceWarning>) {
    let hidden = text.chars().filter(|c| is_hidden(*c)).count();
    let Some(first) = text.chars().find(|c| is_hidden(*c)) else { return };
    let noun = if hidden == 1 { "character" } else { "characters" };
    let message = format!("{hidden} invisible {noun}, first U+{:04X}", u32::from(first));
    warn(subject, message, found);
}

/// Characters that show nothing, or change how others are shown.
fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
