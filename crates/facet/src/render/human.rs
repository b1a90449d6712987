use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use facets_failure::{Describe as _, Failure, FileProblem, Stderr, shell_word};
use facets_ops::build_check::BuildCheckReport;
use facets_ops::digest_file::DigestFileReport;
use facets_ops::doctor::{DoctorReport, Health};
use facets_ops::explain::{CodeGroup, Explanation};
use facets_ops::init::InitReport;

use super::text::{checksum_line, visible};
use crate::shown::Shown;

const BAD: Style = AnsiColor::Red.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const WARN: Style = AnsiColor::Yellow.on_default();
const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();

/// Problems of a file that are shown before the rest is counted.
const PROBLEMS: usize = 50;

fn styled(style: Style, text: &str) -> String {
    format!("{style}{}{style:#}", visible(text))
}

/// What happened, to what, expected and actual, what to type next.
pub(super) fn failure(failure: &Failure, verbose: bool) -> String {
    let mut out = String::new();
    let message = visible(&failure.message);
    // Whoever said no knows why, and is not told how to say yes.
    let is_declined = matches!(failure.code, "not-approved" | "grant-conflict")
        && failure.expected.is_none()
        && failure.actual.is_none();
    if is_declined {
        return format!("{message}\n");
    }
    let _ = writeln!(out, "{BAD}error{BAD:#}: {message} {QUIET}[{}]{QUIET:#}", failure.code);
    if let (Some(file), Some(position)) = (&failure.file, failure.place) {
        let _ = writeln!(out, "  at:       {}:{position}", visible(&file.display().to_string()));
    }
    if let Some(expected) = &failure.expected {
        let _ = writeln!(out, "  expected: {}", visible(expected));
    }
    if let Some(actual) = &failure.actual {
        let _ = writeln!(out, "  found:    {}", visible(actual));
    }
    if let Some(said) = &failure.error_output {
        stderr(said, verbose, &mut out);
    }
    for note in &failure.notes {
        let _ = writeln!(out, "  {:<9} {}", format!("{}:", note.label), visible(&note.text));
    }
    // An explanation mends nothing, except where one was asked for.
    let is_more = failure.next.starts_with("facet explain ") && failure.code != "unknown-code";
    let label = if is_more { "more:" } else { "try:" };
    let _ = writeln!(out, "  {label:<9} {}", styled(STRONG, &failure.next));
    for found in failure.problems.iter().take(PROBLEMS) {
        problem(found, &mut out);
    }
    if failure.problems.len() > PROBLEMS {
        let _ = writeln!(out, "and {} more", failure.problems.len() - PROBLEMS);
    }
    out
}

/// What a server wrote to standard error, line by line: the first and the last of it, or all that is kept.
fn stderr(said: &Stderr, verbose: bool, out: &mut String) {
    let shown = if verbose { said.clone() } else { said.shortened() };
    let gap = (shown.omitted > 0).then(|| {
        let lines = if shown.omitted == 1 { "line" } else { "lines" };
        // Of a flood not everything is kept, and then nothing shows it.
        let hint = if verbose { "not kept" } else { "-v shows all" };
        format!("{QUIET}… {} more {lines}; {hint}{QUIET:#}", shown.omitted)
    });
    let line = |line: &String| visible(line);
    let lines = shown.first.iter().map(line).chain(gap).chain(shown.last.iter().map(line));
    for (index, line) in lines.enumerate() {
        let label = if index == 0 { "stderr:" } else { "" };
        let _ = writeln!(out, "  {label:<9} {line}");
    }
}

pub(super) fn digest_file(report: &DigestFileReport) -> Shown {
    let mut lines = String::new();
    let mut talk = String::new();
    for (input, result) in &report.files {
        match result {
            Ok(file) => lines.push_str(&checksum_line(&file.digest.to_string(), input.path())),
            Err(error) => talk.push_str(&failure(&error.describe(), false)),
        }
    }
    Shown { talk, ..Shown::exact(lines) }
}

pub(super) fn init(report: &InitReport, quiet: bool) -> Shown {
    let mut lines = String::new();
    for (verb, files) in [("created", &report.created), ("kept   ", &report.kept)] {
        for file in files {
            let path = report.directory.join(file);
            let _ =
                writeln!(lines, "{GOOD}{verb}{GOOD:#} {}", visible(&path.display().to_string()));
        }
    }
    let next = format!("facet build --check {}", shell_word(&report.directory));
    let talk = format!("next: {}\n", styled(STRONG, next.trim_end_matches(" .")));
    Shown { talk: if quiet { String::new() } else { talk }, ..Shown::styled(lines) }
}

pub(super) fn build_check(report: &BuildCheckReport, quiet: bool, verbose: bool) -> Shown {
    let mut out = String::new();
    for found in &report.problems {
        problem(found, &mut out);
    }
    let file = visible(&report.manifest.display().to_string());
    match (&report.identity, report.problems.len()) {
        (Some((name, version)), 0) => {
            let files = plural(report.files, "file");
            let _ =
                writeln!(out, "{GOOD}valid{GOOD:#}: {} {name} {version} ({files})", report.kind);
            if verbose {
                let _ = writeln!(out, "manifest: {file}");
            }
        }
        (_, count) => {
            let problems = plural(count, "problem");
            let _ = writeln!(out, "{BAD}invalid{BAD:#}: {problems} in {file} and its files");
        }
    }
    let mut talk = String::new();
    for warning in report.warnings.iter().filter(|_| !quiet) {
        let _ = write!(talk, "warning: ");
        problem(warning, &mut talk);
    }
    Shown { talk, ..Shown::styled(out) }
}

fn problem(problem: &FileProblem, out: &mut String) {
    let mut place = problem.file.display().to_string();
    if let Some(position) = problem.place {
        let _ = write!(place, ":{position}");
    }
    let member = match problem.member.as_str() {
        "" => String::new(),
        member => format!("{}: ", visible(member)),
    };
    let found = visible(&problem.found);
    let _ = writeln!(
        out,
        "{}: {member}{found} {QUIET}[{}]{QUIET:#}",
        styled(STRONG, &place),
        problem.code
    );
    let _ = writeln!(out, "    allowed: {}", visible(&problem.allowed));
    let _ = writeln!(out, "    fix:     {}", visible(&problem.fix));
}

pub(super) fn doctor(report: &DoctorReport) -> Shown {
    let mut out = String::new();
    for check in &report.checks {
        let (style, word) = match check.health {
            Health::Good => (GOOD, "ok    "),
            Health::Absent => (QUIET, "none  "),
            Health::Open => (WARN, "warn  "),
            Health::Bad => (BAD, "broken"),
        };
        let _ =
            writeln!(out, "{style}{word}{style:#}  {:<16} {}", check.name, visible(&check.detail));
        for found in &check.problems {
            problem(found, &mut out);
        }
        if let Some(fix) = &check.fix {
            let _ = writeln!(out, "        try: {}", styled(STRONG, fix));
        }
    }
    Shown::styled(out)
}

pub(super) fn explanation(explanation: &Explanation) -> Shown {
    Shown::styled(format!("{STRONG}{}{STRONG:#}\n\n{}\n", explanation.code, explanation.text))
}

/// Every code with its first sentence, under headings.
pub(super) fn codes(groups: &[CodeGroup]) -> Shown {
    let mut out = String::new();
    let all = groups.iter().flat_map(|group| &group.codes);
    let widest = all.map(|explanation| explanation.code.len()).max().unwrap_or_default();
    for (at, group) in groups.iter().enumerate() {
        let gap = if at == 0 { "" } else { "\n" };
        let _ = writeln!(out, "{gap}{STRONG}{}{STRONG:#}", group.title);
        for explanation in &group.codes {
            let text = explanation.text.replace('\n', " ");
            let sentence = text.split(". ").next().unwrap_or_default();
            let sentence = sentence.split(": ").next().unwrap_or_default().trim_end_matches('.');
            let _ = writeln!(out, "  {:<widest$}  {sentence}", explanation.code);
        }
    }
    Shown::styled(out)
}

/// Bytes, in a unit that leaves few digits.
pub(super) fn size(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let step = (0..units.len() - 1).take_while(|step| bytes >> (10 * step) >= 10_240).count();
    format!("{} {}", bytes >> (10 * step), units[step])
}

/// Its plural is not that of other nouns.
pub(super) fn entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

pub(super) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
