//! `facet adopt`, `facet connect` and `facet disconnect`.

use std::fmt::Write as _;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use facets_face::{Exit, Shown, visible};
use facets_failure::{Describe as _, Failure, shell_word};
use facets_ops::adopt::{
    AdoptReport, EntryOutcome, FoundEntry, PackageLocking, PlannedEntry, UnreadableFile,
};
use facets_ops::client_files::{Client, FileEdit, Scope};
use facets_ops::connect::{ConnectReport, LeftEntry, NeededVariables};
use facets_ops::consent::ApprovalPage;
use facets_ops::remove::RemoveReport;
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use super::renderer::Renderer;

const OLD: Style = AnsiColor::Red.on_default();
const NEW: Style = AnsiColor::Green.on_default();
const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();
/// Of a line that is longer than a screen, only what changed is shown, and this much around it.
const LONG: usize = 200;
const AROUND: usize = 24;
/// What to type after the last server was removed.
const NOTHING_LEFT: &str = "nothing is pinned here any more; to delete facet's files: rm -r facets.json facets.lock .facets\n";

impl Renderer {
    pub(crate) fn adopted(&self, report: &AdoptReport, was_read: bool) -> Shown {
        let is_unjudged = |one: &FoundEntry| {
            matches!(one.outcome, EntryOutcome::Failed(_) | EntryOutcome::Unaccepted(_))
        };
        let is_complete = report.unreadable.is_empty() && !report.found.iter().any(is_unjudged);
        let exit = if is_complete { Exit::Yes } else { Exit::Unjudged };
        let human = || {
            let mut out = match report.found.as_slice() {
                all if was_read => declined(all),
                [] if !report.unreadable.is_empty() => String::new(),
                all if report.is_dry => found(all),
                all => entries(all, true),
            };
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
                let _ =
                    writeln!(out, "{STRONG}{client}{STRONG:#} was skipped: cannot read {path}:");
                out.push_str(&super::human::failure(&self.describe(&file.error), self.verbose));
            }
            let _ = writeln!(out, "{}", adopted_summary(report));
            out.push_str(&self.after_adopting(report));
            let is_pinned = report.scope == Scope::Project && !report.pinned.is_empty();
            let commit = super::approval::commit_line(self).filter(|_| is_pinned);
            Shown { talk: commit.unwrap_or_default(), ..Shown::styled(out) }
        };
        self.show(human, || adopt_json(report, self.verbose)).with_exit(exit)
    }

    /// What to do next with what was pinned and rewritten.
    fn after_adopting(&self, report: &AdoptReport) -> String {
        let mut out = String::new();
        let elsewhere = match report.scope {
            Scope::Project => String::new(),
            Scope::User => format!(" --directory {}", shell_word(&report.directory)),
        };
        if report.scope == Scope::User && !report.pinned.is_empty() {
            let place = visible(&report.directory.display().to_string());
            let _ = writeln!(out, "pinned in {place}; to check: facet check{elsewhere}");
        }
        if !report.edits.is_empty() {
            let undo = match report.scope {
                Scope::Project => self.advice("facet disconnect --here"),
                Scope::User => format!("facet disconnect --here{elsewhere}"),
            };
            let _ = writeln!(out, "restart the assistant; to undo: {undo}");
        }
        out
    }

    pub(crate) fn removed(&self, report: &RemoveReport, was_read: bool) -> Shown {
        let human = || {
            let mut out = super::facets::removed(report);
            for name in &report.names {
                let _ = writeln!(out, "removed {}", visible(name));
            }
            if !was_read {
                out.push_str(&edits(&report.restored));
            }
            for edit in &report.restored {
                out.push_str(&restored_entries(edit));
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
            for (client, path) in &report.edited {
                let (path, client) = (visible(&path.display().to_string()), client.title());
                let _ = writeln!(
                    out,
                    "{path} still starts it through facet, which will fail; the entry was edited since facet wrote it: remove it in that file ({client})"
                );
            }
            let is_told = report.is_empty && !self.quiet && self.directory.is_none();
            let talk = if is_told { NOTHING_LEFT } else { "" };
            Shown { talk: talk.to_owned(), ..Shown::styled(out) }
        };
        let json = || {
            json!({
                "removed": report.names,
                "facets": report.facets,
                "files": report.files.iter().map(super::install_json::file).collect::<Vec<_>>(),
                "restored": files_json(&report.restored),
                "left": report.left.iter().chain(&report.edited).map(|(client, path)| file_json(*client, path)).collect::<Vec<_>>(),
            })
        };
        self.show(human, json)
    }

    pub(crate) fn connected(&self, report: &ConnectReport, was_read: bool) -> Shown {
        // What another project has is reported, and no failure of this one.
        let is_done = report.left.iter().all(|left| left.is_elsewhere);
        let exit = if is_done { Exit::Yes } else { Exit::Unjudged };
        let human = || {
            let mut out = if was_read { String::new() } else { edits(&report.edits) };
            for LeftEntry { path, problem, is_elsewhere } in &report.left {
                let path = visible(&path.display().to_string());
                let problem = visible(&problem.to_string());
                let elsewhere = if *is_elsewhere { " (not of this project)" } else { "" };
                let _ = writeln!(out, "not changed: {path}: {problem}{elsewhere}");
            }
            for edit in &report.edits {
                let path = visible(&edit.path.display().to_string());
                let done = if edit.after.is_some() { "rewritten" } else { "removed" };
                let _ = writeln!(out, "{NEW}{done}{NEW:#} {path}");
            }
            for needed in &report.needs {
                out.push_str(&needed_variables(needed));
            }
            if report.edits.is_empty() {
                out.push_str("nothing to change\n");
            }
            Shown::styled(out)
        };
        let left = report.left.iter().map(|LeftEntry { path, problem, is_elsewhere }| {
            json!({
                "file": path.display().to_string(),
                "code": problem.code(),
                "message": problem.to_string(),
                "elsewhere": is_elsewhere,
            })
        });
        let left: Vec<Value> = left.collect();
        self.show(human, || json!({ "files": files_json(&report.edits), "left": left }))
            .with_exit(exit)
    }
}

/// What became of the entries of a file whose server was removed.
fn restored_entries(edit: &FileEdit) -> String {
    let (path, client) = (visible(&edit.path.display().to_string()), edit.client.title());
    let mut out = String::new();
    for entry in &edit.restored {
        let name = visible(&entry.name);
        let (done, place) =
            if entry.was_inserted { ("removed", "from") } else { ("restored the entry", "in") };
        let _ = writeln!(out, "{NEW}{done}{NEW:#} {name} {place} {path} ({client})");
    }
    out
}

/// What to add to a new entry, in the words of its client.
fn needed_variables(needed: &NeededVariables) -> String {
    let NeededVariables { server, variables, client, path } = needed;
    let is_toml = client.name() == "codex";
    let set = |name: &String| {
        if is_toml { format!("{name} = \"…\"") } else { format!("\"{name}\": \"…\"") }
    };
    let sets = variables.iter().map(set).collect::<Vec<_>>().join(", ");
    let member = match client.name() {
        "codex" => format!("env = {{ {sets} }}"),
        "opencode" => format!("\"environment\": {{ {sets} }}"),
        _ => format!("\"env\": {{ {sets} }}"),
    };
    let (server, path) = (visible(server), visible(&path.display().to_string()));
    format!("{server} needs values: add {} to its entry in {path}\n", visible(&member))
}

/// What was found, and what would be done with it.
pub(crate) fn found(all: &[FoundEntry]) -> String {
    entries(all, false)
}

/// Entries by file, with what is to be done with each, or was.
fn entries(all: &[FoundEntry], is_done: bool) -> String {
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
        // What became of the others is said instead.
        if let (Some(plan), EntryOutcome::Adopted) = (&one.plan, &one.outcome) {
            planned(one, plan, is_done, &mut out);
        }
        outcome(one, &mut out);
    }
    out
}

/// What adopting an entry means, exactly.
fn planned(one: &FoundEntry, plan: &PlannedEntry, is_done: bool, out: &mut String) {
    let name = visible(&one.name);
    let (state, entry) = match (plan.is_pinned, is_done) {
        (true, false) => ("already pinned as", "entry to be rewritten to"),
        (true, true) => ("already pinned as", "entry rewritten to"),
        (false, false) => ("to be pinned as", "entry to be rewritten to"),
        (false, true) => ("pinned as", "entry rewritten to"),
    };
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
    let _ = writeln!(out, "\n    {entry}: {}", visible(&plan.entry.join(" ")));
    if let Some(packages) = &plan.packages {
        let _ = writeln!(out, "    {}", visible(&packages_words(packages, is_done)));
    }
}

/// What becomes of the packages that an entry runs.
fn packages_words(packages: &PackageLocking, is_done: bool) -> String {
    match packages {
        PackageLocking::Locked if is_done => "packages locked, with all they depend on".to_owned(),
        PackageLocking::Locked => "packages to be locked, with all they depend on".to_owned(),
        PackageLocking::AsTyped => "stays a command: pins no bytes of its packages".to_owned(),
        PackageLocking::NotLockable(reason) => {
            format!("stays a command, which pins no bytes of its packages: {reason}")
        }
    }
}

/// The same as one word, and the reason.
fn packages_json(packages: &PackageLocking) -> Value {
    let (state, reason) = match packages {
        PackageLocking::Locked => ("locked", None),
        PackageLocking::AsTyped => ("as_command", None),
        PackageLocking::NotLockable(reason) => ("not_lockable", Some(reason)),
    };
    json!({ "state": state, "reason": reason })
}

/// What became of an entry, if that is not what was planned.
fn outcome(one: &FoundEntry, out: &mut String) {
    let (words, reason) = match &one.outcome {
        EntryOutcome::Adopted => return,
        // Failures are told in full below.
        EntryOutcome::Failed(_) => ("not adopted: see below", None),
        EntryOutcome::Guarded => ("already guarded", None),
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
    let text = |page: &ApprovalPage| match &page.changes {
        None => super::approval::compact_page(page, is_verbose),
        // What changed is what the question is about.
        Some(_) => super::approval::page(page, is_verbose),
    };
    pages.iter().map(|page| text(page) + "\n").collect()
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
        if changes.is_empty() {
            out.push_str(
                "  (only values change, or the file cannot be parsed: nothing is shown)\n",
            );
        }
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
        "packages": plan.packages.as_ref().map(packages_json),
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
                facets_face::json::failure(&error.describe(), verbose)["error"].clone()
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
        one["error"] = facets_face::json::failure(&file.error.describe(), verbose)["error"].clone();
        one
    };
    json!({
        "directory": report.directory.display().to_string(),
        "found": report.found.iter().map(found).collect::<Vec<_>>(),
        "files": files_json(&report.edits),
        "unreadable": report.unreadable.iter().map(unreadable).collect::<Vec<_>>(),
    })
}
