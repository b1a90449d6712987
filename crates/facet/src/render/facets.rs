//! Facets in what `facet list`, `facet verify` and `facet remove` show.

use std::fmt::Write as _;

use facets_face::style::{BAD, GOOD, QUIET, STRONG, WARN};
use facets_face::{plural, visible};
use facets_ops::check::CheckReport;
use facets_ops::install::{AssetFileStatus, InstalledFileShown};
use facets_ops::list::{AcceptedFindings, ListedFacet, accepted_words};
use facets_ops::remove::RemoveReport;
use serde_json::{Value, json};

/// The facets of a project, a line each.
pub(super) fn list(facets: &[ListedFacet]) -> String {
    let name = |facet: &ListedFacet| visible(&facet.name);
    let version =
        |facet: &ListedFacet| facet.version.as_ref().map(ToString::to_string).unwrap_or_default();
    let names = facets.iter().map(|facet| name(facet).chars().count()).max().unwrap_or_default();
    let versions = facets.iter().map(|facet| version(facet).len()).max().unwrap_or_default();
    let mut out = String::new();
    for facet in facets {
        let (name, version, source) = (name(facet), version(facet), visible(&facet.source));
        let state = state_of(facet);
        let _ = writeln!(
            out,
            "{STRONG}{name:<names$}{STRONG:#}  facet {version:<versions$}  {state}  {QUIET}{source}{QUIET:#}"
        );
        out.push_str(&accepted(&facet.accepted));
    }
    out
}

/// A line about what was accepted, if anything critical was.
pub(super) fn accepted(accepted: &AcceptedFindings) -> String {
    let words = accepted_words(accepted);
    words.map(|words| format!("  {WARN}note{WARN:#}: {}\n", visible(&words))).unwrap_or_default()
}

pub(super) fn accepted_json(accepted: &AcceptedFindings) -> Vec<Value> {
    accepted.all().iter().map(|one| json!({ "code": one.code, "subject": one.subject })).collect()
}

fn state_of(facet: &ListedFacet) -> String {
    let texts = plural(facet.assets, "text");
    match (&facet.version, facet.installed, facet.files_edited) {
        (None, ..) => "not installed".to_owned(),
        (Some(_), false, _) => format!("not installed on this machine, {texts}"),
        (Some(_), true, 0) => format!("installed, {texts}"),
        (Some(_), true, edited) => {
            format!("installed, {texts}, {} that you edited or deleted", plural(edited, "file"))
        }
    }
}

pub(super) fn list_json(facets: &[ListedFacet]) -> Vec<Value> {
    let one = |facet: &ListedFacet| {
        json!({
            "name": facet.name,
            "version": facet.version.as_ref().map(ToString::to_string),
            "source": facet.source,
            "assets": facet.assets,
            "files_edited": facet.files_edited,
            "installed": facet.installed,
            "accepted": accepted_json(&facet.accepted),
        })
    };
    facets.iter().map(one).collect()
}

/// What is not as it was locked or installed.
pub(super) fn checked(report: &CheckReport) -> String {
    let mut out = String::new();
    for facet in &report.facets {
        let name = visible(&facet.name);
        if facet.problems.is_empty() {
            let _ = writeln!(out, "{STRONG}{name}{STRONG:#}: {GOOD}intact{GOOD:#} (facet)");
        } else {
            let problems = plural(facet.problems.len(), "problem");
            let _ =
                writeln!(out, "{STRONG}{name}{STRONG:#}: {BAD}changed{BAD:#} (facet, {problems})");
        }
        for problem in &facet.problems {
            let (path, check) = (visible(&problem.path), problem.check.word());
            let _ = writeln!(out, "  {path} {QUIET}[{check}]{QUIET:#}");
            let _ = writeln!(out, "    expected: {}", visible(&problem.expected));
            let _ = writeln!(out, "    found:    {}", visible(&problem.actual));
        }
        for note in &facet.notes {
            let _ = writeln!(out, "  {WARN}note{WARN:#}: {}", visible(note));
        }
    }
    out
}

/// Each facet that is not intact, with its problems as sentences.
pub(super) fn broken(report: &CheckReport) -> Vec<(&str, Vec<String>)> {
    let bad = report.facets.iter().filter(|facet| !facet.problems.is_empty());
    let sentences = bad.map(|facet| {
        let sentence = facet.problems.iter().map(|problem| {
            let (check, path) = (problem.check.word(), &problem.path);
            let (expected, actual) = (&problem.expected, &problem.actual);
            format!("{path}: the {check} check failed: expected {expected}, found {actual}")
        });
        (facet.name.as_str(), sentence.collect())
    });
    sentences.collect()
}

pub(super) fn checked_json(report: &CheckReport) -> Vec<Value> {
    let facets = report.facets.iter().map(|facet| {
        let problems = facet.problems.iter().map(|problem| {
            json!({
                "check": problem.check.word(),
                "path": problem.path,
                "expected": problem.expected,
                "actual": problem.actual,
            })
        });
        json!({
            "name": facet.name,
            "problems": problems.collect::<Vec<_>>(),
            "notes": facet.notes,
        })
    });
    facets.collect()
}

/// Facets that were removed, with what became of their files.
pub(super) fn removed(report: &RemoveReport) -> String {
    let mut out = String::new();
    for name in &report.facets {
        let of_facet = |file: &&InstalledFileShown| file.facet.as_str() == name;
        let files: Vec<&InstalledFileShown> = report.files.iter().filter(of_facet).collect();
        let is_removed = |file: &&&InstalledFileShown| file.status == AssetFileStatus::Removed;
        let count = plural(files.iter().filter(is_removed).count(), "file");
        let _ = writeln!(out, "removed {} (facet, {count})", visible(name));
        for file in files.iter().filter(|file| file.status == AssetFileStatus::Edited) {
            let path = visible(&file.path.display().to_string());
            let _ = writeln!(out, "{WARN}kept{WARN:#} {path} (you edited it)");
        }
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::render::install_example as example;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn facet(name: &str, version: Option<&str>) -> ListedFacet {
        ListedFacet {
            name: name.to_owned(),
            version: version.map(|version| version.parse().unwrap()),
            source: "./facet".to_owned(),
            assets: 2,
            files_edited: 0,
            installed: version.is_some(),
            accepted: AcceptedFindings::default(),
        }
    }

    #[test]
    fn facets_are_listed_with_what_became_of_their_files() {
        let all = [
            facet("team-tools", Some("1.0.0")),
            ListedFacet { files_edited: 1, ..facet("docs", Some("10.0.0")) },
            ListedFacet { installed: false, ..facet("a", Some("1.0.0")) },
            facet("b", None),
        ];
        assert_eq!(
            plain(&list(&all)),
            "\
team-tools  facet 1.0.0   installed, 2 texts  ./facet
docs        facet 10.0.0  installed, 2 texts, 1 file that you edited or deleted  ./facet
a           facet 1.0.0   not installed on this machine, 2 texts  ./facet
b           facet         not installed  ./facet
"
        );
    }

    #[test]
    fn a_file_that_was_edited_stays_when_its_facet_is_removed() {
        let report = RemoveReport {
            names: Vec::new(),
            facets: vec!["team-tools".to_owned()],
            files: vec![
                example::file(".claude/skills/planning/SKILL.md", AssetFileStatus::Removed),
                example::file(".claude/skills/planning/more.md", AssetFileStatus::Edited),
            ],
            restored: Vec::new(),
            left: Vec::new(),
            edited: Vec::new(),
            is_empty: true,
        };
        assert_eq!(
            plain(&removed(&report)),
            "\
removed team-tools (facet, 1 file)
kept .claude/skills/planning/more.md (you edited it)
"
        );
    }
}
