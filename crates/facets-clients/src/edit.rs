//! Changes to a text, by place.

use std::ops::Range;

/// What takes the place of a stretch of text.
pub(crate) type Edit = (Range<usize>, String);

/// The text with all edits made, or nothing if two of them concern the same bytes.
pub(crate) fn apply(text: &str, edits: &[Edit]) -> Option<String> {
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
pub(crate) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The line end and the indentation right before an offset, if nothing else stands there.
pub(crate) fn line_start(text: &str, offset: usize) -> Option<&str> {
    let before = text[..offset].trim_end_matches([' ', '\t']);
    let start = before.strip_suffix('\n')?;
    let start = start.strip_suffix('\r').unwrap_or(start);
    Some(&text[start.len()..offset])
}

/// A list of texts in the shape of another one.
pub(crate) fn list(
    items: &[String],
    model: Option<&str>,
    spaced: bool,
    quoted: impl Fn(&str) -> String,
) -> String {
    let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
    let model = model.filter(|model| model.starts_with('['));
    let lines = model.and_then(|model| Some((model, model.find('\n')?, model.rfind('\n')?)));
    let Some((model, first, last)) = lines else {
        let compact = model.is_some_and(|model| model.contains(',') && !model.contains(", "));
        let comma = if spaced && !compact { ", " } else { "," };
        return format!("[{}]", items.join(comma));
    };
    let indent = |at: usize| {
        let line = &model[at + 1..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    };
    let (inner, outer, end) = (indent(first), indent(last), line_end(model));
    let lines: Vec<String> = items.iter().map(|item| format!("{end}{inner}{item}")).collect();
    format!("[{}{end}{outer}]", lines.join(","))
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

    #[test]
    fn lists_take_the_shape_of_others() {
        let items = ["a".to_owned(), "b".to_owned()];
        let shaped =
            |model: Option<&str>, spaced| list(&items, model, spaced, |text| format!("'{text}'"));
        assert_eq!(shaped(None, true), "['a', 'b']");
        assert_eq!(shaped(None, false), "['a','b']");
        assert_eq!(shaped(Some("[1,2]"), true), "['a','b']");
        assert_eq!(shaped(Some("[\r\n\t\t1,\r\n\t]"), true), "[\r\n\t\t'a',\r\n\t\t'b'\r\n\t]");
        assert_eq!(shaped(Some("[\n]"), true), "[\n'a',\n'b'\n]");
    }
}
