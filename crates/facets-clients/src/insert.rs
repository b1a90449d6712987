//! Adds an entry for a server that a file does not know yet.

use facets_digest::json::quoted;

use crate::client::{Client, ClientFile, ClientFormat};
use crate::entry::{self, EntryTransport};
use crate::error::{ClientError, shown};
use crate::guarded::Guarded;
use crate::list::list;
use crate::opened::Opened;
use crate::parse::is_group;
use crate::undo::{Appended, Blank, Change, Inserted, Undo, undo};
use crate::{json_entry, split_mark, toml};
use facets_jsonc::{JsonDocument, ObjectSpan};
use facets_jsonc::{Style, add_behind, fill};
use facets_jsonc::{apply, line_end, line_start};

/// Adds an entry that starts facet. Without a text there is no file yet.
pub fn insert(
    file: &ClientFile,
    text: Option<&str>,
    name: &str,
    guarded: &Guarded,
) -> Result<(String, Undo), ClientError> {
    let (mark, body) = split_mark(text.unwrap_or_default())?;
    let client = file.client;
    let mut place = file.containers.first().cloned().unwrap_or_default();
    if client == Client::OpenCode && !body.trim().is_empty() {
        let json = JsonDocument::new(body, client.notation());
        let object = json_entry::locate(json, &place)?;
        let servers = object.as_ref().and_then(|object| object.get("servers"));
        if let Some(member) = servers
            && is_group(json, member)?
        {
            place.push(member.name.clone());
        }
    }
    place.push(name.to_owned());
    let new = New { client, place: &place, guarded };
    let (new_body, change) = match client.format() {
        ClientFormat::Toml => new.to_toml(body, text.is_none())?,
        _ if body.trim().is_empty() => new.to_nothing(text, body),
        _ => new.to_json(body)?,
    };
    let entangled = || ClientError::entangled(&place);
    let after = Opened::new(client, &new_body, &place).map_err(|_| entangled())?;
    let layout = after.ok_or_else(entangled)?.layout;
    let read = entry::read(client, &new_body, &place, &layout).map_err(|_| entangled())?;
    let starts = matches!(&read.transport, EntryTransport::Command { command, args, .. }
        if *command == guarded.program && *args == guarded.args);
    let record = Undo { client, place: place.clone(), change };
    let new_text = format!("{mark}{new_body}");
    // Nothing is written that cannot be taken back.
    let back = undo(&new_text, &record).ok();
    if starts && back.as_deref() == Some(text.unwrap_or_default()) {
        Ok((new_text, record))
    } else {
        Err(entangled())
    }
}

struct New<'a> {
    client: Client,
    place: &'a [String],
    guarded: &'a Guarded,
}

/// How new objects are written.
struct Shape {
    /// The line end, or nothing if all stands on one line.
    line: Option<&'static str>,
    unit: String,
    style: Style,
}

impl Shape {
    fn object(&self, members: &[String], indent: &str) -> String {
        match self.line {
            None => {
                let comma = if self.style.spaced() { ", " } else { "," };
                format!("{{{}}}", members.join(comma))
            }
            Some(line) => {
                let lead = format!("{line}{indent}{}", self.unit);
                format!("{{{lead}{}{line}{indent}}}", members.join(&format!(",{lead}")))
            }
        }
    }
}

impl New<'_> {
    /// The entry alone.
    fn entry(&self, shape: &Shape, indent: &str) -> String {
        let dialect = self.client.dialect();
        let words = |words: &[String]| list(words, None, shape.style.spaced(), quoted);
        let member = |name: &str, value: &str| shape.style.member(name, value);
        let mut members = Vec::new();
        if dialect.says_type {
            members.push(member("type", &quoted(dialect.local)));
        }
        if dialect.one_list {
            let all: Vec<String> = self.guarded.words().collect();
            members.push(member("command", &words(&all)));
        } else {
            members.push(member("command", &quoted(&self.guarded.program)));
            members.push(member("args", &words(&self.guarded.args)));
        }
        shape.object(&members, indent)
    }

    /// The entry inside of the objects that are missing around it.
    fn nested(&self, missing: &[String], shape: &Shape, indent: &str) -> String {
        let Some((name, rest)) = missing.split_first() else { return self.entry(shape, indent) };
        let inner = self.nested(rest, shape, &format!("{indent}{}", shape.unit));
        shape.object(&[shape.style.member(name, &inner)], indent)
    }

    fn inserted(&self, existed: usize, shape: &Shape, indent: &str) -> Inserted {
        let missing = &self.place[existed + 1..];
        let deep = format!("{indent}{}", shape.unit.repeat(missing.len()));
        Inserted {
            existed,
            value: self.nested(missing, shape, indent),
            entry: self.entry(shape, &deep),
            lead: shape.style.lead.clone(),
            filling: None,
            blank: None,
        }
    }

    fn to_nothing(&self, text: Option<&str>, body: &str) -> (String, Change) {
        let style = Style { lead: "\n  ".to_owned(), colon: ": " };
        let shape = Shape { line: Some("\n"), unit: "  ".to_owned(), style };
        let mut inserted = self.inserted(0, &shape, "  ");
        inserted.blank = Some(text.map_or(Blank::Absent, |text| Blank::Text(text.to_owned())));
        let root = shape.object(&[shape.style.member(&self.place[0], &inserted.value)], "");
        (format!("{body}{root}\n"), Change::Inserted(inserted))
    }

    fn to_json(&self, body: &str) -> Result<(String, Change), ClientError> {
        let json = JsonDocument::new(body, self.client.notation());
        // The innermost object that exists on the way, and how far that is.
        let mut existed = 0;
        let mut object = json_entry::locate(json, &[])?;
        while existed < self.place.len() {
            let Some(inner) = object.as_ref().and_then(|object| object.get(&self.place[existed]))
            else {
                break;
            };
            existed += 1;
            if existed == self.place.len() {
                return Err(ClientError::Exists { place: shown(self.place) });
            }
            let value = inner.value.clone();
            object = json.object(&value)?;
            if object.is_none() {
                let place = &self.place[..existed];
                return Err(ClientError::expected(body, value.start, place, "an object"));
            }
        }
        let Some(object) = object else { return Err(ClientError::entangled(self.place)) };
        let name = &self.place[existed];
        let shape = shape(json, &object)?;
        let lead = shape.style.lead.clone();
        let indent = lead.trim_start_matches(['\r', '\n']);
        let mut inserted = self.inserted(existed, &shape, indent);
        let new = [shape.style.member(name, &inserted.value)];
        let edits = if let Some(last) = object.members.len().checked_sub(1) {
            add_behind(json, &object, last, &shape.style, &new)
        } else {
            let outer = indent.strip_suffix(shape.unit.as_str()).unwrap_or_default();
            let trail = shape.line.map_or(String::new(), |line| format!("{line}{outer}"));
            let (edit, filling) = fill(body, &object, &lead, &trail, &new);
            inserted.filling = Some(filling);
            vec![edit]
        };
        let new_body = apply(body, &edits).ok_or_else(|| ClientError::entangled(self.place))?;
        Ok((new_body, Change::Inserted(inserted)))
    }

    fn to_toml(&self, body: &str, absent: bool) -> Result<(String, Change), ClientError> {
        if Opened::new(self.client, body, self.place)?.is_some() {
            return Err(ClientError::Exists { place: shown(self.place) });
        }
        let (container, name) = (&self.place[0], toml::key(&self.place[self.place.len() - 1]));
        let line = line_end(body);
        let command = format!("command = {}", toml::quoted(&self.guarded.program));
        let args = format!("args = {}", list(&self.guarded.args, None, true, toml::quoted));
        let items = toml::items(body)?;
        let braces = items.iter().find(|item| {
            !item.is_head() && item.path.len() == 1 && item.path[0].name == *container
        });
        let (at, lead, text, trail) = if let Some(item) = braces {
            let text = format!("{name} = {{ {command}, {args} }}");
            match toml::inside(body, item)?.and_then(|inner| inner.last().cloned()) {
                Some(last) => (last.span.end, ", ", text, ""),
                None => (item.value.start + 1, " ", text, " "),
            }
        } else {
            let text = format!("[{}.{name}]{line}{command}{line}{args}", toml::key(container));
            let lead = match body {
                body if body.trim().is_empty() => "",
                body if body.ends_with('\n') => line,
                _ if line == "\r\n" => "\r\n\r\n",
                _ => "\n\n",
            };
            (body.len(), lead, text, line)
        };
        let new_body = format!("{}{lead}{text}{trail}{}", &body[..at], &body[at..]);
        let (lead, trail) = (lead.to_owned(), trail.to_owned());
        Ok((new_body, Change::Appended(Appended { lead, text, trail, absent })))
    }
}

/// What a new member of an object looks like, and what is inside of it.
fn shape(json: JsonDocument<'_>, object: &ObjectSpan) -> Result<Shape, ClientError> {
    let text = json.text;
    let line = line_end(text);
    let root = json_entry::locate(json, &[])?;
    let first = root.as_ref().and_then(|root| root.members.first());
    let unit = first
        .and_then(|member| line_start(text, member.name_span.start))
        .map(|lead| lead.trim_start_matches(['\r', '\n']).to_owned())
        .filter(|unit| !unit.is_empty())
        .unwrap_or_else(|| "  ".to_owned());
    if let Some(last) = object.members.last() {
        let style = Style::of(text, last);
        let value = &text[last.value.clone()];
        let flat = value.starts_with('{') && value.len() > 2 && !value.contains('\n');
        let line = (style.on_lines() && !flat).then_some(line);
        return Ok(Shape { line, unit, style });
    }
    let colon = first.map_or(": ", |member| Style::of(text, member).colon);
    let bare = text.trim();
    if !bare.contains('\n') && bare != "{}" {
        return Ok(Shape { line: None, unit, style: Style { lead: String::new(), colon } });
    }
    let start = text[..object.open].rfind('\n').map_or(0, |at| at + 1);
    let rest = &text[start..];
    let outer = &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()];
    let style = Style { lead: format!("{line}{outer}{unit}"), colon };
    Ok(Shape { line: Some(line), unit, style })
}
