//! Entries in JSON, with or without comments.

use facets_digest::json::quoted;

use std::ops::Range;

use crate::MAX_MEMBERS;
use crate::client::Client;
use crate::entry::{Data, Entry, EntryNode, EntryTransport, Layout};
use crate::error::ClientError;
use crate::guarded::{Guarded, Move};
use crate::list::list;
use facets_jsonc::Edit;
use facets_jsonc::{JsonDocument, MemberSpan, ObjectSpan};
use facets_jsonc::{Style, add_behind, fill, remove};

/// The object at a place, or nothing if a member on the way is missing.
pub(crate) fn locate(
    json: JsonDocument<'_>,
    place: &[String],
) -> Result<Option<ObjectSpan>, ClientError> {
    let mut value = json.root()?;
    for depth in 0..=place.len() {
        let Some(object) = json.object(&value)? else {
            let (at, place) = (value.start, &place[..depth]);
            let document = ["the document".to_owned()];
            let place = if place.is_empty() { &document } else { place };
            return Err(ClientError::expected(json.text, at, place, "an object"));
        };
        let Some(name) = place.get(depth) else { return Ok(Some(object)) };
        let Some(member) = object.get(name) else { return Ok(None) };
        value = member.value.clone();
    }
    Ok(None)
}

/// Takes an entry apart.
pub(crate) fn layout(
    client: Client,
    json: JsonDocument<'_>,
    object: &ObjectSpan,
) -> Result<Layout, ClientError> {
    let dialect = client.dialect();
    let region = object.open..object.close + 1;
    let mut fields = Vec::new();
    let mut values = Vec::new();
    for member in &object.members {
        let name = &member.name;
        let opened = *name == dialect.environment || *name == dialect.headers;
        let inner = if opened { json.object(&member.value)? } else { None };
        match inner {
            Some(inner) => values.extend(
                inner
                    .members
                    .iter()
                    .map(|inner| (vec![name.clone(), inner.name.clone()], inner.value.clone())),
            ),
            None => values.push((vec![name.clone()], member.value.clone())),
        }
        let known = client.is_known(name);
        let node = if known { node(json, &member.value, 1)? } else { other(&member.value) };
        fields.push((name.clone(), node));
    }
    if values.len() > MAX_MEMBERS {
        return Err(ClientError::TooMany { what: "members in one entry", limit: MAX_MEMBERS });
    }
    let comments = json.comments(&region);
    if comments.len() > MAX_MEMBERS {
        return Err(ClientError::TooMany { what: "comments in one entry", limit: MAX_MEMBERS });
    }
    Ok(Layout { regions: vec![region], fields, values, comments })
}

fn other(value: &Range<usize>) -> EntryNode {
    EntryNode { at: value.start, data: Data::Other }
}

fn node(
    json: JsonDocument<'_>,
    value: &Range<usize>,
    depth: usize,
) -> Result<EntryNode, ClientError> {
    let literal = &json.text[value.clone()];
    let data = match literal.as_bytes().first() {
        Some(b'"') => json.string(value)?.map_or(Data::Other, Data::Text),
        Some(b't' | b'f') => Data::Bool(literal == "true"),
        Some(b'n') => Data::Null,
        Some(b'{') if depth > 0 => {
            let members = json.object(value)?.map(|object| object.members).unwrap_or_default();
            let nodes = members
                .into_iter()
                .map(|member| Ok((member.name, node(json, &member.value, depth - 1)?)));
            Data::Table(nodes.collect::<Result<_, ClientError>>()?)
        }
        Some(b'[') if depth > 0 => {
            let items = json.array(value)?.unwrap_or_default();
            let nodes = items.iter().map(|item| node(json, item, depth - 1));
            Data::List(nodes.collect::<Result<_, _>>()?)
        }
        Some(b'{' | b'[') | None => Data::Other,
        Some(_) => Data::Scalar(literal.to_owned()),
    };
    Ok(EntryNode { at: value.start, data })
}

/// The edits that make an entry start facet.
pub(crate) fn rewrite(
    client: Client,
    json: JsonDocument<'_>,
    object: &ObjectSpan,
    entry: &Entry,
    guarded: &Guarded,
    moves: &[Move],
) -> Result<Vec<Edit>, ClientError> {
    let dialect = client.dialect();
    let present = |name: &&str| object.position(name);
    let mut addresses = dialect.addresses.iter().filter_map(|(name, _)| present(name));
    // The member that becomes, or is, the command.
    let anchor = present(&"command").or_else(|| addresses.next());
    let Some(anchor) = anchor else { return Err(ClientError::entangled(&entry.place)) };
    let member = &object.members[anchor];
    let style = Style::of(json.text, member);
    let shaped = |words: &[String], value: Option<&Range<usize>>| {
        let model = value.map(|value| &json.text[value.clone()]);
        list(words, model, style.spaced(), quoted)
    };
    let mut edits = Vec::new();
    let mut removed = Vec::new();
    if let EntryTransport::Url { .. } = entry.transport {
        if let Some(member) = object.get("type") {
            edits.push((member.value.clone(), quoted(dialect.local)));
        }
        removed.extend(addresses);
        edits.extend(move_headers(client, json, object, moves, &mut removed)?);
        edits.extend(remove(json.text, object, &removed));
    }
    edits.extend(rename_variables(client, json, object, &guarded.variables)?);
    if member.name != "command" {
        edits.push((member.name_span.clone(), quoted("command")));
    }
    if dialect.one_list {
        let words: Vec<String> = guarded.words().collect();
        edits.push((member.value.clone(), shaped(&words, Some(&member.value))));
    } else {
        edits.push((member.value.clone(), quoted(&guarded.program)));
        if let Some(args) = object.get("args") {
            edits.push((args.value.clone(), shaped(&guarded.args, Some(&args.value))));
        } else {
            let new = style.member("args", &shaped(&guarded.args, None));
            if removed.is_empty() {
                edits.extend(add_behind(json, object, anchor, &style, &[new]));
            } else {
                // Whether the command keeps its comma depends on what is removed.
                let end = member.value.end;
                edits.push((end..end, format!(",{}{new}", style.lead)));
            }
        }
    }
    Ok(edits)
}

/// Variables are called otherwise where they stand.
fn rename_variables(
    client: Client,
    json: JsonDocument<'_>,
    object: &ObjectSpan,
    renames: &[Move],
) -> Result<Vec<Edit>, ClientError> {
    let Some(member) = object.get(client.dialect().environment) else { return Ok(Vec::new()) };
    let variables = json.object(&member.value)?.map(|inner| inner.members).unwrap_or_default();
    let edits = variables.iter().filter_map(|variable| {
        let (_, new) = renames.iter().find(|(old, _)| *old == variable.name)?;
        Some((variable.name_span.clone(), quoted(new)))
    });
    Ok(edits.collect())
}

/// Headers become variables where they stand, unless there are variables already.
fn move_headers(
    client: Client,
    json: JsonDocument<'_>,
    object: &ObjectSpan,
    moves: &[Move],
    removed: &mut Vec<usize>,
) -> Result<Vec<Edit>, ClientError> {
    let dialect = client.dialect();
    let mut edits = Vec::new();
    let Some(index) = object.position(dialect.headers) else { return Ok(edits) };
    let member = &object.members[index];
    let Some(headers) = json.object(&member.value)? else { return Ok(edits) };
    let variable = |header: &MemberSpan| {
        let found = moves.iter().find(|(moved, _)| *moved == header.name);
        found.map_or(header.name.clone(), |(_, variable)| variable.clone())
    };
    let environment = object.get(dialect.environment);
    let Some(environment) = environment else {
        edits.push((member.name_span.clone(), quoted(dialect.environment)));
        for header in &headers.members {
            edits.push((header.name_span.clone(), quoted(&variable(header))));
        }
        return Ok(edits);
    };
    removed.push(index);
    if headers.members.is_empty() {
        return Ok(edits);
    }
    let outer = Style::of(json.text, environment);
    let Some(inner) = json.object(&environment.value)? else {
        return Err(ClientError::expected(
            json.text,
            environment.value.start,
            &[dialect.environment.to_owned()],
            "an object",
        ));
    };
    let style = inner.members.last().map_or(outer, |last| Style::of(json.text, last));
    let new: Vec<String> = headers
        .members
        .iter()
        .map(|header| style.member(&variable(header), &json.text[header.value.clone()]))
        .collect();
    match inner.members.len().checked_sub(1) {
        Some(last) => edits.extend(add_behind(json, &inner, last, &style, &new)),
        None => edits.push(fill(json.text, &inner, &style.lead, &style.lead, &new).0),
    }
    Ok(edits)
}
