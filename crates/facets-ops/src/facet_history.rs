//! What became of locked facets since a revision (spec 8.6).

use facets_lock::{Lock, LockedFacet};

use crate::accepted_findings::accepted_since;
use crate::checked_facet::{CheckedFacet, FacetProblem};
use crate::error::InstallCheck;
use crate::installing::shown_source;

/// Adds what weakens trust in a facet as problems, and every other change as a note.
pub(crate) fn compare_with_revision(
    checked: &mut CheckedFacet,
    now: &Lock,
    (revision, old): (&str, &Lock),
) {
    let Some(now) = now.facet(&checked.name) else { return };
    let Some(old) = old.facet(&checked.name) else {
        checked.notes.push(format!("added since {revision}"));
        return;
    };
    let mut problem = |what: &str, expected: String, actual: String| {
        let (check, path) = (InstallCheck::Lockfile, format!("facets.lock, {what}"));
        checked.problems.push(FacetProblem { check, path, expected, actual });
    };
    let sources = (shown_source(&old.source), shown_source(&now.source));
    if old.source.kind() != now.source.kind() || is_other_registry(old, now) {
        problem("source", sources.0, sources.1);
    }
    if old.version == now.version && old.integrity != now.integrity {
        let what = format!("integrity of version {}", now.version);
        problem(&what, old.integrity.to_string(), now.integrity.to_string());
    }
    if old.version != now.version {
        checked.notes.push(format!("version {} at {revision}, {} now", old.version, now.version));
    }
    checked.notes.extend(changed_texts(old, now));
    let accepted = (&old.accepted, &now.accepted);
    let is_same = old.integrity == now.integrity && old.assets == now.assets;
    checked.notes.extend(accepted_since(revision, accepted, is_same));
}

fn is_other_registry(old: &LockedFacet, now: &LockedFacet) -> bool {
    use facets_lock::LockedFacetSource::{Git, Local, Registry};
    match (&old.source, &now.source) {
        (Registry { url: old }, Registry { url: now }) => old != now,
        (Git { url: old, .. }, Git { url: now, .. }) => old != now,
        (Local { path: old }, Local { path: now }) => old != now,
        _ => true,
    }
}

/// The files of assets that are new, changed or gone.
fn changed_texts(old: &LockedFacet, now: &LockedFacet) -> Option<String> {
    let files = |facet: &LockedFacet| -> Vec<(String, facets_digest::Digest)> {
        let files = facet.assets.iter().flat_map(|asset| &asset.files);
        files.map(|file| (file.path.to_string(), file.integrity)).collect()
    };
    let (old, now) = (files(old), files(now));
    let changed = now.iter().filter(|file| !old.contains(file)).map(|(path, _)| path.as_str());
    let gone = old.iter().filter(|(path, _)| !now.iter().any(|(other, _)| other == path));
    let mut words: Vec<String> = changed.map(|path| format!("changed or new {path}")).collect();
    words.extend(gone.map(|(path, _)| format!("gone {path}")));
    (!words.is_empty()).then(|| words.join(", "))
}

/// Facets that were locked at the revision and are not any more.
pub(crate) fn removed_facets(now: &Lock, (revision, old): (&str, &Lock)) -> Vec<CheckedFacet> {
    let gone = old.facets().keys().filter(|name| !now.facets().contains_key(*name));
    let checked = gone.map(|name| CheckedFacet {
        name: name.clone(),
        problems: Vec::new(),
        notes: vec![format!("removed since {revision}")],
    });
    checked.collect()
}
