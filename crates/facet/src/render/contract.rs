//! Behaviour digests and their comparison, as people and machines read them.

use std::fmt::Write as _;

use facets_face::{Shown, visible};
use facets_ops::digest_contract::{DigestCompareReport, DigestContractReport, Mode, Warned};
use facets_surface::{ContractDigest, Part};
use serde_json::{Map, Value, json};

/// Both kinds of digests, seen alike.
struct ContractDigests {
    digest: String,
    components: [String; 4],
}

impl From<&ContractDigest> for ContractDigests {
    fn from(contract: &ContractDigest) -> Self {
        let components = contract.parts.each_ref().map(ToString::to_string);
        Self { digest: contract.digest.to_string(), components }
    }
}

impl From<&facets_surface::fusion::FusionDigest> for ContractDigests {
    fn from(contract: &facets_surface::fusion::FusionDigest) -> Self {
        Self { digest: contract.digest.clone(), components: contract.components.clone() }
    }
}

struct SeenDigests {
    mode: Mode,
    digest: String,
    one: Option<ContractDigests>,
    tools: Option<Vec<(String, ContractDigests)>>,
    warned: Warned,
}

fn see(report: &DigestContractReport) -> SeenDigests {
    let one = |mode, digests: ContractDigests, warned| SeenDigests {
        mode,
        digest: digests.digest.clone(),
        one: Some(digests),
        tools: None,
        warned,
    };
    match report {
        DigestContractReport::One(_, digest) => one(Mode::V1, digest.into(), Warned::Nothing),
        DigestContractReport::FusionOne(digest, warned) => {
            one(Mode::FusionV1, digest.into(), *warned)
        }
        DigestContractReport::Server(server) => SeenDigests {
            mode: Mode::V1,
            digest: server.digest.to_string(),
            one: None,
            tools: Some(
                server.tools().iter().map(|(name, one)| (name.clone(), one.into())).collect(),
            ),
            warned: Warned::Nothing,
        },
        DigestContractReport::FusionServer(server, warned) => SeenDigests {
            mode: Mode::FusionV1,
            digest: server.digest.clone(),
            one: None,
            tools: Some(
                server.tools.iter().map(|(name, one)| (name.clone(), one.into())).collect(),
            ),
            warned: *warned,
        },
    }
}

const HIDDEN: &str = "a member `__proto__` is not part of this digest; mode v1 includes it";

pub(super) fn human(report: &DigestContractReport) -> Shown {
    let seen = see(report);
    let mut out = String::new();
    let mut line = |digest: &str, what: &str| {
        let _ = writeln!(out, "{digest}  {}", visible(what));
    };
    match (&seen.one, &seen.tools) {
        (Some(one), _) => {
            line(&one.digest, "contract");
            for (part, digest) in Part::ALL.iter().zip(&one.components) {
                line(digest, part.name());
            }
        }
        (None, tools) => {
            line(&seen.digest, "server");
            for (name, tool) in tools.iter().flatten() {
                line(&tool.digest, &format!("tool {name}"));
            }
        }
    }
    let talk = match seen.warned {
        Warned::Nothing => String::new(),
        Warned::Hidden => format!("warning: {HIDDEN}\n"),
    };
    Shown { talk, ..Shown::exact(out) }
}

fn components(digests: &ContractDigests) -> Value {
    let parts = Part::ALL.iter().zip(&digests.components);
    parts
        .map(|(part, digest)| (part.name().to_owned(), digest.clone().into()))
        .collect::<Map<_, _>>()
        .into()
}

pub(super) fn json(report: &DigestContractReport) -> Value {
    let seen = see(report);
    let tool = |(name, tool): &(String, ContractDigests)| {
        (name.clone(), json!({ "digest": tool.digest, "components": components(tool) }))
    };
    json!({
        "mode": seen.mode.name(),
        "digest": seen.digest,
        "components": seen.one.as_ref().map(components),
        "tools": seen.tools.map(|tools| tools.iter().map(tool).collect::<Map<_, _>>()),
        "warnings": match seen.warned {
            Warned::Nothing => Vec::new(),
            Warned::Hidden => vec![HIDDEN],
        },
    })
}

pub(super) fn human_comparison(report: &DigestCompareReport, verbose: bool) -> Shown {
    let mut out = String::new();
    let mut line = |what: &str, name: &str, more: &str| {
        let _ = writeln!(out, "{what:<9}  {}{}", visible(name), visible(more));
    };
    for name in &report.added {
        line("added", name, "");
    }
    for name in &report.removed {
        line("removed", name, "");
    }
    for (name, parts) in &report.changed {
        let parts: Vec<&str> = parts.iter().map(|part| part.name()).collect();
        let more = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        line("changed", name, &more);
    }
    if verbose {
        for name in &report.unchanged {
            line("unchanged", name, "");
        }
    }
    for mismatch in &report.mismatches {
        let none = || "none".to_owned();
        let (found, expected) = (mismatch.found.clone(), mismatch.expected.clone());
        let more = format!(
            ": found {}, expected {}",
            found.unwrap_or_else(none),
            expected.unwrap_or_else(none)
        );
        line("differs", &mismatch.place, &more);
    }
    if let Some(note) = scanner_note(report) {
        let _ = writeln!(out, "note       {note}");
    }
    let unchanged = report.unchanged.len();
    let plural = if unchanged == 1 { "" } else { "s" };
    let verdict = if report.is_same() { "identical" } else { "different" };
    let _ = writeln!(out, "{verdict}; {unchanged} tool{plural} unchanged");
    Shown::exact(out)
}

/// Verdicts of different scanners say nothing about each other.
fn scanner_note(report: &DigestCompareReport) -> Option<String> {
    let name = |scanner: Option<u32>| {
        scanner.map_or_else(|| "none".to_owned(), |version| format!("version {version}"))
    };
    let [before, after] = report.scanners;
    (before != after).then(|| {
        let (before, after) = (name(before), name(after));
        format!("scanner versions differ ({before}, {after}): scan both again")
    })
}

pub(super) fn json_comparison(report: &DigestCompareReport) -> Value {
    let changed = report.changed.iter().map(|(name, parts)| {
        let parts: Vec<&str> = parts.iter().map(|part| part.name()).collect();
        json!({ "name": name, "parts": parts })
    });
    let mismatches = report.mismatches.iter().map(|mismatch| {
        json!({ "place": mismatch.place, "expected": mismatch.expected, "found": mismatch.found })
    });
    json!({
        "mode": report.mode.name(),
        "same": report.is_same(),
        "before": report.digests[0],
        "after": report.digests[1],
        "added": report.added,
        "removed": report.removed,
        "changed": changed.collect::<Vec<_>>(),
        "unchanged": report.unchanged,
        "mismatches": mismatches.collect::<Vec<_>>(),
        "scanners": report.scanners,
    })
}
