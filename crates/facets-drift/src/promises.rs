//! The members of a contract, one by one.

use std::collections::BTreeSet;

use facets_digest::json::{self, Limits, Number, Provenance, Value};
use facets_surface::{Contract, EntitlementVerdict, Entitlements, Part, SystemRules};

use crate::finding::{Compat, Finding, FindingType, Severity, SubjectKind};
use crate::shown::{shown, shown_rules};

type Grade = (Severity, Compat);

/// Members that a server declares, which its definitions do not show.
const DECLARED: &[(Part, &str)] = &[
    (Part::Surface, "actions"),
    (Part::Surface, "tags"),
    (Part::Behavior, "affordances"),
    (Part::Behavior, "concurrency"),
    (Part::Behavior, "presenters"),
    (Part::Behavior, "stateSync"),
];

fn finding(kind: FindingType, tool: &str, grade: Grade, sentence: impl Into<String>) -> Finding {
    Finding::new(kind, (SubjectKind::Tool, tool), grade, sentence)
}

fn read(contract: &Contract, part: Part) -> Value<'_> {
    let form = contract.part(part);
    json::parse(form, Provenance::Captured, Limits::DEFINITION).unwrap_or(Value::Null)
}

/// Whether a member says the same in two parts; what says nothing is like none.
fn is_same(was: Option<&Value<'_>>, is: Option<&Value<'_>>) -> bool {
    let form = |side: Option<&Value<'_>>| match side {
        None | Some(Value::Null) => Vec::new(),
        Some(value) => value.to_canonical(),
    };
    form(was) == form(is)
}

/// A member as it is shown; none if it says nothing.
fn said(part: &Value<'_>, name: &str) -> Option<String> {
    part.member(name).filter(|value| **value != Value::Null).map(shown)
}

/// Everything of a contract that is neither on the wire nor a rule.
pub(crate) fn compare(tool: &str, old: &Contract, new: &Contract, out: &mut Vec<Finding>) {
    for (part, name) in DECLARED {
        let (was, is) = (read(old, *part), read(new, *part));
        let sides = (said(&was, name), said(&is, name));
        if !is_same(was.member(name), is.member(name)) {
            let grade = (Severity::Moderate, Compat::Risky);
            let found =
                finding(FindingType::ToolChanged, tool, grade, format!("declared {name} changed"));
            out.push(found.of_member(format!("{}.{name}", part.name()), sides.0, sides.1));
        }
    }
    let (was, is) = (read(old, Part::Behavior), read(new, Part::Behavior));
    guardrails(tool, was.member("guardrails"), is.member("guardrails"), out);
    middleware(tool, was.member("middleware"), is.member("middleware"), out);
    economics(tool, &read(old, Part::TokenEconomics), &read(new, Part::TokenEconomics), out);
}

/// Limits: a larger number is a looser one, none the loosest. What is not surely tighter is
/// looser.
pub(crate) fn guardrails(
    tool: &str,
    was: Option<&Value<'_>>,
    is: Option<&Value<'_>>,
    out: &mut Vec<Finding>,
) {
    let names: BTreeSet<&str> = [was, is].into_iter().flatten().flat_map(member_names).collect();
    let whole = [was, is].into_iter().flatten().any(|side| !is_object_or_null(side));
    if whole {
        return guardrail(tool, "guardrails", was, is, out);
    }
    for name in names {
        let old = was.and_then(|side| side.member(name));
        let new = is.and_then(|side| side.member(name));
        guardrail(tool, &format!("guardrails.{name}"), old, new, out);
    }
}

fn is_object_or_null(value: &Value<'_>) -> bool {
    matches!(value, Value::Object(_) | Value::Null)
}

fn member_names<'v>(value: &'v Value<'_>) -> Vec<&'v str> {
    match value {
        Value::Object(object) => object.members().iter().map(|member| &*member.name).collect(),
        _ => Vec::new(),
    }
}

fn guardrail(
    tool: &str,
    place: &str,
    was: Option<&Value<'_>>,
    is: Option<&Value<'_>>,
    out: &mut Vec<Finding>,
) {
    let none = |side: Option<&Value<'_>>| side.is_none_or(|value| *value == Value::Null);
    let sides = (was.filter(|_| !none(was)).map(shown), is.filter(|_| !none(is)).map(shown));
    if is_same(was, is) {
        return;
    }
    let number = |side: Option<&Value<'_>>| match side {
        Some(Value::Number(number)) => Some(as_double(number)),
        _ => None,
    };
    let tighter = match (number(was), number(is)) {
        _ if none(was) => !none(is),
        (Some(was), Some(is)) => is < was,
        _ => matches!((was, is), (Some(Value::Bool(false)), Some(Value::Bool(true)))),
    };
    let (kind, grade, sentence) = if tighter {
        let grade = (Severity::Info, Compat::Risky);
        (FindingType::GuardrailTightened, grade, format!("`{place}` allows less"))
    } else {
        let grade = (Severity::Critical, Compat::Risky);
        (FindingType::GuardrailLoosened, grade, format!("`{place}` may allow more"))
    };
    out.push(finding(kind, tool, grade, sentence).of_member(place, sides.0, sides.1));
}

fn as_double(number: &Number<'_>) -> f64 {
    let mut form = Vec::new();
    Value::Number(*number).write_canonical(&mut form);
    String::from_utf8_lossy(&form).parse().unwrap_or(f64::INFINITY)
}

fn strings<'v>(value: Option<&'v Value<'_>>) -> Option<Vec<&'v str>> {
    match value {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| match item {
                Value::String(text) => Some(&**text),
                _ => None,
            })
            .collect(),
        Some(_) => None,
    }
}

/// Checks that stand before a call.
pub(crate) fn middleware(
    tool: &str,
    was: Option<&Value<'_>>,
    is: Option<&Value<'_>>,
    out: &mut Vec<Finding>,
) {
    let sides = (
        was.filter(|v| **v != Value::Null).map(shown),
        is.filter(|v| **v != Value::Null).map(shown),
    );
    if is_same(was, is) {
        return;
    }
    let mut push = |kind, grade, sentence: String| {
        let found = finding(kind, tool, grade, sentence);
        out.push(found.of_member("middleware", sides.0.clone(), sides.1.clone()));
    };
    let (Some(old), Some(new)) = (strings(was), strings(is)) else {
        let sentence = "middleware changed, in a way that facet cannot read".to_owned();
        return push(FindingType::MiddlewareRemoved, (Severity::Critical, Compat::Risky), sentence);
    };
    let gone: Vec<&str> = old.iter().copied().filter(|one| !new.contains(one)).collect();
    let come: Vec<&str> = new.iter().copied().filter(|one| !old.contains(one)).collect();
    if !gone.is_empty() {
        let sentence = format!("middleware removed: {}", gone.join(", "));
        push(FindingType::MiddlewareRemoved, (Severity::Critical, Compat::Risky), sentence);
    }
    if !come.is_empty() {
        let sentence = format!("middleware added: {}", come.join(", "));
        push(FindingType::MiddlewareAdded, (Severity::Info, Compat::Risky), sentence);
    }
    if gone.is_empty() && come.is_empty() {
        let sentence = "order of middleware changed".to_owned();
        push(FindingType::ToolChanged, (Severity::Moderate, Compat::Risky), sentence);
    }
}

/// How long answers may be.
pub(crate) fn economics(tool: &str, was: &Value<'_>, is: &Value<'_>, out: &mut Vec<Finding>) {
    const LEVELS: [&str; 4] = ["low", "medium", "high", "critical"];
    let level = |side: &Value<'_>| {
        let word = said(side, "inflationRisk").unwrap_or_default();
        LEVELS.iter().position(|level| *level == word)
    };
    let mut push = |up: bool, name: &str, sentence: &str| {
        let severity = if up { Severity::Moderate } else { Severity::Info };
        let compat = if up { Compat::Risky } else { Compat::Safe };
        let found = finding(FindingType::EconomicsChanged, tool, (severity, compat), sentence);
        let place = format!("tokenEconomics.{name}");
        out.push(found.of_member(place, said(was, name), said(is, name)));
    };
    if said(was, "inflationRisk") != said(is, "inflationRisk") {
        // A level that nobody knows is no better one.
        let up = match (level(was), level(is)) {
            (Some(was), Some(is)) => is > was,
            // The first promise that there is; before, anything could come.
            (None, Some(is)) if said(was, "inflationRisk").as_deref() == Some("unknown") => {
                LEVELS[is] == "high" || LEVELS[is] == "critical"
            }
            _ => true,
        };
        let sentence = if up { "answers may be longer" } else { "answers have tighter bounds" };
        push(up, "inflationRisk", sentence);
    }
    let unbounded = "unboundedCollection";
    if said(was, unbounded) != said(is, unbounded) {
        let up = said(is, unbounded).as_deref() == Some("true");
        let sentence = if up { "answers may be unbounded" } else { "answers are bounded" };
        push(up, unbounded, sentence);
    }
}

/// Rules whose words are known.
pub(crate) fn compare_rules(
    tool: &str,
    was: &SystemRules,
    is: &SystemRules,
    out: &mut Vec<Finding>,
) {
    if was == is {
        return;
    }
    let sides = (shown_rules(was), shown_rules(is));
    let mut push = |grade: Grade, sentence: &str| {
        let found = finding(FindingType::RulesChanged, tool, grade, sentence);
        out.push(found.of_member("systemRules", sides.0.clone(), sides.1.clone()));
    };
    let removed = was.fixed.iter().any(|rule| !is.fixed.contains(rule));
    let added = is.fixed.iter().any(|rule| !was.fixed.contains(rule));
    if removed {
        push((Severity::Critical, Compat::Breaking), "rule removed");
    } else if added {
        push((Severity::Moderate, Compat::Risky), "rule added");
    }
    if was.dynamic != is.dynamic {
        let sentence = match (&was.dynamic, &is.dynamic) {
            (None, _) => "rules are now made while it runs",
            (_, None) => "rules made while it runs were removed",
            _ => "rules made while it runs changed",
        };
        push((Severity::Critical, Compat::Breaking), sentence);
    }
    if was.unverifiable != is.unverifiable {
        push(
            (Severity::Critical, Compat::Breaking),
            "rules changed, in a way that facet cannot read",
        );
    }
}

/// A member of a contract, and what it means if it changed.
type DeclaredRow = (Part, &'static str, FindingType, Grade, &'static str);
const CHANGED: FindingType = FindingType::ToolChanged;
const ON_THE_WIRE: &[DeclaredRow] = &[
    (
        Part::Surface,
        "name",
        FindingType::ToolRenamed,
        (Severity::Critical, Compat::Breaking),
        "name changed",
    ),
    (Part::Surface, "title", CHANGED, (Severity::Moderate, Compat::Cosmetic), "title changed"),
    (
        Part::Surface,
        "description",
        CHANGED,
        (Severity::Moderate, Compat::Risky),
        "description changed",
    ),
    (
        Part::Surface,
        "inputSchema",
        CHANGED,
        (Severity::Critical, Compat::Breaking),
        "input schema changed; the contract has only its hash",
    ),
    (
        Part::Behavior,
        "outputSchema",
        CHANGED,
        (Severity::Moderate, Compat::Risky),
        "output schema changed; the contract has only its hash",
    ),
    (
        Part::Behavior,
        "execution",
        CHANGED,
        (Severity::Moderate, Compat::Cosmetic),
        "`execution` changed",
    ),
    (
        Part::Behavior,
        "systemRules",
        FindingType::RulesChanged,
        (Severity::Critical, Compat::Breaking),
        "rules changed; the contract has only their fingerprint",
    ),
];

/// What is on the wire, where only contracts are there to be compared.
pub(crate) fn compare_declared(tool: &str, old: &Contract, new: &Contract, out: &mut Vec<Finding>) {
    for (part, name, kind, grade, sentence) in ON_THE_WIRE {
        let (was, is) = (read(old, *part), read(new, *part));
        let sides = (said(&was, name), said(&is, name));
        if !is_same(was.member(name), is.member(name)) {
            let found = finding(*kind, tool, *grade, *sentence);
            out.push(found.of_member(format!("{}.{name}", part.name()), sides.0, sides.1));
        }
    }
    let (was, is) = (read(old, Part::Behavior), read(new, Part::Behavior));
    let (was, is) = (was.member("annotations"), is.member("annotations"));
    let is_said = |value: &&Value<'_>| **value != Value::Null;
    crate::annotations::compare(tool, was.filter(is_said), is.filter(is_said), out);
}

/// The entitlements of a contract.
pub(crate) fn entitlements_of(contract: &Contract) -> Entitlements {
    let value = read(contract, Part::Entitlements);
    let verdict =
        |name: &str| said(&value, name).and_then(|word| EntitlementVerdict::from_name(&word));
    let raw = strings(value.member("raw")).unwrap_or_default();
    Entitlements {
        filesystem: verdict("filesystem").unwrap_or_default(),
        network: verdict("network").unwrap_or_default(),
        subprocess: verdict("subprocess").unwrap_or_default(),
        crypto: verdict("crypto").unwrap_or_default(),
        code_evaluation: verdict("codeEvaluation").unwrap_or_default(),
        raw: raw.into_iter().map(str::to_owned).collect(),
        scanner: None,
    }
}
