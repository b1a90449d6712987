//! Runs of characters as addresses, paths and names are made of.

use std::ops::Range;

/// Runs without blanks, quotes and brackets, without stops at the end.
pub(super) fn chunks(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut start = at;
        while let Some(length) = separator(bytes.get(start..)?) {
            start += length;
        }
        let mut end = start;
        while bytes.get(end..).is_some_and(|rest| !rest.is_empty() && separator(rest).is_none()) {
            end += 1;
        }
        at = end;
        let chunk = text.get(start..end)?.trim_end_matches(['.', ':', '!', '?']);
        (end > start).then(|| start..start + chunk.len())
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
