//! Takes a change back.

use crate::client::{Client, ClientFormat};
use crate::error::ClientError;
use crate::opened::Opened;
use crate::segment::{Segment, cut, fill, holes};
use crate::{json_entry, split_mark};
use facets_jsonc::apply;
use facets_jsonc::{Filling, remove};
use facets_jsonc::{JsonDocument, ObjectSpan};

/// How to take a change to a file back. It holds no value of a variable or a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undo {
    pub(crate) client: Client,
    pub(crate) place: Vec<String>,
    pub(crate) change: Change,
}

/// What was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// An entry that was there.
    Rewritten(Vec<Region>),
    /// A member of a JSON object that was not.
    Inserted(Inserted),
    /// A stretch of TOML that was not.
    Appended(Appended),
}

/// A stretch of an entry, as facet wrote it and as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) written: Vec<Segment>,
    pub(crate) original: Vec<Segment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inserted {
    /// How many names of the place existed before.
    pub(crate) existed: usize,
    /// The value of the first member that did not.
    pub(crate) value: String,
    /// The entry alone, at the end of the place.
    pub(crate) entry: String,
    /// What was put before the member.
    pub(crate) lead: String,
    /// If the object was empty, what was done to it.
    pub(crate) filling: Option<Filling>,
    /// If there was no object at all, what the file was.
    pub(crate) blank: Option<Blank>,
}

/// A file with nothing in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Blank {
    /// There was none.
    Absent,
    /// It had only this white space, with its mark, if any.
    Text(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Appended {
    /// What separates it from what stands before.
    pub(crate) lead: String,
    /// The entry.
    pub(crate) text: String,
    /// What separates it from what follows.
    pub(crate) trail: String,
    /// There was no file.
    pub(crate) absent: bool,
}

impl Undo {
    /// Whose file it is about.
    #[must_use]
    pub fn client(&self) -> Client {
        self.client
    }

    /// The members that lead to the entry, its name last.
    #[must_use]
    pub fn place(&self) -> &[String] {
        &self.place
    }

    /// Whether facet wrote the whole entry, and not over another one.
    #[must_use]
    pub fn is_insertion(&self) -> bool {
        !matches!(self.change, Change::Rewritten(_))
    }

    /// Whether there was no file before: if nothing is left of its text, it may go.
    #[must_use]
    pub fn file_was_absent(&self) -> bool {
        match &self.change {
            Change::Rewritten(_) => false,
            Change::Inserted(inserted) => inserted.blank == Some(Blank::Absent),
            Change::Appended(appended) => appended.absent,
        }
    }
}

/// The text as it was before a change, whatever else changed in it since.
pub fn undo(text: &str, undo: &Undo) -> Result<String, ClientError> {
    let (mark, body) = split_mark(text)?;
    let restored = match &undo.change {
        Change::Rewritten(regions) => restore(undo, body, regions)?,
        Change::Appended(appended) => cut_off(undo, body, appended)?,
        Change::Inserted(inserted) => match take_out(undo, body, inserted)? {
            Some(body) => body,
            // Nothing but what facet wrote was in there.
            None => {
                return Ok(match &inserted.blank {
                    Some(Blank::Text(text)) => text.clone(),
                    _ => String::new(),
                });
            }
        },
    };
    Ok(format!("{mark}{restored}"))
}

fn restore(undo: &Undo, body: &str, regions: &[Region]) -> Result<String, ClientError> {
    let Undo { client, place, .. } = undo;
    let edited = || ClientError::edited(place);
    let opened = match Opened::new(*client, body, place) {
        Ok(opened) => opened.ok_or_else(|| ClientError::gone(place))?,
        Err(ClientError::Expected { .. }) => return Err(edited()),
        Err(other) => return Err(other),
    };
    let found = &opened.layout.regions;
    if found.len() != regions.len() {
        return Err(edited());
    }
    let holes = holes(*client, &opened.layout);
    let mut edits = Vec::new();
    for (span, region) in found.iter().zip(regions) {
        if !is_same(*client, &cut(body, span, &holes), &region.written) {
            return Err(edited());
        }
        let original = fill(&region.original, body, &holes).ok_or_else(edited)?;
        edits.push((span.clone(), original));
    }
    apply(body, &edits).ok_or_else(edited)
}

/// Whether an entry is what was written. Clients write JSON anew with other white space.
fn is_same(client: Client, found: &[Segment], written: &[Segment]) -> bool {
    if client.format() == ClientFormat::Toml {
        return found == written;
    }
    let squeeze = |segments: &[Segment]| -> Vec<Segment> {
        let pieces = segments.iter().map(|segment| match segment {
            Segment::Text(text) => Segment::Text(squeezed(text)),
            hole @ Segment::Hole(_) => hole.clone(),
        });
        pieces.filter(|piece| *piece != Segment::Text(String::new())).collect()
    };
    squeeze(found) == squeeze(written)
}

/// A piece of JSON without the white space between its words.
fn squeezed(text: &str) -> String {
    let (mut is_inside, mut is_escaped) = (false, false);
    let keep = |letter: &char| {
        let keeps = is_inside || !letter.is_ascii_whitespace();
        if *letter == '"' && !is_escaped {
            is_inside = !is_inside;
        }
        is_escaped = is_inside && *letter == '\\' && !is_escaped;
        keeps
    };
    text.chars().filter(keep).collect()
}

fn cut_off(undo: &Undo, body: &str, appended: &Appended) -> Result<String, ClientError> {
    let edited = || ClientError::edited(&undo.place);
    let opened = match Opened::new(undo.client, body, &undo.place) {
        Ok(opened) => opened.ok_or_else(|| ClientError::gone(&undo.place))?,
        Err(ClientError::Expected { .. }) => return Err(edited()),
        Err(other) => return Err(other),
    };
    let [region] = opened.layout.regions.as_slice() else { return Err(edited()) };
    // Of a table between braces, the region is what stands behind the equals sign.
    let Some(start) = region.end.checked_sub(appended.text.len()) else { return Err(edited()) };
    if start > region.start || body.get(start..region.end) != Some(appended.text.as_str()) {
        return Err(edited());
    }
    let before = body[..start].strip_suffix(appended.lead.as_str()).ok_or_else(edited)?;
    let after = body[region.end..].strip_prefix(appended.trail.as_str()).ok_or_else(edited)?;
    Ok(format!("{before}{after}"))
}

/// The text without what was inserted, or nothing if that is all there is.
fn take_out(undo: &Undo, body: &str, inserted: &Inserted) -> Result<Option<String>, ClientError> {
    let Undo { client, place, .. } = undo;
    if client.format() == ClientFormat::Toml || inserted.existed >= place.len() {
        return Err(ClientError::Record { problem: "no JSON object has it".to_owned() });
    }
    let json = JsonDocument::new(body, client.notation());
    let outer = at(json, &place[..inserted.existed], place)?;
    let Some(index) = outer.position(&place[inserted.existed]) else {
        return Err(ClientError::gone(place));
    };
    if squeezed(&body[outer.members[index].value.clone()]) == squeezed(&inserted.value) {
        if inserted.blank.is_some() && is_all(body, &outer) {
            return Ok(None);
        }
        return Ok(Some(remove_exactly(body, &outer, index, inserted)));
    }
    // Others moved into what was made for the entry: only the entry goes.
    let (container, name) = (&place[..place.len() - 1], &place[place.len() - 1]);
    let inner = at(json, container, place)?;
    let Some(index) = inner.position(name) else { return Err(ClientError::gone(place)) };
    if squeezed(&body[inner.members[index].value.clone()]) != squeezed(&inserted.entry) {
        return Err(ClientError::edited(place));
    }
    let edits = remove(body, &inner, &[index]);
    apply(body, &edits).map(Some).ok_or_else(|| ClientError::edited(place))
}

/// Whether a text is one object with one member, and no comment anywhere.
fn is_all(body: &str, object: &ObjectSpan) -> bool {
    let [member] = object.members.as_slice() else { return false };
    let around = [
        &body[..object.open],
        &body[object.open + 1..member.name_span.start],
        &body[member.value.end..object.close],
        &body[object.close + 1..],
    ];
    around.iter().all(|text| text.trim().is_empty())
}

/// An object on the way to an entry; without it the entry is gone.
fn at(
    json: JsonDocument<'_>,
    container: &[String],
    place: &[String],
) -> Result<ObjectSpan, ClientError> {
    match json_entry::locate(json, container) {
        Ok(Some(object)) => Ok(object),
        Ok(None) | Err(ClientError::Expected { .. }) => Err(ClientError::gone(place)),
        Err(other) => Err(other),
    }
}

fn remove_exactly(body: &str, object: &ObjectSpan, index: usize, inserted: &Inserted) -> String {
    let member = &object.members[index];
    let (start, end) = (member.name_span.start, member.value.end);
    let (before, after) = (&body[..start], &body[end..]);
    if object.members.len() == 1
        && let Some(Filling { lead, trail, was }) = &inserted.filling
        && let Some(before) = before.strip_suffix(lead.as_str())
        && let Some(after) = after.strip_prefix(trail.as_str())
    {
        return format!("{before}{was}{after}");
    }
    let before = before.strip_suffix(inserted.lead.as_str()).unwrap_or(before);
    if let Some(comma) = member.comma {
        return format!("{before}{}{}", &body[end..comma], &body[comma + 1..]);
    }
    // It was the last one: the one before it loses its comma.
    let comma = index.checked_sub(1).and_then(|index| object.members[index].comma);
    match comma.filter(|comma| *comma < before.len()) {
        Some(comma) => format!("{}{}{after}", &before[..comma], &before[comma + 1..]),
        None => format!("{before}{after}"),
    }
}
