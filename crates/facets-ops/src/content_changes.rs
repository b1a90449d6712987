//! Which files of a source differ from the artifact that was pinned of it (spec 7.2).

use std::collections::BTreeMap;

use facets_archive::ArchivedFile;
use facets_drift::{Finding, FindingType};
use facets_lock::{ArtifactPin, Pin};
use facets_model::Origin;

use crate::artifact_changes::compare_artifacts;
use crate::stored_artifact::stored_files;

/// Files that are named before the rest is counted.
const MOST: usize = 10;

/// What changed from a pinned artifact to the one that its source gives now. The finding about its content or its
/// version names the files: an edit is more frequent than a forgery.
pub(crate) fn compare_with_source(before: &Pin, (origin, after): (&Origin, &Pin)) -> Vec<Finding> {
    let mut findings = compare_artifacts(before, after);
    if let (Some(before), Some(after)) = (before.artifact(), after.artifact()) {
        for found in &mut findings {
            match found.kind {
                FindingType::ContentChanged => found.sentence = sentence(origin, before, after),
                FindingType::VersionChanged => {
                    found.sentence.push_str(": ");
                    found.sentence.push_str(&sentence(origin, before, after));
                }
                _ => {}
            }
        }
    }
    findings
}

fn sentence(origin: &Origin, before: &ArtifactPin, after: &ArtifactPin) -> String {
    let differs = format!("{origin} differs from the pinned version {}", before.version);
    if before.integrity == after.integrity {
        return format!("{differs} only in its compression");
    }
    match (stored_files(before), stored_files(after)) {
        (Some(before), Some(after)) => {
            format!("{differs} in {}", words(&changed_files(&before, &after)))
        }
        // The store does not have both any more.
        _ => differs,
    }
}

/// The files that differ, by path, with what happened to each.
fn changed_files<'f>(
    before: &'f [ArchivedFile],
    after: &'f [ArchivedFile],
) -> BTreeMap<&'f str, &'static str> {
    let (before, after) = (by_path(before), by_path(after));
    let mut changed = BTreeMap::new();
    for path in before.keys().chain(after.keys()) {
        let change = match (before.get(path), after.get(path)) {
            (Some(old), Some(new)) if old == new => continue,
            (Some(_), Some(_)) => "modified",
            (Some(_), None) => "removed",
            (None, _) => "added",
        };
        changed.insert(*path, change);
    }
    changed
}

fn by_path(files: &[ArchivedFile]) -> BTreeMap<&str, &ArchivedFile> {
    files.iter().map(|file| (file.path.as_str(), file)).collect()
}

fn words(changed: &BTreeMap<&str, &'static str>) -> String {
    let count = changed.len();
    let plural = if count == 1 { "" } else { "s" };
    let named = changed.iter().take(MOST).map(|(path, change)| format!("{change} {path}"));
    let named: Vec<String> = named.collect();
    let more = match count.saturating_sub(MOST) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!("{count} file{plural}: {}{more}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use facets_archive::EntryMode;
    use facets_digest::Digest;

    use super::*;

    fn files(files: &[(&str, &str)]) -> Vec<ArchivedFile> {
        let file = |(path, text): &(&str, &str)| ArchivedFile {
            path: path.parse().unwrap(),
            mode: EntryMode::Plain,
            size: text.len() as u64,
            digest: Digest::of(text.as_bytes()),
        };
        files.iter().map(file).collect()
    }

    fn told(before: &[ArchivedFile], after: &[ArchivedFile]) -> String {
        words(&changed_files(before, after))
    }

    #[test]
    fn files_that_were_modified_added_and_removed_are_named() {
        let before = files(&[("a.ts", "a"), ("b.ts", "b"), ("c.ts", "c")]);
        let mut after = files(&[("a.ts", "a"), ("b.ts", "other"), ("d.ts", "d")]);
        assert_eq!(told(&before, &after), "3 files: modified b.ts, removed c.ts, added d.ts");
        after = before.clone();
        after[0].mode = EntryMode::Executable;
        assert_eq!(told(&before, &after), "1 file: modified a.ts");
    }

    #[test]
    fn ten_files_are_named_and_the_others_are_counted() {
        let names: Vec<String> = (0..13).map(|number| format!("f{number:02}.ts")).collect();
        let added: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
        let told = told(&[], &files(&added));
        assert!(told.starts_with("13 files: added f00.ts, "), "{told}");
        assert!(told.ends_with("added f09.ts, and 3 more"), "{told}");
    }
}
