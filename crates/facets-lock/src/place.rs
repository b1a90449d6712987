//! Where something stands in the text of a lock.

use std::ops::Range;

use facets_digest::json::Position;
use facets_failure::LineColumn;
use facets_jsonc::{JsonDocument, Notation};

/// The place of the value to which these names lead, or of the last one on the way that is there.
pub(crate) fn place_of(text: &str, names: &[&str]) -> Option<LineColumn> {
    let document = JsonDocument::new(text, Notation::Plain);
    let mut value = document.root().ok()?;
    for name in names {
        let Some(found) = step(document, &value, name) else { break };
        value = found;
    }
    let Position { line, column, .. } = Position::of(text.as_bytes(), value.start);
    Some(LineColumn { line, column })
}

/// The member of this name; or of `name[3]`, the item of the list that `name` is.
fn step(document: JsonDocument<'_>, value: &Range<usize>, name: &str) -> Option<Range<usize>> {
    let object = document.object(value).ok()??;
    if let Some(member) = object.get(name) {
        return Some(member.value.clone());
    }
    let (list, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let items = document.array(&object.get(list)?.value).ok()??;
    items.get(index.parse::<usize>().ok()?).cloned()
}
