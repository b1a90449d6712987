//! Characters that make an emoji what it is: nothing hides behind them.

use crate::hidden::is_hidden;
use crate::letters::is_ideograph;

/// The characters of a text, each with whether a reader does not see it.
///
/// The selector behind an emoji or a keycap, and a joiner between two emoji, are part of what is
/// seen. Anywhere else they are hidden like every other of their kind.
pub fn characters_seen(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut last = Last::default();
    let mut rest = text.chars().peekable();
    std::iter::from_fn(move || {
        let character = rest.next()?;
        let next = rest.peek().copied().unwrap_or(' ');
        Some((character, last.hides(character, next)))
    })
}

/// What stands before a character.
#[derive(Default)]
struct Last {
    base: char,
    /// Behind the base stand only characters that are part of it: no second one of them counts.
    is_selected: bool,
    is_broken: bool,
}

impl Last {
    fn hides(&mut self, character: char, next: char) -> bool {
        if !is_hidden(character) {
            *self = Self { base: character, is_selected: false, is_broken: false };
            return false;
        }
        let is_part = match character {
            '\u{fe0e}' | '\u{fe0f}' if !self.is_selected && !self.is_broken => {
                self.is_selected = true;
                is_symbol(self.base) || is_keycap(self.base, next)
            }
            '\u{200d}' if !self.is_broken => is_symbol(self.base) && is_symbol(next),
            _ => false,
        };
        self.is_broken |= !is_part;
        !is_part
    }
}

/// Whether a character is a picture or a sign that a selector can belong to.
pub(crate) fn is_symbol(character: char) -> bool {
    matches!(character, '\u{a9}' | '\u{ae}' | '\u{203c}'..='\u{3299}' | '\u{1f000}'..='\u{1faff}')
        && !is_ideograph(character)
        && !is_hidden(character)
}

/// Whether a character is drawn as a key, by the sign that follows.
pub(crate) fn is_keycap(before: char, next: char) -> bool {
    matches!(before, '0'..='9' | '#' | '*') && next == '\u{20e3}'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> Vec<char> {
        characters_seen(text).filter(|(_, is_hidden)| *is_hidden).map(|(seen, _)| seen).collect()
    }

    #[test]
    fn what_an_emoji_is_made_of_is_seen() {
        for text in [
            "a ❤\u{fe0f} b",
            "❤\u{fe0e}",
            "1\u{fe0f}\u{20e3} and #\u{fe0f}\u{20e3}",
            "👨\u{200d}👩\u{200d}👧",
            "🏳\u{fe0f}\u{200d}🌈",
            "👁\u{fe0f}\u{200d}🗨\u{fe0f}",
            "👩🏽\u{200d}🚀",
        ] {
            assert_eq!(hidden(text), [], "{text:?}");
        }
    }

    #[test]
    fn the_same_characters_are_hidden_anywhere_else() {
        for (text, count) in [
            ("a\u{fe0f}", 1),
            ("\u{fe0f}", 1),
            ("1\u{fe0f}2", 1),
            ("❤\u{fe0f}\u{fe0f}", 1),
            ("❤\u{fe0f}\u{fe0e}\u{fe0f}", 2),
            ("❤\u{fe00}", 1),
            ("❤ \u{fe0f}", 1),
            ("❤\u{200b}\u{fe0f}", 2),
            ("👨\u{200d}a", 1),
            ("a\u{200d}👨", 1),
            ("👨\u{200d}\u{200d}👩", 2),
            ("👨\u{200d}", 1),
            ("ab\u{200d}c", 1),
        ] {
            assert_eq!(hidden(text).len(), count, "{text:?}");
        }
    }
}
