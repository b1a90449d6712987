//! `facet adopt`, `facet connect` and `facet disconnect`.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use facets_failure::Describe as _;
use facets_ops::adopt::{AdoptReport, EntryOutcome, FoundEntry};
use facets_ops::client_files::FileEdit;
use facets_ops::connect::ConnectReport;
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
        let failed = report.found.iter().any(|one| matches!(one.outcome, EntryOutcome::Failed(_)));
        let exit = if failed { Exit::Unjudged } else { Exit::Yes };
        let human = || {
            let mut out = if was_read { String::new() } else { found(&report.found) };
            for page in report.pinned.iter().filter(|_| !was_read) {
                out.push_str(&super::approval::page(page));
                out.push('\n');
            }
            if !was_read {
                out.push_str(&edits(&report.edits));
            }
            for one in &report.found {
                if let EntryOutcome::Failed(error) = &one.outcome {
                    let _ =
                        writeln!(out, "{STRONG}{}{STRONG:#} was not adopted:", visible(&one.name));
                    out.push_str(&super::human::failure(&error.describe()));
                }
            }
            let _ = writeln!(out, "{}", adopted_summary(report));
            if !report.edits.is_empty() {
                out.push_str("restart the assistant; to undo: facet disconnect\n");
            }
            Shown::styled(out)
        };
        self.show(human, || adopt_json(report)).with_exit(exit)
    }

    pub(crate) fn connected(&self, report: &ConnectReport, was_read: bool) -> Shown {
        let exit = if report.left.is_empty() { Exit::Yes } else { Exit::Unjudged };
        let human = || {
            let mut out = if was_read { String::new() } else { edits(&report.edits) };
            for (path, problem) in &report.left {
                let path = visible(&path.display().to_string());
                let _ = writeln!(out, "left as it is: {path}: {}", visible(&problem.to_string()));
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
        if !one.variables.is_empty() {
            let names: Vec<String> = one.variables.iter().map(|name| visible(name)).collect();
            let _ = writeln!(out, "    gets {} (values stay in this file)", names.join(", "));
        }
        match &one.outcome {
            EntryOutcome::Adopted | EntryOutcome::Failed(_) => {}
            EntryOutcome::Guarded => {
                let _ = writeln!(out, "    runs through facet already");
            }
            EntryOutcome::Weak(reason) => {
                let _ = writeln!(out, "    starts facet, but is not guarded: {}", visible(reason));
            }
            EntryOutcome::Skipped(reason) => {
                let _ = writeln!(out, "    is left alone: {}", visible(reason));
            }
        }
    }
    out
}

fn adopted_summary(report: &AdoptReport) -> String {
    let count = |wanted: fn(&EntryOutcome) -> bool| {
        report.found.iter().filter(|one| wanted(&one.outcome)).count()
    };
    let adopted = count(|outcome| matches!(outcome, EntryOutcome::Adopted));
    let guarded = count(|outcome| matches!(outcome, EntryOutcome::Guarded));
    let skipped =
        count(|outcome| matches!(outcome, EntryOutcome::Skipped(_) | EntryOutcome::Weak(_)));
    let failed = count(|outcome| matches!(outcome, EntryOutcome::Failed(_)));
    let done = if report.edits.is_empty() { "to adopt" } else { "adopted" };
    format!("{adopted} {done}, {guarded} guarded before, {skipped} left alone, {failed} failed")
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
    let file = |edit: &FileEdit| json!({ "client": edit.client.name(), "file": edit.path.display().to_string() });
    edits.iter().map(file).collect()
}

fn adopt_json(report: &AdoptReport) -> Value {
    let found = |one: &FoundEntry| {
        let (outcome, reason) = match &one.outcome {
            EntryOutcome::Adopted if report.edits.is_empty() => ("adoptable", Value::Null),
            EntryOutcome::Adopted => ("adopted", Value::Null),
            EntryOutcome::Guarded => ("guarded", Value::Null),
            EntryOutcome::Weak(reason) => ("weak", json!(reason)),
            EntryOutcome::Skipped(reason) => ("skipped", json!(reason)),
            EntryOutcome::Failed(error) => ("failed", json!(error.describe().message)),
        };
        json!({
            "client": one.client.name(),
            "file": one.path.display().to_string(),
            "server": one.name,
            "launch": one.what,
            "env": one.variables,
            "outcome": outcome,
            "reason": reason,
        })
    };
    json!({
        "directory": report.directory.display().to_string(),
        "found": report.found.iter().map(found).collect::<Vec<_>>(),
        "files": files_json(&report.edits),
    })
}
