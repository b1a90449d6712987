//! Where something stands in the text of a lock.

use facets_digest::json::Position;
use facets_failure::LineColumn;
use facets_jsonc::{JsonDocument, Notation};

/// The place of the value to which these names lead, or of the last one on the way that is there.
pub(crate) fn place_of(text: &str, names: &[&str]) -> Option<LineColumn> {
    let document = JsonDocument::new(text, Notation::Plain);
    let mut value = document.root().ok()?;
    for name in names {
        let Ok(Some(object)) = document.object(&value) else { break };
        let Some(member) = object.get(name) else { break };
        value = member.value.clone();
    }
    let Position { line, column, .. } = Position::of(text.as_bytes(), value.start);
    Some(LineColumn { line, column })
}
