use std::fmt::Write as _;

use facets_face::human::{first_sentence, problem};
use facets_face::style::{BAD, GOOD, QUIET, STRONG, WARN, styled};
use facets_face::{Shown, plural, visible};
use facets_failure::{Describe as _, Failure, shell_word};
use facets_ops::build_check::BuildCheckReport;
use facets_ops::digest_file::DigestFileReport;
use facets_ops::doctor::{DoctorReport, Health};
use facets_ops::explain::CodeGroup;
use facets_ops::init::InitReport;

use super::checksum_line::checksum_line;

/// What happened, to what, expected and actual, what to type next.
pub(super) fn failure(failure: &Failure, verbose: bool) -> String {
    // Whoever said no knows why, and is not told how to say yes.
    let is_declined = matches!(failure.code, "not-approved" | "grant-conflict")
        && failure.expected.is_none()
        && failure.actual.is_none();
    if is_declined {
        return format!("{}\n", visible(&failure.message));
    }
    facets_face::human::failure(failure, verbose)
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
        problem(found, "", &mut out);
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
        problem(warning, "", &mut talk);
    }
    Shown { talk, ..Shown::styled(out) }
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
            problem(found, "", &mut out);
        }
        if let Some(fix) = &check.fix {
            let _ = writeln!(out, "        try: {}", styled(STRONG, fix));
        }
    }
    Shown::styled(out)
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
            let sentence = first_sentence(explanation);
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
