//! Changes to a text, by place.

use std::ops::Range;

/// What takes the place of a stretch of text.
pub type Edit = (Range<usize>, String);

/// The text with all edits made, or nothing if two of them concern the same bytes.
#[must_use]
pub fn apply(text: &str, edits: &[Edit]) -> Option<String> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    // Stable, so that two insertions at one place keep their order.
    sorted.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for (range, new) in sorted {
        out.push_str(text.get(at..range.start)?);
        out.push_str(new);
        at = range.end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// The line end that a text uses.
#[must_use]
pub fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The line end and the indentation right before an offset, if nothing else stands there.
#[must_use]
pub fn line_start(text: &str, offset: usize) -> Option<&str> {
    let before = text[..offset].trim_end_matches([' ', '\t']);
    let start = before.strip_suffix('\n')?;
    let start = start.strip_suffix('\r').unwrap_or(start);
    Some(&text[start.len()..offset])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_edits_in_any_order_and_refuses_overlaps() {
        let edits = vec![(4..5, "E".to_owned()), (0..1, String::new()), (2..2, "+".to_owned())];
        assert_eq!(apply("abcdef", &edits).as_deref(), Some("b+cdEf"));
        assert_eq!(apply("abcdef", &[(0..3, String::new()), (2..4, String::new())]), None);
    }
}
