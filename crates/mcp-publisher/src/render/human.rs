//! For people.

use std::fmt::Write as _;

use facets_face::file_results::{Detail, FileCounts, line, notes, style_of, summary};
use facets_face::human::{first_sentence, problem};
use facets_face::style::{BAD, GOOD, STRONG, WARN, styled};
use facets_face::{Shown, plural, visible};
use facets_failure::Explanation;
use facets_file_hashes::{FileHashReport, FileResult, verdict};
use facets_model::server_json::{ProblemSeverity, ServerJsonProblem};

use crate::init::InitReport;
use crate::validate::ValidateReport;

pub(super) fn init(report: &InitReport, quiet: bool) -> Shown {
    let file = visible(&report.file.display().to_string());
    let lines = format!("{GOOD}created{GOOD:#} {file} for {}\n", visible(&report.name));
    let mut talk = notes(&report.notes);
    let _ = writeln!(talk, "next: {}", styled(STRONG, "mcp-publisher validate"));
    Shown::styled(lines).with_talk(if quiet { String::new() } else { talk })
}

pub(super) fn validate(report: &ValidateReport, quiet: bool) -> Shown {
    let mut out = String::new();
    let mut talk = String::new();
    for ServerJsonProblem { severity, problem: found } in &report.problems {
        let found = found.clone().in_file(report.file.clone());
        match severity {
            ProblemSeverity::Error => problem(&found, "", &mut out),
            ProblemSeverity::Warning => {
                problem(&found, &format!("{WARN}warning{WARN:#}: "), &mut talk);
            }
        }
    }
    let file = visible(&report.file.display().to_string());
    let errors = report.count(ProblemSeverity::Error);
    let warnings = plural(report.count(ProblemSeverity::Warning), "warning");
    let _ = if errors == 0 {
        writeln!(out, "{GOOD}valid{GOOD:#}: {file} ({warnings})")
    } else {
        let problems = plural(errors, "problem");
        writeln!(out, "{BAD}invalid{BAD:#}: {problems} in {file} ({warnings})")
    };
    Shown::styled(out).with_talk(if quiet { String::new() } else { talk })
}

pub(super) fn hashed(files: usize, all: &[String]) -> String {
    format!("{}{GOOD}hashed{GOOD:#} {}\n", notes(all), plural(files, "file"))
}

pub(super) fn not_hashed(failed: &[FileResult], all: &[String], detail: Detail) -> Shown {
    let mut talk = notes(all);
    for result in failed {
        line(result, style_of(result), detail, &mut talk);
    }
    let files = plural(counts(failed).total, "file");
    let _ = writeln!(talk, "{BAD}not hashed{BAD:#}: {files}; no document was printed");
    Shown::exact(Vec::new()).with_talk(talk)
}

fn counts(results: &[FileResult]) -> FileCounts {
    FileCounts::of(results.iter().map(|result| (result, false)))
}

pub(super) fn verify(report: &FileHashReport, detail: Detail, quiet: bool) -> Shown {
    let mut out = String::new();
    for result in &report.results {
        line(result, style_of(result), detail, &mut out);
    }
    if report.has_hashes {
        let exit = verdict(&report.results).into();
        out += &summary(&report.file, counts(&report.results), exit);
    } else {
        let file = visible(&report.file.display().to_string());
        let next = match report.hashable {
            0 => "no package has files to hash",
            _ => "`mcp-publisher hash-gen` adds them",
        };
        let _ =
            writeln!(out, "{BAD}nothing was checked{BAD:#}: {file} has no `file_hashes`; {next}");
    }
    let talk = if quiet { String::new() } else { notes(&report.notes) };
    Shown::styled(out).with_talk(talk)
}

pub(super) fn codes(all: &[Explanation]) -> Shown {
    let mut out = String::new();
    let widest = all.iter().map(|explanation| explanation.code.len()).max().unwrap_or_default();
    for explanation in all {
        let sentence = first_sentence(explanation);
        let _ = writeln!(out, "{STRONG}{:<widest$}{STRONG:#}  {sentence}", explanation.code);
    }
    Shown::styled(out)
}
