//! What came of the files of a `server.json`, and what that counts as.

use std::fmt::Write as _;

use facets_drift::Severity;
use facets_face::Shown;
use facets_face::file_results::{self, Detail, FileCounts};
use facets_face::style::{QUIET, STRONG, WARN, styled};
use facets_ops::check::Judgement;
use facets_ops::policy::{Effect, Mark, POLICY};
use facets_ops::verify_file::{JudgedFile, VerifyFileReport};
use serde_json::{Value, json};

use super::renderer::Renderer;
use super::{drift, policy};

impl Renderer {
    pub(crate) fn verified_file(&self, report: &VerifyFileReport) -> Shown {
        let exit = drift::exit(report.judgement());
        let detail = Detail::of(self.verbose);
        self.show(|| human(report, detail, self.quiet), || json_of(report)).with_exit(exit)
    }
}

fn human(report: &VerifyFileReport, detail: Detail, quiet: bool) -> Shown {
    let mut out = String::new();
    for file in &report.files {
        one(file, report, detail, &mut out);
    }
    let counts = counts(report);
    out += &file_results::summary(&report.file, counts, drift::exit(report.judgement()));
    policy::applied(report.policy.as_ref(), &mut out);
    let talk = if quiet { String::new() } else { talk(report) };
    Shown::styled(out).with_talk(talk)
}

fn counts(report: &VerifyFileReport) -> FileCounts {
    FileCounts::of(report.files.iter().map(|file| (&file.result, is_accepted(file, report))))
}

/// Whether a file has no hash, and that is not bad enough to say no.
fn is_accepted(file: &JudgedFile, report: &VerifyFileReport) -> bool {
    file.severity.is_some() && !file.is_bad(report.fail_on)
}

fn one(file: &JudgedFile, report: &VerifyFileReport, detail: Detail, out: &mut String) {
    let is_accepted = is_accepted(file, report);
    let style = if is_accepted { QUIET } else { file_results::style_of(&file.result) };
    file_results::line(&file.result, style, detail, out);
    if let (Some(severity), true) = (file.severity, file.result.unhashed.is_some()) {
        let _ = writeln!(out, "    severity: {}", severity.name());
    }
    if let Some(mark @ Mark { effect: Effect::Regraded { from }, .. }) = &file.mark {
        let policy_file = policy::file_of(report.policy.as_ref());
        let sentence = policy::regraded(*from, mark, &policy_file);
        let _ = writeln!(out, "    {WARN}policy:{WARN:#} {sentence}");
    }
}

fn talk(report: &VerifyFileReport) -> String {
    let mut out = file_results::notes(&report.notes);
    let is_refused =
        |file: &JudgedFile| file.result.unhashed.is_some() && file.is_bad(report.fail_on);
    if report.files.iter().any(is_refused) {
        let next = styled(STRONG, "facet explain missing");
        let _ = writeln!(out, "{POLICY} can accept packages without hashes: {next}");
    }
    out
}

fn json_of(report: &VerifyFileReport) -> Value {
    let one = |file: &JudgedFile| {
        let mut value = file_results::json_of(&file.result);
        value["severity"] = json!(file.severity.map(Severity::name));
        value["policy"] = json!(file.mark.as_ref().map(policy::json_of_mark));
        value
    };
    json!({
        "ok": report.judgement() == Judgement::Yes,
        "file": report.file.display().to_string(),
        "fail_on": report.fail_on.name(),
        "policy": policy::json_of(report.policy.as_ref()),
        "checked": report.files.len(),
        "files": counts(report).total,
        "results": report.files.iter().map(one).collect::<Vec<_>>(),
        "notes": report.notes,
    })
}
