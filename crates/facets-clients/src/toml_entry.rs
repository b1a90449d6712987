//! Entries in TOML, whichever way their tables are written.

use std::collections::BTreeMap;
use std::ops::Range;

use toml_edit::Value;

use crate::MAX_MEMBERS;
use crate::dialect::{BEARER_VARIABLE, PASSED_VARIABLES, VARIABLE_HEADERS};
use crate::entry::{Data, Entry, EntryNode, EntryTransport, HeaderValue, Layout};
use crate::error::ClientError;
use crate::guarded::{Guarded, Move};
use crate::list::list;
use crate::toml::{self, Item, Kind, end_of_line, key, quoted};
use facets_jsonc::{Edit, line_end, line_start};

/// The items of one entry.
#[derive(Default)]
pub(crate) struct TomlParts {
    /// Stretches of text in which nothing else stands.
    regions: Vec<Range<usize>>,
    /// Heads of its tables.
    heads: Vec<Item>,
    /// Its tables between braces.
    tables: Vec<Item>,
    /// What is set in it, tables between braces opened.
    leaves: Vec<Item>,
    /// Its items as they follow each other, one list for each region.
    siblings: Vec<Vec<Item>>,
}

/// All items, with the tables between braces opened that lead to servers.
pub(crate) fn opened(text: &str, container: &str) -> Result<Vec<Item>, ClientError> {
    let mut found = Vec::new();
    for item in toml::items(text)? {
        let leads = item.path.len() == 1 && item.path[0].name == container;
        if !leads || item.kind == Kind::Table {
            found.push(item);
            continue;
        }
        let inner = if item.is_head() { None } else { toml::inside(text, &item)? };
        let Some(inner) = inner else {
            let (at, place) = (item.span.start, [container.to_owned()]);
            return Err(ClientError::expected(text, at, &place, "a table"));
        };
        found.extend(inner);
    }
    Ok(found)
}

/// The items of an entry, or nothing if it has none.
pub(crate) fn parts(
    text: &str,
    items: &[Item],
    place: &[String],
) -> Result<Option<TomlParts>, ClientError> {
    let own = items.iter().enumerate().filter(|(_, item)| item.starts_with(place));
    gather(text, own, place)
}

/// Puts the items of an entry together. Those that follow each other share a region.
pub(crate) fn gather<'i>(
    text: &str,
    own: impl Iterator<Item = (usize, &'i Item)>,
    place: &[String],
) -> Result<Option<TomlParts>, ClientError> {
    let mut parts = TomlParts::default();
    let mut next = None;
    for (index, item) in own {
        let region = region(text, item, place);
        match parts.regions.last_mut() {
            Some(last) if next == Some(index) => last.end = region.end,
            _ => {
                parts.regions.push(region);
                parts.siblings.push(Vec::new());
            }
        }
        next = Some(index + 1);
        parts.add(text, item, place)?;
        if parts.leaves.len() + parts.heads.len() > MAX_MEMBERS {
            return Err(ClientError::TooMany { what: "members in one entry", limit: MAX_MEMBERS });
        }
    }
    Ok((!parts.regions.is_empty()).then_some(parts))
}

/// A line belongs to its item up to the end, so that comments there stay where they are.
fn region(text: &str, item: &Item, place: &[String]) -> Range<usize> {
    match item.kind {
        Kind::Inline | Kind::Line if item.path.len() == place.len() => item.value.clone(),
        Kind::Inline => item.span.clone(),
        _ => item.span.start..end_of_line(text, item.span.end),
    }
}

impl TomlParts {
    fn add(&mut self, text: &str, item: &Item, place: &[String]) -> Result<(), ClientError> {
        let refused = || ClientError::expected(text, item.span.start, place, "a table");
        let whole = item.path.len() == place.len();
        let items = match item.kind {
            Kind::ArrayOfTables if whole => return Err(refused()),
            Kind::Inline | Kind::Line if whole => toml::inside(text, item)?.ok_or_else(refused)?,
            _ => vec![item.clone()],
        };
        for item in items {
            if let Some(siblings) = self.siblings.last_mut() {
                siblings.push(item.clone());
            }
            if item.is_head() {
                self.heads.push(item);
            } else {
                self.open(text, item)?;
            }
        }
        Ok(())
    }

    /// Variables and headers are wanted one by one.
    fn open(&mut self, text: &str, item: Item) -> Result<(), ClientError> {
        let table = matches!(item.path[2].name.as_str(), "env" | "http_headers" | VARIABLE_HEADERS);
        if table
            && item.path.len() == 3
            && let Some(inner) = toml::inside(text, &item)?
        {
            self.leaves.extend(inner);
            self.tables.push(item);
        } else {
            self.leaves.push(item);
        }
        Ok(())
    }

    fn leaf(&self, name: &str) -> Option<&Item> {
        self.leaves.iter().find(|item| item.path.len() == 3 && item.path[2].name == name)
    }

    /// Leaves below a table of the entry.
    fn below(&self, name: &'static str) -> impl Iterator<Item = &Item> {
        self.leaves.iter().filter(move |item| item.path.len() > 3 && item.path[2].name == name)
    }

    fn all(&self) -> impl Iterator<Item = &Item> {
        self.heads.iter().chain(&self.tables).chain(&self.leaves)
    }

    /// Everything that has to do with one member of the entry.
    fn of(&self, name: &'static str) -> impl Iterator<Item = &Item> {
        self.all().filter(move |item| item.path.get(2).is_some_and(|part| part.name == name))
    }
}

/// Takes an entry apart.
pub(crate) fn layout(text: &str, parts: &TomlParts) -> Result<Layout, ClientError> {
    let mut tables: BTreeMap<String, Vec<(String, EntryNode)>> = BTreeMap::new();
    let mut fields: Vec<(String, EntryNode)> = Vec::new();
    let mut values = Vec::new();
    let mut times: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for item in &parts.leaves {
        let names: Vec<String> = item.path[2..].iter().map(|part| part.name.clone()).collect();
        let mut path = names.clone();
        // In an array of tables, one path leads to many values.
        let time = times.entry(names.clone()).or_default();
        if *time > 0 {
            path.push(time.to_string());
        }
        *time += 1;
        values.push((path, item.value.clone()));
        let node = node(&toml::value(text, &item.value)?, &text[item.value.clone()], item);
        match names.as_slice() {
            [name] => fields.push((name.clone(), node)),
            [table, name] => tables.entry(table.clone()).or_default().push((name.clone(), node)),
            [table, ..] => {
                let deeper = EntryNode { at: item.span.start, data: Data::Other };
                tables.entry(table.clone()).or_default().push((names[1..].join("."), deeper));
            }
            [] => {}
        }
    }
    // An empty table is one, too.
    let heads = parts.heads.iter().chain(&parts.tables);
    for head in heads.filter_map(|head| head.path.get(2)) {
        tables.entry(head.name.clone()).or_default();
    }
    fields.extend(tables.into_iter().map(|(name, members)| {
        let at = parts.regions.first().map_or(0, |region| region.start);
        (name, EntryNode { at, data: Data::Table(members) })
    }));
    let comments: Vec<Range<usize>> =
        parts.regions.iter().flat_map(|region| toml::comments(text, region)).collect();
    if comments.len() > MAX_MEMBERS {
        return Err(ClientError::TooMany { what: "comments in one entry", limit: MAX_MEMBERS });
    }
    Ok(Layout { regions: parts.regions.clone(), fields, values, comments })
}

fn node(value: &Value, literal: &str, item: &Item) -> EntryNode {
    let inner = |value: &Value| node(value, "", item);
    let data = match value {
        Value::String(text) => Data::Text(text.value().clone()),
        Value::Boolean(flag) => Data::Bool(*flag.value()),
        Value::Array(items) => Data::List(items.iter().map(inner).collect()),
        Value::InlineTable(table) => {
            Data::Table(table.iter().map(|(name, value)| (name.to_owned(), inner(value))).collect())
        }
        Value::Integer(_) | Value::Float(_) | Value::Datetime(_) => {
            Data::Scalar(literal.to_owned())
        }
    };
    EntryNode { at: item.value.start, data }
}

/// The edits that make an entry start facet.
pub(crate) fn rewrite(
    text: &str,
    parts: &TomlParts,
    entry: &Entry,
    guarded: &Guarded,
    moves: &[Move],
) -> Result<Vec<Edit>, ClientError> {
    let entangled = || ClientError::entangled(&entry.place);
    let mut edits = BTreeMap::new();
    let mut added = Vec::new();
    let url = matches!(entry.transport, EntryTransport::Url { .. });
    let anchor = parts.leaf(if url { "url" } else { "command" }).ok_or_else(entangled)?;
    if url {
        // Codex refuses an address with variables of its own, so nobody has both.
        if ["command", "env", PASSED_VARIABLES].iter().any(|name| parts.of(name).next().is_some()) {
            return Err(entangled());
        }
        put(&mut edits, &anchor.path[2].span, "command");
        rename_headers(parts, moves, &mut edits).ok_or_else(entangled)?;
        pass_variables(text, parts, entry, &mut edits, &mut added).ok_or_else(entangled)?;
    }
    for item in parts.below("env") {
        let variable = &item.path[3];
        let renamed = guarded.variables.iter().find(|(old, _)| *old == variable.name);
        if let Some((_, new)) = renamed {
            put(&mut edits, &variable.span, &key(new));
        }
    }
    put(&mut edits, &anchor.value, &quoted(&guarded.program));
    match parts.leaf("args") {
        Some(args) => {
            let model = &text[args.value.clone()];
            put(&mut edits, &args.value, &list(&guarded.args, Some(model), true, quoted));
        }
        None => added.insert(0, ("args", list(&guarded.args, None, true, quoted))),
    }
    let (at, new) = behind(text, anchor, &added);
    put(&mut edits, &(at..at), &new);
    Ok(edits.into_iter().map(|((start, end), new)| (start..end, new)).collect())
}

/// Edits by place: what many items share is renamed once.
type Edits = BTreeMap<(usize, usize), String>;

fn put(edits: &mut Edits, span: &Range<usize>, new: &str) {
    edits.insert((span.start, span.end), new.to_owned());
}

/// New keys beside one that is there, and where they go.
fn behind(text: &str, anchor: &Item, added: &[(&str, String)]) -> (usize, String) {
    let Some(last) = anchor.path.last() else { return (anchor.span.end, String::new()) };
    let before = &text[anchor.span.start..last.span.start];
    let equals = &text[last.span.end..anchor.value.start];
    let pairs = added.iter().map(|(name, value)| format!("{before}{name}{equals}{value}"));
    if anchor.kind == Kind::Inline {
        return (anchor.span.end, pairs.map(|pair| format!(", {pair}")).collect());
    }
    let at = end_of_line(text, anchor.span.end);
    let lead = match line_start(text, anchor.span.start) {
        Some(lead) => lead.to_owned(),
        // On the first line.
        None => format!("{}{}", line_end(text), &text[..anchor.span.start]),
    };
    (at, pairs.map(|pair| format!("{lead}{pair}")).collect())
}

/// Headers become variables where they stand.
fn rename_headers(parts: &TomlParts, moves: &[Move], edits: &mut Edits) -> Option<()> {
    for item in parts.of("http_headers") {
        put(edits, &item.path[2].span, "env");
    }
    for item in parts.below("http_headers") {
        let header = &item.path[3];
        let (_, variable) = moves.iter().find(|(moved, _)| *moved == header.name)?;
        put(edits, &header.span, &key(variable));
    }
    Some(())
}

/// Variables that headers are taken from become variables that are passed on.
fn pass_variables(
    text: &str,
    parts: &TomlParts,
    entry: &Entry,
    edits: &mut Edits,
    added: &mut Vec<(&'static str, String)>,
) -> Option<()> {
    let EntryTransport::Url { headers, .. } = &entry.transport else { return None };
    let mut names: Vec<String> = Vec::new();
    for (_, value) in headers {
        match value {
            HeaderValue::Variable(name) | HeaderValue::Bearer(name) if !names.contains(name) => {
                names.push(name.clone());
            }
            _ => {}
        }
    }
    let names = list(&names, None, true, quoted);
    let bearer = parts.leaf(BEARER_VARIABLE);
    match bearer {
        Some(item) => {
            put(edits, &item.path[2].span, PASSED_VARIABLES);
            put(edits, &item.value, &names);
        }
        None if parts.of(VARIABLE_HEADERS).next().is_some() => {
            added.push((PASSED_VARIABLES, names))
        }
        None => {}
    }
    remove_variable_headers(text, parts, edits)
}

/// Removes what names variables for headers; nothing if that is all there is in one place.
fn remove_variable_headers(text: &str, parts: &TomlParts, edits: &mut Edits) -> Option<()> {
    for siblings in &parts.siblings {
        let goes = |item: &Item| item.path.get(2).is_some_and(|part| part.name == VARIABLE_HEADERS);
        if !siblings.iter().any(goes) {
            continue;
        }
        let end = |item: &Item| match item.kind {
            Kind::Inline => item.span.end,
            _ => end_of_line(text, item.span.end),
        };
        let first = siblings.iter().position(|item| !goes(item))?;
        let last = siblings.iter().rposition(|item| !goes(item))?;
        for (index, item) in siblings.iter().enumerate().filter(|(_, item)| goes(item)) {
            // At either end, all goes up to what stays: the rest must begin and end with it.
            let range = if index < first {
                item.span.start..siblings[index + 1].span.start
            } else if index > last || item.kind == Kind::Inline {
                end(&siblings[index - 1])..end(item)
            } else {
                let lead = line_start(text, item.span.start).map_or(0, str::len);
                item.span.start - lead..end(item)
            };
            put(edits, &range, "");
        }
    }
    Some(())
}
