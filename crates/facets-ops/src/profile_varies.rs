//! What a server declares otherwise because of the machine that it runs on (spec 5.2).

use std::collections::BTreeSet;

use facets_digest::json::Value;
use facets_drift::{Compat, Finding, FindingType, Severity, Side, SubjectKind};
use facets_surface::{Also, Definition, Surface};

use crate::pinned::differences;

/// Definitions that are named before the rest is counted.
const NAMED: usize = 12;

/// Says what of a variant is not what is pinned; nothing if there is no variant.
pub(crate) fn profile_varies(surface: &Surface, variant: &Also) -> Option<Finding> {
    let mut places: Vec<String> = variant.items.iter().map(|item| place(surface, item)).collect();
    if !variant.instructions.is_empty() {
        places.push("instructions".to_owned());
    }
    if places.is_empty() {
        return None;
    }
    let more = places.len().saturating_sub(NAMED);
    places.truncate(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let sentence = format!(
        "it declares something else on this machine, because of its environment: {}{more}",
        places.join("; ")
    );
    let grade = (Severity::Moderate, Compat::Risky);
    let found =
        Finding::new(FindingType::ProfileVaries, (SubjectKind::Server, ""), grade, sentence);
    let (before, after) = texts(surface, variant);
    // Whatever is suspicious where it is new is so here, too.
    let here = surface_here(surface, variant);
    let (hashes, hashes_here) = (surface.hashes(), here.hashes());
    let changes = differences(
        Side { surface, hashes: &hashes },
        Side { surface: &here, hashes: &hashes_here },
    );
    let evidence = changes.into_iter().flat_map(|change| change.evidence).collect();
    Some(found.of_member("declarations", before, after).with_evidence(evidence))
}

/// The surface as it is on this machine.
fn surface_here(surface: &Surface, variant: &Also) -> Surface {
    let mut here = surface.clone();
    here.instructions = variant.instructions.first().cloned().or(here.instructions);
    for item in &variant.items {
        here.put(item.clone());
    }
    here
}

/// A definition, and which of its members differ.
fn place(surface: &Surface, item: &Definition) -> String {
    let pinned = surface.items(item.kind()).iter().find(|known| known.name() == item.name());
    let what = format!("{} {}", item.kind().word(), item.name());
    let Some(pinned) = pinned else { return format!("{what} (only here)") };
    let (Value::Object(old), Value::Object(new)) = (pinned.value(), item.value()) else {
        return what;
    };
    let names = old.members().iter().chain(new.members()).map(|member| &*member.name);
    let differing: BTreeSet<&str> = names.filter(|name| old.get(name) != new.get(name)).collect();
    let differing: Vec<&str> = differing.into_iter().collect();
    format!("{what} ({})", differing.join(", "))
}

/// What is pinned, and what is declared here instead, to be shown side by side.
fn texts(surface: &Surface, variant: &Also) -> (Option<String>, Option<String>) {
    let pretty = |item: &Definition| {
        let mut out = Vec::new();
        item.value().write_pretty(0, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    };
    let known = |item: &&Definition| {
        surface.items(item.kind()).iter().find(|known| known.name() == item.name())
    };
    let shown: Vec<&Definition> = variant.items.iter().take(NAMED).collect();
    let mut before: Vec<String> = shown.iter().filter_map(known).map(pretty).collect();
    let mut after: Vec<String> = shown.into_iter().map(pretty).collect();
    if !variant.instructions.is_empty() {
        before.extend(surface.instructions.clone());
        after.extend(variant.instructions.iter().cloned());
    }
    let joined = |texts: Vec<String>| (!texts.is_empty()).then(|| texts.join("\n"));
    (joined(before), joined(after))
}
