//! `facet cache`.

use std::fmt::Write as _;

use anstyle::Style;
use facets_failure::Describe as _;
use facets_ops::cache::{
    CacheListReport, CachePruneReport, CachePruneRequest, CacheVerifyReport, CachedEntry,
    EntryVerdict,
};
use serde_json::{Value, json};

use super::renderer::Renderer;
use super::{drift, human};
use facets_face::Shown;

const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();

impl Renderer {
    pub(crate) fn cached(&self, report: &CacheListReport) -> Shown {
        let human = || Shown {
            talk: if self.quiet { String::new() } else { total(report) },
            ..Shown::styled(report.entries.iter().map(line).collect())
        };
        let json = || {
            let entries: Vec<Value> = report.entries.iter().map(entry_json).collect();
            let path = report.path.as_ref().map(|path| path.display().to_string());
            json!({ "path": path, "bytes": report.bytes(), "entries": entries })
        };
        self.show(human, json)
    }

    pub(crate) fn cache_verified(&self, report: &CacheVerifyReport) -> Shown {
        let human = || Shown::styled(self.verdicts(report));
        let json = || {
            let verdicts = report.verdicts.iter().map(|verdict| self.verdict_json(verdict));
            json!({ "entries": verdicts.collect::<Vec<_>>() })
        };
        self.show(human, json).with_exit(drift::exit(report.judgement()))
    }

    fn verdicts(&self, report: &CacheVerifyReport) -> String {
        let mut out = String::new();
        let mut intact = 0;
        for EntryVerdict { key, problem } in &report.verdicts {
            let Some(problem) = problem else {
                intact += 1;
                continue;
            };
            let _ = writeln!(out, "{STRONG}{key}{STRONG:#}");
            let failure = human::failure(&problem.describe(), self.verbose);
            out.extend(failure.lines().map(|line| format!("  {line}\n")));
        }
        let verb = if intact == 1 { "is" } else { "are" };
        let _ = writeln!(out, "{} {verb} intact", human::entries(intact));
        out
    }

    fn verdict_json(&self, EntryVerdict { key, problem }: &EntryVerdict) -> Value {
        let error = problem.as_ref().map(|problem| {
            facets_face::json::failure(&problem.describe(), self.verbose)["error"].take()
        });
        json!({ "kind": key.kind(), "digest": key.digest().to_string(), "error": error })
    }

    pub(crate) fn cache_pruned(
        &self,
        report: &CachePruneReport,
        CachePruneRequest { bound }: CachePruneRequest,
    ) -> Shown {
        let human = || {
            let removed = |entry: &CachedEntry| {
                format!("removed {} ({})\n", entry.key, human::size(entry.bytes))
            };
            let kept = human::size(report.kept);
            let talk = if report.kept > bound {
                format!("kept {kept}: these entries are in use or approved\n")
            } else if report.removed.is_empty() {
                format!("nothing to remove: {kept} of at most {}\n", human::size(bound))
            } else {
                format!("kept {kept}\n")
            };
            let talk = if self.quiet { String::new() } else { talk };
            Shown { talk, ..Shown::styled(report.removed.iter().map(removed).collect()) }
        };
        let json = || {
            let removed: Vec<Value> = report.removed.iter().map(entry_json).collect();
            json!({ "removed": removed, "kept": report.kept, "bound": bound })
        };
        self.show(human, json)
    }
}

fn total(report: &CacheListReport) -> String {
    match &report.path {
        Some(path) if !report.entries.is_empty() => {
            let (count, size) = (report.entries.len(), human::size(report.bytes()));
            let path = facets_face::visible(&path.display().to_string());
            format!("{}, {size} in {path}\n", human::entries(count))
        }
        _ => "the store is empty\n".to_owned(),
    }
}

/// Kind and digest are what other commands take.
fn line(entry: &CachedEntry) -> String {
    let when = entry.used.get(..16).unwrap_or(&entry.used).replace('T', " ");
    let now = if entry.is_in_use { ", in use" } else { "" };
    let (kind, digest, size) = (entry.key.kind(), entry.key.digest(), human::size(entry.bytes));
    format!("{kind:<8} {digest}  {size:>10}  {QUIET}used {when}{now}{QUIET:#}\n")
}

fn entry_json(entry: &CachedEntry) -> Value {
    json!({
        "kind": entry.key.kind(),
        "digest": entry.key.digest().to_string(),
        "bytes": entry.bytes,
        "used": entry.used,
        "in_use": entry.is_in_use,
    })
}
