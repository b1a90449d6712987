//! Signs in names: between words they are all one sign.

use crate::hidden::is_mark;

/// Signs between words are one sign: `read-file`, `read;file` and `read__file` are told apart
/// neither at a glance, nor by clients that write all but letters and digits as `_`.
pub(crate) fn join_words(name: &str) -> String {
    let name = plain_strokes(name);
    let end = name.get(name.trim_end_matches(is_sign).len()..).unwrap_or_default();
    let mut joined = joined(&name, is_sign);
    joined.extend(end.chars().filter(|c| is_told_at_end(*c)));
    joined
}

/// A name with its words joined in one way, if they stand between the signs that honest names
/// have there. A sign that only looks like one of them is no such sign.
pub(crate) fn join_spelled_words(name: &str) -> String {
    joined(name, |c| matches!(c, ' ' | '_' | '-' | '.' | '/' | ':' | ',' | '+' | '~'))
}

fn joined(name: &str, is_between: impl Fn(char) -> bool) -> String {
    let words = name.split(is_between).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

/// Large signs at the end belong to the name: `c`, `c++` and `c#` are three.
fn is_told_at_end(character: char) -> bool {
    "!#$%&*+<=>?@^".contains(character)
}

fn is_sign(character: char) -> bool {
    // Letters by their category, drawn as lines, dots and hooks between others.
    let is_drawn_so = matches!(character, '\u{2b9}'..='\u{2ff}' | '\u{a717}'..='\u{a71f}'
        | '\u{a788}'..='\u{a78c}');
    let is_letter = character.is_alphanumeric() || is_mark(character) || is_pictograph(character);
    is_drawn_so || !is_letter
}

/// A picture, which is like no letter and like no sign between words.
pub(crate) fn is_pictograph(character: char) -> bool {
    matches!(character, '\u{1f300}'..='\u{1f6ff}' | '\u{1f900}'..='\u{1f9ff}'
        | '\u{1fa70}'..='\u{1faff}')
}

/// A name with `_` for ideographs and kana that are a single stroke, and stand where a sign would:
/// between two letters or digits of ASCII. Elsewhere they are letters, and the number one.
pub(crate) fn plain_strokes(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(start) = rest.find(is_stroke) {
        let (before, run) = rest.split_at(start);
        let (run, after) = run.split_at(run.find(|c| !is_stroke(c)).unwrap_or(run.len()));
        plain.push_str(before);
        let is_latin = |c: char| c.is_ascii_alphanumeric();
        let is_between = before.ends_with(is_latin) && after.starts_with(is_latin);
        plain.push_str(if is_between { "_" } else { run });
        rest = after;
    }
    plain + rest
}

/// Ideographs, kana and a vowel of Korean that are drawn like a dash, a slash or a dot.
pub(crate) fn is_stroke(character: char) -> bool {
    matches!(
        character,
        '\u{4e00}' | '\u{4e36}' | '\u{4e3f}' | '\u{30ce}' | '\u{30fc}' | '\u{1173}' | '\u{3161}'
    )
}
