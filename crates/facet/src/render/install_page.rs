//! What an install would do, as it is read before the question.

use std::fmt::Write as _;

use anstyle::Style;
use facets_drift::Finding;
use facets_face::style::{GOOD, QUIET, STRONG, WARN};
use facets_face::{plural, visible};
use facets_ops::install::{AssetChangeShown, FacetChange, InstallPage, ServerChange, ServerLook};

use super::first_sight::folded;
use super::{drift, human};

/// Facets and servers with their versions, and every text with what is suspicious in it.
pub(crate) fn page(page: &InstallPage, is_verbose: bool) -> String {
    let mut table = InstallTable::default();
    for facet in &page.facets {
        let (style, word) = match (&facet.from, &facet.to) {
            (None, _) => (GOOD, "new"),
            (Some(_), Some(_)) => (WARN, "changed"),
            (Some(_), None) => (WARN, "removed"),
        };
        table.rows.push(InstallRow::of_facet(facet, (style, word.to_owned())));
    }
    for server in &page.servers {
        let words = match server.look {
            ServerLook::Sandboxed => "to be started in a sandbox, to see what it declares",
            ServerLook::Open => "not started without a yes of its own (--accept-mcp)",
            ServerLook::Never => "an image: not started",
            ServerLook::Removed => "removed",
        };
        table.rows.push(InstallRow::of_server(server, (WARN, words.to_owned())));
    }
    let mut out = table.text();
    for asset in &page.assets {
        asset_text(asset, is_verbose, &mut out);
    }
    out
}

/// A text: all of a new one, the difference of a changed one, and what is suspicious below it.
pub(super) fn asset_text(asset: &AssetChangeShown, is_verbose: bool, out: &mut String) {
    let AssetChangeShown { facet, kind, name, before, after, binaries, findings } = asset;
    let word = match (before, after) {
        (None, Some(_)) => "new",
        (Some(_), Some(_)) => "changed",
        (_, None) => "removed",
    };
    let (kind, name) = (kind.word(), visible(name.as_str()));
    let _ = writeln!(out, "\n{kind} {STRONG}{name}{STRONG:#} {QUIET}of {facet}{QUIET:#}: {word}");
    changed_text(before.as_deref(), after.as_deref(), is_verbose, out);
    // A text that is new or changed was just said to be.
    let own = |finding: &&Finding| finding.before == *before && finding.after == *after;
    for finding in findings.iter().filter(own).filter(|one| !one.evidence.is_empty()) {
        drift::without_texts(finding, out);
    }
    for finding in findings.iter().filter(|finding| !own(finding)) {
        let _ = writeln!(out, "  {STRONG}{}{STRONG:#}", visible(&finding.subject));
        changed_text(finding.before.as_deref(), finding.after.as_deref(), is_verbose, out);
        drift::without_texts(finding, out);
    }
    for (path, bytes) in binaries {
        let size = human::size(*bytes);
        let _ = writeln!(out, "  {QUIET}with {} ({size}, not text){QUIET:#}", visible(path));
    }
}

/// All of a new text, the difference of another.
fn changed_text(before: Option<&str>, after: Option<&str>, is_verbose: bool, out: &mut String) {
    match (before, after) {
        // Nobody says yes to what was not shown.
        (None, Some(text)) => folded(text, "  ", true, out),
        (Some(before), Some(after)) => {
            // A line end at the end is no line of its own.
            let (before, after) = (before.trim_end_matches('\n'), after.trim_end_matches('\n'));
            drift::change(Some(before), Some(after), is_verbose, out);
        }
        (_, None) => {}
    }
}

/// Facets and servers in columns.
#[derive(Default)]
pub(super) struct InstallTable {
    pub(super) rows: Vec<InstallRow>,
}

/// One facet or server.
pub(super) struct InstallRow {
    kind: &'static str,
    name: String,
    versions: String,
    status: (Style, String),
    detail: String,
}

impl InstallRow {
    pub(super) fn of_facet(facet: &FacetChange, status: (Style, String)) -> Self {
        let from = facet.from.as_ref().map(ToString::to_string);
        let to = facet.to.as_ref().map(ToString::to_string);
        Self {
            kind: "facet",
            name: visible(facet.name.as_str()),
            versions: versions(from, to),
            status,
            detail: visible(&facet.source),
        }
    }

    pub(super) fn of_server(server: &ServerChange, status: (Style, String)) -> Self {
        let from = server.from.as_ref().map(ToString::to_string);
        let to = server.to.as_ref().map(ToString::to_string);
        let what = visible(&server.what);
        let facets: Vec<&str> =
            server.facets.iter().map(facets_model::ArtifactName::as_str).collect();
        let detail = match facets.as_slice() {
            [] => what,
            facets => format!("{what}, for {}", visible(&facets.join(", "))),
        };
        let name = visible(&server.name);
        Self { kind: "server", name, versions: versions(from, to), status, detail }
    }
}

/// `1.0.0`, or `1.0.0 → 1.4.0`.
fn versions(from: Option<String>, to: Option<String>) -> String {
    match (from, to) {
        (Some(from), Some(to)) if from != to => format!("{from} → {to}"),
        (from, to) => to.or(from).unwrap_or_default(),
    }
}

impl InstallTable {
    pub(super) fn text(&self) -> String {
        let width = |of: fn(&InstallRow) -> &str| {
            self.rows.iter().map(|row| of(row).chars().count()).max().unwrap_or_default()
        };
        let (names, numbers) = (width(|row| &row.name), width(|row| &row.versions));
        let statuses = width(|row| &row.status.1);
        let mut out = String::new();
        for InstallRow { kind, name, versions, status: (style, status), detail } in &self.rows {
            let gap = statuses - status.chars().count();
            let _ = write!(out, "{kind:<6}  {STRONG}{name:<names$}{STRONG:#}  ");
            if numbers > 0 {
                let _ = write!(out, "{versions:<numbers$}  ");
            }
            let _ = write!(out, "{style}{status}{style:#}");
            if !detail.is_empty() {
                let _ = write!(out, "{:gap$}  {QUIET}{detail}{QUIET:#}", "");
            }
            out.push('\n');
        }
        out
    }
}

/// `2 facets`, or nothing for none.
pub(super) fn counted(count: usize, noun: &str, what: &str) -> Option<String> {
    (count > 0).then(|| format!("{} {what}", plural(count, noun)).trim_end().to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use facets_drift::asset_findings;
    use facets_model::AssetKind;

    use super::*;
    use crate::render::install_example as example;

    fn plain(page: &InstallPage, is_verbose: bool) -> String {
        anstream::adapter::strip_str(&self::page(page, is_verbose)).to_string()
    }

    #[test]
    fn new_texts_are_shown_in_full_changed_ones_as_a_difference() {
        let facets = vec![
            example::facet("team-tools", Some("1.0.0"), Some("1.4.0")),
            example::facet("docs", None, Some("2.0.0")),
        ];
        let assets = vec![
            AssetChangeShown {
                binaries: vec![("logo.png".to_owned(), 20_480)],
                ..example::asset(AssetKind::Skill, "planning", None, Some("a\nb\nc\nd\ne\n"))
            },
            example::asset(
                AssetKind::Command,
                "deploy",
                Some("Ship it.\n"),
                Some("Ship it now.\n"),
            ),
            example::asset(AssetKind::Agent, "old", Some("x"), None),
        ];
        let other = |name: &str, look| ServerChange { look, ..example::server(name, None, None) };
        let servers = vec![
            example::server("jira", Some("1.0.0"), Some("2.1.0")),
            other("shell", ServerLook::Open),
            other("boxed", ServerLook::Never),
            other("gone", ServerLook::Removed),
        ];
        let page = InstallPage { facets, assets, servers };
        assert_eq!(
            plain(&page, false),
            "\
facet   team-tools  1.0.0 → 1.4.0  changed                                              https://registry.example.com
facet   docs        2.0.0          new                                                  https://registry.example.com
server  jira        1.0.0 → 2.1.0  to be started in a sandbox, to see what it declares  registry server, for team-tools
server  shell                      not started without a yes of its own (--accept-mcp)  registry server, for team-tools
server  boxed                      an image: not started                                registry server, for team-tools
server  gone                       removed                                              registry server, for team-tools

skill planning of team-tools: new
  a
  b
  c
  d
  e
  with logo.png (20 KiB, not text)

command deploy of team-tools: changed
           - Ship it.
           + Ship it now.

agent old of team-tools: removed
"
        );
        assert!(plain(&page, true).contains("  d\n  e\n"));
    }

    #[test]
    fn hidden_characters_are_visible_and_findings_stand_below_their_text() {
        let text = "be\u{200b}nign";
        let mut findings = asset_findings("skill planning", None, text);
        findings.extend(asset_findings("skill planning, more.md", None, "beside it"));
        let asset = AssetChangeShown {
            findings,
            ..example::asset(AssetKind::Skill, "planning", None, Some(text))
        };
        let page = InstallPage { assets: vec![asset], ..InstallPage::default() };
        let shown = plain(&page, false);
        assert!(
            shown.starts_with(
                "\nskill planning of team-tools: new\n  be\\u{200b}nign\n  critical new skill ["
            ),
            "{shown}"
        );
        assert!(
            shown.contains("\n  planning, more.md\n  beside it\n  moderate new skill ["),
            "{shown}"
        );
    }
}
