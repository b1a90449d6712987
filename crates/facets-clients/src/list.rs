//! Lists of texts, in JSON and in TOML.

use facets_jsonc::line_end;

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
