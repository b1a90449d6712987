//! The words of a folded text.

use std::ops::Range;

use crate::letters::is_ideograph;

/// A word, where it is, and which sentence it stands in.
pub(crate) struct Word<'t> {
    pub(crate) text: &'t str,
    pub(crate) place: Range<usize>,
    pub(crate) sentence: usize,
}

/// Runs of letters and digits; a character that is written without blanks is a word.
pub(crate) struct Words<'t> {
    text: &'t str,
    at: usize,
    sentence: usize,
}

impl<'t> Words<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0, sentence: 0 }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Goes to the next word; a full stop before a blank, or a blank line, ends a sentence.
    fn skip(&mut self) -> Option<char> {
        let (mut stop, mut lines, mut ends) = (false, 0, false);
        for (at, character) in self.rest().char_indices() {
            if is_word(character) {
                self.at += at;
                self.sentence += usize::from(ends);
                return Some(character);
            }
            if character == ' ' && !stop {
                continue;
            }
            lines += usize::from(character == '\n');
            ends |= lines > 1 || (stop && character.is_whitespace());
            ends |= matches!(character, '\u{3002}' | '\u{ff01}' | '\u{ff1f}');
            stop = matches!(character, '.' | '!' | '?' | ';')
                || (stop && matches!(character, '"' | '\'' | ')' | '*' | '`'));
        }
        None
    }
}

impl<'t> Iterator for Words<'t> {
    type Item = Word<'t>;

    fn next(&mut self) -> Option<Word<'t>> {
        let first = self.skip()?;
        let rest = self.rest();
        let ascii = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let length = if is_ideograph(first) {
            first.len_utf8()
        } else if rest.as_bytes().get(ascii).is_none_or(u8::is_ascii) {
            ascii
        } else {
            rest.find(|c| !is_word(c) || is_ideograph(c)).unwrap_or(rest.len())
        };
        let place = self.at..self.at + length;
        self.at = place.end;
        let text = rest.get(..length).unwrap_or_default();
        Some(Word { text, place, sentence: self.sentence })
    }
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || (!character.is_ascii() && character.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_sentence() {
        let words = Words::new("a_b-c. d e.g\n\nf (2) 你好");
        let words: Vec<(&str, usize)> = words.map(|word| (word.text, word.sentence)).collect();
        let expected = [("a", 0), ("b", 0), ("c", 0), ("d", 1), ("e", 1), ("g", 1), ("f", 2)];
        assert_eq!(words[..7], expected);
        assert_eq!(words[7..], [("2", 2), ("你", 2), ("好", 2)]);
    }
}
