//! Changes one member of a JSON text, with or without comments, and no other byte.

use std::collections::BTreeSet;
use std::ops::Range;

use facets_digest::json::{JsonError, TokenKind, Tokenizer, compare_utf16, quoted};
use facets_model::tree::blank_comments;

use crate::members::LIMITS;

/// Where a new member goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Behind the last one: people order their own files.
    AtEnd,
    /// Among the others by its name.
    Sorted,
}

/// Why a text cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It is not JSON.
    #[error("{0}")]
    Json(#[from] JsonError),
    /// Something on the way is not an object.
    #[error("{place} is not an object")]
    NotAnObject {
        /// What.
        place: String,
    },
    /// The change would have changed more.
    #[error("{place} cannot be changed alone")]
    Entangled {
        /// What was to be changed.
        place: String,
    },
}

/// A member and where it stands in the text.
#[derive(Debug, PartialEq, Eq)]
struct Span {
    name: String,
    start: usize,
    value: Range<usize>,
}

/// Sets the member at a path to a JSON text; objects on the way are made.
pub fn set_member(
    text: &str,
    path: &[&str],
    value: &str,
    order: Order,
) -> Result<String, EditError> {
    let plain = blank_comments(text);
    let mut range = 0..plain.len();
    for (depth, name) in path.iter().enumerate() {
        let members = members(&plain, &range, &path[..depth])?;
        let Some(found) = members.iter().find(|member| member.name == *name) else {
            let inner = nested(&path[depth + 1..], value, depth + 1);
            let edited = insert(text, &plain, &range, &members, name, &inner, order, depth);
            return checked(text, edited, path, true);
        };
        range = found.value.clone();
    }
    let edited = format!("{}{value}{}", &text[..range.start], &text[range.end..]);
    checked(text, edited, path, true)
}

/// Removes the member at a path; a text without it stays as it is.
pub fn remove_member(text: &str, path: &[&str]) -> Result<String, EditError> {
    let plain = blank_comments(text);
    let mut range = 0..plain.len();
    for (depth, name) in path.iter().enumerate() {
        let members = members(&plain, &range, &path[..depth])?;
        let Some(index) = members.iter().position(|member| member.name == *name) else {
            return Ok(text.to_owned());
        };
        if depth + 1 == path.len() {
            let edited = cut(text, &plain, &range, &members, index);
            return checked(text, edited, path, false);
        }
        range = members[index].value.clone();
    }
    Ok(text.to_owned())
}

/// `{"b": value}` for what is left of a path.
fn nested(rest: &[&str], value: &str, depth: usize) -> String {
    let Some((first, rest)) = rest.split_first() else { return value.to_owned() };
    let inner = nested(rest, value, depth + 1);
    let (indent, end) = ("  ".repeat(depth + 1), "  ".repeat(depth));
    format!("{{\n{indent}{}: {inner}\n{end}}}", quoted(first))
}

#[expect(clippy::too_many_arguments, reason = "a text, a place in it, and what goes there")]
fn insert(
    text: &str,
    plain: &str,
    object: &Range<usize>,
    members: &[Span],
    name: &str,
    value: &str,
    order: Order,
    depth: usize,
) -> String {
    let member = format!("{}: {value}", quoted(name));
    let Some(last) = members.last() else {
        // What stands between the braces is white space and comments.
        let (open, close) = braces(plain, object);
        let inside = &text[open + 1..close];
        let (indent, end) = ("  ".repeat(depth + 1), "  ".repeat(depth));
        let kept = if inside.trim().is_empty() { "" } else { inside.trim_end() };
        return format!("{}{kept}\n{indent}{member}\n{end}{}", &text[..=open], &text[close..]);
    };
    let indent = indentation(text, plain, last.start);
    let later = (order == Order::Sorted)
        .then(|| members.iter().find(|other| compare_utf16(&other.name, name).is_gt()))
        .flatten();
    if let Some(next) = later {
        let (before, after) = text.split_at(next.start);
        return format!("{before}{member},{indent}{after}");
    }
    let (_, close) = braces(plain, object);
    let (head, tail) = text.split_at(last.value.end);
    let between = &tail[..close - last.value.end];
    let rest = &text[close..];
    // The new member goes behind a comma that people wrote behind the last one.
    let behind_comma =
        comma_between(text, last.value.end, close).map_or(0, |at| at + 1 - last.value.end);
    let has_comma = behind_comma > 0;
    // On one line everything stays on one line; otherwise comments stay with what they follow.
    let line = outside_comments(between).filter(|(_, character)| *character == '\n').last();
    let (between, end) = match line {
        Some((line, _)) if line >= behind_comma => between.split_at(line),
        _ => between.split_at(behind_comma.max(between.trim_end().len())),
    };
    // A comment may stand at the end of the line.
    let indent = if end.starts_with('\n') && !indent.starts_with('\n') {
        format!("\n{}", "  ".repeat(depth + 1))
    } else {
        indent
    };
    let comma = if has_comma { "" } else { "," };
    format!("{head}{comma}{between}{indent}{member}{end}{rest}")
}

/// The characters of a text without strings that stand in no comment. The line feed that ends a
/// line of comment is none of it.
fn outside_comments(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = &text[at..];
            if rest.starts_with("//") {
                at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                at += comment.find("*/").map_or(rest.len(), |end| end + 4);
            } else {
                let character = rest.chars().next()?;
                at += character.len_utf8();
                return Some((at - character.len_utf8(), character));
            }
        }
    })
}

/// The first comma between two members, or behind the last one, where only people write it.
fn comma_between(text: &str, from: usize, to: usize) -> Option<usize> {
    let found = outside_comments(&text[from..to]).find(|(_, character)| *character == ',');
    found.map(|(at, _)| from + at)
}

fn braces(plain: &str, object: &Range<usize>) -> (usize, usize) {
    let inside = &plain[object.clone()];
    let open = object.start + inside.find('{').unwrap_or(0);
    let close = object.start + inside.rfind('}').unwrap_or(inside.len());
    (open, close)
}

/// What stands before a member: a line feed and its indentation, or a space on one line.
fn indentation(text: &str, plain: &str, start: usize) -> String {
    let Some(line) = text[..start].rfind('\n') else { return " ".to_owned() };
    if !plain[line..start].trim().is_empty() {
        return " ".to_owned();
    }
    let before = &text[line..start];
    before[..before.len() - before.trim_start().len()].to_owned()
}

/// The text without one member, its comma, and the line that they leave empty.
fn cut(text: &str, plain: &str, object: &Range<usize>, members: &[Span], index: usize) -> String {
    let member = &members[index];
    let mut out = text.to_owned();
    let (_, close) = braces(plain, object);
    let end = members.get(index + 1).map_or(close, |next| next.start);
    let stop = match comma_between(text, member.value.end, end) {
        Some(comma) => comma + 1,
        None => member.value.end,
    };
    let mut start = member.start;
    // With the line it stands on, if nothing else stands there.
    let line = text[..start].rfind('\n').map_or(0, |at| at);
    let alone_before = text[line..start].trim().is_empty();
    let line_end = text[stop..].find('\n').map_or(text.len(), |at| stop + at);
    if alone_before && text[stop..line_end].trim().is_empty() {
        start = line;
        out.replace_range(start..line_end, "");
    } else {
        out.replace_range(start..stop, "");
    }
    // The one before it is now the last, and needs no comma.
    if index + 1 == members.len()
        && index > 0
        && let Some(comma) = comma_between(text, members[index - 1].value.end, member.start)
    {
        out.replace_range(comma..=comma, "");
    }
    if members.len() == 1 {
        return tighten(&out, object);
    }
    out
}

/// `{` and `}` with nothing between stand together.
fn tighten(text: &str, object: &Range<usize>) -> String {
    let open = object.start + text[object.start..].find('{').unwrap_or(0);
    let rest = &text[open + 1..];
    match rest.find(|c: char| !c.is_whitespace()) {
        Some(close) if rest[close..].starts_with('}') => {
            format!("{}{}", &text[..=open], &rest[close..])
        }
        _ => text.to_owned(),
    }
}

fn members(plain: &str, range: &Range<usize>, path: &[&str]) -> Result<Vec<Span>, EditError> {
    let mut tokens = Tokenizer::new(plain[range.clone()].as_bytes(), LIMITS)?;
    if tokens.next()?.kind != TokenKind::ObjectStart {
        let place = if path.is_empty() { "the document".to_owned() } else { path.join(".") };
        return Err(EditError::NotAnObject { place });
    }
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    loop {
        let token = tokens.next()?;
        let TokenKind::Name(name) = token.kind else { break };
        let first = tokens.next()?;
        let mut open =
            usize::from(matches!(first.kind, TokenKind::ObjectStart | TokenKind::ArrayStart));
        while open > 0 {
            match tokens.next()?.kind {
                TokenKind::ObjectStart | TokenKind::ArrayStart => open += 1,
                TokenKind::ObjectEnd | TokenKind::ArrayEnd => open -= 1,
                _ => {}
            }
        }
        // Of two with one name, nobody knows which is meant.
        if !seen.insert(name.to_string()) {
            let place = path.iter().copied().chain([&*name]).collect::<Vec<_>>().join(".");
            return Err(EditError::Entangled { place });
        }
        let at = range.start;
        found.push(Span {
            name: name.into_owned(),
            start: at + token.span.start,
            value: at + first.span.start..at + tokens.offset(),
        });
    }
    tokens.finish()?;
    Ok(found)
}

/// The edited text, if it is the old one with just that member changed.
fn checked(old: &str, new: String, path: &[&str], there: bool) -> Result<String, EditError> {
    let entangled = || EditError::Entangled { place: path.join(".") };
    if same_but(old, &new, path, there)? { Ok(new) } else { Err(entangled()) }
}

fn same_but(old: &str, new: &str, path: &[&str], there: bool) -> Result<bool, EditError> {
    let Some((first, rest)) = path.split_first() else { return Ok(true) };
    let (old_plain, new_plain) = (blank_comments(old), blank_comments(new));
    let old_members = members(&old_plain, &(0..old_plain.len()), &[])?;
    let new_members = members(&new_plain, &(0..new_plain.len()), &[])?;
    let others = |members: &[Span], plain: &str| -> Vec<(String, String)> {
        let others = members.iter().filter(|member| member.name != *first);
        let mut all: Vec<(String, String)> = others
            .map(|member| (member.name.clone(), plain[member.value.clone()].to_owned()))
            .collect();
        all.sort();
        all
    };
    if others(&old_members, &old_plain) != others(&new_members, &new_plain) {
        return Ok(false);
    }
    let find = |members: &[Span]| members.iter().position(|member| member.name == *first);
    match (find(&old_members), find(&new_members)) {
        (_, None) => Ok(!there && rest.is_empty()),
        (_, Some(_)) if rest.is_empty() => Ok(there),
        (None, Some(_)) => Ok(there),
        (Some(was), Some(is)) => {
            let was = &old_plain[old_members[was].value.clone()];
            let is = &new_plain[new_members[is].value.clone()];
            same_but(was, is, rest, there)
        }
    }
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
