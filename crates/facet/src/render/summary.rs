//! A page in Markdown for whoever reviews a pull request (spec 7.7).
//!
//! Names and texts are other people's. They stand in code, where nothing in them is a link, a
//! mention or a heading, and no more of them than a page can hold.

use std::fmt::Write as _;

use facets_drift::FindingType;
use facets_face::{plural, visible};
use facets_failure::Describe as _;
use facets_ops::OpsError;
use facets_ops::check::{CheckOutcome, CheckReport, CheckedServer, Judgement};
use facets_ops::diff::DiffReport;
use facets_ops::policy::{AppliedPolicy, Graded};

use super::changed_text::changed_lines;
use super::finding_groups::FindingGroup;
use super::{Verb, drift, facets, policy};

/// Bytes of a page: less than a comment may have.
const PAGE: usize = 60_000;
/// Lines of one change.
const LINES: usize = 30;
/// Characters of one line.
const CHARACTERS: usize = 400;
/// Servers in the table.
const SERVERS: usize = 200;

pub(crate) fn of_report(report: &CheckReport, verb: Verb) -> String {
    let mut out = heading(verb, report.judgement());
    let mut servers: Vec<&CheckedServer> = report.servers.iter().collect();
    servers.sort_by_key(|server| (std::cmp::Reverse(rank(server)), server.name.clone()));
    let _ = writeln!(out, "| server | result | worst | changes |\n|---|---|---|---|");
    for server in servers.iter().take(SERVERS) {
        out.push_str(&row(server, verb));
    }
    if servers.len() > SERVERS {
        let _ = writeln!(out, "\nand {} more servers", servers.len() - SERVERS);
    }
    let mut page = Page { out, left_out: 0 };
    for server in &servers {
        match &server.outcome {
            CheckOutcome::Judged(findings) if findings.is_empty() => {}
            CheckOutcome::Judged(findings) => {
                page.details(&server.name, findings, report.policy.as_ref());
            }
            CheckOutcome::Edited(problem) => {
                page.add(&format!("\n{}: {}\n", code(&server.name), code(&problem.to_string())));
            }
            CheckOutcome::Tampered(error) | CheckOutcome::Failed(error) => {
                let failure = error.describe();
                let text = format!("\n{}\n{}", failure.message, failure.actual.unwrap_or_default());
                page.add(&format!(
                    "\n{}:\n{}",
                    code(&server.name),
                    fenced("text", &lines_of(&text))
                ));
            }
        }
    }
    for (name, problems) in facets::broken(report) {
        page.add(&format!(
            "\nfacet {}:\n{}",
            code(name),
            fenced("text", &lines_of(&problems.join("\n")))
        ));
    }
    page.finish(report.policy.as_ref(), &next(&servers, report))
}

pub(crate) fn of_diff(report: &DiffReport, verb: Verb) -> String {
    let out = heading(verb, report.judgement());
    let mut page = Page { out, left_out: 0 };
    if report.findings.is_empty() {
        page.add("No difference.\n");
    } else {
        let name = if report.server.is_empty() { "differences" } else { &report.server };
        page.details(name, &report.findings, report.policy.as_ref());
    }
    page.finish(report.policy.as_ref(), &[])
}

pub(crate) fn of_error(error: &OpsError, verb: Verb) -> String {
    let mut out = heading(verb, Judgement::Unknown);
    let failure = error.describe();
    let mut text = failure.message;
    if let (Some(file), Some(position)) = (&failure.file, failure.place) {
        let _ = write!(text, "\nat {}:{position}", file.display());
    }
    if let Some(actual) = failure.actual {
        let _ = write!(text, "\nfound: {actual}");
    }
    for problem in failure.problems.iter().take(LINES) {
        let place = problem.place.map(|position| position.to_string()).unwrap_or_default();
        let _ = write!(text, "\n{place}: {}: {}", problem.member, problem.found);
    }
    out.push_str(&fenced("text", &lines_of(&text)));
    let _ = writeln!(out, "\nNext: {}\n", code(&failure.next));
    out
}

/// A page is appended to others, so it begins with an empty line.
fn heading(verb: Verb, judgement: Judgement) -> String {
    let verdict = match judgement {
        Judgement::Yes => "ok",
        Judgement::No => "changed",
        Judgement::Unknown => "could not judge",
    };
    format!("\n## facet {}: {verdict}\n\n", verb.name())
}

/// The worst first: what was edited or tampered with, then by the worst finding, then what could not be checked.
fn rank(server: &CheckedServer) -> (u8, Option<facets_drift::Severity>) {
    match &server.outcome {
        CheckOutcome::Edited(_) | CheckOutcome::Tampered(_) => (3, None),
        CheckOutcome::Failed(_) => (1, None),
        CheckOutcome::Judged(findings) => {
            let worst = findings.iter().map(|finding| finding.severity).max();
            (if worst.is_some() { 2 } else { 0 }, worst)
        }
    }
}

fn row(server: &CheckedServer, verb: Verb) -> String {
    let (result, worst, changes) = match &server.outcome {
        CheckOutcome::Edited(_) => ("edited", "", String::new()),
        CheckOutcome::Tampered(_) => ("tampered with", "", String::new()),
        CheckOutcome::Failed(_) => ("could not check", "", String::new()),
        CheckOutcome::Judged(findings) => match rank(server).1 {
            None if verb == Verb::Check => ("as approved", "", "0".to_owned()),
            None => ("intact", "", "0".to_owned()),
            Some(worst) => ("changed", worst.name(), findings.len().to_string()),
        },
    };
    format!("| {} | {result} | {worst} | {changes} |\n", code(&server.name))
}

struct Page {
    out: String,
    left_out: usize,
}

impl Page {
    /// Whole pieces only: half a fence would swallow the rest of the page.
    fn add(&mut self, piece: &str) -> bool {
        let fits = self.out.len() + piece.len() <= PAGE;
        if fits {
            self.out.push_str(piece);
        }
        fits
    }

    fn details(&mut self, name: &str, findings: &[Graded], policy: Option<&AppliedPolicy>) {
        let changes = plural(findings.len(), "change");
        let counted = drift::counted(findings.iter().map(|finding| finding.severity));
        let counted = anstream::adapter::strip_str(&counted);
        let name = html(name);
        let head = format!("\n<details><summary>{name}: {changes} ({counted})</summary>\n\n");
        let foot = "\n</details>\n";
        if self.out.len() + head.len() + foot.len() > PAGE {
            self.left_out += findings.len();
            return;
        }
        self.out.push_str(&head);
        for group in drift::grouped_graded(findings) {
            let fits = self.out.len() + foot.len() <= PAGE && self.add(&finding(&group, policy));
            self.left_out += if fits { 0 } else { group.count() };
        }
        self.out.push_str(foot);
    }

    fn finish(mut self, policy: Option<&AppliedPolicy>, next: &[String]) -> String {
        if self.left_out > 0 {
            let left = plural(self.left_out, "change");
            let _ = writeln!(self.out, "\n{left} left out here: run facet to see all of them.");
        }
        if let Some(policy) = policy {
            let file = policy.file.display().to_string();
            let _ = writeln!(self.out, "\nPolicy: {}", code(&file));
            for note in policy.notes.iter().take(LINES) {
                let _ = writeln!(self.out, "- {}", code(&policy::note(policy, note)));
            }
        }
        for line in next {
            let _ = writeln!(self.out, "\n{line}");
        }
        self.out.push('\n');
        self.out
    }
}

fn finding(group: &FindingGroup<'_, Graded>, policy: Option<&AppliedPolicy>) -> String {
    let graded = group.first;
    let found = &graded.finding;
    let subject = group.subject(found.subject_kind, false, code);
    let (severity, kind, compat) = (found.severity.name(), found.kind.name(), found.compat.name());
    let sentence = code(&found.sentence);
    let mut out = format!("\n**{severity}** {subject}{sentence} ({kind}; callers: {compat})\n");
    if let Some(mark) = &graded.mark {
        let file = policy::file_of(policy);
        let _ = writeln!(out, "\nPolicy: {}", code(&policy::sentence(found, mark, &file)));
    }
    let changed = changed_lines(found.before.as_deref(), found.after.as_deref(), false);
    if !changed.is_empty() {
        let lines = changed.iter().take(LINES);
        let mut lines: Vec<String> = lines.map(|line| clipped(&line.plain())).collect();
        if changed.len() > LINES {
            lines.push(format!("  … and {} more lines", changed.len() - LINES));
        }
        out.push_str(&fenced("diff", &lines));
    }
    for (what, value) in found.schema.iter().flat_map(|change| drift::proof(change)) {
        let _ = writeln!(out, "- {what}: {}", code(&value));
    }
    for evidence in found.evidence.iter().take(LINES) {
        let _ = writeln!(out, "- {} {}", code(&evidence.words), code(evidence.rule));
    }
    out
}

/// What to type, if this is what somebody wants.
fn next(servers: &[&CheckedServer], report: &CheckReport) -> Vec<String> {
    let mut names = Vec::new();
    for server in servers {
        let wanted = match &server.outcome {
            CheckOutcome::Judged(findings) => {
                let varies = findings.iter().any(|one| one.kind == FindingType::SurfaceVaries);
                let bad = |one: &Graded| one.severity >= report.fail_on && !one.is_demanded();
                !varies && findings.iter().any(bad)
            }
            CheckOutcome::Edited(problem) => problem.can_be_approved(),
            // What was approved is still wanted: the stored bytes are replaced.
            CheckOutcome::Tampered(_) | CheckOutcome::Failed(_) => false,
        };
        if wanted && names.len() < LINES {
            names.push(server.name.clone());
        }
    }
    if names.is_empty() {
        return Vec::new();
    }
    let command = format!("facet approve {}", names.join(" "));
    vec![format!("If this is what you want: {}, then commit.", code(&command))]
}

/// Text in a line, as code: nothing in it means anything.
fn code(text: &str) -> String {
    let text = clipped(&visible(text));
    let plain = !text.is_empty() && !text.contains(['`', '|']) && text.trim() == text;
    if plain { format!("`{text}`") } else { format!("<code>{}</code>", html(&text)) }
}

/// Text among tags: every sign is an entity, so that it is neither a tag nor Markdown.
fn html(text: &str) -> String {
    let text = clipped(&visible(text));
    let letters = text.chars().map(|character| match character {
        '-' | '_' | ' ' => character.to_string(),
        sign if sign.is_ascii_punctuation() => format!("&#{};", u32::from(sign)),
        other => other.to_string(),
    });
    letters.collect()
}

fn lines_of(text: &str) -> Vec<String> {
    text.lines().filter(|line| !line.is_empty()).map(|line| clipped(&visible(line))).collect()
}

/// Lines behind a fence that is longer than any run of backticks in them.
fn fenced(language: &str, lines: &[String]) -> String {
    let runs = lines.iter().flat_map(|line| line.split(|c| c != '`')).map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    format!("\n{fence}{language}\n{}\n{fence}\n", lines.join("\n"))
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… and {} more", &text[..end], text[end..].chars().count()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_peoples_words_stay_code() {
        assert_eq!(code("get_time"), "`get_time`");
        assert_eq!(code("a`b|c"), "<code>a&#96;b&#124;c</code>");
        assert_eq!(code("x\u{202e}\n@all"), "`x\\u{202e}\\n@all`");
        assert_eq!(html("<img src=x>"), "&#60;img src&#61;x&#62;");
        let lines = ["a ```` b".to_owned(), "```".to_owned()];
        assert!(fenced("diff", &lines).starts_with("\n`````diff\n"));
        assert_eq!(code(&"é".repeat(401)), format!("`{}… and 1 more`", "é".repeat(400)));
    }
}
