//! Text from outside, as a terminal may see it.

use std::fmt::Write as _;

use facets_markers::is_hidden;

/// A text with every character that a terminal would act on or hide made visible.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\'' | '\\' => out.push(character),
            _ if is_hidden(character) => out.extend(character.escape_unicode()),
            _ => out.extend(character.escape_debug()),
        }
    }
    out
}

/// JSON with what a terminal would act on or hide written as `\u` escapes: still the same document.
pub(crate) fn escape_in_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let plain = matches!(character, '"' | '\'' | '\\' | '\n')
            || (character.escape_debug().len() == 1 && !is_hidden(character));
        if plain {
            out.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

/// A number with its noun.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_would_be_hidden_or_obeyed() {
        assert_eq!(visible("a \"b\" 'c' \\ é"), "a \"b\" 'c' \\ é");
        assert_eq!(visible("\u{1b}[31m\u{202e}"), "\\u{1b}[31m\\u{202e}");
        assert_eq!(escape_in_json("{\"a\":\"\u{9b}\"}"), "{\"a\":\"\\u009b\"}");
    }
}
