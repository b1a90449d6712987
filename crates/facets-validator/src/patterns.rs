//! Patterns of schemas, which are those of JavaScript.

use serde_json::{Map, Value};

/// Keywords whose values are data, and no schemas.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];

/// Writes the patterns of a schema as other engines read them, too, and counts them.
pub(crate) fn prepare(schema: &mut Value) -> usize {
    match schema {
        Value::Object(members) => {
            let mut count = own_patterns(members);
            for (_, value) in members.iter_mut().filter(|(name, _)| !DATA.contains(&name.as_str()))
            {
                count += prepare(value);
            }
            count
        }
        Value::Array(items) => items.iter_mut().map(prepare).sum(),
        _ => 0,
    }
}

fn own_patterns(members: &mut Map<String, Value>) -> usize {
    let mut count = 0;
    if let Some(Value::String(pattern)) = members.get_mut("pattern") {
        *pattern = as_javascript(pattern);
        count += 1;
    }
    if let Some(Value::Object(patterns)) = members.get_mut("patternProperties") {
        let all = std::mem::take(patterns).into_iter();
        *patterns = all.map(|(name, value)| (as_javascript(&name), value)).collect();
        count += patterns.len();
    }
    count
}

/// What the sets of JavaScript stand for, which other engines take for more: digits and letters of
/// ASCII, and its own white space.
const SETS: [(char, &str); 3] = [
    ('d', "0-9"),
    ('w', "A-Za-z0-9_"),
    (
        's',
        r"\t\n\x0B\x0C\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}",
    ),
];

/// Any character that does not end a line, in JavaScript.
const ANY: &str = r"[^\n\r\x{2028}\x{2029}]";

/// The letters of a set, and whether it is turned around.
fn set_of(letter: char) -> Option<(&'static str, bool)> {
    let lower = letter.to_ascii_lowercase();
    let set = SETS.iter().find(|(known, _)| *known == lower)?;
    Some((set.1, letter.is_ascii_uppercase()))
}

/// A pattern of JavaScript in words that other engines understand alike. A hyphen beside a set inside
/// a class, as in `[\w-.]`, is a hyphen; other engines take it for a range and refuse.
fn as_javascript(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() * 2);
    let (mut is_in_class, mut is_behind_set) = (false, false);
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        let was_behind_set = std::mem::take(&mut is_behind_set);
        match letter {
            '\\' => {
                let Some(escaped) = letters.next() else {
                    out.push(letter);
                    break;
                };
                is_behind_set = is_in_class && set_of(escaped).is_some();
                let is_zero = escaped == '0' && !letters.peek().is_some_and(char::is_ascii_digit);
                match set_of(escaped) {
                    Some((set, false)) if is_in_class => out.push_str(set),
                    Some((set, is_turned)) => {
                        out.push_str(if is_turned { "[^" } else { "[" });
                        out.push_str(set);
                        out.push(']');
                    }
                    None if is_zero => out.push_str(r"\x00"),
                    None => out.extend(['\\', escaped]),
                }
                continue;
            }
            '[' => is_in_class = true,
            ']' => is_in_class = false,
            '.' if !is_in_class => {
                out.push_str(ANY);
                continue;
            }
            '-' if is_in_class && (was_behind_set || is_before_set(&letters)) => out.push('\\'),
            _ => {}
        }
        out.push(letter);
    }
    out
}

/// Whether a set comes next.
fn is_before_set(letters: &std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    let mut next = letters.clone();
    next.next() == Some('\\') && next.next().is_some_and(|letter| set_of(letter).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_and_dots_mean_what_they_mean_in_javascript() {
        for (pattern, expected) in [
            (r"^[\w-.]+$", r"^[A-Za-z0-9_\-.]+$"),
            (r"[.-\d]", r"[.\-0-9]"),
            (r"[\w-]", r"[A-Za-z0-9_\-]"),
            (r"[a-z]\d-1", r"[a-z][0-9]-1"),
            (r"[\\-z]", r"[\\-z]"),
            (r"(?!0)\D[\Wx]", r"(?!0)[^0-9][[^A-Za-z0-9_]x]"),
            (r"a.\.[.]", r"a[^\n\r\x{2028}\x{2029}]\.[.]"),
            (r"[^\0]\01", r"[^\x00]\01"),
            ("plain", "plain"),
        ] {
            assert_eq!(as_javascript(pattern), expected);
        }
    }

    #[test]
    fn patterns_are_counted_and_data_is_left_alone() {
        let mut schema = serde_json::json!({
            "properties": {
                "pattern": { "pattern": r"[\d-.]" },
                "b": { "patternProperties": { r"[\d-x]": { "pattern": "y" } } },
            },
            "const": { "pattern": r"[\d-.]" },
        });
        assert_eq!(prepare(&mut schema), 3);
        assert_eq!(schema["properties"]["pattern"]["pattern"], r"[0-9\-.]");
        assert!(schema["properties"]["b"]["patternProperties"][r"[0-9\-x]"].is_object());
        assert_eq!(schema["const"]["pattern"], r"[\d-.]");
    }
}
