//! Adds and removes members of JSON objects in the style of those around them.

use facets_digest::json::quoted;

use crate::document::{JsonDocument, MemberSpan, ObjectSpan};
use crate::edit::{Edit, line_start};

/// How the members of an object are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// What stands before each: a line end and indentation, a space, or nothing.
    pub lead: String,
    /// What stands between a name and its value.
    pub colon: &'static str,
}

impl Style {
    /// The style of a member that is there.
    #[must_use]
    pub fn of(text: &str, member: &MemberSpan) -> Self {
        let spaced = &text[member.name_span.end..member.value.start] != ":";
        let colon = if spaced { ": " } else { ":" };
        let lead = match line_start(text, member.name_span.start) {
            Some(lead) => lead.to_owned(),
            None if spaced => " ".to_owned(),
            None => String::new(),
        };
        Self { lead, colon }
    }

    /// Whether each member stands on a line of its own.
    #[must_use]
    pub fn on_lines(&self) -> bool {
        self.lead.contains('\n')
    }

    /// Whether a space stands behind the colon.
    #[must_use]
    pub fn spaced(&self) -> bool {
        self.colon.len() > 1
    }

    /// A member as text.
    #[must_use]
    pub fn member(&self, name: &str, value: &str) -> String {
        format!("{}{}{value}", quoted(name), self.colon)
    }
}

/// Adds members behind one that is there.
#[must_use]
pub fn add_behind(
    json: JsonDocument<'_>,
    object: &ObjectSpan,
    index: usize,
    style: &Style,
    new: &[String],
) -> Vec<Edit> {
    let member = &object.members[index];
    let behind = member.comma.map_or(member.value.end, |comma| comma + 1);
    // A comment on the same line belongs to the member, and a line of comment would swallow
    // what is put behind it on its line.
    let point = if style.on_lines() { behind_comments(json, behind) } else { behind };
    let joined = new.join(&format!(",{}", style.lead));
    let text = format!("{}{joined}", style.lead);
    match member.comma {
        Some(_) => vec![(point..point, format!("{text},"))],
        None => vec![(behind..behind, ",".to_owned()), (point..point, text)],
    }
}

/// Behind the comments that end the line of an offset; the offset itself if something else
/// stands there, too.
fn behind_comments(json: JsonDocument<'_>, offset: usize) -> usize {
    let bytes = json.text.as_bytes();
    let end = json.text[offset..].find('\n').map_or(json.text.len(), |length| offset + length);
    let mut at = offset;
    let mut last = offset;
    for comment in json.comments(&(offset..end)) {
        let between = &bytes[at..comment.start];
        if !between.iter().all(u8::is_ascii_whitespace) || comment.end > end {
            return offset;
        }
        at = comment.end;
        last = comment.end;
    }
    if bytes[at..end].iter().all(u8::is_ascii_whitespace) { last } else { offset }
}

/// What filling an empty object did to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filling {
    /// Before the new members.
    pub lead: String,
    /// Behind them.
    pub trail: String,
    /// What stood there instead of all that: white space.
    pub was: String,
}

/// Puts members into an object that has none. Comments in it stay.
#[must_use]
pub fn fill(
    text: &str,
    object: &ObjectSpan,
    lead: &str,
    trail: &str,
    new: &[String],
) -> (Edit, Filling) {
    let inside = &text[object.open + 1..object.close];
    let kept = inside.trim_end_matches([' ', '\t', '\r', '\n']);
    let was = inside[kept.len()..].to_owned();
    // A line of comment must end before anything else can stand.
    let breaks = |lead: &str| if lead.contains('\n') { "" } else { "\n" };
    let lead = if kept.is_empty() { lead.to_owned() } else { format!("{}{lead}", breaks(lead)) };
    let start = object.open + 1 + kept.len();
    let joined = new.join(&format!(",{lead}"));
    let edit = (start..object.close, format!("{lead}{joined}{trail}"));
    (edit, Filling { lead, trail: trail.to_owned(), was })
}

/// Removes members, their commas, and the lines they leave empty.
#[must_use]
pub fn remove(text: &str, object: &ObjectSpan, indices: &[usize]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let members = &object.members;
    for &index in indices {
        let member = &members[index];
        let end = member.comma.map_or(member.value.end, |comma| comma + 1);
        let start = member.name_span.start;
        // Where something follows on its line, the line stays: a comment before it would swallow
        // what comes behind.
        let line = text[end..].split('\n').next().unwrap_or_default();
        let lead = line_start(text, start).filter(|_| line.trim().is_empty());
        let start = start - lead.map_or(0, str::len);
        edits.push((start..end, String::new()));
    }
    let last_kept = (0..members.len()).rev().find(|index| !indices.contains(index));
    // Without a comma behind the last one, the new last one has none either.
    let without = members.last().is_some_and(|last| last.comma.is_none());
    if let Some(kept) = last_kept.filter(|kept| without && kept + 1 < members.len())
        && let Some(comma) = members[kept].comma
    {
        edits.push((comma..comma + 1, String::new()));
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Notation;
    use crate::edit::apply;

    fn object(json: JsonDocument<'_>) -> ObjectSpan {
        json.object(&json.root().unwrap()).unwrap().unwrap()
    }

    #[test]
    fn adds_members_in_the_style_of_their_neighbours() {
        let cases = [
            ("{\"a\":1}", "{\"a\":1,\"n\":0}"),
            ("{\"a\": 1}", "{\"a\": 1, \"n\": 0}"),
            ("{ \"a\": 1, \"b\": 2 }", "{ \"a\": 1, \"n\": 0, \"b\": 2 }"),
            ("{\r\n\t\"a\": 1\r\n}", "{\r\n\t\"a\": 1,\r\n\t\"n\": 0\r\n}"),
            ("{\n  \"a\": 1, // one\n}", "{\n  \"a\": 1, // one\n  \"n\": 0,\n}"),
            ("{\n  \"a\": 1 // one\n}", "{\n  \"a\": 1, // one\n  \"n\": 0\n}"),
            ("{ \"a\": 1 // one\n}", "{ \"a\": 1, \"n\": 0 // one\n}"),
            (
                "{\n  \"a\": 1, /* x\n */ \"b\": 2\n}",
                "{\n  \"a\": 1,\n  \"n\": 0, /* x\n */ \"b\": 2\n}",
            ),
            ("{\n  \"a\": 1 /* x */ /* y */\n}", "{\n  \"a\": 1, /* x */ /* y */\n  \"n\": 0\n}"),
        ];
        for (before, after) in cases {
            let json = JsonDocument::new(before, Notation::WithComments);
            let object = object(json);
            let style = Style::of(before, &object.members[0]);
            let new = [style.member("n", "0")];
            let edits = add_behind(json, &object, 0, &style, &new);
            assert_eq!(apply(before, &edits).as_deref(), Some(after));
        }
    }

    #[test]
    fn removes_members_with_their_commas() {
        let cases: &[(&str, &[usize], &str)] = &[
            ("{\"a\": 1, \"b\": 2}", &[0], "{ \"b\": 2}"),
            ("{\"a\": 1, \"b\": 2}", &[1], "{\"a\": 1 }"),
            ("{\n \"a\": 1,\n \"b\": 2,\n \"c\": 3\n}", &[1, 2], "{\n \"a\": 1\n}"),
            ("{\n \"a\": 1,\n \"b\": 2,\n \"c\": 3,\n}", &[0, 2], "{\n \"b\": 2,\n}"),
            ("{\n \"a\": 1, // a\n \"b\": 2 // b\n}", &[1], "{\n \"a\": 1 // a\n  // b\n}"),
        ];
        for (before, indices, after) in cases {
            let edits =
                remove(before, &object(JsonDocument::new(before, Notation::WithComments)), indices);
            assert_eq!(apply(before, &edits).as_deref(), Some(*after));
        }
    }

    #[test]
    fn fills_empty_objects_and_keeps_their_comments() {
        let cases = [
            ("{}", "{\n  \"n\": 0\n}"),
            ("{ }", "{\n  \"n\": 0\n}"),
            ("{ // none yet\n}", "{ // none yet\n  \"n\": 0\n}"),
        ];
        for (before, after) in cases {
            let object = object(JsonDocument::new(before, Notation::WithComments));
            let (edit, _) = fill(before, &object, "\n  ", "\n", &["\"n\": 0".to_owned()]);
            assert_eq!(apply(before, &[edit]).as_deref(), Some(after));
        }
    }
}
