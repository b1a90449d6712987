//! `facet outdated`.

use std::fmt::Write as _;

use anstyle::Style;
use facets_face::style::{BAD, GOOD, STRONG, WARN};
use facets_face::{Exit, Shown, plural, visible};
use facets_ops::outdated::{OutdatedCommit, OutdatedItem, OutdatedPackage, OutdatedReport};

use super::{Renderer, install_json};

impl Renderer {
    pub(crate) fn outdated(&self, report: &OutdatedReport) -> Shown {
        let all_known = report.items.iter().all(|item| item.error.is_none())
            && report.packages.iter().all(|package| package.error.is_none());
        let exit = if all_known { Exit::Yes } else { Exit::Unjudged };
        let human = || {
            let mut out = String::new();
            let mut talk = String::new();
            if !report.items.is_empty() || report.packages.is_empty() {
                items(&report.items, self.verbose, &mut out);
            }
            packages(&report.packages, &mut out);
            let failed = report.items.iter().map(|item| (&item.name, &item.error));
            let packages = report.packages.iter().map(|package| (&package.name, &package.error));
            for (name, error) in failed.chain(packages) {
                if let Some(error) = error {
                    let _ = writeln!(talk, "{} could not be looked up:", visible(name));
                    talk.push_str(&super::human::failure(&self.describe(error), self.verbose));
                }
            }
            for note in &report.notes {
                let _ = writeln!(talk, "{WARN}note{WARN:#}: {}", visible(note));
            }
            if !self.quiet {
                talk.push_str(&self.after_outdated(report));
            }
            Shown { talk, ..Shown::styled(out) }
        };
        self.show(human, || install_json::outdated(report, self.verbose)).with_exit(exit)
    }

    fn after_outdated(&self, report: &OutdatedReport) -> String {
        let any = |wanted: fn(&OutdatedItem) -> bool| report.items.iter().any(wanted);
        let has_packages = report.packages.iter().any(|package| package.changed > 0);
        let is_newer = |item: &OutdatedItem| item.upgrade.is_some() || newest(item).is_some();
        let command = if has_packages || any(is_newer) {
            "facet upgrade"
        } else if any(|item| item.latest.is_some()) {
            "facet upgrade --latest"
        } else if report.items.is_empty() && report.packages.is_empty() {
            return "nothing of a registry or a repository is locked here\n".to_owned();
        } else {
            return String::new();
        };
        format!("next: {STRONG}{}{STRONG:#}\n", self.advice(command))
    }
}

/// A line for each server from npm or PyPI.
fn packages(all: &[OutdatedPackage], out: &mut String) {
    for package in all {
        let (name, locked) = (visible(&package.name), visible(&package.locked));
        let words = match (&package.error, &package.upgrade, package.changed) {
            (Some(_), _, _) => format!("{BAD}not looked up{BAD:#}"),
            (None, Some(newer), changed) => {
                format!(
                    "{WARN}→ {}, {} changed{WARN:#}",
                    visible(newer),
                    plural(changed, "package")
                )
            }
            (None, None, 0) => format!("{GOOD}up to date{GOOD:#}"),
            (None, None, changed) => format!(
                "{WARN}same version, {} that it depends on changed{WARN:#}",
                plural(changed, "package")
            ),
        };
        let _ = writeln!(out, "server  {STRONG}{name}{STRONG:#}  {locked}  {words}");
        for replaced in &package.replaced {
            let replaced = visible(replaced);
            let _ =
                writeln!(out, "  {BAD}{replaced} has other bytes under the same version{BAD:#}");
        }
    }
}

/// How many are up to date, and a line for each that is not; for all if it is verbose.
fn items(all: &[OutdatedItem], is_verbose: bool, out: &mut String) {
    let is_current = |item: &&OutdatedItem| {
        item.upgrade.is_none()
            && item.latest.is_none()
            && item.yanked.is_none()
            && newest(item).is_none()
            && item.error.is_none()
    };
    let current = all.iter().filter(is_current).count();
    if !all.is_empty() {
        let style = if current == all.len() { GOOD } else { STRONG };
        let total = plural(all.len(), "facet or server");
        let total = total.replace("facet or servers", "facets and servers");
        let _ = writeln!(out, "{style}{current} of {total} up to date{style:#}");
    }
    let shown: Vec<&OutdatedItem> =
        all.iter().filter(|item| is_verbose || !is_current(item)).collect();
    let width = |of: &dyn Fn(&OutdatedItem) -> String| {
        shown.iter().map(|item| of(item).chars().count()).max().unwrap_or_default()
    };
    let names = width(&|item| visible(&item.name));
    let versions = width(&|item| item.locked.to_string());
    for item in shown {
        let (kind, name) = (item.kind.word(), visible(&item.name));
        let locked = item.locked.to_string();
        let (style, words) = words(item);
        let _ = writeln!(
            out,
            "{kind:<6}  {STRONG}{name:<names$}{STRONG:#}  {locked:<versions$}  {style}{words}{style:#}"
        );
    }
}

/// The commit of a repository, if there is a newer one.
fn newest(item: &OutdatedItem) -> Option<(&OutdatedCommit, &str)> {
    let commit = item.git.as_ref()?;
    Some((commit, commit.newest.as_deref()?))
}

fn commit_words((commit, newest): (&OutdatedCommit, &str)) -> String {
    let short = |text: &str| visible(&text.chars().take(12).collect::<String>());
    let whose = match &commit.reference {
        Some(reference) if commit.is_tag => format!("tag {} has moved", visible(reference)),
        Some(reference) => format!("branch {}", visible(reference)),
        None => "default branch".to_owned(),
    };
    format!("commit {} → {} ({whose})", short(&commit.locked), short(newest))
}

fn words(item: &OutdatedItem) -> (Style, String) {
    if item.error.is_some() {
        return (BAD, "could not be looked up".to_owned());
    }
    let yanked = item.yanked.as_ref().map(|reason| format!("yanked: {}", visible(reason)));
    let upgrade = item.upgrade.as_ref().map(|version| format!("→ {version}"));
    let latest =
        item.latest.as_ref().map(|version| format!("{version} exists, facets.json excludes it"));
    let commit = newest(item).map(commit_words);
    let parts: Vec<String> =
        [upgrade, latest, commit, yanked.clone()].into_iter().flatten().collect();
    match (parts.is_empty(), yanked) {
        (true, _) => (GOOD, "up to date".to_owned()),
        (false, Some(_)) => (BAD, parts.join("; ")),
        (false, None) => (WARN, parts.join("; ")),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use facets_ops::OpsError;
    use facets_ops::remove::PublishedKind;

    use super::*;

    fn item(kind: PublishedKind, name: &str, locked: &str) -> OutdatedItem {
        OutdatedItem {
            kind,
            name: name.to_owned(),
            locked: locked.parse().unwrap(),
            upgrade: None,
            latest: None,
            yanked: None,
            git: None,
            error: None,
        }
    }

    fn all() -> Vec<OutdatedItem> {
        let error = Some(OpsError::Internal { subject: "it".to_owned() });
        vec![
            OutdatedItem {
                upgrade: Some("1.4.0".parse().unwrap()),
                latest: Some("2.0.0".parse().unwrap()),
                ..item(PublishedKind::Facet, "team-tools", "1.0.0")
            },
            item(PublishedKind::Server, "files", "1.0.0"),
            OutdatedItem {
                yanked: Some("loses\u{202e} data".to_owned()),
                ..item(PublishedKind::Server, "jira", "2.1.0-rc.1")
            },
            OutdatedItem { error, ..item(PublishedKind::Server, "notes", "0.1.0") },
        ]
    }

    fn plain(items: &[OutdatedItem], is_verbose: bool) -> String {
        let mut out = String::new();
        super::items(items, is_verbose, &mut out);
        anstream::adapter::strip_str(&out).to_string()
    }

    #[test]
    fn what_is_outdated_is_listed_in_columns() {
        assert_eq!(
            plain(&all(), false),
            "\
1 of 4 facets and servers up to date
facet   team-tools  1.0.0       → 1.4.0; 2.0.0 exists, facets.json excludes it
server  jira        2.1.0-rc.1  yanked: loses\\u{202e} data
server  notes       0.1.0       could not be looked up
"
        );
        assert!(plain(&all(), true).contains("server  files       1.0.0       up to date\n"));
        assert_eq!(plain(&all()[1..2], false), "1 of 1 facet or server up to date\n");
    }

    #[test]
    fn a_newer_commit_is_shown_beside_the_locked_one() {
        let of = |reference: Option<&str>, newest: Option<&str>, is_tag| OutdatedItem {
            git: Some(OutdatedCommit {
                reference: reference.map(str::to_owned),
                locked: "1".repeat(40),
                newest: newest.map(|digit| digit.repeat(40)),
                is_tag,
            }),
            ..item(PublishedKind::Facet, "viper", "1.0.0")
        };
        let items = [
            of(Some("main"), Some("2"), false),
            of(None, Some("3"), false),
            of(Some("v1"), Some("4"), true),
            of(Some("main"), None, false),
        ];
        assert_eq!(
            plain(&items, false),
            "\
1 of 4 facets and servers up to date
facet   viper  1.0.0  commit 111111111111 → 222222222222 (branch main)
facet   viper  1.0.0  commit 111111111111 → 333333333333 (default branch)
facet   viper  1.0.0  commit 111111111111 → 444444444444 (tag v1 has moved)
"
        );
    }

    #[test]
    fn programs_get_every_member() {
        let value = install_json::outdated(
            &OutdatedReport { items: all(), packages: Vec::new(), notes: Vec::new() },
            false,
        );
        assert_eq!(value["items"][0]["upgrade"], "1.4.0");
        assert_eq!(value["items"][1]["latest"], serde_json::Value::Null);
        assert_eq!(value["items"][3]["error"]["code"], "internal-error");
    }
}
