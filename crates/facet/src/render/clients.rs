//! `facet adopt`, `facet connect` and `facet disconnect`.

use std::fmt::Write as _;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use facets_failure::{Describe as _, Failure};
use facets_ops::adopt::{AdoptReport, EntryOutcome, FoundEntry, PlannedEntry, UnreadableFile};
use facets_ops::client_files::{Client, FileEdit};
use facets_ops::connect::ConnectReport;
use facets_ops::consent::ApprovalPage;
use facets_ops::remove::RemoveReport;
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use super::renderer::Renderer;
use super::text::visible;
use crate::shown::{Exit, Shown};

const OLD: Style = AnsiColor::Red.on_default();
const NEW: Style = AnsiColor::Green.on_default();
const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();
/// Of a line that is longer than a screen, only what changed is shown, and this much around it.
const LONG: usize = 200;
const AROUND: usize = 24;

impl Renderer {
    pub(crate) fn adopted(&self, report: &AdoptReport, was_read: bool) -> Shown {
        let is_unjudged = |one: &FoundEntry| {
            matches!(one.outcome, EntryOutcome::Failed(_) | EntryOutcome::Unaccepted(_))
        };
        let is_complete =
            report.unreadable.is_empty() && !report.found.iter().any(is_unjudged);
        let exit = if is_complete { Exit::Yes } else { Exit::Unjudged };
        let human = || {
            let mut out = if was_read { declined(&report.found) } else { found(&report.found) };
            for page in report.pinned.iter().chain(&report.unaccepted).filter(|_| !was_read) {
                out.push_str(&super::approval::page(page, self.verbose));
                out.push('\n');
            }
            if !was_read {
                out.push_str(&edits(&report.edits));
            }
            for one in &report.found {
                if let EntryOutcome::Failed(error) = &one.outcome {
                    let _ =
                        writeln!(out, "{STRONG}{}{STRONG:#} was not adopted:", visible(&one.name));
                    out.push_str(&super::human::failure(&self.describe(error), self.verbose));
                }
            }
            for file in &report.unreadable {
                let path = visible(&file.path.display().to_string());
                let client = file.client.title();
                let _ = writeln!(out, "{STRONG}{client}{STRONG:#} was skipped: cannot read {path}:");
                out.push_str(&super::human::failure(&self.describe(&file.error), self.verbose));
            }
            let _ = writeln!(out, "{}", adopted_summary(report));
            if !report.edits.is_empty() && !self.quiet {
                out.push_str("restart the assistant; to undo: facet disconnect\n");
            }
            Shown::styled(out)
        };
        self.show(human, || adopt_json(report, self.verbose)).with_exit(exit)
    }

    pub(crate) fn removed(&self, report: &RemoveReport, was_read: bool) -> Shown {
        let human = || {
            let mut out = String::new();
            for name in &report.names {
                let _ = writeln!(out, "removed {}", visible(name));
            }
            if !was_read {
                out.push_str(&edits(&report.restored));
            }
            for edit in &report.restored {
                let path = visible(&edit.path.display().to_string());
                let client = edit.client.name();
                let _ =
                    writeln!(out, "{NEW}restored{NEW:#} {path} ({client}) as it was before facet");
            }
            let named: String =
                report.names.iter().map(|name| format!(" --server {}", visible(name))).collect();
            for (client, path) in &report.left {
                let (path, client) = (visible(&path.display().to_string()), client.name());
                let _ = writeln!(
                    out,
                    "{path} still starts it through facet, which will fail; to restore: facet disconnect {client}{named}"
                );
            }
            Shown::styled(out)
        };
        let json = || {
            json!({
                "removed": report.names,
                "restored": files_json(&report.restored),
                "left": report.left.iter().map(|(client, path)| file_json(*client, path)).collect::<Vec<_>>(),
            })
        };
        self.show(human, json)
    }

    pub(crate) fn connected(&self, report: &ConnectReport, was_read: bool) -> Shown {
        let exit = if report.left.is_empty() { Exit::Yes } else { Exit::Unjudged };
        let human = || {
            let mut out = if was_read { String::new() } else { edits(&report.edits) };
            for (path, problem) in &report.left {
                let path = visible(&path.display().to_string());
                let _ = writeln!(out, "not changed: {path}: {}", visible(&problem.to_string()));
            }
            for edit in &report.edits {
                let path = visible(&edit.path.display().to_string());
                let _ = writeln!(out, "{NEW}rewritten{NEW:#} {path}");
            }
            for (server, variables) in &report.needs {
                let names = visible(&variables.join(", "));
                let _ = writeln!(out, "{} needs {names}: set that in its entry", visible(server));
            }
            if report.edits.is_empty() {
                out.push_str("nothing to change\n");
            }
            Shown::styled(out)
        };
        let left = report.left.iter().map(|(path, problem)| {
            json!({ "file": path.display().to_string(), "code": problem.code(), "message": problem.to_string() })
        });
        let left: Vec<Value> = left.collect();
        self.show(human, || json!({ "files": files_json(&report.edits), "left": left }))
            .with_exit(exit)
    }
}

/// What was found, one line each.
pub(crate) fn found(all: &[FoundEntry]) -> String {
    if all.is_empty() {
        return "no client has servers configured here; --user looks at the files of this user\n"
            .to_owned();
    }
    let mut out = String::new();
    let mut path = None;
    for one in all {
        if path != Some(&one.path) {
            let file = visible(&one.path.display().to_string());
            let _ =
                writeln!(out, "{STRONG}{}{STRONG:#} {QUIET}{file}{QUIET:#}", one.client.title());
            path = Some(&one.path);
        }
        let _ = writeln!(out, "  {}: {}", visible(&one.name), visible(&one.what));
        if let Some(plan) = &one.plan {
            planned(one, plan, &mut out);
        }
        outcome(one, &mut out);
    }
    out
}

/// What adopting an entry means, exactly.
fn planned(one: &FoundEntry, plan: &PlannedEntry, out: &mut String) {
    let name = visible(&one.name);
    let state = if plan.is_pinned { "already pinned as" } else { "to be pinned as" };
    let _ = write!(out, "    {state} {name}");
    if plan.launch != one.what {
        let _ = write!(out, ", as `{}`", visible(&plan.launch));
    }
    if let Some(directory) = &plan.directory {
        let _ = write!(out, ", starts in {}", visible(&directory.display().to_string()));
    }
    let listed = |names: &[String]| visible(&names.join(", "));
    if !plan.variables.is_empty() {
        let _ = write!(out, ", gets {} (values stay in this file)", listed(&plan.variables));
    }
    if !plan.headers.is_empty() {
        let _ = write!(out, ", sends {} (values stay in this file)", listed(&plan.headers));
    }
    let _ = writeln!(out, "\n    entry to be rewritten to: {}", visible(&plan.entry.join(" ")));
}

/// What became of an entry, if that is not what was planned.
fn outcome(one: &FoundEntry, out: &mut String) {
    let (words, reason) = match &one.outcome {
        // Failures are told in full below.
        EntryOutcome::Adopted | EntryOutcome::Failed(_) => return,
        EntryOutcome::Guarded => ("runs through facet already", None),
        EntryOutcome::Weak(reason) => ("starts facet, but is not guarded", Some(reason)),
        EntryOutcome::Skipped(reason) | EntryOutcome::Unaccepted(reason) => {
            ("skipped", Some(reason))
        }
        EntryOutcome::Declined(reason) => ("declined", Some(reason)),
    };
    let reason = reason.map(|reason| format!(": {}", visible(reason))).unwrap_or_default();
    let _ = writeln!(out, "    {words}{reason}");
}

/// What was asked for and refused, for somebody who has read the rest.
fn declined(all: &[FoundEntry]) -> String {
    let mut out = String::new();
    for one in all {
        if matches!(one.outcome, EntryOutcome::Declined(_) | EntryOutcome::Unaccepted(_)) {
            let _ =
                writeln!(out, "{STRONG}{}{STRONG:#} ({})", visible(&one.name), one.client.title());
            outcome(one, &mut out);
        }
    }
    out
}

/// Several servers without critical findings, a few lines each.
pub(crate) fn compact_pages(pages: &[&ApprovalPage], is_verbose: bool) -> String {
    pages.iter().map(|page| super::approval::compact_page(page, is_verbose) + "\n").collect()
}

fn adopted_summary(report: &AdoptReport) -> String {
    let count = |wanted: fn(&EntryOutcome) -> bool| {
        report.found.iter().filter(|one| wanted(&one.outcome)).count()
    };
    let adopted = count(|outcome| matches!(outcome, EntryOutcome::Adopted));
    let guarded = count(|outcome| matches!(outcome, EntryOutcome::Guarded));
    let skipped = count(|outcome| {
        matches!(
            outcome,
            EntryOutcome::Skipped(_) | EntryOutcome::Weak(_) | EntryOutcome::Unaccepted(_)
        )
    });
    let failed = count(|outcome| matches!(outcome, EntryOutcome::Failed(_)));
    let declined = match count(|outcome| matches!(outcome, EntryOutcome::Declined(_))) {
        0 => String::new(),
        declined if adopted == 0 => format!(", {declined} declined: nothing was adopted"),
        declined => format!(", {declined} declined"),
    };
    let unreadable = match report.unreadable.len() {
        0 => String::new(),
        1 => "; 1 client file could not be read".to_owned(),
        count => format!("; {count} client files could not be read"),
    };
    let done = if report.is_dry { "to adopt" } else { "adopted" };
    format!(
        "{adopted} {done}, {guarded} already guarded, {skipped} skipped, {failed} failed{declined}{unreadable}"
    )
}

/// Files as they are and as they would be. Values of variables and headers are not shown.
pub(crate) fn edits(edits: &[FileEdit]) -> String {
    let mut out = String::new();
    for edit in edits {
        let path = visible(&edit.path.display().to_string());
        let _ = writeln!(out, "{STRONG}{path}{STRONG:#}");
        let (before, after) = edit.shown();
        let diff = TextDiff::from_lines(&before, &after);
        // Lines that do not change are nobody's question, and may hold secrets.
        let changes: Vec<_> =
            diff.iter_all_changes().filter(|change| change.tag() != ChangeTag::Equal).collect();
        for change in &changes {
            let is_removed = change.tag() == ChangeTag::Delete;
            let sign = if is_removed { '-' } else { '+' };
            let style = if is_removed { OLD } else { NEW };
            let others = changes.iter().filter(|other| other.tag() != change.tag());
            let others: Vec<&str> = others.map(similar::Change::value).collect();
            let part = changed_part(change.value(), &others);
            let line = visible(part.trim_end_matches(['\r', '\n']));
            let _ = writeln!(out, "{style}{sign} {line}{style:#}");
        }
    }
    out
}

/// A line, or of a long one what is not in its counterpart.
fn changed_part(line: &str, others: &[&str]) -> String {
    let (true, [other]) = (line.chars().count() > LONG, others) else { return line.to_owned() };
    let (line, other): (Vec<char>, Vec<char>) = (line.chars().collect(), other.chars().collect());
    let same = line.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let left = line[same..].iter().rev().zip(other[same..].iter().rev());
    let end = left.take_while(|(a, b)| a == b).count();
    let start = same.saturating_sub(AROUND);
    let stop = (line.len() - end + AROUND).min(line.len());
    format!("…{}…", line[start..stop].iter().collect::<String>())
}

fn files_json(edits: &[FileEdit]) -> Vec<Value> {
    edits.iter().map(|edit| file_json(edit.client, &edit.path)).collect()
}

fn file_json(client: Client, path: &Path) -> Value {
    json!({ "client": client.name(), "file": path.display().to_string() })
}

fn plan_json(plan: &PlannedEntry) -> Value {
    json!({
        "launch": plan.launch,
        "directory": plan.directory.as_ref().map(|directory| directory.display().to_string()),
        "env": plan.variables,
        "headers": plan.headers,
        "entry": plan.entry,
        "pinned": plan.is_pinned,
    })
}

fn adopt_json(report: &AdoptReport, verbose: bool) -> Value {
    let found = |one: &FoundEntry| {
        let (outcome, reason) = match &one.outcome {
            EntryOutcome::Adopted if report.edits.is_empty() => ("adoptable", Value::Null),
            EntryOutcome::Adopted => ("adopted", Value::Null),
            EntryOutcome::Guarded => ("guarded", Value::Null),
            EntryOutcome::Weak(reason) => ("weak", json!(reason)),
            EntryOutcome::Skipped(reason) | EntryOutcome::Unaccepted(reason) => {
                ("skipped", json!(reason))
            }
            EntryOutcome::Declined(reason) => ("declined", json!(reason)),
            EntryOutcome::Failed(error) => {
                let Failure { message, actual, .. } = error.describe();
                let actual = actual.filter(|actual| *actual != message);
                let both = [Some(message), actual].into_iter().flatten();
                ("failed", json!(both.collect::<Vec<_>>().join(": ")))
            }
        };
        let error = match &one.outcome {
            EntryOutcome::Failed(error) => {
                super::json::failure(&error.describe(), verbose)["error"].clone()
            }
            _ => Value::Null,
        };
        json!({
            "client": one.client.name(),
            "file": one.path.display().to_string(),
            "server": one.name,
            "launch": one.what,
            "env": one.variables,
            "plan": one.plan.as_ref().map(plan_json),
            "outcome": outcome,
            "reason": reason,
            "error": error,
        })
    };
    let unreadable = |file: &UnreadableFile| {
        let mut one = file_json(file.client, &file.path);
        one["error"] = super::json::failure(&file.error.describe(), verbose)["error"].clone();
        one
    };
    json!({
        "directory": report.directory.display().to_string(),
        "found": report.found.iter().map(found).collect::<Vec<_>>(),
        "files": files_json(&report.edits),
        "unreadable": report.unreadable.iter().map(unreadable).collect::<Vec<_>>(),
    })
}
