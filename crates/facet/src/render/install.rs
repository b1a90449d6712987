//! `facet install` and `facet upgrade`.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use anstyle::Style;
use facets_drift::Severity;
use facets_face::style::{BAD, GOOD, QUIET, STRONG, WARN};
use facets_face::{Exit, Shown, ShownResult, plural, visible};
use facets_failure::shell_word;
use facets_ops::client_files::Scope;
use facets_ops::install::{
    AssetFileStatus, InstallOutcome, InstallReport, InstalledFileShown, ItemStatus, ServerLook,
    ServerOutcome, ServerStatus,
};
use facets_surface::Kind;

use super::approval::commit_line;
use super::install_page::{InstallRow, InstallTable, asset_text, counted};
use super::{Renderer, approval, drift, install_json};
use crate::connect_offer::{Connection, has_new_servers, scope_here};

/// Files that are listed before the rest is counted.
const FILES: usize = 20;

/// What was typed.
pub(crate) struct TypedInstall {
    /// Behind the name of the program.
    pub(crate) words: Vec<OsString>,
    pub(crate) verb: InstallVerb,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstallVerb {
    Install,
    Upgrade,
}

impl TypedInstall {
    /// The same line without answers and without a dry run, with more behind it.
    fn again(&self, more: &[&str]) -> String {
        let mut words = vec!["facet".to_owned()];
        let mut typed = self.words.iter().map(|word| shell_word(Path::new(word)));
        while let Some(word) = typed.next() {
            match word.as_str() {
                "--accept" => drop(typed.next()),
                "--dry-run" | "--yes" | "-y" => {}
                accept if accept.starts_with("--accept=") => {}
                _ => words.push(word),
            }
        }
        words.extend(more.iter().map(ToString::to_string));
        words.join(" ")
    }

    fn done(&self) -> &'static str {
        match self.verb {
            InstallVerb::Install => "installed",
            InstallVerb::Upgrade => "upgraded",
        }
    }
}

/// What else is known about an install.
pub(crate) struct InstallContext<'c> {
    /// What was typed.
    pub(crate) typed: &'c TypedInstall,
    /// How bad something may be that is accepted without a question.
    pub(crate) accepts: Severity,
    /// Whether somebody has just read the texts.
    pub(crate) was_read: bool,
    /// What became of the offer to configure clients.
    pub(crate) connection: &'c Connection,
}

impl Renderer {
    pub(crate) fn installed(&self, report: &InstallReport, context: &InstallContext<'_>) -> Shown {
        let InstallContext { typed, accepts, was_read, connection } = *context;
        let next = self.next_steps(report, typed, accepts);
        let human = || {
            let mut out = String::new();
            headline(report, typed, &mut out);
            table(report, self.verbose, &mut out);
            files(&report.files, report.outcome, self.verbose, &mut out);
            texts(report, was_read, self.verbose, &mut out);
            open_servers(report, self.verbose, &mut out);
            for note in &report.notes {
                let _ = writeln!(out, "{WARN}note{WARN:#}: {}", visible(note));
            }
            let mut talk = String::new();
            if let Connection::Done(connected, was_read) = connection
                && let ShownResult::Styled(text) = self.connected(connected, *was_read).result
            {
                out.push_str(&text);
            }
            self.advise(report, &next, connection, &mut talk);
            Shown { talk, ..Shown::styled(out) }
        };
        let steps: Vec<String> = next.iter().map(|step| step.command.clone()).collect();
        let json = || install_json::installed(report, &steps, connection, self.verbose);
        self.show(human, json).with_exit(exit(report, accepts, connection))
    }

    /// Commands for what was left open.
    fn next_steps(
        &self,
        report: &InstallReport,
        typed: &TypedInstall,
        accepts: Severity,
    ) -> Vec<NextStep> {
        let count = |status: ServerStatus| {
            report.servers.iter().filter(|server| server.status == status).count()
        };
        let mut steps = Vec::new();
        if let Some(worst) = worst_refused(report, accepts) {
            let command = typed.again(&["--accept", worst.name()]);
            steps.push(NextStep { command, why: ", if you have read the findings".to_owned() });
        } else if report.outcome == InstallOutcome::Planned {
            steps.push(NextStep { command: typed.again(&[]), why: String::new() });
        }
        if let not_approved @ 1.. = count(ServerStatus::NotApproved) {
            let why = format!(", to approve {} on this machine", plural(not_approved, "server"));
            steps.push(NextStep { command: self.advice("facet approve --all"), why });
        }
        if report.outcome != InstallOutcome::Planned {
            steps.extend(self.steps_for_uncaptured(report));
        }
        steps
    }

    /// Commands to look at what nobody has looked at yet.
    fn steps_for_uncaptured(&self, report: &InstallReport) -> Vec<NextStep> {
        let uncaptured = |look: ServerLook| {
            let servers = report.servers.iter();
            servers.filter(move |server| {
                server.status == ServerStatus::Uncaptured && server.change.look == look
            })
        };
        let mut steps = Vec::new();
        if let inline @ 1.. = uncaptured(ServerLook::Open).count() {
            let why = format!(", to start {} that facets declare", plural(inline, "server"));
            steps.push(NextStep { command: self.advice("facet install --accept-mcp"), why });
        }
        let names: Vec<&str> =
            uncaptured(ServerLook::Sandboxed).map(|server| server.change.name.as_str()).collect();
        if !names.is_empty() {
            let command = self.advice(&format!("facet upgrade {}", names.join(" ")));
            let why = format!(", to inspect {} of a registry", plural(names.len(), "server"));
            steps.push(NextStep { command, why });
        }
        steps
    }

    /// What to type next, unless nobody wants to know.
    fn advise(
        &self,
        report: &InstallReport,
        next: &[NextStep],
        connection: &Connection,
        talk: &mut String,
    ) {
        // What could not be done is said in any case.
        if let Connection::Failed(error) = connection {
            let _ = writeln!(talk, "no client was configured:");
            talk.push_str(&super::human::failure(&self.describe(error), self.verbose));
        }
        if self.quiet {
            return;
        }
        if report.outcome == InstallOutcome::Applied {
            talk.push_str(&commit_line(self).unwrap_or_default());
        }
        for step in next {
            let command = visible(&step.command);
            let _ = writeln!(talk, "next: {STRONG}{command}{STRONG:#}{}", step.why);
        }
        if has_new_servers(report) && matches!(connection, Connection::None) {
            let command = match scope_here() {
                Scope::Project => self.advice("facet connect cursor"),
                Scope::User => "facet connect cursor --user".to_owned(),
            };
            let _ = writeln!(talk, "next: {command}, or another client (facet connect --help)");
        }
    }
}

/// A server or a text that was refused is a no, whatever else was done.
fn exit(report: &InstallReport, accepts: Severity, connection: &Connection) -> Exit {
    if report.outcome == InstallOutcome::Refused || worst_refused(report, accepts).is_some() {
        return Exit::No;
    }
    match connection {
        Connection::Failed(_) => Exit::Unjudged,
        Connection::Done(connected, _) if connected.left.iter().any(|left| !left.is_elsewhere) => {
            Exit::Unjudged
        }
        Connection::None | Connection::Done(..) | Connection::Declined => Exit::Yes,
    }
}

/// A command, and why.
struct NextStep {
    command: String,
    why: String,
}

/// The worst finding of what was refused, or would be.
fn worst_refused(report: &InstallReport, accepts: Severity) -> Option<Severity> {
    let texts = report.assets.iter().flat_map(|asset| &asset.findings);
    let texts = texts.map(|finding| finding.severity);
    match report.outcome {
        InstallOutcome::Refused => texts.chain(open(report).flat_map(severities)).max(),
        InstallOutcome::Planned => {
            let worst = texts.chain(open(report).flat_map(severities)).max();
            worst.filter(|worst| *worst > accepts)
        }
        InstallOutcome::Applied | InstallOutcome::Unchanged => {
            let refused = |server: &&ServerOutcome| server.status == ServerStatus::Refused;
            let worst = open(report).filter(refused).flat_map(severities).max();
            let is_refused = open(report).any(|server| refused(&server));
            worst.or_else(|| is_refused.then_some(Severity::Critical))
        }
    }
}

/// Servers that were refused, or about which nothing is decided yet.
fn open(report: &InstallReport) -> impl Iterator<Item = &ServerOutcome> {
    let is_open = |server: &&ServerOutcome| {
        matches!(server.status, ServerStatus::Refused | ServerStatus::Planned)
    };
    report.servers.iter().filter(is_open)
}

/// Of what was approved before, how bad each change is; else how bad everything is that there is to see.
fn severities(server: &ServerOutcome) -> Vec<Severity> {
    let findings = server.findings.iter().map(|finding| finding.severity);
    let first_sight = server.page.iter().filter(|page| page.changes.is_none());
    let looks = first_sight.flat_map(|page| {
        let markers = page.look.markers.iter().map(|marker| marker.severity);
        let names = page.look.names.iter().chain(&page.varies).map(|finding| finding.severity);
        markers.chain(names)
    });
    findings.chain(looks).collect()
}

/// What was done, in numbers.
fn headline(report: &InstallReport, typed: &TypedInstall, out: &mut String) {
    let _ = match report.outcome {
        InstallOutcome::Applied => {
            let counts = changes(report, false);
            let counts =
                if counts.is_empty() { "facets.lock was written".to_owned() } else { counts };
            writeln!(out, "{GOOD}{}{GOOD:#}: {counts}", typed.done())
        }
        InstallOutcome::Unchanged => match totals(report).as_str() {
            "" => writeln!(out, "nothing to install: this project has no facet and no server"),
            totals => writeln!(out, "{GOOD}up to date{GOOD:#}: {totals}"),
        },
        InstallOutcome::Planned => match changes(report, true).as_str() {
            "" => writeln!(out, "{STRONG}dry run{STRONG:#}: nothing to do"),
            counts => writeln!(out, "{STRONG}dry run{STRONG:#}, nothing was changed: {counts}"),
        },
        InstallOutcome::Refused => {
            let texts = report.assets.iter().flat_map(|asset| &asset.findings);
            let all = texts.map(|one| one.severity).chain(open(report).flat_map(severities));
            let counts = drift::counted(all);
            let found = if counts.is_empty() { String::new() } else { format!(" ({counts})") };
            writeln!(
                out,
                "{BAD}refused{BAD:#}, nothing was changed: findings were not accepted{found}"
            )
        }
    };
}

/// What is not as it was.
fn changes(report: &InstallReport, is_plan: bool) -> String {
    let facets =
        |wanted: ItemStatus| report.facets.iter().filter(|(_, status)| *status == wanted).count();
    let servers = |wanted: ServerStatus| {
        report.servers.iter().filter(|server| server.status == wanted).count()
    };
    let files =
        |wanted: AssetFileStatus| report.files.iter().filter(|file| file.status == wanted).count();
    let word = |done: &'static str, to_do: &'static str| if is_plan { to_do } else { done };
    let parts = [
        counted(facets(ItemStatus::Added), "facet", word("added", "to add")),
        counted(facets(ItemStatus::Changed), "facet", word("changed", "to change")),
        counted(facets(ItemStatus::Removed), "facet", word("removed", "to remove")),
        counted(servers(ServerStatus::Added), "server", word("added", "to add")),
        counted(servers(ServerStatus::Changed), "server", word("changed", "to change")),
        counted(servers(ServerStatus::Approved), "server", "approved"),
        counted(servers(ServerStatus::Planned), "server", "to inspect"),
        counted(servers(ServerStatus::Removed), "server", word("removed", "to remove")),
        counted(files(AssetFileStatus::Written), "file", word("written", "to write")),
        counted(files(AssetFileStatus::Removed), "file", word("removed", "to remove")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What there is.
fn totals(report: &InstallReport) -> String {
    let parts = [
        counted(report.facets.len(), "facet", ""),
        counted(report.servers.len(), "server", ""),
        counted(report.files.len(), "file", ""),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What changed, or needs somebody; everything if it is verbose.
fn table(report: &InstallReport, is_verbose: bool, out: &mut String) {
    let is_plan = matches!(report.outcome, InstallOutcome::Planned | InstallOutcome::Refused);
    let mut table = InstallTable::default();
    for (facet, status) in &report.facets {
        if *status != ItemStatus::Kept || is_verbose {
            table.rows.push(InstallRow::of_facet(facet, facet_words(*status, is_plan)));
        }
    }
    for server in &report.servers {
        if server.status != ServerStatus::Kept || is_verbose {
            table.rows.push(InstallRow::of_server(&server.change, server_words(server, is_plan)));
        }
    }
    out.push_str(&table.text());
}

fn facet_words(status: ItemStatus, is_plan: bool) -> (Style, String) {
    let (style, done, to_do) = match status {
        ItemStatus::Added => (GOOD, "added", "to add"),
        ItemStatus::Changed => (GOOD, "changed", "to change"),
        ItemStatus::Kept => (QUIET, "unchanged", "unchanged"),
        ItemStatus::Removed => (WARN, "removed", "to remove"),
    };
    (style, if is_plan { to_do } else { done }.to_owned())
}

/// What became of a server, in words that need no glossary.
fn server_words(server: &ServerOutcome, is_plan: bool) -> (Style, String) {
    let word = |done: &'static str, to_do: &'static str| if is_plan { to_do } else { done };
    let (style, words) = match server.status {
        ServerStatus::Added => (GOOD, word("approved", "to approve")),
        ServerStatus::Changed => (GOOD, word("approved, changed", "to approve, changed")),
        ServerStatus::Approved => (GOOD, "approved on this machine"),
        ServerStatus::Kept => (QUIET, "unchanged"),
        ServerStatus::NotApproved => (WARN, "not approved on this machine"),
        ServerStatus::Uncaptured if server.change.look == ServerLook::Never => {
            (WARN, "an image: this version does not start images")
        }
        ServerStatus::Uncaptured => (WARN, "not inspected yet, does not start"),
        ServerStatus::Declined => (WARN, "declined, stays as it was"),
        ServerStatus::Refused => (BAD, "refused, stays as it was"),
        ServerStatus::Removed => (WARN, word("removed", "to remove")),
        ServerStatus::Planned => (WARN, "to start in a sandbox and inspect"),
    };
    let page = server
        .page
        .as_ref()
        .filter(|_| matches!(server.status, ServerStatus::Added | ServerStatus::Changed));
    let tools = page.map(|page| page.surface.items(Kind::Tool).len());
    let tools = tools.map(|tools| format!(" ({})", plural(tools, "tool"))).unwrap_or_default();
    (style, format!("{words}{tools}"))
}

/// What was written where, and what was left because somebody edited it.
fn files(all: &[InstalledFileShown], outcome: InstallOutcome, is_verbose: bool, out: &mut String) {
    let is_plan = outcome == InstallOutcome::Planned;
    if outcome == InstallOutcome::Refused {
        return;
    }
    let word = |done: &'static str, to_do: &'static str| if is_plan { to_do } else { done };
    let here = std::env::current_dir().unwrap_or_default();
    let line = |file: &InstalledFileShown, out: &mut String| {
        let (style, words, why) = match file.status {
            AssetFileStatus::Written => (GOOD, word("written", "to write"), ""),
            AssetFileStatus::Kept => (QUIET, "unchanged", ""),
            AssetFileStatus::Edited => (WARN, "kept", " (you edited it)"),
            AssetFileStatus::Removed => (WARN, word("removed", "to remove"), ""),
        };
        let path = file.path.strip_prefix(&here).unwrap_or(&file.path);
        let path = visible(&path.display().to_string());
        let client = file.client.title();
        let _ = writeln!(out, "{style}{words:<9}{style:#}  {path}{why}  {QUIET}{client}{QUIET:#}");
    };
    let most = if is_verbose { usize::MAX } else { FILES };
    let is_shown = |file: &&InstalledFileShown| {
        is_verbose || matches!(file.status, AssetFileStatus::Written | AssetFileStatus::Removed)
    };
    let shown: Vec<&InstalledFileShown> = all.iter().filter(is_shown).collect();
    shown.iter().take(most).for_each(|file| line(file, out));
    if shown.len() > most {
        let _ = writeln!(out, "{QUIET}… {} more files; -v shows all{QUIET:#}", shown.len() - most);
    }
    // Whoever edited a file learns that the new version is not there.
    let edited = all.iter().filter(|file| !is_verbose && file.status == AssetFileStatus::Edited);
    edited.for_each(|file| line(file, out));
}

/// Texts in full where nobody has read them and something has to be decided; else those with findings.
fn texts(report: &InstallReport, was_read: bool, is_verbose: bool, out: &mut String) {
    let is_open = matches!(report.outcome, InstallOutcome::Planned | InstallOutcome::Refused);
    for asset in &report.assets {
        let is_suspicious = asset.findings.iter().any(|one| !one.evidence.is_empty());
        if is_open || (!was_read && (is_verbose || is_suspicious)) {
            asset_text(asset, is_verbose, out);
        }
    }
}

/// Why servers were refused, what others would change, and what was accepted beforehand.
fn open_servers(report: &InstallReport, is_verbose: bool, out: &mut String) {
    let is_accepted = |server: &&ServerOutcome| {
        let least = match server.status {
            ServerStatus::Changed => Severity::Moderate,
            ServerStatus::Added | ServerStatus::Approved => Severity::Critical,
            _ => return false,
        };
        severities(server).into_iter().max() >= Some(least)
    };
    for server in open(report).chain(report.servers.iter().filter(is_accepted)) {
        let first_sight = server.page.as_ref().filter(|page| page.changes.is_none());
        if let Some(page) = first_sight {
            out.push('\n');
            out.push_str(&approval::page(page, is_verbose));
        } else if !server.findings.is_empty() {
            let counts = drift::counted(server.findings.iter().map(|one| one.severity));
            let name = visible(&server.change.name);
            let _ = writeln!(out, "\n{STRONG}{name}{STRONG:#}: what changed ({counts})");
            drift::list(&server.findings, is_verbose, out);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
#[path = "install_tests.rs"]
mod tests;
