//! Text from outside, as a terminal may see it.

use std::fmt::Write as _;

use facets_markers::{characters_seen, is_hidden};

/// Text from outside, with every character that a terminal would act on or hide made visible. What
/// only makes an emoji one hides nothing.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (character, hides) in characters_seen(text) {
        match character {
            '"' | '\'' | '\\' => out.push(character),
            _ if hides => out.extend(character.escape_unicode()),
            _ if is_hidden(character) => out.push(character),
            // The frame of a keycap stands behind its selector.
            '\u{20e3}' if out.ends_with('\u{fe0f}') => out.push(character),
            _ => out.extend(character.escape_debug()),
        }
    }
    out
}

/// JSON with what a terminal would act on or hide written as `\u` escapes: still
/// the same document.
#[must_use]
pub fn escape_in_json(text: &str) -> String {
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
#[must_use]
pub fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_would_be_hidden_or_obeyed() {
        assert_eq!(visible("a \"b\" 'c' \\ é 💡"), "a \"b\" 'c' \\ é 💡");
        assert_eq!(visible("\u{1b}[31m"), "\\u{1b}[31m");
        assert_eq!(
            visible("x\u{200b}\u{202e}\u{e0041}\u{feff}"),
            "x\\u{200b}\\u{202e}\\u{e0041}\\u{feff}"
        );
        assert_eq!(visible("a\nb"), "a\\nb");
    }

    #[test]
    fn emoji_are_shown_as_they_are_and_selectors_elsewhere_are_not() {
        for text in ["a ❤\u{fe0f} b", "1\u{fe0f}\u{20e3}", "🏳\u{fe0f}\u{200d}🌈"] {
            assert_eq!(visible(text), text);
        }
        assert_eq!(visible("a\u{fe0f}"), "a\\u{fe0f}");
        assert_eq!(visible("a\u{20e3}"), "a\\u{20e3}");
        assert_eq!(visible("❤\u{fe0f}\u{fe0f}"), "❤\u{fe0f}\\u{fe0f}");
    }

    #[test]
    fn escapes_stay_the_same_document() {
        assert_eq!(
            escape_in_json("{\"a\\n\":\"é\u{9b}\u{202e}\u{e0041}\"}"),
            "{\"a\\n\":\"é\\u009b\\u202e\\udb40\\udc41\"}"
        );
    }
}
