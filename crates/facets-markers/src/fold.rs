//! A text as it is looked at: lower case, without what hides in it, letters as they look.

use std::ops::Range;

use crate::hidden::is_hidden;

use crate::letters::{is_combining, plain};

/// A text and its folded form. Places are places in the folded form.
pub(crate) struct Folded<'t> {
    original: &'t str,
    text: String,
    /// Where the distance between the two changes: a place here, and the same place there.
    shifts: Vec<(usize, usize)>,
}

impl<'t> Folded<'t> {
    pub(crate) fn new(original: &'t str) -> Self {
        // Of a text that hides nearly everything, little is left.
        let text = String::with_capacity(original.len().min(4096));
        let mut folded = Self { original, text, shifts: Vec::new() };
        let mut at = 0;
        while let Some(rest) = original.get(at..).filter(|rest| !rest.is_empty()) {
            let plain = rest.bytes().take_while(|byte| is_plain(*byte)).count();
            if plain > 0 {
                folded.shift(at);
                folded.text.push_str(rest.get(..plain).unwrap_or_default());
                at += plain;
            } else if let Some(character) = rest.chars().next() {
                folded.fold(at, character);
                at += character.len_utf8();
            }
        }
        folded.text.make_ascii_lowercase();
        folded
    }

    fn fold(&mut self, at: usize, character: char) {
        let is_apostrophe = matches!(character, '\'' | '\u{2019}' | '\u{2bc}');
        let dropped = is_hidden(character)
            || is_combining(character)
            || (is_apostrophe && self.is_inside_word(at, character));
        if !dropped {
            self.shift(at);
            self.text.push(plain(character));
        }
    }

    fn is_inside_word(&self, at: usize, character: char) -> bool {
        let next = self.original.get(at + character.len_utf8()..).unwrap_or_default();
        self.text.ends_with(char::is_alphabetic) && next.starts_with(char::is_alphabetic)
    }

    /// Notes where the two texts are if their distance has changed.
    fn shift(&mut self, at: usize) {
        let (here, there) = self.shifts.last().copied().unwrap_or_default();
        if at - there != self.text.len() - here {
            self.shifts.push((self.text.len(), at));
        }
    }

    /// The folded form.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The text as it is.
    pub(crate) fn original(&self) -> &'t str {
        self.original
    }

    /// Where a place of the folded form is in the original.
    pub(crate) fn place(&self, at: usize) -> usize {
        let next = self.shifts.partition_point(|(here, _)| *here <= at);
        let shift = next.checked_sub(1).and_then(|last| self.shifts.get(last));
        let (here, there) = shift.copied().unwrap_or_default();
        there + (at - here)
    }

    /// Where a range of the folded form is in the original, with what hides inside it.
    pub(crate) fn range(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.place(range.start);
        let last = self.text.get(range.clone()).and_then(|text| text.char_indices().next_back());
        let last = self.place(range.start + last.map_or(0, |(at, _)| at));
        let width = self.original.get(last..).and_then(|rest| rest.chars().next());
        start..last + width.map_or(0, char::len_utf8)
    }
}

/// Nearly all bytes of nearly all texts: they stay what they are, in lower case.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'&' | b'('..=b'~' | b'\n' | b'\t' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_again() {
        let text = "Äb\u{200b}C don\u{2019}t ｉgn\u{301}о\u{feff}re";
        let folded = Folded::new(text);
        assert_eq!(folded.text(), "abc dont ignore");
        assert_eq!(&text[folded.range(&(0..3))], "Äb\u{200b}C");
        assert_eq!(&text[folded.range(&(4..8))], "don\u{2019}t");
        assert_eq!(&text[folded.range(&(9..15))], "ｉgn\u{301}о\u{feff}re");
    }
}
