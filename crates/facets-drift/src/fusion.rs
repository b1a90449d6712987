//! Two contracts of MCP Fusion, member by member.

use std::collections::BTreeMap;

use facets_digest::json::Value;

use crate::finding::{Compat, Finding, FindingType, Severity, SubjectKind};
use crate::promises::{economics, guardrails, middleware};
use crate::shown::shown;
use crate::text::{TextChange, classify};
use crate::texts::segment;

/// Everything that is different between two contracts, also what their own diff passes over.
#[must_use]
pub fn compare_fusion_contracts(before: &Value<'_>, after: &Value<'_>) -> Vec<Finding> {
    let mut out = Vec::new();
    let name = after.member("surface").and_then(|surface| surface.member("name"));
    let tool = name.map(shown).unwrap_or_default();
    promises(&tool, before, after, &mut out);
    let (old, new) = (flatten(before), flatten(after));
    let mut places: Vec<&String> = old.keys().chain(new.keys()).collect();
    places.sort();
    places.dedup();
    for place in places {
        if let Some(sides) = differing(old.get(place), new.get(place)) {
            leaf(&tool, place, sides, &mut out);
        }
    }
    actions(&tool, before, after, &mut out);
    crate::finding::sort_findings(&mut out);
    out
}

/// What other readers of contracts judge as well.
fn promises(tool: &str, before: &Value<'_>, after: &Value<'_>, out: &mut Vec<Finding>) {
    let of = [before, after].map(|side| side.member("behavior"));
    let [old, new] = of.map(|part| part.and_then(|part| part.member("cognitiveGuardrails")));
    guardrails(tool, old, new, out);
    let [old, new] = of.map(|part| part.and_then(|part| part.member("middlewareChain")));
    middleware(tool, old, new, out);
    let cost = [before, after].map(|side| side.member("tokenEconomics").unwrap_or(&Value::Null));
    economics(tool, cost[0], cost[1], out);
}

/// A value in its canonical form, which decides, and as it is shown.
type Leaf = (Vec<u8>, String);

/// Both as they are shown, if they differ: also where they are shown alike.
fn differing(was: Option<&Leaf>, is: Option<&Leaf>) -> Option<Sides> {
    let form = |leaf: Option<&Leaf>| leaf.map(|leaf| leaf.0.clone());
    let shown = |leaf: Option<&Leaf>| leaf.map(|leaf| leaf.1.clone());
    (form(was) != form(is)).then(|| (shown(was), shown(is)))
}

/// Members by their places; the actions are looked at one by one.
fn flatten(contract: &Value<'_>) -> BTreeMap<String, Leaf> {
    let mut found = BTreeMap::new();
    collect(contract, String::new(), &mut found);
    found
}

fn collect(value: &Value<'_>, place: String, found: &mut BTreeMap<String, Leaf>) {
    match value {
        Value::Object(object) if place != "surface.actions" => {
            for member in object.members() {
                let inner = match place.as_str() {
                    "" => segment(&member.name),
                    outer => format!("{outer}.{}", segment(&member.name)),
                };
                collect(&member.value, inner, found);
            }
        }
        Value::Object(_) => {}
        other => {
            found.insert(place, (other.to_canonical(), shown(other)));
        }
    }
}

type Sides = (Option<String>, Option<String>);

fn leaf(tool: &str, place: &str, sides: Sides, out: &mut Vec<Finding>) {
    use Compat::{Breaking, Cosmetic, Risky, Safe};
    use FindingType::{EntitlementGained, EntitlementLost, ToolChanged, ToolRenamed};
    use Severity::{Critical, Info, Moderate, Safe as Harmless};
    let typo = || match &sides {
        (Some(was), Some(is)) => classify(was, is) == TextChange::Typo,
        _ => false,
    };
    let (kind, grade, sentence) = match place {
        "surface.name" => (ToolRenamed, (Critical, Breaking), "name changed"),
        "surface.description" if typo() => {
            (ToolChanged, (Harmless, Cosmetic), "description changed by no more than a typo")
        }
        "surface.description" => (ToolChanged, (Moderate, Risky), "description changed"),
        "surface.inputSchemaDigest" => (ToolChanged, (Critical, Breaking), "arguments changed"),
        "surface.tags" => (ToolChanged, (Moderate, Cosmetic), "tags changed"),
        "behavior.systemRulesFingerprint" => rules(&sides),
        "behavior.egressSchemaDigest" => (ToolChanged, (Moderate, Risky), "output changed"),
        // Judged with the rest of what limits a tool.
        "tokenEconomics.inflationRisk" | "tokenEconomics.unboundedCollection" => return,
        place
            if place.starts_with("behavior.cognitiveGuardrails")
                || place == "behavior.middlewareChain" =>
        {
            return;
        }
        "entitlements.raw" => {
            (EntitlementGained, (Moderate, Risky), "code uses other parts of the runtime")
        }
        place if place.starts_with("entitlements.") => match sides.1.as_deref() {
            Some("false") | None => (EntitlementLost, (Info, Safe), "code can reach less"),
            _ => (EntitlementGained, (Critical, Risky), "code can reach more"),
        },
        _ => (ToolChanged, (Moderate, Risky), "contract changed"),
    };
    // Of some places the sentence says all.
    let says_all = place.starts_with("surface.") || place == "behavior.systemRulesFingerprint";
    let sentence = if says_all { sentence.to_owned() } else { format!("{sentence}: `{place}`") };
    let finding = Finding::new(kind, (SubjectKind::Tool, tool), grade, sentence);
    out.push(finding.of_member(place, sides.0, sides.1));
}

fn rules(sides: &Sides) -> (FindingType, (Severity, Compat), &'static str) {
    let none = |side: &Option<String>| side.as_deref().is_none_or(|side| side == "none");
    let dynamic = sides.1.as_deref().is_some_and(|after| after.contains("dynamic"));
    let (severity, compat, sentence) = match (none(&sides.0), none(&sides.1)) {
        _ if dynamic => (Severity::Critical, Compat::Breaking, "rules are now made while it runs"),
        (true, false) => (Severity::Moderate, Compat::Risky, "rules added"),
        (false, true) => (Severity::Critical, Compat::Breaking, "rules removed"),
        _ => (
            Severity::Critical,
            Compat::Breaking,
            "rules changed; the contract has only their fingerprint",
        ),
    };
    (FindingType::RulesChanged, (severity, compat), sentence)
}

/// What the actions of a tool say of themselves.
fn actions(tool: &str, before: &Value<'_>, after: &Value<'_>, out: &mut Vec<Finding>) {
    let of = |side: &Value<'_>| -> BTreeMap<String, BTreeMap<String, Leaf>> {
        let actions = side.member("surface").and_then(|surface| surface.member("actions"));
        let Some(Value::Object(actions)) = actions else { return BTreeMap::new() };
        let each = actions.members().iter();
        each.map(|action| (action.name.to_string(), flatten(&action.value))).collect()
    };
    let (old, new) = (of(before), of(after));
    let subject = (SubjectKind::Tool, tool);
    for (key, fields) in &new {
        let place = format!("surface.actions.{key}");
        let Some(was) = old.get(key) else {
            let grade = (Severity::Critical, Compat::Safe);
            let sentence = format!("action `{key}` added");
            let finding = Finding::new(FindingType::ToolChanged, subject, grade, sentence);
            out.push(finding.of_member(place, None, Some(key.clone())));
            continue;
        };
        let mut names: Vec<&String> = was.keys().chain(fields.keys()).collect();
        names.sort();
        names.dedup();
        for name in names {
            if let Some(sides) = differing(was.get(name), fields.get(name)) {
                let (grade, sentence) = action_member(key, name, &sides);
                let finding = Finding::new(FindingType::ToolChanged, subject, grade, sentence);
                out.push(finding.of_member(format!("{place}.{name}"), sides.0, sides.1));
            }
        }
    }
    for key in old.keys().filter(|key| !new.contains_key(*key)) {
        let grade = (Severity::Info, Compat::Breaking);
        let sentence = format!("action `{key}` removed");
        let finding = Finding::new(FindingType::ToolChanged, subject, grade, sentence);
        out.push(finding.of_member(format!("surface.actions.{key}"), Some(key.clone()), None));
    }
}

fn action_member(key: &str, name: &str, sides: &Sides) -> ((Severity, Compat), String) {
    let became = |word: &str| sides.1.as_deref() == Some(word);
    match name {
        "destructive" if became("true") => {
            ((Severity::Critical, Compat::Risky), format!("action `{key}` is now destructive"))
        }
        "readOnly" | "idempotent" if !became("true") => {
            let grade = (Severity::Critical, Compat::Risky);
            (grade, format!("action `{key}` no longer says that it is {name}"))
        }
        "destructive" | "readOnly" | "idempotent" => {
            let grade = (Severity::Moderate, Compat::Risky);
            (grade, format!("action `{key}` now says that it is safer"))
        }
        "requiredFields" | "inputSchemaDigest" => {
            let grade = (Severity::Critical, Compat::Breaking);
            (grade, format!("arguments of action `{key}` changed"))
        }
        "hasMiddleware" if !became("true") => {
            let grade = (Severity::Critical, Compat::Risky);
            (grade, format!("action `{key}` lost its middleware"))
        }
        _ => ((Severity::Moderate, Compat::Risky), format!("`{name}` of action `{key}` changed")),
    }
}
