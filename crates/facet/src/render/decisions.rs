//! `facet approvals` and `facet data`.

use std::fmt::Write as _;

use anstyle::Style;
use facets_face::{Shown, plural, visible};
use facets_failure::{Describe as _, Failure};
use facets_ops::OpsError;
use facets_ops::approvals::{ApprovedSurface, DecidedServer};
use facets_ops::consent::MovedServer;
use facets_ops::grant::grants_words;
use facets_project::PrivateHome;
use serde_json::{Value, json};

use super::human;
use super::renderer::Renderer;

const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();

/// Approvals of one name that are shown before the rest is counted.
const SHOWN: usize = 10;

impl Renderer {
    pub(crate) fn approvals(&self, all: &[DecidedServer]) -> Shown {
        let human = || {
            if all.is_empty() {
                let talk = "no approvals in this project; --all shows every project\n";
                return Shown { talk: talk.to_owned(), ..Shown::styled(String::new()) };
            }
            Shown::styled(approvals_text(all))
        };
        let json = || json!({ "servers": all.iter().map(decided_json).collect::<Vec<_>>() });
        self.show(human, json)
    }

    pub(crate) fn revoked(&self, all: &[DecidedServer]) -> Shown {
        let human = || {
            let lines = all.iter().map(|one| {
                let count = plural(one.approved.len(), "approval");
                format!("revoked {} ({count}, {})\n", visible(&one.name), visible(&one.project))
            });
            Shown::styled(lines.collect())
        };
        let json = || json!({ "revoked": all.iter().map(decided_json).collect::<Vec<_>>() });
        self.show(human, json)
    }

    pub(crate) fn data(&self, homes: &[PrivateHome]) -> Shown {
        let human = || {
            if homes.is_empty() {
                let talk =
                    "no data of confined servers in this project; --all shows every project\n";
                return Shown { talk: talk.to_owned(), ..Shown::styled(String::new()) };
            }
            Shown::styled(homes_text(homes))
        };
        self.show(human, || homes_json(homes, false))
    }

    pub(crate) fn cleared(&self, homes: &[PrivateHome]) -> Shown {
        let human = || {
            let lines = homes.iter().map(|home| {
                let size = human::size(home.bytes);
                format!("removed the data of {} ({size})\n", visible(&home.name))
            });
            Shown::styled(lines.collect())
        };
        self.show(human, || homes_json(homes, true))
    }
}

fn approvals_text(all: &[DecidedServer]) -> String {
    let mut out = String::new();
    let mut project = None;
    for one in all {
        if project != Some(&one.project) {
            let gone = if one.is_gone { " (no longer exists)" } else { "" };
            let _ = writeln!(out, "{QUIET}{}{gone}{QUIET:#}", visible(&one.project));
            project = Some(&one.project);
        }
        let _ = writeln!(out, "{STRONG}{}{STRONG:#}", visible(&one.name));
        if let Some(grants) = &one.grants {
            let _ = writeln!(out, "  grants: {}", visible(&grants_words(grants)));
        }
        for approval in one.approved.iter().take(SHOWN) {
            let ApprovedSurface { time, surface, varies, is_current, .. } = approval;
            let when = time.get(..16).unwrap_or(time).replace('T', " ");
            let now = if *is_current { ", currently pinned" } else { "" };
            let varies = if *varies { ", with a variant for this machine" } else { "" };
            let _ = writeln!(out, "  approved {when}: surface {surface}{now}{varies}");
        }
        let more = one.approved.len().saturating_sub(SHOWN);
        if more > 0 {
            let _ = writeln!(out, "  {QUIET}and {more} more{QUIET:#}");
        }
        if one.approved.is_empty() {
            let _ = writeln!(out, "  no approvals");
        }
    }
    out
}

fn decided_json(one: &DecidedServer) -> Value {
    let grants = one.grants.as_ref().map(super::json::grants);
    let approved: Vec<Value> = one
        .approved
        .iter()
        .map(|approval| {
            json!({
                "approved": approval.time,
                "launch": approval.launch.to_string(),
                "surface": approval.surface.to_string(),
                "varies": approval.varies,
                "current": approval.is_current,
            })
        })
        .collect();
    json!({
        "project": one.project,
        "gone": one.is_gone,
        "name": one.name,
        "grants": grants.unwrap_or(Value::Null),
        "approved": approved,
    })
}

/// What servers keep, one line each.
pub(crate) fn homes_text(homes: &[PrivateHome]) -> String {
    let mut out = String::new();
    for home in homes {
        let _ = writeln!(
            out,
            "{STRONG}{}{STRONG:#}  {}, {}  {QUIET}of {}{QUIET:#}",
            visible(&home.name),
            human::size(home.bytes),
            plural(usize::try_from(home.files).unwrap_or(usize::MAX), "file"),
            visible(&home.project)
        );
        let _ = writeln!(out, "  {}", visible(&home.path.display().to_string()));
    }
    out
}

fn homes_json(homes: &[PrivateHome], is_removed: bool) -> Value {
    let homes: Vec<Value> = homes.iter().map(home_json).collect();
    json!({ "data": homes, "removed": is_removed })
}

fn home_json(home: &PrivateHome) -> Value {
    json!({
        "name": home.name,
        "project": home.project,
        "path": home.path.display().to_string(),
        "files": home.files,
        "bytes": home.bytes,
    })
}

/// The page before servers that were approved elsewhere are approved here.
pub(crate) fn moved(all: &[MovedServer]) -> String {
    let mut out = String::new();
    let mut project = None;
    for one in all {
        if project != Some(&one.project) {
            let what = if one.is_gone {
                "which no longer exists: the project was moved"
            } else {
                "which still exists: this is a copy or a git worktree"
            };
            let _ =
                writeln!(out, "You approved these servers in {}, {what}.", visible(&one.project));
            project = Some(&one.project);
        }
        let _ = writeln!(
            out,
            "  {STRONG}{}{STRONG:#}: {}",
            visible(&one.name),
            visible(&one.origin.to_string())
        );
        let _ = writeln!(out, "    grants: {}", visible(&grants_words(&one.grants)));
    }
    out.push_str(
        "Lock entries and declarations are identical. The commands may start other files in this directory.\n",
    );
    out
}

/// What was approved here as it was elsewhere.
pub(super) fn moved_lines(all: &[MovedServer]) -> String {
    let line = |one: &MovedServer| {
        format!(
            "approved {} in this directory, as in {}\n",
            visible(&one.name),
            visible(&one.project)
        )
    };
    all.iter().map(line).collect()
}

/// Why a server was not approved.
pub(super) fn failed_lines(name: &str, failure: &Failure, verbose: bool) -> String {
    let lines = human::failure(failure, verbose);
    let lines: String = lines.lines().map(|line| format!("  {line}\n")).collect();
    format!("{STRONG}{}{STRONG:#} was not approved:\n{lines}", visible(name))
}

/// The same for machines.
pub(super) fn failed_json((name, error): &(String, OpsError), verbose: bool) -> Value {
    let failure = facets_face::json::failure(&error.describe(), verbose);
    json!({ "name": name, "error": failure["error"] })
}

/// The same for machines.
pub(super) fn moved_json(one: &MovedServer) -> Value {
    json!({ "name": one.name, "approved_in": one.project, "gone": one.is_gone })
}
