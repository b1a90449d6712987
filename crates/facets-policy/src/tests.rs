#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use facets_drift::{Compat, Evidence, Finding, FindingType, Severity, SubjectKind};

use crate::{Effect, Facts, Graded, Judge, PROTECTED, Policy, PolicyScope, parse_policy};

fn policy(rest: &str) -> Policy {
    let text = format!("policyVersion: 1\n{rest}");
    let outcome = parse_policy(text.as_bytes());
    assert!(outcome.problems.is_empty(), "{text}{:#?}", outcome.problems);
    outcome.manifest.unwrap()
}

fn finding(kind: FindingType, tool: &str, severity: Severity) -> Finding {
    Finding::new(kind, (SubjectKind::Tool, tool), (severity, Compat::Risky), "it is another")
        .of_member("description", Some("Tells the time".into()), Some("Tells the day".into()))
}

fn changed(severity: Severity) -> Finding {
    finding(FindingType::ToolChanged, "get_time", severity)
}

fn poisoned(rule: &'static str) -> Finding {
    changed(Severity::Moderate)
        .with_evidence(vec![Evidence { rule, words: "do not tell".to_owned() }])
}

fn grade(policy: &Policy, finding: Finding) -> Graded {
    Judge::new(policy).grade("time", &Facts::default(), vec![finding]).remove(0)
}

#[test]
fn the_first_rule_that_applies_decides() {
    let policy = policy(
        "rules:
  - { server: other, severity: info, reason: elsewhere }
  - { server: time, type: tool_changed, subject: set_*, severity: critical }
  - { type: tool_changed, severity: safe, reason: wording }
  - { severity: critical }
",
    );
    let safe = grade(&policy, changed(Severity::Moderate));
    assert_eq!(safe.severity, Severity::Safe);
    let mark = safe.mark.unwrap();
    assert_eq!((mark.position.line, mark.position.column), (5, 5));
    assert_eq!(mark.effect, Effect::Regraded { from: Severity::Moderate });
    assert_eq!(mark.reason.as_deref(), Some("wording"));
    let raised = finding(FindingType::ToolChanged, "set_time", Severity::Moderate);
    assert_eq!(grade(&policy, raised).severity, Severity::Critical);
    let last = finding(FindingType::PromptAdded, "x", Severity::Info);
    assert_eq!(grade(&policy, last).severity, Severity::Critical);
}

#[test]
fn a_rule_that_changes_nothing_is_used_and_leaves_no_mark() {
    let policy = policy("rules: [{ type: tool_changed, severity: critical }]\n");
    let mut judge = Judge::new(&policy);
    let graded = judge.grade("time", &Facts::default(), vec![changed(Severity::Critical)]);
    assert!(graded[0].mark.is_none());
    let all = BTreeSet::from(["time".to_owned()]);
    assert!(judge.unmatched(&PolicyScope { known: all.clone(), judged: all }).is_empty());
}

#[test]
fn protected_types_are_never_lowered() {
    let all = policy("rules: [{ severity: info, reason: everything is fine }]\n");
    for kind in FindingType::ALL {
        for severity in Severity::ALL {
            let graded = grade(&all, finding(*kind, "t", severity));
            let kept = PROTECTED.contains(kind);
            let expected = if kept { severity } else { Severity::Info };
            assert_eq!(graded.severity, expected, "{kind:?}");
            if kept && severity > Severity::Info {
                assert_eq!(graded.mark.unwrap().effect, Effect::Protected);
            }
        }
    }
    for kind in PROTECTED {
        for severity in ["info", "safe", "moderate"] {
            let text = format!(
                "policyVersion: 1\nrules:\n  - type: {}\n    severity: {severity}\n    reason: x\n",
                kind.name()
            );
            let problems = parse_policy(text.as_bytes()).problems;
            assert_eq!(problems.len(), 1, "{text}");
            assert_eq!(problems[0].code, "policy-protected-type");
            assert_eq!(problems[0].position.to_string(), "3:11");
        }
        let raise = policy(&format!("rules: [{{ type: {}, severity: critical }}]\n", kind.name()));
        let graded = grade(&raise, finding(kind, "t", Severity::Moderate));
        assert_eq!(graded.severity, Severity::Critical);
    }
    // What may not be lowered may still be raised by a later entry.
    let two =
        policy("rules: [{ severity: info, reason: r }, { server: time, severity: critical }]\n");
    let launch = finding(FindingType::LaunchChanged, "", Severity::Moderate);
    assert_eq!(grade(&two, launch).severity, Severity::Critical);
}

#[test]
fn poison_is_lowered_only_by_whoever_names_its_marker() {
    let blind = policy("rules: [{ type: tool_changed, severity: safe, reason: r }]\n");
    let graded = grade(&blind, poisoned("marker-conceal"));
    assert_eq!(graded.severity, Severity::Critical);
    assert_eq!(graded.mark.unwrap().effect, Effect::Marked);
    let seen = policy("rules: [{ severity: safe, reason: r, markers: [marker-conceal] }]\n");
    assert_eq!(grade(&seen, poisoned("marker-conceal")).severity, Severity::Safe);
    assert_eq!(grade(&seen, poisoned("marker-secret-path")).severity, Severity::Critical);
}

#[test]
fn conditions_see_the_finding() {
    let holds = |condition: &str, finding: Finding| {
        let condition = condition.replace('\'', "''");
        let text = format!("rules: [{{ when: '{condition}', severity: critical }}]\n");
        grade(&policy(&text), finding).severity == Severity::Critical
    };
    for (condition, expected) in [
        (r#"finding.member == "description" && finding.compat != "breaking""#, true),
        (r#"finding.server == "time" && finding.kind == "tool""#, true),
        (r#"finding.type in ["tool_added", "tool_removed"]"#, false),
        (r#"finding.before.contains("time") && !finding.after.contains("time")"#, true),
        ("finding.subject.startsWith('get_') || finding.subject.endsWith('x')", true),
        ("size(finding.after) < 5 || finding.after.size() > 100", false),
        ("finding.severity == 'moderate' ? finding.member != '' : false", true),
        ("finding.evidence.exists(m, m.rule == 'marker-url')", false),
        ("finding.evidence.all(m, m.rule == 'marker-url')", true),
        ("['a', 'get_time'].exists_one(name, name == finding.subject)", true),
        ("['a'].exists(a, ['b'].exists(b, a == b || b == 'b'))", true),
        ("true", true),
    ] {
        assert_eq!(holds(condition, changed(Severity::Moderate)), expected, "{condition}");
    }
    let marked = "finding.evidence.exists(m, m.words.contains('tell'))";
    assert!(holds(marked, poisoned("marker-conceal")));
}

/// A wrong policy, and where its first problem is.
const WRONG: &[(&str, &str, &str)] = &[
    ("", "1:1", "manifest-wrong-type"),
    ("rules: []", "1:1", "manifest-missing-member"),
    ("policyVersion: 2", "1:16", "manifest-bad-version"),
    ("policyVersion: \"1\"", "1:16", "manifest-wrong-type"),
    ("policyVersion: 1\nruls: []", "2:1", "manifest-unknown-member"),
    ("policyVersion: 1\nrules: {}", "2:8", "manifest-wrong-type"),
    ("policyVersion: 1\nrules:", "2:6", "manifest-wrong-type"),
    (
        "policyVersion: 1\nrules:\n  - severity: critical\n    typ: x",
        "4:5",
        "manifest-unknown-member",
    ),
    (
        "policyVersion: 1\nrules:\n  - type: tool_chnaged\n    severity: critical",
        "3:11",
        "policy-bad-type",
    ),
    ("policyVersion: 1\nrules:\n  - severity: kritical", "3:15", "policy-bad-severity"),
    ("policyVersion: 1\nrules:\n  - severity: safe", "3:5", "policy-no-reason"),
    ("policyVersion: 1\nrules:\n  - type: tool_added", "3:5", "manifest-missing-member"),
    ("policyVersion: 1\nrules:\n  - { severity: safe, reason: '' }", "3:31", "manifest-bad-value"),
    (
        "policyVersion: 1\nrules:\n  - { server: 'a*', severity: critical }",
        "3:15",
        "manifest-bad-value",
    ),
    (
        "policyVersion: 1\nrules:\n  - severity: critical\n  - severity: critical",
        "4:5",
        "policy-duplicate-entry",
    ),
    (
        "policyVersion: 1\nrules:\n  - severity: critical\n    markers: [marker-x]",
        "4:15",
        "policy-bad-type",
    ),
    (
        "policyVersion: 1\nrules:\n  - severity: critical\n    severity: safe",
        "4:5",
        "manifest-duplicate-member",
    ),
    ("policyVersion: 1\nrules:\n  - &a { severity: critical }\n  - *a", "3:5", "yaml-anchor"),
    (
        "policyVersion: 1\nrules:\n  - severity: critical\n    when: finding.member ==",
        "4:28",
        "policy-bad-condition",
    ),
    (
        "policyVersion: 1\nrules:\n  - severity: critical\n    when: 'finding.membr == \"a\"'",
        "4:20",
        "policy-bad-condition",
    ),
    (
        "policyVersion: 1\nrules:\n  - severity: critical\n    when: |\n      finding.member == 'a' &&\n      fnding.kind == 'b'",
        "6:7",
        "policy-bad-condition",
    ),
    (
        "policyVersion: 1\nrules:\n  - severity: critical\n    when: \"finding.kind == \\\"\\\" && x\"",
        "4:11",
        "policy-bad-condition",
    ),
    (
        "policyVersion: 1\nrules:\n  - severity: critical\n    when: finding.member",
        "4:18",
        "policy-bad-condition",
    ),
    (
        "policyVersion: 1\nrules:\n  - severity: critical\n    when: finding.member > 3",
        "4:26",
        "policy-bad-condition",
    ),
    (
        "policyVersion: 1\nrules:\n  - severity: critical\n    when: 3",
        "4:11",
        "manifest-wrong-type",
    ),
    ("policyVersion: 1\ntools:\n  - server: time", "3:5", "manifest-missing-member"),
    ("policyVersion: 1\ntools:\n  - allow: [a, b, a]", "3:19", "policy-duplicate-entry"),
    ("policyVersion: 1\ntools:\n  - allow: [a]\n  - allow: [b]", "4:5", "policy-duplicate-entry"),
    ("policyVersion: 1\ntools:\n  - allow: a", "3:12", "manifest-wrong-type"),
    ("policyVersion: 1\nsigners:\n  - server: a", "3:5", "manifest-missing-member"),
    ("policyVersion: 1\nsigners:\n  - signer: 7", "3:13", "manifest-wrong-type"),
    ("policyVersion: 1\nsigners: [\n", "3:1", "yaml-syntax"),
    ("policyVersion: 1\npackages: {}", "2:11", "manifest-wrong-type"),
    ("policyVersion: 1\npackages:\n  - package: npm:a@1", "3:5", "manifest-missing-member"),
    ("policyVersion: 1\npackages:\n  - without-hashes: sfae", "3:21", "policy-bad-severity"),
    ("policyVersion: 1\npackages:\n  - without-hashes: safe", "3:5", "policy-no-reason"),
    (
        "policyVersion: 1\npackages:\n  - { without-hashes: safe, reason: ' ' }",
        "3:37",
        "manifest-bad-value",
    ),
    (
        "policyVersion: 1\npackages:\n  - without-hashes: critical\n    server: time",
        "4:5",
        "manifest-unknown-member",
    ),
    (
        "policyVersion: 1\npackages:\n  - without-hashes: critical\n  - { package: '*', without-hashes: moderate }",
        "4:5",
        "policy-duplicate-entry",
    ),
];

#[test]
fn a_mistake_has_a_line_and_a_column() {
    for (text, place, code) in WRONG {
        let outcome = parse_policy(text.as_bytes());
        assert!(outcome.manifest.is_none(), "{text}");
        let first = &outcome.problems[0];
        assert_eq!(
            (first.position.to_string().as_str(), first.code),
            (*place, *code),
            "{text}\n{first:#?}"
        );
        assert!(!first.found.is_empty() && !first.allowed.is_empty() && !first.fix.is_empty());
    }
}

#[test]
fn every_mistake_is_reported_at_once_with_what_was_meant() {
    let text = "policyVersion: 1
rules:
  - type: tool_chnaged
    severty: safe
    severity: saef
  - type: launch_changed
    severity: safe
";
    let problems = parse_policy(text.as_bytes()).problems;
    let shown: Vec<String> =
        problems.iter().map(|p| format!("{} {} {}", p.position, p.code, p.fix)).collect();
    assert_eq!(shown.len(), 5, "{shown:#?}");
    assert_eq!(shown[0], "3:11 policy-bad-type write tool_changed");
    assert_eq!(shown[1], "4:5 manifest-unknown-member write \"severity\"");
    assert_eq!(shown[2], "5:15 policy-bad-severity write safe");
    assert!(shown[3].starts_with("6:5 policy-no-reason"), "{shown:#?}");
    assert!(shown[4].starts_with("6:11 policy-protected-type"), "{shown:#?}");
}

#[test]
fn conditions_that_could_run_long_are_refused() {
    let many = |text: &str, times: usize| text.repeat(times);
    let letters = format!("[{}]", vec!["'a'"; 200].join(","));
    let third = "['a'].all(a, ['a'].all(b, ['a'].all(c, true)))".to_owned();
    for (what, condition) in [
        ("length", format!("true || {}", many("true || ", 200))),
        ("depth", many("(", 300) + "true" + &many(")", 300)),
        ("open", many("(", 900)),
        ("lists", many("[", 400) + &many("]", 400)),
        ("operators", many("1 < ", 200) + "1"),
        ("negations", many("-", 901) + "finding.member == 1"),
        ("ternaries", many("true ? true : ", 60) + "true"),
        ("members", format!("finding{}", many(".a", 400))),
        ("loops", third),
        ("lists of lists", "['a'].map(a, [a, a]).map(a, a) == []".to_owned()),
        ("filter", "['a'].filter(a, true) == []".to_owned()),
        ("joining", "finding.after + finding.after == ''".to_owned()),
        ("the accumulator", "['a'].all(a, __result__)".to_owned()),
        ("functions", "matches(finding.after, '(a+)+$')".to_owned()),
        ("clocks", "timestamp('2024-01-01T00:00:00Z') == ''".to_owned()),
        ("maps", "{'a': 1} == {'a': 1}".to_owned()),
        ("indexes", "finding.evidence[0].rule == 'x'".to_owned()),
        ("numbers", "size(finding.after) * 2 == 99999999999999999999".to_owned()),
        ("quotes", many("\"", 900)),
        ("garbage", many("@#$%^&*", 100)),
        ("nothing", " ".to_owned()),
        ("other letters", many("é💡", 100)),
    ] {
        let started = Instant::now();
        let text =
            format!("policyVersion: 1\nrules:\n  - severity: critical\n    when: {condition:?}\n");
        let problems = parse_policy(text.as_bytes()).problems;
        assert_eq!(problems.len(), 1, "{what}: {problems:#?}");
        assert!(problems[0].code.starts_with("policy-"), "{what}: {problems:#?}");
        assert_eq!(problems[0].position.line, 4, "{what}");
        assert!(started.elapsed() < Duration::from_secs(2), "{what}: {:?}", started.elapsed());
    }
    let loops = format!("{letters}.all(a, true) || {letters}.all(a, true)");
    assert!(loops.len() > crate::condition::MAX_SOURCE);
}

#[test]
fn what_a_condition_would_cost_is_known_before() {
    let loops = "finding.evidence.exists(a, finding.evidence.exists(b, \
                 finding.after.contains(a.words) && finding.before.contains(b.words)))";
    let policy = policy(&format!("rules: [{{ when: \"{loops}\", severity: safe, reason: r }}]\n"));
    let mut large = poisoned("marker-conceal");
    let one = large.evidence[0].clone();
    large.evidence = vec![one; 500];
    large.after = Some("x".repeat(1 << 20));
    let started = Instant::now();
    let graded = grade(&policy, large);
    assert!(started.elapsed() < Duration::from_secs(1));
    assert!(graded.is_undecided() && !graded.is_bad(Severity::Info));
    assert_eq!(graded.severity, Severity::Critical);
    assert_eq!(graded.mark.unwrap().position.to_string(), "2:17");
}

#[test]
fn hostile_policies_are_refused_quickly() {
    let bomb: String =
        (1..40).map(|n| format!("a{n}: &a{n} [*a{}, *a{}]\n", n - 1, n - 1)).collect();
    for (what, text) in [
        ("large", format!("policyVersion: 1\nrules: [{}]", "{severity: critical},".repeat(50_000))),
        ("too large", "# \n".repeat(500_000)),
        ("deep", format!("policyVersion: 1\nrules: {}", "[".repeat(20_000))),
        ("aliases", format!("policyVersion: 1\na0: &a0 x\n{bomb}")),
        ("members", (0..60_000).map(|n| format!("m{n}:\n")).collect()),
        ("names", format!("policyVersion: 1\ntools: [{{allow: [{}]}}]", "a,".repeat(90_000))),
        (
            "conditions",
            "policyVersion: 1\nrules:\n".to_owned()
                + &(0..900)
                    .map(|n| {
                        format!("- {{when: \"finding.member == '{n}'\", severity: critical}}\n")
                    })
                    .collect::<String>(),
        ),
    ] {
        let started = Instant::now();
        let outcome = parse_policy(text.as_bytes());
        assert!(outcome.manifest.is_none(), "{what}");
        assert!(started.elapsed() < Duration::from_secs(10), "{what}: {:?}", started.elapsed());
    }
}

#[test]
fn tools_and_signers_are_demanded() {
    let policy = policy(
        "tools:
  - server: time
    allow: [get_time, convert_*, gone]
  - allow: []
signers:
  - { server: time, signer: acme }
",
    );
    let facts = Facts {
        tools: Some(vec!["get_time".into(), "convert_time".into(), "exec".into()]),
        signer: Some(None),
    };
    let mut judge = Judge::new(&policy);
    let graded = judge.grade("time", &facts, Vec::new());
    let shown: Vec<_> = graded.iter().map(|one| (one.kind, one.subject.as_str())).collect();
    assert_eq!(shown, [(FindingType::ToolAdded, "exec"), (FindingType::SignatureMissing, "")]);
    assert!(graded.iter().all(|one| one.severity == Severity::Critical));
    assert!(graded.iter().all(|one| one.mark.as_ref().unwrap().effect == Effect::Demanded));
    let other = Facts { tools: Some(vec!["x".into()]), signer: Some(Some("eve".into())) };
    assert_eq!(judge.grade("time", &other, Vec::new())[1].kind, FindingType::SignerChanged);
    let signed = Facts { tools: None, signer: Some(Some("acme".into())) };
    assert!(judge.grade("time", &signed, Vec::new()).is_empty());
    // A list for all is for those that have none of their own.
    assert_eq!(judge.grade("other", &other, Vec::new())[0].subject, "x");
    assert!(judge.grade("unknown", &Facts::default(), Vec::new()).is_empty());
    let known = BTreeSet::from(["time".to_owned(), "other".to_owned()]);
    let unmatched = judge.unmatched(&PolicyScope { judged: known.clone(), known });
    let shown: Vec<String> =
        unmatched.iter().map(|one| format!("{} {}", one.position, one.sentence)).collect();
    assert_eq!(shown, ["4:34 no tool is named \"gone\""]);
}

#[test]
fn entries_without_use_are_named_if_everything_was_looked_at() {
    let policy = policy(
        "rules:
  - { server: tiem, severity: critical }
  - { server: time, severity: critical }
  - { type: tool_added, severity: critical }
",
    );
    let set = |names: &[&str]| names.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    let unmatched = |judged: &[&str]| -> Vec<usize> {
        let scope = PolicyScope { known: set(&["time", "other"]), judged: set(judged) };
        Judge::new(&policy).unmatched(&scope).iter().map(|one| one.position.line).collect()
    };
    assert_eq!(unmatched(&["time", "other"]), [3, 4, 5]);
    assert_eq!(unmatched(&["time"]), [3, 4]);
    assert_eq!(unmatched(&[]), [3]);
}

#[test]
fn the_first_entry_that_matches_decides_over_a_package_without_hashes() {
    let policy = policy(
        "packages:
  - package: npm:@acme/*
    without-hashes: safe
    reason: published before hashes existed
  - { package: 'npm:*', without-hashes: critical }
  - { package: 'pypi:*', without-hashes: moderate }
",
    );
    assert_eq!(policy.len(), 3);
    let (severity, mark) = policy.grade_unhashed("npm:@acme/weather@1.0.0");
    let mark = mark.unwrap();
    assert_eq!((severity, mark.position.to_string().as_str()), (Severity::Safe, "3:5"));
    assert_eq!(mark.effect, Effect::Regraded { from: Severity::Moderate });
    assert_eq!(mark.reason.as_deref(), Some("published before hashes existed"));
    let (severity, mark) = policy.grade_unhashed("npm:other@1.0.0");
    assert_eq!((severity, mark.unwrap().position.line), (Severity::Critical, 6));
    for untouched in ["pypi:weather==1.0", "https://example.com/x.mcpb"] {
        assert_eq!(policy.grade_unhashed(untouched), (Severity::Moderate, None));
    }
}

#[test]
fn another_spelling_of_a_package_does_not_avoid_an_entry() {
    let policy = policy(
        "packages:
  - { package: 'pypi:secret-tool==*', without-hashes: critical }
  - { package: 'github:evil/*', without-hashes: critical }
  - { package: '*', without-hashes: safe, reason: the rest }
",
    );
    for package in [
        "pypi:Secret_Tool==1.0",
        "github:Evil/r/v1/x.mcpb",
        "https://github.com:443/evil/r/releases/download/v1/x.mcpb",
    ] {
        assert_eq!(policy.grade_unhashed(package).0, Severity::Critical, "{package}");
    }
    assert_eq!(policy.grade_unhashed("npm:secret-tool@1.0.0").0, Severity::Safe);
}

#[test]
fn an_entry_without_a_package_is_about_all_of_them() {
    let policy = policy("packages: [{ without-hashes: info, reason: none of ours has any }]\n");
    let (severity, mark) = policy.grade_unhashed("github:a/b/v1/c.mcpb");
    assert_eq!((severity, mark.unwrap().position.line), (Severity::Info, 2));
    // It is about nothing that a server declares.
    assert_eq!(grade(&policy, changed(Severity::Moderate)).severity, Severity::Moderate);
    let unmatched = Judge::new(&policy).unmatched(&PolicyScope::default());
    assert!(unmatched.is_empty(), "{unmatched:?}");
}
