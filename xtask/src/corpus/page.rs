//! The page that people read: what is in the corpus, and how often facet was right.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::captures::Captures;
use super::findings::{Findings, Group, Kind, SEVERITIES, Severity, Verdict};
use super::servers::{Server, registry_name};

const INTRODUCTION: &str = "\
# Corpus

Written by `cargo xtask corpus`: real servers of npm and PyPI, each in two versions or more, captured
and compared as `facet diff` does. Every finding was judged against the two texts:

- *right*: its severity says what the change is worth;
- *false alarm*: the change is worth less than that;
- *too low*: it is worth more.

The captures are other people's text and are not kept here. Their digests, the expected findings
and the judgements are in `xtask/corpus`, so that anybody can fetch them and repeat the comparison.

";

/// A function of what is committed, so that a test sees a page that is out of date.
pub(super) fn render(servers: &[Server], captures: &Captures, findings: &Findings) -> String {
    let mut page = INTRODUCTION.to_owned();
    summary(&mut page, findings);
    alarms(&mut page, findings);
    schemas(&mut page, findings);
    kinds(&mut page, findings);
    table_of_servers(&mut page, servers, captures);
    page.push_str("## Every finding\n");
    for server in servers {
        for (before, after) in server.updates() {
            let pair = (server.name.clone(), before.version.clone(), after.version.clone());
            let groups = findings.get(&pair).map_or(&[][..], Vec::as_slice);
            let (before, after) = (&before.version, &after.version);
            let _ = writeln!(page, "\n### {} {before} → {after}\n", server.name);
            if groups.is_empty() {
                page.push_str("Nothing changed.\n");
            }
            for group in groups {
                entry(&mut page, group);
            }
        }
    }
    page
}

fn groups(findings: &Findings) -> impl Iterator<Item = &Group> {
    findings.values().flatten()
}

fn count<'a>(groups: impl Iterator<Item = &'a Group>, wanted: impl Fn(&Group) -> bool) -> usize {
    groups.filter(|group| wanted(group)).map(|group| group.at.len()).sum()
}

fn is(group: &Group, verdict: Verdict) -> bool {
    group.judgement.verdict == verdict
}

/// With one digit behind the point.
fn percent(part: usize, whole: usize) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    let thousandths = (part * 1000 + whole / 2) / whole;
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

fn summary(page: &mut String, findings: &Findings) {
    let all = count(groups(findings), |_| true);
    let changed = findings.values().filter(|groups| !groups.is_empty()).count();
    let _ = writeln!(
        page,
        "## In short\n\n{} updates, {changed} of them with findings; {all} findings.\n",
        findings.len()
    );
    let open = count(groups(findings), |group| is(group, Verdict::Unjudged));
    if open > 0 {
        let _ = writeln!(page, "**{open} findings are not judged yet.**\n");
    }
    page.push_str(
        "| severity | findings | right | false alarm | too low |\n|---|---|---|---|---|\n",
    );
    for (severity, name) in SEVERITIES {
        let of = |wanted: Option<Verdict>| {
            count(groups(findings), |group| {
                group.kind.severity == severity && wanted.is_none_or(|verdict| is(group, verdict))
            })
        };
        let _ = writeln!(
            page,
            "| {name} | {} | {} | {} | {} |",
            of(None),
            of(Some(Verdict::Right)),
            of(Some(Verdict::FalseAlarm)),
            of(Some(Verdict::TooLow))
        );
    }
    page.push('\n');
}

/// Of single findings, and of updates that would be stopped for nothing.
fn alarms(page: &mut String, findings: &Findings) {
    page.push_str(
        "## False alarms\n\n\
         An update is stopped if one of its findings is at or above `--fail-on`; it is stopped for\n\
         nothing if all of these are false alarms.\n\n\
         | `--fail-on` | findings | false alarms | rate | updates stopped | for nothing | rate |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for threshold in [Severity::Moderate, Severity::Critical] {
        let counts = |group: &Group| group.kind.severity <= threshold;
        let alarm = |group: &Group| counts(group) && is(group, Verdict::FalseAlarm);
        let all = count(groups(findings), counts);
        let false_alarms = count(groups(findings), alarm);
        let stopped = findings.values().filter(|groups| groups.iter().any(counts)).count();
        let for_nothing = |groups: &&Vec<Group>| {
            groups.iter().any(counts) && groups.iter().filter(|group| counts(group)).all(alarm)
        };
        let nothing = findings.values().filter(for_nothing).count();
        let _ = writeln!(
            page,
            "| {} | {all} | {false_alarms} | {} | {stopped} of {} | {nothing} | {} |",
            threshold.name(),
            percent(false_alarms, all),
            findings.len(),
            percent(nothing, stopped),
        );
    }
    page.push('\n');
    page.push_str(CAUSES);
}

/// What the alarms are made of, in the words of whoever read them.
const CAUSES: &str = "\
Most critical false alarms have one of four causes. Schemas that became open \
(`additionalProperties: true`), or that said nothing and now name their arguments: both are critical \
by rule, because what the model is offered is wider, and nobody gains anything by it here. \
Descriptions that name another tool of the same server as ordinary guidance: the rule cannot tell \
them from a tool that meddles with another. Hints that spell out what a tool always did, and so \
raise its estimated risk. And types that take another spelling of the same value.\n\n\
Updates in which only the writing of schemas changed (context7-mcp 3.2.5 → 4.1.1, eslint-mcp, memory \
0.6.2 → 2025.9.25, nx-mcp 0.6.12 → 0.12.0) have no critical finding: what is equivalent is `safe`, and \
so is a typo.\n\n";

/// How often nothing could be proven about a schema that changed.
fn schemas(page: &mut String, findings: &Findings) {
    let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
    for group in groups(findings) {
        if let Some(schema) = &group.kind.schema {
            *verdicts.entry(schema).or_default() += group.at.len();
        }
    }
    let all: usize = verdicts.values().sum();
    if all == 0 {
        return;
    }
    page.push_str("## Changed schemas\n\n| verdict | schemas | share |\n|---|---|---|\n");
    // That there is none of one is worth a line, too.
    for verdict in ["equivalent", "narrower", "wider", "incomparable", "cannot_tell"] {
        let count = verdicts.get(verdict).copied().unwrap_or_default();
        let name = verdict.replace('_', " ");
        let _ = writeln!(page, "| {name} | {count} | {} |", percent(count, all));
    }
    page.push('\n');
}

fn kinds(page: &mut String, findings: &Findings) {
    let mut kinds: BTreeMap<(Severity, &str, &str), [usize; 3]> = BTreeMap::new();
    for group in groups(findings) {
        let Kind { severity, change, member, .. } = &group.kind;
        let [all, alarms, low] = kinds.entry((*severity, change, member)).or_default();
        *all += group.at.len();
        *alarms += if is(group, Verdict::FalseAlarm) { group.at.len() } else { 0 };
        *low += if is(group, Verdict::TooLow) { group.at.len() } else { 0 };
    }
    page.push_str(
        "## By kind\n\n| severity | type | member | findings | false alarm | too low |\n\
         |---|---|---|---|---|---|\n",
    );
    for ((severity, change, member), [all, alarms, low]) in kinds {
        let severity = severity.name();
        let _ = writeln!(page, "| {severity} | {change} | {member} | {all} | {alarms} | {low} |");
    }
    page.push('\n');
}

fn table_of_servers(page: &mut String, servers: &[Server], captures: &Captures) {
    let _ = writeln!(
        page,
        "## Servers\n\n{} servers, {} captures.\n\n\
         | server | registry | package | versions, with the number of tools |\n|---|---|---|---|",
        servers.len(),
        captures.len()
    );
    for server in servers {
        let version = |version: &super::servers::Release| {
            let key = (server.name.clone(), version.version.clone());
            let tools = captures.get(&key).map_or(0, |capture| capture.tools);
            format!("{} ({tools})", version.version)
        };
        let versions: Vec<String> = server.versions.iter().map(version).collect();
        let (name, package) = (&server.name, &server.package);
        let registry = registry_name(server.registry);
        let _ = writeln!(page, "| {name} | {registry} | `{package}` | {} |", versions.join(", "));
    }
    page.push('\n');
}

/// One line for each group: what, how many and where, then the verdict.
fn entry(page: &mut String, group: &Group) {
    let Kind { severity, change, member, compat, schema, keyword, rules } = &group.kind;
    let _ = write!(page, "- {} {change}", severity.name());
    if !member.is_empty() {
        let _ = write!(page, " `{member}`");
    }
    let mut marks = vec![compat.clone()];
    marks.extend(schema.as_ref().map(|schema| format!("schema {}", schema.replace('_', " "))));
    marks.extend(keyword.clone());
    marks.extend(rules.iter().cloned());
    let _ = write!(page, " [{}]", marks.join(", "));
    let places: Vec<&str> =
        group.at.iter().map(|at| at.strip_prefix("tool ").unwrap_or(at)).collect();
    if places.len() > 1 {
        let _ = write!(page, ", {} times", places.len());
    }
    if places != ["server"] {
        let _ = write!(page, ": `{}`", places.join("`, `"));
    }
    let judgement = &group.judgement;
    let verdict = match judgement.verdict {
        Verdict::Unjudged => "not judged yet",
        verdict => verdict.name(),
    };
    let _ = writeln!(page, ". **{verdict}** {}", judgement.why);
}
