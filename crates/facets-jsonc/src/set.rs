//! Sets or removes the member at a path, and checks that nothing else changed.

use std::ops::Range;

use facets_digest::json::{compare_utf16, quoted};

use crate::document::{JsonDocument, MemberSpan, Notation, ObjectSpan};
use crate::edit::{Edit, apply};
use crate::error::EditError;
use crate::members::{fill, remove};

/// Where a new member goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Behind the last one: people order their own files.
    AtEnd,
    /// Among the others by its name.
    Sorted,
}

/// Sets the member at a path to a JSON text; objects on the way are made.
pub fn set_member(
    text: &str,
    path: &[&str],
    value: &str,
    order: Order,
) -> Result<String, EditError> {
    let edits = match locate(text, path)? {
        Located::There { object, index } => {
            vec![(object.members[index].value.clone(), value.to_owned())]
        }
        Located::Missing { object, depth } => {
            let inner = nested(&path[depth + 1..], value, depth + 1);
            let member = format!("{}: {inner}", quoted(path[depth]));
            insert(text, &object, path[depth], &member, (order, depth))
        }
    };
    checked(text, &edits, path, true)
}

/// Removes the member at a path; a text without it stays as it is.
pub fn remove_member(text: &str, path: &[&str]) -> Result<String, EditError> {
    let Located::There { object, index } = locate(text, path)? else { return Ok(text.to_owned()) };
    let mut edits = remove(text, &object, &[index]);
    if let Some((range, _)) = edits.first_mut() {
        *range = with_blank_end(text, range);
    }
    if object.members.len() == 1 {
        tighten(text, &object, &mut edits);
    }
    checked(text, &edits, path, false)
}

/// How far a path leads.
enum Located {
    /// To a member of the innermost object.
    There { object: ObjectSpan, index: usize },
    /// To an object that lacks the name at this depth of the path.
    Missing { object: ObjectSpan, depth: usize },
}

fn locate(text: &str, path: &[&str]) -> Result<Located, EditError> {
    let document = JsonDocument::new(text, Notation::WithComments);
    let mut value = document.root()?;
    for (depth, name) in path.iter().enumerate() {
        let Some(object) = document.object(&value)? else {
            let place =
                if depth == 0 { "the document".to_owned() } else { path[..depth].join(".") };
            return Err(EditError::NotAnObject { place });
        };
        match object.position(name) {
            None => return Ok(Located::Missing { object, depth }),
            Some(index) if depth + 1 == path.len() => return Ok(Located::There { object, index }),
            Some(index) => value = object.members[index].value.clone(),
        }
    }
    Err(EditError::NotAnObject { place: "the document".to_owned() })
}

/// `{"b": value}` for what is left of a path.
fn nested(rest: &[&str], value: &str, depth: usize) -> String {
    let Some((first, rest)) = rest.split_first() else { return value.to_owned() };
    let inner = nested(rest, value, depth + 1);
    let (indent, end) = ("  ".repeat(depth + 1), "  ".repeat(depth));
    format!("{{\n{indent}{}: {inner}\n{end}}}", quoted(first))
}

/// Puts a member into an object.
fn insert(
    text: &str,
    object: &ObjectSpan,
    name: &str,
    member: &str,
    (order, depth): (Order, usize),
) -> Vec<Edit> {
    let Some(last) = object.members.last() else {
        let (lead, trail) =
            (format!("\n{}", "  ".repeat(depth + 1)), format!("\n{}", "  ".repeat(depth)));
        return vec![fill(text, object, &lead, &trail, &[member.to_owned()]).0];
    };
    let indent = indentation(text, last.name_span.start);
    let is_later = |other: &&MemberSpan| compare_utf16(&other.name, name).is_gt();
    let later = object.members.iter().find(is_later).filter(|_| order == Order::Sorted);
    if let Some(next) = later {
        let at = next.name_span.start;
        return vec![(at..at, format!("{member},{indent}"))];
    }
    append(text, object, last, member, (indent, depth))
}

/// Puts a member behind the last one, and behind the comments that follow that one.
fn append(
    text: &str,
    object: &ObjectSpan,
    last: &MemberSpan,
    member: &str,
    (indent, depth): (String, usize),
) -> Vec<Edit> {
    let end = last.value.end;
    let behind_comma = last.comma.map_or(end, |comma| comma + 1);
    // On one line everything stays on one line; otherwise comments stay with what they follow.
    let document = JsonDocument::new(text, Notation::WithComments);
    let comments = document.comments(&(end..object.close));
    let in_comment = |at: usize| comments.iter().any(|comment| comment.contains(&at));
    let mut line_feeds = text[end..object.close].match_indices('\n').map(|(at, _)| end + at);
    let at = match line_feeds.rfind(|at| !in_comment(*at)) {
        Some(line) if line >= behind_comma => line,
        _ => behind_comma.max(end + text[end..object.close].trim_end().len()),
    };
    // A comment may stand at the end of the line.
    let indent = if text[at..].starts_with('\n') && !indent.starts_with('\n') {
        format!("\n{}", "  ".repeat(depth + 1))
    } else {
        indent
    };
    let new = (at..at, format!("{indent}{member}"));
    match last.comma {
        Some(_) => vec![new],
        None => vec![(end..end, ",".to_owned()), new],
    }
}

/// What stands before a member: a line feed and its indentation, or a space on one line.
fn indentation(text: &str, start: usize) -> String {
    let Some(line) = text[..start].rfind('\n') else { return " ".to_owned() };
    let before = &text[line..start];
    let document = JsonDocument::new(before, Notation::WithComments);
    let comments = document.comments(&(0..before.len()));
    let in_comment = |at: usize| comments.iter().any(|comment| comment.contains(&at));
    let mut shown = before.char_indices().filter(|(at, c)| !c.is_whitespace() && !in_comment(*at));
    if shown.next().is_some() {
        return " ".to_owned();
    }
    before[..before.len() - before.trim_start().len()].to_owned()
}

/// With the blanks behind it, where a whole line is removed.
fn with_blank_end(text: &str, range: &Range<usize>) -> Range<usize> {
    let line = text[range.end..].split('\n').next().unwrap_or_default();
    let is_whole = text[range.clone()].starts_with(['\r', '\n']) && line.trim().is_empty();
    let blanks = if is_whole { line.trim_end_matches('\r').len() } else { 0 };
    range.start..range.end + blanks
}

/// `{` and `}` with nothing between stand together.
fn tighten(text: &str, object: &ObjectSpan, edits: &mut Vec<Edit>) {
    let inside = object.open + 1..object.close;
    let is_left = |(at, character): (usize, char)| {
        let at = inside.start + at;
        let is_cut = edits.iter().any(|(range, _)| range.contains(&at));
        !is_cut && !character.is_whitespace()
    };
    if !text[inside.clone()].char_indices().any(is_left) {
        *edits = vec![(inside, String::new())];
    }
}

/// The edited text, if it is the old one with just that member changed.
fn checked(old: &str, edits: &[Edit], path: &[&str], is_there: bool) -> Result<String, EditError> {
    let entangled = || EditError::Entangled { place: path.join(".") };
    let new = apply(old, edits).ok_or_else(entangled)?;
    let is_same = is_same_but(old, &new, path, is_there).unwrap_or(false);
    if is_same { Ok(new) } else { Err(entangled()) }
}

/// Whether two texts differ in nothing but the member at a path.
fn is_same_but(old: &str, new: &str, path: &[&str], is_there: bool) -> Result<bool, EditError> {
    let Some((first, rest)) = path.split_first() else { return Ok(true) };
    let (Some(before), Some(after)) = (root_object(old)?, root_object(new)?) else {
        return Ok(false);
    };
    if others(&before, old, first) != others(&after, new, first) {
        return Ok(false);
    }
    match (before.get(first), after.get(first)) {
        (_, None) => Ok(!is_there && rest.is_empty()),
        (_, Some(_)) if rest.is_empty() => Ok(is_there),
        (None, Some(_)) => Ok(is_there),
        (Some(was), Some(is)) => {
            is_same_but(&old[was.value.clone()], &new[is.value.clone()], rest, is_there)
        }
    }
}

fn root_object(text: &str) -> Result<Option<ObjectSpan>, EditError> {
    let document = JsonDocument::new(text, Notation::WithComments);
    document.object(&document.root()?)
}

/// The members of other names with their values, comments included, by name.
fn others<'t>(object: &'t ObjectSpan, text: &'t str, but: &str) -> Vec<(&'t str, &'t str)> {
    let others = object.members.iter().filter(|member| member.name != but);
    let mut all: Vec<(&str, &str)> =
        others.map(|member| (member.name.as_str(), &text[member.value.clone()])).collect();
    all.sort_unstable();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_members_where_they_belong() {
        let cases = [
            ("{}", "{\n  \"s\": {\n    \"b\": 1\n  }\n}"),
            ("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"s\": {\n    \"b\": 1\n  }\n}\n"),
            ("{\n  \"s\": {}\n}\n", "{\n  \"s\": {\n    \"b\": 1\n  }\n}\n"),
            (
                "{\n  \"s\": {\n    \"a\": 2,\n    \"c\": 3\n  }\n}\n",
                "{\n  \"s\": {\n    \"a\": 2,\n    \"b\": 1,\n    \"c\": 3\n  }\n}\n",
            ),
            ("{\"s\":{\"a\":2}}", "{\"s\":{\"a\":2, \"b\": 1}}"),
            ("{\"s\": {\"b\": [2, 3]}}", "{\"s\": {\"b\": 1}}"),
        ];
        for (before, after) in cases {
            assert_eq!(set_member(before, &["s", "b"], "1", Order::Sorted).as_deref(), Ok(after));
        }
    }

    #[test]
    fn leaves_comments_where_they_stand() {
        let before = "{\n  // top\n  \"s\": {\n    \"a\": 1, // of a\n    /* x, y */ \"z\": 2, // of z, too\n    // end\n  }, // behind\n}\n";
        let after = set_member(before, &["s", "b"], "{}", Order::AtEnd).expect("edits");
        assert_eq!(
            after,
            "{\n  // top\n  \"s\": {\n    \"a\": 1, // of a\n    /* x, y */ \"z\": 2, // of z, too\n    // end\n    \"b\": {}\n  }, // behind\n}\n"
        );
        let again = remove_member(&after, &["s", "z"]).expect("edits");
        assert!(again.contains("// of a\n    /* x, y */"), "{again}");
        assert!(again.contains("// end\n    \"b\": {}\n"), "{again}");
    }

    #[test]
    fn what_was_added_can_be_removed() {
        let texts = [
            "{\n  \"a\": 1\n}\n",
            "{\n  \"a\": 1,\n  \"s\": {\n    \"c\": 2\n  }\n}\n",
            "{\n  // comment\n  \"s\": {\n    \"c\": 2 // c\n  }\n}\n",
        ];
        for before in texts {
            let path = if before.contains("\"s\"") { vec!["s", "b"] } else { vec!["s"] };
            for order in [Order::AtEnd, Order::Sorted] {
                let with = set_member(before, &path, "{\n  }", order).expect("edits");
                assert_ne!(with, before);
                assert_eq!(remove_member(&with, &path).as_deref(), Ok(before), "{with}");
            }
        }
    }

    #[test]
    fn refuses_what_is_no_object() {
        for text in ["[]", "1", "{\"s\": []}", "{\"s\": 1}"] {
            assert!(set_member(text, &["s", "b"], "1", Order::AtEnd).is_err(), "{text}");
        }
        assert!(set_member("{", &["s"], "1", Order::AtEnd).is_err());
        assert_eq!(remove_member("{}", &["s", "b"]).as_deref(), Ok("{}"));
    }
}
