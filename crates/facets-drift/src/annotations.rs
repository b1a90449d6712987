//! What a tool claims about its own danger.

use std::cmp::Ordering;

use facets_digest::json::Value;

use crate::finding::{Compat, Finding, FindingType, Severity, SubjectKind};
use crate::shown::shown;

/// A hint, and how dangerous each of its values is: true, absent, false.
struct Hint {
    name: &'static str,
    danger: [u8; 3],
}

/// Leaving a hint out means the default that the protocol gives it.
const HINTS: &[Hint] = &[
    Hint { name: "readOnlyHint", danger: [0, 1, 1] },
    Hint { name: "destructiveHint", danger: [1, 1, 0] },
    Hint { name: "idempotentHint", danger: [0, 1, 1] },
    Hint { name: "openWorldHint", danger: [1, 1, 0] },
];

fn is_text(annotations: Option<&Value<'_>>) -> bool {
    let title = annotations.and_then(|all| all.member("title"));
    matches!(title, Some(Value::String(_)))
}

fn danger(hint: &Hint, annotations: Option<&Value<'_>>) -> u8 {
    match annotations.and_then(|all| all.member(hint.name)) {
        Some(Value::Bool(true)) => hint.danger[0],
        Some(Value::Bool(false)) => hint.danger[2],
        // Who only reads destroys nothing, until told otherwise.
        _ if hint.name == "destructiveHint" && only_reads(annotations) => hint.danger[2],
        _ => hint.danger[1],
    }
}

fn only_reads(annotations: Option<&Value<'_>>) -> bool {
    annotations.and_then(|all| all.member("readOnlyHint")) == Some(&Value::Bool(true))
}

/// One finding for each hint that changed, and one for everything else.
pub(crate) fn compare(
    tool: &str,
    before: Option<&Value<'_>>,
    after: Option<&Value<'_>>,
    out: &mut Vec<Finding>,
) {
    let mut names: Vec<&str> = Vec::new();
    for side in [before, after].into_iter().flatten() {
        match side {
            Value::Object(object) => names.extend(object.members().iter().map(|m| &*m.name)),
            _ => names.push(""),
        }
    }
    names.sort_unstable();
    names.dedup();
    for name in names {
        let of = |side: Option<&Value<'_>>| match side {
            Some(whole) if name.is_empty() => Some(shown(whole)),
            Some(whole) => whole.member(name).map(shown),
            None => None,
        };
        let form = |side: Option<&Value<'_>>| match side {
            Some(whole) if name.is_empty() => Some(whole.to_canonical()),
            Some(whole) => whole.member(name).map(Value::to_canonical),
            None => None,
        };
        let (old, new) = (of(before), of(after));
        // A title is a text like any other.
        if form(before) == form(after) || (name == "title" && is_text(before) && is_text(after)) {
            continue;
        }
        let hint = HINTS.iter().find(|hint| hint.name == name);
        let (severity, sentence) = grade(name, hint, before, after);
        let finding = Finding::new(
            FindingType::ToolChanged,
            (SubjectKind::Tool, tool),
            (severity, if severity == Severity::Safe { Compat::Cosmetic } else { Compat::Risky }),
            sentence,
        );
        let place = format!("annotations.{name}");
        out.push(finding.of_member(place.trim_end_matches('.'), old, new));
    }
}

fn grade(
    name: &str,
    hint: Option<&Hint>,
    before: Option<&Value<'_>>,
    after: Option<&Value<'_>>,
) -> (Severity, String) {
    let Some(hint) = hint else {
        let sentence = match name {
            "" => "`annotations` is no longer an object".to_owned(),
            name => format!("annotation `{name}` changed"),
        };
        return (Severity::Moderate, sentence);
    };
    match danger(hint, after).cmp(&danger(hint, before)) {
        Ordering::Greater => {
            let sentence = format!("`{name}` now says that it is more dangerous");
            (Severity::Critical, sentence)
        }
        Ordering::Less => {
            let sentence = format!("`{name}` now says that it is safer: a client may stop asking");
            (Severity::Moderate, sentence)
        }
        Ordering::Equal => {
            let sentence = format!("`{name}` is written differently and means the same");
            // Only true and false have a meaning that all readers share.
            let plain = [before, after].into_iter().all(|side| {
                let value = side.and_then(|all| all.member(hint.name));
                matches!(value, None | Some(Value::Bool(_)))
            });
            (if plain { Severity::Safe } else { Severity::Moderate }, sentence)
        }
    }
}
