//! Findings as SARIF 2.1.0 (spec 7.7), for whoever collects them.

use std::collections::BTreeMap;

use facets_digest::Digest;
use facets_drift::{Finding, FindingType, Severity, SubjectKind};
use facets_face::visible;
use facets_failure::{Describe as _, Failure, shell_word};
use facets_ops::check::{CheckOutcome, CheckReport, Judgement};
use facets_ops::diff::DiffReport;
use facets_ops::explain::explain;
use facets_ops::locate::{FilePlace, Locator, repository_prefix};
use facets_ops::policy::{AppliedPolicy, Graded};
use serde_json::{Value, json};

use super::{drift, drift_json, facets, policy};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Results of one log. Collectors take no more.
const RESULTS: usize = 5000;
/// Characters of one text.
const CHARACTERS: usize = 2000;

/// A log while it is written.
struct Log<'r> {
    policy: Option<&'r AppliedPolicy>,
    locator: Locator,
    /// From the repository to the project.
    prefix: String,
    /// Rules that occur, in the order they do.
    rules: Vec<String>,
    results: Vec<Value>,
    left_out: usize,
    fingerprints: BTreeMap<String, usize>,
    notifications: Vec<Value>,
    /// What somebody should know about the policy.
    notes: Vec<Value>,
}

/// One result.
struct SarifFinding<'f> {
    rule: &'f str,
    level: &'static str,
    text: String,
    place: FilePlace,
    /// What makes it this one in every run.
    identity: Vec<&'f str>,
    properties: Value,
    /// A line of the policy that has to do with it.
    entry: Option<usize>,
}

pub(super) fn of_report(report: &CheckReport) -> Value {
    let mut log = Log::new(report.policy.as_ref());
    for server in &report.servers {
        match &server.outcome {
            CheckOutcome::Judged(findings) => {
                for graded in findings {
                    let place = log.locator.of_server(&server.name, graded);
                    log.finding(&server.name, graded, &place);
                }
            }
            CheckOutcome::Edited(problem) => {
                log.broken(&server.name, "lock-edited", &problem.to_string());
            }
            CheckOutcome::Tampered(error) => {
                log.broken(&server.name, error.code(), &error.to_string());
            }
            CheckOutcome::Failed(error) => {
                log.failed(&error.describe(), &format!("{}: ", server.name));
            }
        }
    }
    for (name, problems) in facets::broken(report) {
        for problem in &problems {
            log.broken_facet(name, problem);
        }
    }
    log.undecided(drift::all_findings(report));
    log.finish(report.judgement(), report.fail_on)
}

pub(super) fn of_diff(report: &DiffReport) -> Value {
    let mut log = Log::new(report.policy.as_ref());
    for graded in &report.findings {
        let place = match &report.file {
            Some(file) => log.locator.of_file(file, graded),
            None => log.locator.of_server(&report.server, graded),
        };
        log.finding(&report.server, graded, &place);
    }
    log.undecided(report.findings.iter());
    log.finish(report.judgement(), report.fail_on)
}

/// A log of nothing, that says why.
pub(super) fn of_failure(failure: &Failure) -> Value {
    let mut log = Log::new(None);
    log.failed(failure, "");
    for problem in failure.problems.iter().take(100) {
        let place = problem.place.map(|position| format!(":{position}")).unwrap_or_default();
        let file = problem.file.display();
        let text = format!("{file}{place}: {}: {}", problem.member, problem.found);
        log.notify(problem.code, "error", &text);
    }
    log.finish(Judgement::Unknown, Severity::Moderate)
}

impl<'r> Log<'r> {
    fn new(policy: Option<&'r AppliedPolicy>) -> Self {
        let mut log = Self {
            policy,
            locator: Locator::default(),
            prefix: repository_prefix(),
            rules: Vec::new(),
            results: Vec::new(),
            left_out: 0,
            fingerprints: BTreeMap::new(),
            notifications: Vec::new(),
            notes: Vec::new(),
        };
        if let Some(policy) = policy {
            for note in &policy.notes {
                let text = policy::note(policy, note);
                log.notes.push(notification("policy-note", "note", &text));
            }
        }
        log
    }

    /// A finding, and each kind of marker in it.
    fn finding(&mut self, server: &str, graded: &Graded, place: &FilePlace) {
        let finding = &graded.finding;
        let subject = subject_of(server, finding);
        let text = self.sentence(&subject, graded);
        let (before, after) = (finding.before.as_deref(), finding.after.as_deref());
        let identity = vec![
            server,
            finding.kind.name(),
            finding.subject_kind.name(),
            &finding.subject,
            &finding.member,
            before.unwrap_or_default(),
            after.unwrap_or_default(),
        ];
        let properties = json!({
            "server": shown(server),
            "severity": finding.severity.name(),
            "compat": finding.compat.name(),
            "subject": shown(&finding.subject),
            "member": shown(&finding.member),
            "before": before.map(shown),
            "after": after.map(shown),
            "schema": finding.schema.as_deref().map(drift_json::json_of_schema),
            "policy": graded.mark.as_ref().map(policy::json_of_mark),
        });
        let level = level(finding.severity);
        let entry = graded.mark.as_ref().map(|mark| mark.position.line);
        let found = SarifFinding {
            rule: finding.kind.name(),
            level,
            text,
            place: place.clone(),
            identity: identity.clone(),
            properties: properties.clone(),
            entry,
        };
        self.add(&found);
        let mut markers: Vec<&str> = finding.evidence.iter().map(|one| one.rule).collect();
        markers.sort_unstable();
        markers.dedup();
        for rule in markers {
            let words: Vec<String> = finding
                .evidence
                .iter()
                .filter(|one| one.rule == rule)
                .map(|one| format!("\"{}\"", shown(&one.words)))
                .collect();
            let found = SarifFinding {
                rule,
                level,
                text: format!("{subject}: {}", clipped(&words.join(", "))),
                place: place.clone(),
                identity: [vec![rule], identity.clone()].concat(),
                properties: properties.clone(),
                entry,
            };
            self.add(&found);
        }
    }

    /// What a finding says, with its proof and what a policy makes of it.
    fn sentence(&self, subject: &str, graded: &Graded) -> String {
        let finding = &graded.finding;
        let mut text = format!("{subject}: {}", shown(&finding.sentence));
        for (what, value) in finding.schema.iter().flat_map(|change| drift::proof(change)) {
            text = format!("{text}; {what}: {}", shown(&value));
        }
        if let Some(mark) = &graded.mark {
            let file = policy::file_of(self.policy);
            text = format!("{text} (policy: {})", policy::sentence(finding, mark, &file));
        }
        text
    }

    /// Something that facet wrote about a server, or stored of it, is not as it was.
    fn broken(&mut self, server: &str, rule: &str, problem: &str) {
        let found = SarifFinding {
            rule,
            level: "error",
            text: format!("server {}: {}", shown(server), shown(problem)),
            place: self.locator.of_entry(server, ""),
            identity: vec![server, rule, problem],
            properties: json!({ "server": shown(server) }),
            entry: None,
        };
        self.add(&found);
    }

    /// A facet is not as it was locked or installed.
    fn broken_facet(&mut self, facet: &str, problem: &str) {
        let found = SarifFinding {
            rule: "install-mismatch",
            level: "error",
            text: format!("facet {}: {}", shown(facet), shown(problem)),
            place: self.locator.of_entry("", ""),
            identity: vec!["facet", facet, problem],
            properties: json!({ "facet": shown(facet) }),
            entry: None,
        };
        self.add(&found);
    }

    fn failed(&mut self, failure: &Failure, about: &str) {
        let actual = failure.actual.as_ref().map(|actual| format!(": {actual}"));
        let text = format!("{about}{}{}", failure.message, actual.unwrap_or_default());
        self.notify(failure.code, "error", &text);
    }

    fn undecided<'a>(&mut self, findings: impl Iterator<Item = &'a Graded>) {
        let error = self.policy.and_then(|policy| policy::undecided(policy, findings));
        if let Some(failure) = error.map(|error| error.describe()) {
            let place = failure.place.map(|position| position.to_string());
            let file = policy::file_of(self.policy);
            self.failed(&failure, &format!("{file}:{}: ", place.unwrap_or_default()));
        }
    }

    fn notify(&mut self, code: &str, level: &str, text: &str) {
        self.notifications.push(notification(code, level, text));
    }

    fn add(&mut self, found: &SarifFinding<'_>) {
        if self.results.len() == RESULTS {
            self.left_out += 1;
            return;
        }
        let index = self.rules.iter().position(|rule| rule == found.rule).unwrap_or_else(|| {
            self.rules.push(found.rule.to_owned());
            self.rules.len() - 1
        });
        let text = json!(found.identity).to_string();
        let digest = Digest::of(text.as_bytes()).to_string();
        // The same twice in one run is told apart by its turn.
        let turn = self.fingerprints.entry(digest.clone()).or_insert(0);
        *turn += 1;
        let fingerprint = format!("{}:{turn}", digest.trim_start_matches("sha256:"));
        let related: Vec<Value> = match (self.policy, found.entry) {
            (Some(policy), Some(line)) if policy.file.is_relative() => {
                let file = policy.file.display().to_string();
                let place = self.physical(&FilePlace { file, line });
                vec![json!({ "physicalLocation": place, "message": { "text": "the policy" } })]
            }
            _ => Vec::new(),
        };
        self.results.push(json!({
            "ruleId": found.rule,
            "ruleIndex": index,
            "level": found.level,
            "message": { "text": found.text },
            "locations": [{ "physicalLocation": self.physical(&found.place) }],
            "relatedLocations": related,
            "partialFingerprints": { "facetFinding/v1": fingerprint },
            "properties": found.properties,
        }));
    }

    fn physical(&self, place: &FilePlace) -> Value {
        json!({
            "artifactLocation": {
                "uri": encoded(&format!("{}{}", self.prefix, place.file)),
                "uriBaseId": "%SRCROOT%",
            },
            "region": { "startLine": place.line },
        })
    }

    fn finish(mut self, judgement: Judgement, fail_on: Severity) -> Value {
        if self.left_out > 0 {
            let text = format!("{} results omitted; --format json has all of them", self.left_out);
            self.notify("results-left-out", "warning", &text);
        }
        let exit = drift::exit(judgement).code();
        let whole = !self.notifications.iter().any(|one| one["level"] == "error");
        let rules: Vec<Value> = self.rules.iter().map(|rule| rule_of(rule)).collect();
        json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "facet",
                    "version": env!("CARGO_PKG_VERSION"),
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                }},
                "invocations": [{
                    "executionSuccessful": whole,
                    "exitCode": exit,
                    "toolExecutionNotifications": self.notifications,
                    "toolConfigurationNotifications": self.notes,
                }],
                "columnKind": "unicodeCodePoints",
                "results": self.results,
                "properties": {
                    "failOn": fail_on.name(),
                    "policy": self.policy.map(|policy| shown(&policy.file.display().to_string())),
                },
            }],
        })
    }
}

fn notification(code: &str, level: &str, text: &str) -> Value {
    json!({
        "descriptor": { "id": code },
        "level": level,
        "message": { "text": shown(text) },
    })
}

fn subject_of(server: &str, finding: &Finding) -> String {
    let server =
        if server.is_empty() { String::new() } else { format!("server {}", shown(server)) };
    match finding.subject_kind {
        SubjectKind::Server if server.is_empty() => "the server".to_owned(),
        SubjectKind::Server => server,
        kind => {
            let own = format!("{} {}", kind.name(), shown(&finding.subject));
            if server.is_empty() { own } else { format!("{server}, {own}") }
        }
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "error",
        Severity::Moderate => "warning",
        Severity::Safe | Severity::Info => "note",
    }
}

/// A rule with everything that `facet explain` says.
fn rule_of(code: &str) -> Value {
    let text = explain(code).map(|explanation| explanation.text).unwrap_or_default();
    let paragraph = text.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let sentence = paragraph.split_inclusive(". ").next().unwrap_or_default().trim_end();
    let help = format!("{text}\n\nMore: facet explain {}", shell_word(code.as_ref()));
    json!({
        "id": code,
        "shortDescription": { "text": if sentence.is_empty() { code } else { sentence } },
        "fullDescription": { "text": if paragraph.is_empty() { code } else { &paragraph } },
        "help": { "text": help, "markdown": help },
        "defaultConfiguration": { "level": default_level(code) },
    })
}

/// The worst that findings of a type are by themselves (spec 7.2).
fn default_level(code: &str) -> &'static str {
    use FindingType as Type;
    let kind = FindingType::ALL.iter().find(|kind| kind.name() == code);
    match kind {
        None => "error",
        Some(
            Type::ToolRemoved
            | Type::PromptRemoved
            | Type::ResourceRemoved
            | Type::TemplateRemoved
            | Type::PromptChanged
            | Type::ResourceChanged
            | Type::GuardrailTightened
            | Type::MiddlewareAdded
            | Type::EntitlementLost
            | Type::VersionChanged
            | Type::AssetRemoved,
        ) => "note",
        Some(
            Type::PromptAdded
            | Type::ResourceAdded
            | Type::TemplateAdded
            | Type::InstructionsChanged
            | Type::EconomicsChanged
            | Type::ServerRenamed
            | Type::ImageDigestChanged
            | Type::AssetAdded
            | Type::AssetChanged,
        ) => "warning",
        Some(_) => "error",
    }
}

/// Text from outside, made visible and no longer than somebody reads. Nothing in it is a link.
fn shown(text: &str) -> String {
    clipped(&visible(text)).replace("](", "] (")
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS) {
        None => text.to_owned(),
        Some((end, _)) => {
            let more = text[end..].chars().count();
            format!("{}… and {more} more characters", &text[..end])
        }
    }
}

/// A path as a reference: whatever has a meaning in one is escaped.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let letters = path.bytes().map(|byte| {
        if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    });
    letters.collect()
}
