//! Runs of characters as addresses, paths and names are made of.

use std::ops::Range;

/// A run without blanks, quotes and brackets, without stops at the end.
pub(crate) struct Chunk<'t> {
    pub(crate) text: &'t str,
    pub(crate) place: Range<usize>,
    /// Whether it has anything but letters, digits and characters beyond ASCII.
    pub(crate) has_marks: bool,
}

/// All chunks of a text.
pub(crate) fn chunks(text: &str) -> impl Iterator<Item = Chunk<'_>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut start = at;
        while let Some(length) = separator(bytes.get(start..)?) {
            start += length;
        }
        let (mut end, mut has_marks) = (start, false);
        while let Some(byte) = bytes.get(end).copied() {
            if !byte.is_ascii_alphanumeric() {
                if separator(bytes.get(end..)?).is_some() {
                    break;
                }
                has_marks |= byte.is_ascii();
            }
            end += 1;
        }
        at = end;
        let chunk = text.get(start..end)?.trim_end_matches(['.', ':', '!', '?']);
        let place = start..start + chunk.len();
        (end > start).then_some(Chunk { text: chunk, place, has_marks })
    })
}

/// How long the separator is that a text begins with. All bytes of a separator are told by its
/// first ones, so that nothing is cut inside a character.
fn separator(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [first, ..] if first.is_ascii() => SEPARATORS[usize::from(*first)].then_some(1),
        // The curly quotes, and the stops of Chinese and Japanese.
        [0xe2, 0x80, 0x98..=0x9f, ..] | [0xe3, 0x80, 0x81 | 0x82, ..] => Some(3),
        _ => None,
    }
}

const SEPARATORS: [bool; 128] = {
    let mut table = [false; 128];
    let separators = b" \t\n\r\x0c\"'`<>()[]{}|,;*";
    let mut at = 0;
    while at < separators.len() {
        table[separators[at] as usize] = true;
        at += 1;
    }
    table
};
