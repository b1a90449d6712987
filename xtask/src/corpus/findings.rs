//! What facet finds in each update, and what we think of it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};

use super::servers::{list, strings, text};
use super::{committed, read_json};
use crate::Outcome;
use crate::run;

/// What findings of one kind have in common; one judgement may do for many of them.
/// The order of the members is the order of the page: the worst first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind {
    pub(super) severity: Severity,
    pub(super) change: String,
    /// The first word of the member; with `.*` if the finding is about something below it.
    pub(super) member: String,
    pub(super) compat: String,
    /// `equivalent`, `narrower`, `wider`, `incomparable` or `cannot_tell`.
    pub(super) schema: Option<String>,
    /// Why it cannot be told.
    pub(super) keyword: Option<String>,
    /// The rules whose markers are new in it.
    pub(super) rules: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Severity {
    Critical,
    Moderate,
    Safe,
    Info,
}

pub(super) const SEVERITIES: [(Severity, &str); 4] = [
    (Severity::Critical, "critical"),
    (Severity::Moderate, "moderate"),
    (Severity::Safe, "safe"),
    (Severity::Info, "info"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    Right,
    FalseAlarm,
    TooLow,
    Unjudged,
}

const VERDICTS: [(Verdict, &str); 4] = [
    (Verdict::Right, "right"),
    (Verdict::FalseAlarm, "false alarm"),
    (Verdict::TooLow, "too low"),
    (Verdict::Unjudged, ""),
];

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Judgement {
    pub(super) verdict: Verdict,
    pub(super) why: String,
}

/// Findings of one kind in one update, with one judgement.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) kind: Kind,
    pub(super) judgement: Judgement,
    /// The tool or whatever it is about, with the rest of the member if there is more of it.
    pub(super) at: Vec<String>,
}

/// A server with two of its versions.
pub(super) type Pair = (String, String, String);

pub(super) type Findings = BTreeMap<Pair, Vec<Group>>;

/// One finding as facet reports it, without its texts.
type Found = (Kind, String);

impl Severity {
    pub(super) fn name(self) -> &'static str {
        SEVERITIES.into_iter().find(|(known, _)| *known == self).map_or("", |(_, name)| name)
    }

    fn parse(name: &str) -> Outcome<Self> {
        let known = SEVERITIES.into_iter().find(|(_, known)| *known == name);
        known.map(|(severity, _)| severity).ok_or_else(|| format!("no severity is `{name}`"))
    }
}

impl Verdict {
    pub(super) fn name(self) -> &'static str {
        VERDICTS.into_iter().find(|(known, _)| *known == self).map_or("", |(_, name)| name)
    }

    fn parse(name: &str) -> Outcome<Self> {
        let known = VERDICTS.into_iter().find(|(_, known)| *known == name);
        known.map(|(verdict, _)| verdict).ok_or_else(|| format!("no verdict is `{name}`"))
    }
}

pub(super) fn read() -> Outcome<Findings> {
    let file = committed("findings.json");
    let entries = if file.exists() { read_json(&file)? } else { json!([]) };
    let mut findings = Findings::new();
    for entry in entries.as_array().into_iter().flatten() {
        let pair = (text(entry, "name")?, text(entry, "before")?, text(entry, "after")?);
        let groups = list(entry, "findings").iter().map(group).collect::<Outcome<_>>()?;
        findings.insert(pair, groups);
    }
    Ok(findings)
}

fn group(entry: &Value) -> Outcome<Group> {
    let optional = |member: &str| entry[member].as_str().map(str::to_owned);
    let kind = Kind {
        severity: Severity::parse(&text(entry, "severity")?)?,
        change: text(entry, "type")?,
        member: text(entry, "member")?,
        compat: text(entry, "compat")?,
        schema: optional("schema"),
        keyword: optional("keyword"),
        rules: strings(entry, "rules"),
    };
    let verdict = Verdict::parse(&text(entry, "verdict")?)?;
    let judgement = Judgement { verdict, why: text(entry, "why")? };
    Ok(Group { kind, judgement, at: strings(entry, "at") })
}

/// One line for each group, in the order of the page.
pub(super) fn write(findings: &Findings, order: &[Pair]) -> Outcome {
    let update = |pair: &Pair| {
        let groups = findings.get(pair)?;
        let (name, before, after) = pair;
        let lines: Vec<String> =
            groups.iter().map(|group| format!("    {}", line(group))).collect();
        let body = if lines.is_empty() {
            "[]".to_owned()
        } else {
            format!("[\n{}\n  ]", lines.join(",\n"))
        };
        let [name, before, after] = [name, before, after].map(|word| Value::from(word.as_str()));
        Some(format!(
            "  {{ \"name\": {name}, \"before\": {before}, \"after\": {after}, \"findings\": {body} }}"
        ))
    };
    let updates: Vec<String> = order.iter().filter_map(update).collect();
    run::write(&committed("findings.json"), &format!("[\n{}\n]\n", updates.join(",\n")))
}

fn line(group: &Group) -> String {
    let Kind { severity, change, member, compat, schema, keyword, rules } = &group.kind;
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
    put("severity", severity.name().into());
    put("type", change.as_str().into());
    put("member", member.as_str().into());
    put("compat", compat.as_str().into());
    if let Some(schema) = schema {
        put("schema", schema.as_str().into());
    }
    if let Some(keyword) = keyword {
        put("keyword", keyword.as_str().into());
    }
    if !rules.is_empty() {
        put("rules", rules.clone().into());
    }
    put("at", group.at.clone().into());
    put("verdict", group.judgement.verdict.name().into());
    put("why", group.judgement.why.as_str().into());
    Value::Object(members).to_string()
}

/// What facet says of two captures.
pub(super) fn diff(facet: &Path, before: &Path, after: &Path) -> Outcome<Vec<Found>> {
    let mut diff = Command::new(facet);
    diff.args(["diff", "--format", "json"]).arg(before).arg(after);
    let output = diff.output().map_err(|error| format!("cannot start {diff:?}: {error}"))?;
    // 1 means that there is something to report, which is no failure here.
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(format!("{diff:?} failed\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    let report: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let mut found = list(&report, "findings").iter().map(found).collect::<Outcome<Vec<Found>>>()?;
    found.sort();
    Ok(found)
}

fn found(finding: &Value) -> Outcome<Found> {
    let whole = text(finding, "member")?;
    let (member, rest) = split_member(&whole);
    let subject = &finding["subject"];
    let mut at = text(subject, "kind")?;
    let more = [(" ", subject["name"].as_str().unwrap_or_default()), (": ", rest)];
    for (separator, word) in more.into_iter().filter(|(_, word)| !word.is_empty()) {
        at.push_str(separator);
        at.push_str(word);
    }
    let schema = finding["schema"]["verdict"].as_str();
    let keyword = finding["schema"]["keyword"].as_str();
    let mut rules: Vec<String> =
        list(finding, "evidence").iter().filter_map(|one| text(one, "rule").ok()).collect();
    rules.sort();
    rules.dedup();
    let kind = Kind {
        severity: Severity::parse(&text(finding, "severity")?)?,
        change: text(finding, "type")?,
        member: if rest.is_empty() { member.to_owned() } else { format!("{member}.*") },
        compat: text(finding, "compat")?,
        schema: schema.map(str::to_owned),
        keyword: keyword.map(str::to_owned),
        rules,
    };
    Ok((kind, at))
}

/// `inputSchema.properties.path.title` is about `properties.path.title` of `inputSchema`.
fn split_member(member: &str) -> (&str, &str) {
    let end = member.find(['.', '[']).unwrap_or(member.len());
    let (first, rest) = member.split_at(end);
    (first, rest.strip_prefix('.').unwrap_or(rest))
}

/// What is found but not expected, and what is expected but not found.
pub(super) fn differences(pair: &Pair, found: &[Found], expected: &[Group]) -> Vec<String> {
    let (name, before, after) = pair;
    let mut left: Vec<Found> = expected
        .iter()
        .flat_map(|group| group.at.iter().map(|at| (group.kind.clone(), at.clone())))
        .collect();
    let mut differences = Vec::new();
    let say = |what: &str, (kind, at): &Found| {
        let Kind { severity, change, member, compat, schema, .. } = kind;
        let schema = schema.as_deref().unwrap_or_default();
        let severity = severity.name();
        let words = [severity, change, at, member, compat, schema];
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        format!("{name} {before} → {after}: {what}: {}", words.join(", "))
    };
    for one in found {
        match left.iter().position(|other| other == one) {
            Some(index) => drop(left.swap_remove(index)),
            None => differences.push(say("not expected", one)),
        }
    }
    differences.extend(left.iter().map(|one| say("not found any more", one)));
    differences
}

/// Groups what was found. A finding that is as it was keeps its judgement.
pub(super) fn judge(found: Vec<Found>, before: &[Group]) -> Vec<Group> {
    let mut groups: BTreeMap<(Kind, Judgement), Vec<String>> = BTreeMap::new();
    for (kind, at) in found {
        let known = before.iter().find(|group| group.kind == kind && group.at.contains(&at));
        let unjudged = || Judgement { verdict: Verdict::Unjudged, why: String::new() };
        let judgement = known.map_or_else(unjudged, |group| group.judgement.clone());
        groups.entry((kind, judgement)).or_default().push(at);
    }
    groups.into_iter().map(|((kind, judgement), at)| Group { kind, judgement, at }).collect()
}

/// Verdicts that are not there yet, and those without a sentence.
pub(super) fn unjudged(findings: &Findings) -> Vec<String> {
    let mut gaps = Vec::new();
    for ((name, before, after), groups) in findings {
        let open = |group: &&Group| {
            group.judgement.verdict == Verdict::Unjudged || group.judgement.why.is_empty()
        };
        let count: usize = groups.iter().filter(open).map(|group| group.at.len()).sum();
        if count > 0 {
            gaps.push(format!("{name} {before} → {after}: {count} findings are not judged"));
        }
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found_of(member: &str, tool: &str) -> Found {
        let subject = json!({ "kind": "tool", "name": tool });
        let finding = json!({
            "type": "tool_changed", "subject": subject, "member": member, "severity": "moderate",
            "compat": "risky", "evidence": [{ "rule": "marker-url", "words": "…" }],
        });
        found(&finding).unwrap()
    }

    /// Updates that the page calls other writing only.
    #[test]
    fn other_writing_is_not_critical() {
        let findings = read().unwrap();
        for (name, before) in [
            ("context7-mcp", "3.2.5"),
            ("eslint-mcp", "0.1.1"),
            ("memory", "0.6.2"),
            ("nx-mcp", "0.6.12"),
        ] {
            let (_, groups) =
                findings.iter().find(|(pair, _)| pair.0 == name && pair.1 == before).unwrap();
            assert!(groups.iter().all(|group| group.kind.severity.name() != "critical"), "{name}");
        }
    }

    #[test]
    fn groups_findings_of_one_kind() {
        let found = vec![found_of("description", "a"), found_of("description", "b")];
        let groups = judge(found, &[]);
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].at, ["tool a", "tool b"]);
        assert_eq!(groups[0].kind.rules, ["marker-url"]);
    }

    #[test]
    fn names_the_place_below_a_member() {
        let (kind, at) = found_of("inputSchema.properties.path.title", "a");
        assert_eq!(
            (kind.member.as_str(), at.as_str()),
            ("inputSchema.*", "tool a: properties.path.title")
        );
    }

    #[test]
    fn keeps_the_judgement_of_what_did_not_change() {
        let mut before = judge(vec![found_of("description", "a")], &[]);
        before[0].judgement = Judgement { verdict: Verdict::Right, why: "It is.".to_owned() };
        let now = vec![found_of("description", "a"), found_of("description", "b")];
        let verdicts: Vec<Verdict> =
            judge(now, &before).iter().map(|group| group.judgement.verdict).collect();
        assert_eq!(verdicts, [Verdict::Right, Verdict::Unjudged]);
    }

    #[test]
    fn reports_what_came_and_what_went() {
        let pair = ("s".to_owned(), "1".to_owned(), "2".to_owned());
        let expected = judge(vec![found_of("description", "a")], &[]);
        let differences = differences(&pair, &[found_of("description", "b")], &expected);
        assert_eq!(differences.len(), 2, "{differences:?}");
    }

    #[test]
    fn a_group_is_read_as_it_was_written() {
        let groups = judge(vec![found_of("annotations.readOnlyHint", "a")], &[]);
        let again = group(&serde_json::from_str(&line(&groups[0])).unwrap()).unwrap();
        assert_eq!((again.kind, again.at), (groups[0].kind.clone(), groups[0].at.clone()));
    }
}
