//! Two entries of locks: what may have been weakened (spec 8.6).

use facets_lock::{Launch, LockedServer};

use crate::finding::{self, Compat, Finding, FindingType, Severity, SubjectKind};

/// What another entry would start, and what it would be allowed.
#[must_use]
pub fn compare_pins(before: &LockedServer, after: &LockedServer) -> Vec<Finding> {
    let mut out = compare_launches(&before.launch, &after.launch);
    let server = (SubjectKind::Server, "");
    if before.source != after.source {
        let sentence = "the source of something else is looked at";
        let grade = (Severity::Critical, Compat::Risky);
        let found = Finding::new(FindingType::LaunchChanged, server, grade, sentence);
        out.push(found.of_member("source", before.source.clone(), after.source.clone()));
    }
    let wider = after.grants.widened_since(&before.grants);
    if !wider.is_empty() {
        let sentence = format!("the server may do more: {}", wider.join(", "));
        let grade = (Severity::Critical, Compat::Risky);
        let found = Finding::new(FindingType::GrantWidened, server, grade, sentence);
        let sides = (before.grants.to_json(), after.grants.to_json());
        out.push(found.of_member("grants", Some(sides.0), Some(sides.1)));
    }
    finding::sort(&mut out);
    out
}

/// Whether something else would be started or called, and what about it is other.
#[must_use]
pub fn compare_launches(before: &Launch, after: &Launch) -> Vec<Finding> {
    let (old, new) = (facts(before), facts(after));
    let mut names: Vec<&str> = old.iter().chain(&new).map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    let find = |facts: &[(&str, String)], name: &str| {
        facts.iter().find(|(other, _)| *other == name).map(|(_, value)| value.clone())
    };
    let mut out = Vec::new();
    for name in names {
        let sides = (find(&old, name), find(&new, name));
        if sides.0 != sides.1 {
            let sentence = format!("something else would be started: `{name}` is another");
            let grade = (Severity::Critical, Compat::Risky);
            let server = (SubjectKind::Server, "");
            let found = Finding::new(FindingType::LaunchChanged, server, grade, sentence);
            out.push(found.of_member(name, sides.0, sides.1));
        }
    }
    out
}

fn facts(launch: &Launch) -> Vec<(&'static str, String)> {
    match launch {
        Launch::Command { command, args, env } => {
            vec![("command", command.clone()), ("args", args.join("\n")), ("env", env.join("\n"))]
        }
        Launch::Url { url, headers } => {
            let headers: Vec<String> =
                headers.iter().map(|(name, variable)| format!("{name}={variable}")).collect();
            vec![("url", url.clone()), ("headers", headers.join("\n"))]
        }
    }
}
