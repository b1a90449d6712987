//! What a server declares otherwise because of the machine that it runs on (spec 5.2).

use std::collections::BTreeMap;

use facets_drift::{Finding, FindingType, Severity, Side};
use facets_surface::{Also, Definition, Kind, Surface};

use crate::pinned::differences;

/// What of a variant is not what is pinned: a finding for each change, graded as it would be if it were
/// the same everywhere, and no less than moderate.
pub(crate) fn variations(surface: &Surface, variant: &Also) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for layer in layers(variant) {
        let here = surface_here(surface, &layer);
        let (hashes, hashes_here) = (surface.hashes(), here.hashes());
        let (before, after) =
            (Side { surface, hashes: &hashes }, Side { surface: &here, hashes: &hashes_here });
        found.extend(differences(before, after).into_iter().map(of_this_machine));
    }
    found
}

fn of_this_machine(change: Finding) -> Finding {
    // A name that is taken for another stays what it is, wherever it is declared.
    let is_name = change.kind == FindingType::NameConfusable;
    Finding {
        kind: if is_name { change.kind } else { FindingType::ProfileVaries },
        severity: change.severity.max(Severity::Moderate),
        sentence: format!("on this machine: {}", change.sentence),
        ..change
    }
}

/// Variants of the same definition one by one: none hides behind another.
fn layers(variant: &Also) -> Vec<Also> {
    let mut layers: Vec<Also> = Vec::new();
    let mut seen: BTreeMap<(Kind, &str), usize> = BTreeMap::new();
    for item in &variant.items {
        let times = seen.entry((item.kind(), item.name())).or_default();
        layer(&mut layers, *times).items.push(item.clone());
        *times += 1;
    }
    for (index, text) in variant.instructions.iter().enumerate() {
        layer(&mut layers, index).instructions.push(text.clone());
    }
    layers
}

fn layer(layers: &mut Vec<Also>, index: usize) -> &mut Also {
    if layers.len() <= index {
        layers.resize(index + 1, Also::default());
    }
    &mut layers[index]
}

/// The surface as it is on this machine.
fn surface_here(surface: &Surface, variant: &Also) -> Surface {
    let mut here = surface.clone();
    here.instructions = variant.instructions.first().cloned().or(here.instructions);
    let mut items: BTreeMap<Kind, Vec<Definition>> = BTreeMap::new();
    for item in &variant.items {
        items.entry(item.kind()).or_default().push(item.clone());
    }
    for (kind, items) in items {
        here.put(kind, items);
    }
    here
}
