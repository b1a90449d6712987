//! Findings as people read them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use facets_drift::{Finding, FindingType, Severity, SubjectKind};
use facets_face::{Exit, Shown, plural, visible};
use facets_failure::Describe as _;
use facets_lock::SURFACES;
use facets_ops::check::{CheckOutcome, CheckReport, CheckedServer, Judgement};
use facets_ops::diff::DiffReport;
use facets_ops::policy::Graded;
use facets_ops::{BrokenPin, OpsError};
use facets_project::LOCK;
use facets_schema::{Instance, SchemaChange};

use super::changed_text::{ChangedLine, Piece, changed_lines};
use super::finding_groups::{FindingGroup, grouped};
use super::{facets, human, policy};

const BAD: Style = AnsiColor::Red.on_default().bold();
const WARN: Style = AnsiColor::Yellow.on_default();
const GOOD: Style = AnsiColor::Green.on_default();
const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();
const GONE: Style = AnsiColor::Red.on_default();
const COME: Style = AnsiColor::Green.on_default();

/// Lines of one text that are shown before the rest is counted.
const LINES: usize = 24;
/// Findings of one server that are shown before the rest is counted.
const FINDINGS: usize = 60;

pub(super) fn style(severity: Severity) -> Style {
    match severity {
        Severity::Critical => BAD,
        Severity::Moderate => WARN,
        Severity::Safe | Severity::Info => QUIET,
    }
}

/// Which command speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Check,
    Verify,
    Diff,
}

impl Verb {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Verify => "verify",
            Self::Diff => "diff",
        }
    }
}

/// What a judgement ends with.
pub(super) fn exit(judgement: Judgement) -> Exit {
    match judgement {
        Judgement::Yes => Exit::Yes,
        Judgement::No => Exit::No,
        Judgement::Unknown => Exit::Unjudged,
    }
}

/// Every finding of a report.
pub(super) fn all_findings(report: &CheckReport) -> impl Iterator<Item = &Graded> {
    report.servers.iter().flat_map(|server| match &server.outcome {
        CheckOutcome::Judged(findings) => findings.as_slice(),
        CheckOutcome::Edited(_) | CheckOutcome::Tampered(_) | CheckOutcome::Failed(_) => &[],
    })
}

pub(super) fn checked(report: &CheckReport, verb: Verb, (quiet, verbose): (bool, bool)) -> Shown {
    let mut out = String::new();
    let file = policy::file_of(report.policy.as_ref());
    for server in &report.servers {
        block(server, (report.fail_on, &file), verb, (quiet, verbose), &mut out);
    }
    out.push_str(&facets::checked(report));
    for server in &report.uncaptured {
        let why = if let Some(image) = &server.image {
            format!("the image {} is not started by this version", visible(image))
        } else {
            let verb = if server.is_published { "upgrade" } else { "approve" };
            format!("nobody has looked at it yet; facet {verb} {}", visible(&server.name))
        };
        let _ = writeln!(
            out,
            "{STRONG}{}{STRONG:#}: {WARN}not checked{WARN:#} ({why})",
            visible(&server.name)
        );
    }
    policy::applied(report.policy.as_ref(), &mut out);
    if report.servers.is_empty() && report.facets.is_empty() && !quiet {
        let _ = writeln!(out, "no server is pinned here");
    }
    let mut talk = if quiet { String::new() } else { summary(report) };
    talk += &policy::talk(report.policy.as_ref(), all_findings(report), quiet);
    Shown { talk, ..Shown::styled(out).with_exit(exit(report.judgement())) }
}

fn summary(report: &CheckReport) -> String {
    let bad = |server: &&CheckedServer| match &server.outcome {
        CheckOutcome::Judged(findings) => findings.iter().any(|f| f.is_bad(report.fail_on)),
        CheckOutcome::Edited(_) | CheckOutcome::Tampered(_) => true,
        CheckOutcome::Failed(_) => false,
    };
    let count = report.servers.len();
    let bad = report.servers.iter().filter(bad).count();
    let failed =
        report.servers.iter().filter(|s| matches!(s.outcome, CheckOutcome::Failed(_))).count();
    if count < 2 {
        return String::new();
    }
    let good = count - bad - failed;
    format!("{count} servers: {good} ok, {bad} changed, {failed} could not be checked\n")
}

fn block(
    server: &CheckedServer,
    (fail_on, file): (Severity, &str),
    verb: Verb,
    (quiet, verbose): (bool, bool),
    out: &mut String,
) {
    let name = visible(&server.name);
    match &server.outcome {
        CheckOutcome::Judged(findings) if findings.is_empty() => {
            let tools = plural(server.tools, "tool");
            let what = if verb == Verb::Check { "as approved" } else { "intact" };
            let _ = writeln!(out, "{STRONG}{name}{STRONG:#}: {GOOD}{what}{GOOD:#} ({tools})");
        }
        CheckOutcome::Judged(findings) => {
            let changes = plural(findings.len(), "change");
            let counted = counted(findings.iter().map(|finding| finding.severity));
            let _ = writeln!(out, "{STRONG}{name}{STRONG:#}: {changes} ({counted})");
            list_graded(findings, file, verbose, out);
            let varies = findings.iter().any(|found| found.kind == FindingType::SurfaceVaries);
            // What the policy asks for is not there because somebody approves that it is not.
            let approvable = |one: &Graded| one.severity >= fail_on && !one.is_demanded();
            if findings.iter().any(approvable) && !varies && !quiet {
                let next = format!("facet approve {name}");
                let _ = writeln!(
                    out,
                    "  {QUIET}if this is what you want:{QUIET:#} {STRONG}{next}{STRONG:#}"
                );
            }
        }
        CheckOutcome::Edited(problem) => {
            let _ = writeln!(out, "{STRONG}{name}{STRONG:#}: {BAD}edited{BAD:#}");
            let _ = writeln!(out, "  {}", visible(&problem.to_string()));
            if !quiet {
                advise_about_edits(&name, problem, out);
            }
        }
        CheckOutcome::Tampered(error) => {
            let _ = writeln!(out, "{STRONG}{name}{STRONG:#}: {BAD}tampered with{BAD:#}");
            failure_lines(error, verbose, out);
        }
        CheckOutcome::Failed(error) => {
            let _ = writeln!(out, "{STRONG}{name}{STRONG:#}: {WARN}could not check{WARN:#}");
            failure_lines(error, verbose, out);
        }
    }
    remarks(server, &name, quiet, out);
}

fn failure_lines(error: &OpsError, verbose: bool, out: &mut String) {
    let failure = human::failure(&error.describe(), verbose);
    out.extend(failure.lines().map(|line| format!("  {line}\n")));
}

fn advise_about_edits(name: &str, problem: &BrokenPin, out: &mut String) {
    let _ = writeln!(
        out,
        "  {QUIET}see what was edited:{QUIET:#} {STRONG}git diff {LOCK} {SURFACES}{STRONG:#}"
    );
    let (what, next) = if problem.can_be_approved() {
        ("to review the server again:", format!("facet approve {name}"))
    } else {
        ("to undo the edits:", format!("git checkout {LOCK} {SURFACES}"))
    };
    let _ = writeln!(out, "  {QUIET}{what}{QUIET:#} {STRONG}{next}{STRONG:#}");
}

/// What is said about a server beside what was found.
fn remarks(server: &CheckedServer, name: &str, quiet: bool, out: &mut String) {
    for note in &server.notes {
        let _ = writeln!(out, "  {WARN}note{WARN:#}: {}", visible(note));
    }
    if server.offers_profile() && !quiet {
        offer_profile(name, out);
    }
}

/// An older facet pinned it in a profile that is not used any more.
fn offer_profile(name: &str, out: &mut String) {
    let _ = writeln!(
        out,
        "  {QUIET}it starts with an empty home directory each time, as an older facet did; to have \
         one that stays:{QUIET:#} {STRONG}facet approve {name}{STRONG:#}"
    );
}

pub(super) fn list(findings: &[Finding], verbose: bool, out: &mut String) {
    let groups = grouped(findings, |finding| finding, |_, _| true);
    some(&groups, verbose, out, |group, out| {
        let subject = subject_of(group, group.first.subject_kind, verbose);
        one(group.first, &subject, verbose, out);
    });
}

/// One finding without its texts, where those are shown beside it.
pub(super) fn without_texts(finding: &Finding, out: &mut String) {
    head(finding, "", out);
    evidence(finding, out);
}

/// With what the policy did to each of them.
fn list_graded(findings: &[Graded], file: &str, verbose: bool, out: &mut String) {
    let groups = grouped_graded(findings);
    some(&groups, verbose, out, |group, out| {
        let graded = group.first;
        one(graded, &subject_of(group, graded.subject_kind, verbose), verbose, out);
        if let Some(mark) = &graded.mark {
            let sentence = policy::sentence(&graded.finding, mark, file);
            let _ = writeln!(out, "           {WARN}policy:{WARN:#} {sentence}");
        }
    });
}

/// The same change with the same mark of the policy is one.
pub(super) fn grouped_graded(findings: &[Graded]) -> Vec<FindingGroup<'_, Graded>> {
    grouped(findings, |graded| &graded.finding, |one, other| one.mark == other.mark)
}

fn subject_of<T>(group: &FindingGroup<'_, T>, kind: SubjectKind, verbose: bool) -> String {
    group.subject(kind, verbose, |name| format!("{STRONG}{}{STRONG:#}", visible(name)))
}

fn some<T>(all: &[T], verbose: bool, out: &mut String, show: impl Fn(&T, &mut String)) {
    let most = if verbose { usize::MAX } else { FINDINGS };
    for finding in all.iter().take(most) {
        show(finding, out);
    }
    if all.len() > most {
        let more = all.len() - most;
        let _ = writeln!(out, "  {QUIET}… {more} more; -v shows all{QUIET:#}");
    }
}

/// How many there are of each severity, the worst first: `1 critical, 2 moderate`.
pub(super) fn counted(severities: impl Iterator<Item = Severity>) -> String {
    let mut counts: BTreeMap<Severity, usize> = BTreeMap::new();
    severities.for_each(|severity| *counts.entry(severity).or_default() += 1);
    let counts = counts.iter().rev().map(|(severity, count)| {
        let style = style(*severity);
        format!("{style}{count} {}{style:#}", severity.name())
    });
    counts.collect::<Vec<_>>().join(", ")
}

/// A finding: how bad, about what, what it means; the change; why it is worse than its type.
fn one(finding: &Finding, subject: &str, verbose: bool, out: &mut String) {
    head(finding, subject, out);
    change(finding.before.as_deref(), finding.after.as_deref(), verbose, out);
    for (what, value) in finding.schema.iter().flat_map(|change| proof(change)) {
        let style = if what == ACCEPTED { COME } else { GONE };
        let _ = writeln!(out, "           {style}{what}:{style:#} {value}");
    }
    evidence(finding, out);
}

/// How bad, about what, what it means.
fn head(finding: &Finding, subject: &str, out: &mut String) {
    let style = style(finding.severity);
    let severity = finding.severity.name();
    let _ = writeln!(
        out,
        "  {style}{severity:<8}{style:#} {subject}{} {QUIET}[{}; callers: {}]{QUIET:#}",
        visible(&finding.sentence),
        finding.kind.name(),
        finding.compat.name()
    );
}

/// Why it is worse than its type.
fn evidence(finding: &Finding, out: &mut String) {
    for evidence in &finding.evidence {
        let _ = writeln!(
            out,
            "           {BAD}!{BAD:#} \"{}\" {QUIET}[{}]{QUIET:#}",
            visible(&evidence.readable_words()),
            evidence.rule
        );
    }
}

const ACCEPTED: &str = "accepted now";
/// Longer examples are shown in part.
const EXAMPLE: usize = 300;

/// What is proven about a schema, by examples: a line each.
pub(super) fn proof(change: &SchemaChange) -> Vec<(&'static str, String)> {
    let example = |value: &Instance| {
        let text = visible(&value.to_json());
        match text.char_indices().nth(EXAMPLE) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    };
    let gained = change.gained.as_ref().map(|value| (ACCEPTED, example(value)));
    let lost = change.lost.as_ref().map(|value| ("refused now", example(value)));
    let why = change.keyword.as_ref().map(|keyword| {
        let why = match keyword.as_str() {
            "size" => "the schemas are too large to compare".to_owned(),
            keyword => format!("`{}` stands in the way", visible(keyword)),
        };
        ("not proven", why)
    });
    gained.into_iter().chain(lost).chain(why).collect()
}

/// What was and what is, line by line.
pub(super) fn change(before: Option<&str>, after: Option<&str>, verbose: bool, out: &mut String) {
    let most = if verbose { usize::MAX } else { LINES };
    let lines = changed_lines(before, after, verbose);
    for line in lines.iter().take(most) {
        let _ = match line {
            ChangedLine::Gone(text) => writeln!(out, "           {GONE}- {text}{GONE:#}"),
            ChangedLine::Come(text) => writeln!(out, "           {COME}+ {text}{COME:#}"),
            ChangedLine::Kept(text) => writeln!(out, "           {QUIET}  {text}{QUIET:#}"),
            ChangedLine::Reworded(pieces) => {
                let pieces: String = pieces.iter().map(styled).collect();
                writeln!(out, "           ~ {pieces}")
            }
        };
    }
    if lines.len() > most {
        let more = lines.len() - most;
        let _ = writeln!(out, "           {QUIET}… {more} more lines; -v shows all{QUIET:#}");
    }
}

fn styled(piece: &Piece) -> String {
    let text = piece.plain();
    match piece {
        Piece::Gone(_) => format!("{GONE}{text}{GONE:#}"),
        Piece::Come(_) => format!("{COME}{text}{COME:#}"),
        Piece::Kept(_) => text,
    }
}

pub(super) fn diff(report: &DiffReport, quiet: bool, verbose: bool) -> Shown {
    let mut out = String::new();
    let file = policy::file_of(report.policy.as_ref());
    list_graded(&report.findings, &file, verbose, &mut out);
    policy::applied(report.policy.as_ref(), &mut out);
    let mut talk = match report.findings.len() {
        _ if quiet => String::new(),
        0 => format!("{GOOD}no difference{GOOD:#}\n"),
        count => {
            let counted = counted(report.findings.iter().map(|finding| finding.severity));
            format!("{} ({counted})\n", plural(count, "difference"))
        }
    };
    talk += &policy::talk(report.policy.as_ref(), report.findings.iter(), quiet);
    Shown { talk, ..Shown::styled(out) }
}
