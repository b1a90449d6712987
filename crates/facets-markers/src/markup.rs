//! Markup that a reader does not see, and marks by which models tell who speaks.

use std::ops::Range;

use crate::fold::Folded;
use crate::found::Found;

const HIDDEN: &str = "marker-hidden-markup";
const ROLE: &str = "marker-role";

/// Beginnings of markup that is not shown, or that fetches something.
const NOT_SHOWN: &[&str] = &[
    "<!--",
    "<script",
    "<iframe",
    "<object",
    "<embed",
    "<img ",
    "<svg ",
    "<style>",
    "<noscript",
    "<template>",
    "[//]: #",
    "[//]:#",
    "[comment]: #",
    "<link ",
    "<meta ",
];

/// Styles that make text disappear: a property and its value.
const STYLES: &[(&str, &str)] = &[
    ("display", "none"),
    ("visibility", "hidden"),
    ("font-size", "0"),
    ("opacity", "0"),
    ("color", "transparent"),
];

/// Marks of chat formats, as they stand.
const MARKS: &[&str] = &[
    "<|",
    "[inst]",
    "[/inst]",
    "<<sys>>",
    "<</sys>>",
    "[system]",
    "[/system]",
    "[assistant]",
    "[system message]",
    "[system prompt]",
    "[important]",
    "[instructions]",
    "[admin]",
];

/// Tags that give weight, or end what the text stands in.
const TAGS: &[&str] = &[
    "admin",
    "assistant",
    "context",
    "critical",
    "description",
    "function",
    "functions",
    "function_calls",
    "hidden",
    "important",
    "important_instructions",
    "instruction",
    "instructions",
    "override",
    "priority",
    "secret",
    "sys",
    "system",
    "system-reminder",
    "system_prompt",
    "system-prompt",
    "system_message",
    "tool",
    "tool_call",
    "tool_description",
    "tool_result",
    "tools",
    "urgent",
];

/// Those of them that are marks only where they end something.
const ENDS: &[&str] = &["context", "description", "function", "functions", "tool", "tools"];

/// How much of the text tells two comments apart.
const TELLING: usize = 60;

/// How far apart the two halves of an image may be.
const IMAGE: usize = 400;

/// Finds both.
pub(crate) fn look(folded: &Folded<'_>, found: &mut Found) {
    let text = folded.text();
    let mut image = None;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' | b'[' => {
                not_shown(folded, at, found);
                role(folded, at, found);
                if at > 0 && text.as_bytes()[at - 1] == b'!' {
                    image = Some(at - 1);
                }
            }
            b']' => {
                let near = image.filter(|from| at - from < IMAGE);
                let after = text.get(at + 1..).unwrap_or_default();
                let target =
                    after.strip_prefix('(').map(|rest| start_of(rest.trim_start(), TELLING));
                if let (Some(from), Some(target)) = (near, target) {
                    if target.contains("://") || target.starts_with("data:") {
                        found.add_folded(HIDDEN, folded, &(from..at + 1), target);
                    }
                    image = None;
                }
            }
            b':' if at > 0 && is_name_end(text.as_bytes()[at - 1]) => {
                style(folded, at, found);
                speaker(folded, at, found);
            }
            _ => {}
        }
    }
}

fn is_name_end(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'*' | b'"' | b'_' | b'\'' | b'#')
}

fn not_shown(folded: &Folded<'_>, at: usize, found: &mut Found) {
    let rest = folded.text().get(at..).unwrap_or_default();
    if NOT_SHOWN.iter().any(|begin| rest.starts_with(begin)) {
        add(HIDDEN, folded, at, found);
    }
}

fn add(rule: &'static str, folded: &Folded<'_>, at: usize, found: &mut Found) {
    let key = start_of(folded.text().get(at..).unwrap_or_default(), TELLING);
    found.add_folded(rule, folded, &(at..at + key.len()), key);
}

fn style(folded: &Folded<'_>, colon: usize, found: &mut Found) {
    let (before, after) = folded.text().split_at(colon);
    let after = start_of(after, 12);
    let value = after.trim_start_matches([':', ' ', '"']);
    for (property, wanted) in STYLES {
        let ends = value.strip_prefix(wanted).map(|rest| {
            !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '%'))
        });
        if ends == Some(true) && before.ends_with(property) {
            let place = colon - property.len()..colon + after.len() - value.len() + wanted.len();
            found.add_folded(HIDDEN, folded, &place, property);
        }
    }
}

fn role(folded: &Folded<'_>, at: usize, found: &mut Found) {
    let rest = start_of(folded.text().get(at..).unwrap_or_default(), 40);
    if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
        let end = rest.find(['>', ']']).map_or(mark.len(), |end| end + 1);
        let mark = rest.get(..end).unwrap_or(mark);
        // `<|` alone is an operator somewhere; with `|>` it is a mark.
        if !mark.starts_with("<|") || mark.ends_with("|>") {
            found.add_folded(ROLE, folded, &(at..at + end), mark);
        }
        return;
    }
    let Some(inside) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) else { return };
    let (ends, name) = inside.0.strip_prefix('/').map_or((false, inside.0), |name| (true, name));
    let name = name.split_ascii_whitespace().next().unwrap_or_default();
    if TAGS.contains(&name) && (ends || !ENDS.contains(&name)) && !is_placeholder(folded, at, rest)
    {
        found.add_folded(ROLE, folded, &(at..at + inside.0.len() + 2), name);
    }
}

/// `<system>/<path>` and `--mode=<system>` stand for values; they touch what is around them.
fn is_placeholder(folded: &Folded<'_>, at: usize, rest: &str) -> bool {
    let joins =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | ':' | '=' | '-' | '_' | '@');
    let before = folded.text().get(..at).and_then(|text| text.chars().next_back());
    let after = rest.split_once('>').and_then(|(_, after)| after.chars().next());
    before.is_some_and(|c| matches!(c, '/' | ':' | '=' | '-' | '_' | '@' | '`' | '\''))
        || after.is_some_and(|c| joins(c) && !c.is_ascii_alphanumeric())
}

/// Who speaks, at the beginning of a line: `System:`.
fn speaker(folded: &Folded<'_>, colon: usize, found: &mut Found) {
    let text = folded.text();
    let before = end_of(text.get(..colon).unwrap_or_default(), 40);
    let line = before.rsplit('\n').next().unwrap_or_default();
    let begins = line.len() < before.len() || before.len() == colon;
    let name = line.trim().trim_matches(['*', '#', '>', '-', '"', '_', ' ']);
    let heading = line.trim_start().starts_with("###");
    let speaks = matches!(
        name,
        "system"
            | "assistant"
            | "human"
            | "system prompt"
            | "system message"
            | "system note"
            | "system override"
            | "system instruction"
            | "developer message"
    ) || (heading
        && matches!(name, "instruction" | "instructions" | "response" | "input"));
    if !begins || !speaks || text.get(colon..colon + 3) == Some("://") {
        return;
    }
    let start = colon - line.len() + line.find(name).unwrap_or(0);
    let place: Range<usize> = start..colon + 1;
    // In lower case and indented it documents an argument called so.
    let original = folded.original().get(folded.range(&place)).unwrap_or_default();
    let capital = original.starts_with(|c: char| !c.is_ascii_lowercase());
    if capital || !line.starts_with([' ', '\t', '-', '*']) {
        found.add_folded(ROLE, folded, &place, name);
    }
}

fn start_of(text: &str, length: usize) -> &str {
    let end = (0..=length.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

fn end_of(text: &str, length: usize) -> &str {
    let from =
        (text.len().saturating_sub(length)..=text.len()).find(|at| text.is_char_boundary(*at));
    text.get(from.unwrap_or(0)..).unwrap_or_default()
}
