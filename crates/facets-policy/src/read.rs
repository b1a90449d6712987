//! From text to a policy, or to everything that is wrong with it.

use std::collections::BTreeSet;

use facets_drift::{FindingType, Severity};
use facets_markers::RULES;
use facets_model::manifest::Outcome;
use facets_model::manifest::check::{Checker, Members, Place, nearest, shorten};
use facets_model::tree::{ManifestFormat, NodeValue};

use crate::condition::Condition;
use crate::condition_error::ConditionError;
use crate::package_pattern::PackagePattern;
use crate::pattern::Pattern;
use crate::policy::{
    AllowList, PROTECTED, Policy, PolicyRule, RequiredSigner, Servers, UNHASHED, UnhashedPackages,
};

/// A text that is not a whole policy takes no time worth mentioning.
const MAX_ENTRIES: usize = 1000;
/// A condition takes some milliseconds to read.
const MAX_CONDITIONS: usize = 100;
/// Allowed tools, in all lists together.
const MAX_NAMES: usize = 5000;
/// Names and reasons.
const MAX_TEXT: usize = 500;

/// Reads a `facets.policy.yaml`.
#[must_use]
pub fn parse_policy(bytes: &[u8]) -> Outcome<Policy> {
    Checker::run(bytes, ManifestFormat::Yaml, policy)
}

fn policy(check: &mut Checker<'_>, root: &Place<'_>) -> Option<Policy> {
    let members = check.members(root)?;
    check.closed(&members, &["policyVersion", "rules", "tools", "signers", "packages"]);
    version(check, &members);
    let mut seen = Seen::default();
    Some(Policy {
        rules: entries(check, &members, "rules", &mut seen, rule),
        tools: entries(check, &members, "tools", &mut seen, allow_list),
        signers: entries(check, &members, "signers", &mut seen, signer),
        packages: entries(check, &members, "packages", &mut seen, package),
    })
}

fn version(check: &mut Checker<'_>, members: &Members<'_>) {
    let Some(place) = members.required(check, "policyVersion", "1") else { return };
    let Some(number) = check.number(&place) else { return };
    if number.to_bits() != 1f64.to_bits() {
        let found = format!("version {number}");
        check.problem(
            "manifest-bad-version",
            &place,
            &found,
            "1",
            "write 1, or install a newer facet",
        );
    }
}

/// What entries there are already.
#[derive(Default)]
struct Seen {
    entries: BTreeSet<String>,
    conditions: usize,
    names: usize,
}

fn entries<T>(
    check: &mut Checker<'_>,
    members: &Members<'_>,
    name: &str,
    seen: &mut Seen,
    read: fn(&mut Checker<'_>, &Place<'_>, &mut Seen) -> Option<T>,
) -> Vec<T> {
    let list = members.optional(name).and_then(|place| Some((check.items(&place)?, place)));
    let Some((items, place)) = list else { return Vec::new() };
    if items.len() > MAX_ENTRIES {
        let (found, allowed) =
            (format!("{} entries", items.len()), format!("at most {MAX_ENTRIES}"));
        check.problem("manifest-bad-value", &place, &found, &allowed, "remove some of them");
        return Vec::new();
    }
    items.iter().filter_map(|item| read(check, item, seen)).collect()
}

/// Two entries about the same are a mistake: only one of them decides.
fn once(check: &mut Checker<'_>, place: &Place<'_>, seen: &mut Seen, about: String) {
    if !seen.entries.insert(about) {
        let allowed = "each server, type, subject and condition once";
        duplicate(check, place, "duplicate entry", allowed);
    }
}

fn duplicate(check: &mut Checker<'_>, place: &Place<'_>, found: &str, allowed: &str) {
    check.problem("policy-duplicate-entry", place, found, allowed, "remove one of the two");
}

fn rule(check: &mut Checker<'_>, place: &Place<'_>, seen: &mut Seen) -> Option<PolicyRule> {
    let members = check.members(place)?;
    let known = ["server", "type", "subject", "when", "markers", "severity", "reason"];
    check.closed(&members, &known);
    let servers = servers(check, members.optional("server").as_ref());
    let kind = members.optional("type").and_then(|place| Some((kind(check, &place)?, place)));
    let subject = members.optional("subject").and_then(|place| text(check, &place));
    let when = members.optional("when").and_then(|place| condition(check, &place, seen));
    let markers = members.optional("markers").map(|place| markers(check, &place));
    let severity = members.required(check, "severity", "moderate");
    let severity = severity.and_then(|place| severity_of(check, &place));
    let reason = members.optional("reason").and_then(|place| text(check, &place));
    let written = ["type", "subject", "when"].map(|name| members.optional(name).map(written));
    once(check, place, seen, format!("rule {servers:?} {written:?} {markers:?}"));
    let severity = severity?;
    if severity < Severity::Critical {
        if let Some((kind, place)) = kind.as_ref().filter(|(kind, _)| PROTECTED.contains(kind)) {
            protected(check, place, *kind);
        }
        // spec 7.8: who makes less of something says why
        if members.optional("reason").is_none() {
            no_reason(check, place, Severity::Critical);
        }
    }
    Some(PolicyRule {
        position: check.position(place),
        servers,
        kind: kind.map(|(kind, _)| kind),
        subject: subject.map(|text| Pattern::new(&text)),
        when,
        markers: markers.unwrap_or_default(),
        severity,
        reason,
    })
}

fn no_reason(check: &mut Checker<'_>, place: &Place<'_>, below: Severity) {
    let below = below.name();
    check.problem(
        "policy-no-reason",
        place,
        &format!("a severity below {below}, and no `reason`"),
        &format!("a `reason` for every severity below {below}"),
        "add reason: \"why this is acceptable here\"",
    );
}

fn protected(check: &mut Checker<'_>, place: &Place<'_>, kind: FindingType) {
    let names = PROTECTED.map(FindingType::name).join(", ");
    check.problem(
        "policy-protected-type",
        place,
        &format!("{} with a severity below critical", kind.name()),
        &format!("any type except {names}: a policy cannot lower these"),
        "remove the entry, and approve the change instead: facet approve NAME",
    );
}

fn allow_list(check: &mut Checker<'_>, place: &Place<'_>, seen: &mut Seen) -> Option<AllowList> {
    let members = check.members(place)?;
    check.closed(&members, &["server", "allow"]);
    let servers = servers(check, members.optional("server").as_ref());
    once(check, place, seen, format!("tools {servers:?}"));
    let list = members.required(check, "allow", "[a_tool]")?;
    let mut names = BTreeSet::new();
    let mut allow = Vec::new();
    let items = check.items(&list)?;
    seen.names += items.len();
    if seen.names > MAX_NAMES {
        let (found, allowed) = (format!("{} names", seen.names), format!("at most {MAX_NAMES}"));
        check.problem("manifest-bad-value", &list, &found, &allowed, "use patterns such as get_*");
        return None;
    }
    for item in items {
        let Some(name) = text(check, &item) else { continue };
        if !names.insert(name.clone()) {
            duplicate(check, &item, "duplicate name", "each name once");
        }
        allow.push((Pattern::new(&name), check.position(&item)));
    }
    Some(AllowList { position: check.position(place), servers, allow })
}

fn signer(check: &mut Checker<'_>, place: &Place<'_>, seen: &mut Seen) -> Option<RequiredSigner> {
    let members = check.members(place)?;
    check.closed(&members, &["server", "signer"]);
    let servers = servers(check, members.optional("server").as_ref());
    once(check, place, seen, format!("signers {servers:?}"));
    let signer = members.required(check, "signer", "\"release@example.com\"")?;
    let signer = text(check, &signer)?;
    Some(RequiredSigner { position: check.position(place), servers, signer })
}

/// What packages count as that state no hash.
fn package(
    check: &mut Checker<'_>,
    place: &Place<'_>,
    seen: &mut Seen,
) -> Option<UnhashedPackages> {
    let members = check.members(place)?;
    check.closed(&members, &["package", "without-hashes", "reason"]);
    let package = match members.optional("package") {
        None => Some("*".to_owned()),
        Some(place) => text(check, &place),
    };
    if let Some(package) = &package
        && !seen.entries.insert(format!("packages {package}"))
    {
        duplicate(check, place, "duplicate entry", "each package once");
    }
    let severity = members.required(check, "without-hashes", "moderate");
    let severity = severity.and_then(|place| severity_of(check, &place));
    let reason = members.optional("reason").and_then(|place| text(check, &place));
    let severity = severity?;
    // spec 12.6: who makes less of something says why
    if severity < UNHASHED && members.optional("reason").is_none() {
        no_reason(check, place, UNHASHED);
    }
    let position = check.position(place);
    let package = PackagePattern::new(&package?);
    Some(UnhashedPackages { position, package, severity, reason })
}

/// A name, or `*`, which is also what a missing one means.
fn servers(check: &mut Checker<'_>, place: Option<&Place<'_>>) -> Servers {
    let Some(place) = place else { return Servers::All };
    match text(check, place) {
        None => Servers::All,
        Some(name) if name == "*" => Servers::All,
        Some(name) if name.contains('*') => {
            let found = shorten(&name);
            let fix = "name one server, or write \"*\" and use `when`";
            check.problem("manifest-bad-value", place, &found, "a name, or \"*\" for all", fix);
            Servers::All
        }
        Some(name) => Servers::Named(name),
    }
}

/// What was written, also if it was not understood: one mistake is not two.
fn written(place: Place<'_>) -> String {
    match &place.node.value {
        NodeValue::String(text) => text.clone(),
        _ => place.path,
    }
}

fn text(check: &mut Checker<'_>, place: &Place<'_>) -> Option<String> {
    let text = check.string(place)?;
    if text.trim().is_empty() || text.chars().count() > MAX_TEXT {
        let allowed = format!("1 to {MAX_TEXT} characters");
        let fix = if text.trim().is_empty() {
            "write a text, or remove the member"
        } else {
            "shorten it"
        };
        check.problem("manifest-bad-value", place, &shorten(text), &allowed, fix);
        return None;
    }
    Some(text.to_owned())
}

fn severity_of(check: &mut Checker<'_>, place: &Place<'_>) -> Option<Severity> {
    let names = Severity::ALL.map(Severity::name);
    let word = one_of(check, place, "policy-bad-severity", &names)?;
    Severity::ALL.into_iter().find(|severity| severity.name() == word)
}

fn kind(check: &mut Checker<'_>, place: &Place<'_>) -> Option<FindingType> {
    let names: Vec<&str> = FindingType::ALL.iter().map(|kind| kind.name()).collect();
    let word = one_of(check, place, "policy-bad-type", &names)?;
    FindingType::ALL.iter().copied().find(|kind| kind.name() == word)
}

fn markers(check: &mut Checker<'_>, place: &Place<'_>) -> Vec<&'static str> {
    let names: Vec<&'static str> = RULES.iter().map(|rule| rule.code).collect();
    let items = check.items(place).unwrap_or_default();
    items.iter().filter_map(|item| one_of(check, item, "policy-bad-type", &names)).collect()
}

fn one_of(
    check: &mut Checker<'_>,
    place: &Place<'_>,
    code: &'static str,
    names: &[&'static str],
) -> Option<&'static str> {
    let word = check.string(place)?;
    let known = names.iter().copied().find(|name| *name == word);
    if known.is_none() {
        let fix = match nearest(word, names) {
            Some(meant) => format!("write {meant}"),
            None => "write one of these".to_owned(),
        };
        check.problem(code, place, &shorten(word), &names.join(", "), &fix);
    }
    known
}

fn condition(check: &mut Checker<'_>, place: &Place<'_>, seen: &mut Seen) -> Option<Condition> {
    let source = check.string(place)?;
    seen.conditions += 1;
    if seen.conditions > MAX_CONDITIONS {
        let allowed = format!("at most {MAX_CONDITIONS} conditions");
        let (found, fix) = ("too many conditions", "combine some of them, or use `type`");
        check.problem("policy-condition-too-large", place, found, &allowed, fix);
        return None;
    }
    let position = check.position(place);
    match Condition::parse(source, position) {
        Ok(condition) => Some(condition),
        Err(ConditionError { code, offset, found, allowed, fix }) => {
            check.problem_inside(code, (place, offset), [&found, &allowed, &fix]);
            None
        }
    }
}
