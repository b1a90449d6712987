//! A text as it is looked at: lower case, without what hides in it, letters as they look.

use std::ops::Range;

use facets_model::is_hidden;

use super::letters::{is_combining, plain};

/// A text and its folded form. Places are places in the folded form.
pub(super) struct Folded<'t> {
    original: &'t str,
    text: String,
    /// Where the distance between the two changes: a place here, and the same place there.
    shifts: Vec<(usize, usize)>,
}

impl<'t> Folded<'t> {
    pub(super) fn new(original: &'t str) -> Self {
        let mut folded =
            Self { original, text: String::with_capacity(original.len()), shifts: Vec::new() };
        let mut characters = original.char_indices().peekable();
        let mut before = ' ';
        while let Some((at, character)) = characters.next() {
            // Nearly all characters of nearly all texts.
            if character.is_ascii_graphic() && character != '\'' || character == ' ' {
                folded.push(at, character.to_ascii_lowercase());
                before = character;
                continue;
            }
            let apostrophe = matches!(character, '\'' | '\u{2019}' | '\u{2bc}');
            let next = characters.peek().map_or(' ', |(_, next)| *next);
            if is_hidden(character)
                || is_combining(character)
                || (apostrophe && before.is_alphabetic() && next.is_alphabetic())
            {
                continue;
            }
            folded.push(at, plain(character));
            before = character;
        }
        folded
    }

    fn push(&mut self, at: usize, character: char) {
        let (here, there) = self.shifts.last().copied().unwrap_or_default();
        if at - there != self.text.len() - here {
            self.shifts.push((self.text.len(), at));
        }
        self.text.push(character);
    }

    /// The folded form.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The text as it is.
    pub(super) fn original(&self) -> &'t str {
        self.original
    }

    /// Where a place of the folded form is in the original.
    pub(super) fn place(&self, at: usize) -> usize {
        let next = self.shifts.partition_point(|(here, _)| *here <= at);
        let shift = next.checked_sub(1).and_then(|last| self.shifts.get(last));
        let (here, there) = shift.copied().unwrap_or_default();
        there + (at - here)
    }

    /// Where a range of the folded form is in the original, with what hides inside it.
    pub(super) fn range(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.place(range.start);
        let last = self.text.get(range.clone()).and_then(|text| text.char_indices().next_back());
        let last = self.place(range.start + last.map_or(0, |(at, _)| at));
        let width = self.original.get(last..).and_then(|rest| rest.chars().next());
        start..last + width.map_or(0, char::len_utf8)
    }
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
