//! What a reader of a surface should look at twice. No verdict, only what is there.

use facets_digest::json::Value;
use facets_markers::characters_seen;
use facets_mcp::Conduct;
use facets_surface::{Definition, Kind, Listing, Surface};

/// Something worth a second look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceWarning {
    /// What it is about; empty for the server as a whole.
    pub subject: String,
    /// What there is to see.
    pub message: String,
}

pub(crate) fn warnings(surface: &Surface, conduct: Option<&Conduct>) -> Vec<SurfaceWarning> {
    let mut found = Vec::new();
    if let Some(conduct) = conduct {
        behaviour(conduct, &mut found);
    }
    if surface.resources_volatile {
        let message = "differ from one list to the next, so they cannot be pinned".to_owned();
        warn("resources", message, &mut found);
    }
    if let Some(text) = &surface.instructions {
        let mut hidden = Hidden::default();
        hidden.look_at(text);
        hidden.warn("instructions", &mut found);
    }
    for kind in [Kind::Tool, Kind::Prompt, Kind::Resource, Kind::ResourceTemplate] {
        if let Some(Listing::Refused { code }) = surface.listing(kind) {
            warn(
                kind.list(),
                format!("announced, but listing failed with error {code}"),
                &mut found,
            );
        }
        for item in surface.items(kind) {
            let mut hidden = Hidden::default();
            hidden.look_into(&item.value());
            hidden.warn(item.name(), &mut found);
        }
    }
    for text in &surface.also.instructions {
        let text: String = text.chars().take(ENOUGH).collect();
        warn("instructions", format!("are different for other clients: {text}"), &mut found);
    }
    for item in &surface.also.items {
        let text: String = item.raw().chars().take(ENOUGH).collect();
        let message = format!("is different for other clients ({}): {text}", item.kind().list());
        warn(item.name(), message, &mut found);
        let mut hidden = Hidden::default();
        hidden.look_into(&item.value());
        hidden.warn(item.name(), &mut found);
    }
    beyond_ascii(surface.items(Kind::Tool), &mut found);
    for tool in surface.items(Kind::Tool) {
        odd_schema(tool, &mut found);
    }
    shorten(found)
}

/// A server that gives more to look at than anybody looks at is told so once.
pub(crate) fn shorten(mut found: Vec<SurfaceWarning>) -> Vec<SurfaceWarning> {
    let more = found.len().saturating_sub(MOST);
    if more > 0 {
        found.truncate(MOST);
        warn("", format!("{more} more warnings"), &mut found);
    }
    found
}

const MOST: usize = 200;
/// Of a definition that is shown in one line.
const ENOUGH: usize = 600;

fn warn(subject: &str, message: String, found: &mut Vec<SurfaceWarning>) {
    found.push(SurfaceWarning { subject: subject.to_owned(), message });
}

fn behaviour(conduct: &Conduct, found: &mut Vec<SurfaceWarning>) {
    let Conduct { requests, strays, noise, other_json, .. } = conduct;
    if *other_json > 0 {
        warn(
            "",
            format!("{other_json} lines of JSON on standard output that are not MCP messages"),
            found,
        );
    }
    if let Some(first) = noise.first() {
        let message = format!(
            "{} lines on standard output that are not MCP messages, first: {first}",
            noise.len()
        );
        warn("", message, found);
    }
    let acting = requests.iter().filter(|method| !matches!(&***method, "ping" | "roots/list"));
    let acting: Vec<&str> = acting.map(String::as_str).collect();
    if !acting.is_empty() {
        warn(
            "",
            format!("sends requests while its declarations are read: {}", acting.join(", ")),
            found,
        );
    }
    if *strays > 0 {
        let noun = if *strays == 1 { "reply" } else { "replies" };
        warn("", format!("{strays} unsolicited {noun}"), found);
    }
}

/// Most clients know only ASCII in the names of tools.
fn beyond_ascii(items: &[Definition], found: &mut Vec<SurfaceWarning>) {
    for tool in items.iter().filter(|item| !item.name().is_ascii()) {
        warn(tool.name(), "has non-ASCII characters in its name".to_owned(), found);
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

/// What is hidden in the texts of one definition, wherever they stand.
#[derive(Default)]
struct Hidden {
    count: usize,
    first: Option<char>,
}

impl Hidden {
    fn look_at(&mut self, text: &str) {
        for (character, _) in characters_seen(text).filter(|(_, is_hidden)| *is_hidden) {
            self.count += 1;
            self.first.get_or_insert(character);
        }
    }

    fn look_into(&mut self, value: &Value<'_>) {
        match value {
            Value::String(text) => self.look_at(text),
            Value::Array(items) => items.iter().for_each(|item| self.look_into(item)),
            Value::Object(object) => object.members().iter().for_each(|member| {
                self.look_at(&member.name);
                self.look_into(&member.value);
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn warn(self, subject: &str, found: &mut Vec<SurfaceWarning>) {
        let Some(first) = self.first else { return };
        let noun = if self.count == 1 { "character" } else { "characters" };
        let message = format!("{} invisible {noun}, first U+{:04X}", self.count, u32::from(first));
        warn(subject, message, found);
    }
}
