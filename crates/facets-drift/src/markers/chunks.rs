//! Runs of characters as addresses, paths and names are made of.

use std::ops::Range;

/// Runs without blanks, quotes and brackets, without stops at the end.
pub(super) fn chunks(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.find(|c| !ends_chunk(c))?;
        let rest = text.get(start..)?;
        let length = rest.find(ends_chunk).unwrap_or(rest.len());
        at = start + length;
        let chunk = rest.get(..length)?.trim_end_matches(['.', ':', '!', '?']);
        Some(start..start + chunk.len())
    })
}

fn ends_chunk(character: char) -> bool {
    character.is_ascii_whitespace()
        || matches!(
            character,
            '"' | '\''
                | '`'
                | '<'
                | '>'
                | '('
                | ')'
                | '['
                | ']'
                | '{'
                | '}'
                | '|'
                | ','
                | ';'
                | '*'
                | '\u{2018}'..='\u{201f}' | '\u{3001}' | '\u{3002}'
        )
}
