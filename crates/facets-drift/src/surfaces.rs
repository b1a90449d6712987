//! Two surfaces: the one that was approved, and the one that is there.

use std::cell::Cell;
use std::cmp::Ordering;
use std::fmt::Write as _;

use facets_digest::json::{self, Limits, Provenance, compare_utf16};
use facets_surface::{Definition, Kind, Listing, Surface};

use crate::contracts::compare_behaviour;
use crate::finding::{self, Compat, Evidence, Finding, FindingType, Severity, SubjectKind};
use crate::items::{Aids, compare_items, subject_kind};
use crate::names::confusable_names;
use crate::renames::{Renames, find_renames};
use crate::shown::summary;
use crate::side::Side;
use crate::templates;
use crate::texts::{Role, Text, evidence, evidence_of, texts};
use facets_markers::{Approved, ToolNames};
use facets_schema::{STEPS_OF_A_SERVER, Validator};

/// Everything that changed, the worst first. The validator confirms examples for schemas.
#[must_use]
pub fn compare_surfaces(
    before: Side<'_>,
    after: Side<'_>,
    validator: &dyn Validator,
) -> Vec<Finding> {
    let mut out = Vec::new();
    identity(before.surface, after.surface, &mut out);
    // spec 7.6: hashes first
    if before.hashes.surface != after.hashes.surface {
        declarations(before.surface, after.surface, validator, &mut out);
    }
    let varies = before.surface.resources_volatile || after.surface.resources_volatile;
    if before.hashes.resources != after.hashes.resources || varies {
        resources(before.surface, after.surface, validator, &mut out);
    }
    if before.hashes.surface != after.hashes.surface
        || before.hashes.resources != after.hashes.resources
    {
        out.extend(confusable_names(after.surface, Some(before.surface)));
    }
    if before.hashes.behavior.digest != after.hashes.behavior.digest
        || before.surface.source != after.surface.source
    {
        compare_behaviour(before, after, &mut out);
    }
    // Where hashes differ, something is said.
    if out.is_empty() && before.hashes.surface != after.hashes.surface {
        let grade = (Severity::Moderate, Compat::Risky);
        let sentence = "declarations changed, in a way that facet cannot name";
        let server = (SubjectKind::Server, "");
        out.push(Finding::new(FindingType::CapabilitiesChanged, server, grade, sentence));
    }
    finding::sort_findings(&mut out);
    out
}

/// What a server says of itself, which is in no hash.
fn identity(before: &Surface, after: &Surface, out: &mut Vec<Finding>) {
    let server = (SubjectKind::Server, "");
    let (old, new) = (&before.server, &after.server);
    if old.name != new.name {
        let grade = (Severity::Moderate, Compat::Risky);
        let sentence = "name of the server changed";
        let finding = Finding::new(FindingType::ServerRenamed, server, grade, sentence);
        let finding = finding.of_member("name", Some(old.name.clone()), Some(new.name.clone()));
        out.push(finding.with_evidence(said_newly(&old.name, &new.name)));
    }
    if old.version != new.version {
        let grade = (Severity::Info, Compat::Safe);
        let sentence = "version changed";
        let finding = Finding::new(FindingType::VersionChanged, server, grade, sentence);
        let sides = (Some(old.version.clone()), Some(new.version.clone()));
        let finding = finding.of_member("version", sides.0, sides.1);
        out.push(finding.with_evidence(said_newly(&old.version, &new.version)));
    }
    // What it says in the era that was approved is then seen by nobody; what it says in the other
    // is compared like everything else.
    if before.era != after.era {
        let grade = (Severity::Moderate, Compat::Risky);
        let sentence = "the server now speaks the other era of the protocol";
        let finding = Finding::new(FindingType::CapabilitiesChanged, server, grade, sentence);
        let sides = (before.era.name().to_owned(), after.era.name().to_owned());
        out.push(finding.of_member("era", Some(sides.0), Some(sides.1)));
    }
    if old.info != new.info {
        other_information(&old.info, &new.info, out);
    }
}

/// What is suspicious in a text and was not in the one before.
fn said_newly(before: &str, after: &str) -> Vec<Evidence> {
    let text = Text { text: after, role: Role::Prose };
    evidence(&Approved::new(vec![before]), text, "", ToolNames::NONE)
}

/// What a server says of itself beside name and version: a title, a description, a website.
fn other_information(old: &str, new: &str, out: &mut Vec<Finding>) {
    // Both were read when they were captured.
    let (Ok(was), Ok(is)) = (
        json::parse(old.as_bytes(), Provenance::Captured, Limits::DOCUMENT),
        json::parse(new.as_bytes(), Provenance::Captured, Limits::DOCUMENT),
    ) else {
        return;
    };
    let approved = texts(&was, "name");
    let known = Approved::new(approved.values().map(|text| text.text).collect());
    let now = texts(&is, "name");
    let gone = approved
        .iter()
        .filter(|(place, text)| text.role != Role::Name && !now.contains_key(*place));
    for (place, text) in gone {
        let grade = (Severity::Moderate, Compat::Cosmetic);
        let sentence = format!("`{place}` of the server removed");
        let server = (SubjectKind::Server, "");
        let finding = Finding::new(FindingType::ServerRenamed, server, grade, sentence);
        let member = format!("serverInfo.{place}");
        out.push(finding.of_member(member, Some(text.text.to_owned()), None));
    }
    for (place, text) in now {
        let before = approved.get(&place).map(|text| text.text);
        if before == Some(text.text) || ["name", "version"].contains(&place.as_str()) {
            continue;
        }
        let found = evidence(&known, text, "", ToolNames::NONE);
        // The name of a member says nothing that its value does not.
        if text.role == Role::Name && found.is_empty() {
            continue;
        }
        let grade = (Severity::Moderate, Compat::Cosmetic);
        let verb = if before.is_some() { "changed" } else { "added" };
        let sentence = format!("`{place}` of the server {verb}");
        let server = (SubjectKind::Server, "");
        let finding = Finding::new(FindingType::ServerRenamed, server, grade, sentence);
        let sides = (before.map(str::to_owned), Some(text.text.to_owned()));
        let member = format!("serverInfo.{place}");
        out.push(finding.of_member(member, sides.0, sides.1).with_evidence(found));
    }
}

fn declarations(
    before: &Surface,
    after: &Surface,
    validator: &dyn Validator,
    out: &mut Vec<Finding>,
) {
    let server = (SubjectKind::Server, "");
    if before.capabilities != after.capabilities {
        let grade = (Severity::Moderate, Compat::Risky);
        let sentence = "capabilities changed";
        let finding = Finding::new(FindingType::CapabilitiesChanged, server, grade, sentence);
        let sides = (Some(before.capabilities.clone()), Some(after.capabilities.clone()));
        let found = said_newly(&before.capabilities, &after.capabilities);
        out.push(finding.of_member("capabilities", sides.0, sides.1).with_evidence(found));
    }
    instructions(before, after, out);
    for kind in [Kind::Tool, Kind::Prompt, Kind::ResourceTemplate] {
        emptied(kind, before, after, out);
        compare_lists(kind, before, after, validator, out);
    }
}

fn instructions(before: &Surface, after: &Surface, out: &mut Vec<Finding>) {
    let (old, new) = (&before.instructions, &after.instructions);
    if old == new {
        return;
    }
    let sentence = match (old, new) {
        (None, _) => "instructions to the model added",
        (_, None) => "instructions to the model removed",
        _ => "instructions to the model changed",
    };
    let approved = Approved::new(old.iter().map(String::as_str).collect());
    let found = new.as_deref().map(|text| {
        // Instructions are there to name the tools.
        evidence(&approved, Text { text, role: Role::Prose }, "", ToolNames::NONE)
    });
    let grade = (Severity::Moderate, Compat::Risky);
    let server = (SubjectKind::Server, "");
    let finding = Finding::new(FindingType::InstructionsChanged, server, grade, sentence);
    let finding = finding.of_member("instructions", old.clone(), new.clone());
    out.push(finding.with_evidence(found.unwrap_or_default()));
}

pub(crate) fn tool_names(surface: &Surface) -> ToolNames {
    let names: Vec<&str> = surface.items(Kind::Tool).iter().map(Definition::name).collect();
    ToolNames::new(&names)
}

/// An empty list never takes the place of a full one unnoticed: it may be a server that failed.
fn emptied(kind: Kind, before: &Surface, after: &Surface, out: &mut Vec<Finding>) {
    let count = before.items(kind).len();
    if count == 0 || !after.items(kind).is_empty() {
        return;
    }
    let what = kind.list();
    let now = match after.listing(kind) {
        Some(Listing::Refused { code }) => format!("and now refuses the list with error {code}"),
        Some(Listing::Items(_)) => "and now lists none".to_owned(),
        None => "and now has no such list".to_owned(),
    };
    let noun = if count == 1 { what.trim_end_matches('s') } else { what };
    let sentence = format!("listed {count} {noun}, {now}");
    let grade = (Severity::Moderate, Compat::Breaking);
    let server = (SubjectKind::Server, "");
    let finding = Finding::new(FindingType::CapabilitiesChanged, server, grade, sentence);
    out.push(finding.of_member(what, Some(count.to_string()), Some("0".to_owned())));
}

fn resources(before: &Surface, after: &Surface, validator: &dyn Validator, out: &mut Vec<Finding>) {
    if after.resources_volatile && !before.resources_volatile {
        let grade = (Severity::Critical, Compat::Risky);
        let sentence = "resources now differ from one list to the next";
        let server = (SubjectKind::Server, "");
        out.push(Finding::new(FindingType::BecameVolatile, server, grade, sentence));
        return;
    }
    // What varies by itself says nothing by varying; but poison is poison.
    if !before.resources_volatile && !after.resources_volatile {
        emptied(Kind::Resource, before, after, out);
        compare_lists(Kind::Resource, before, after, validator, out);
    } else {
        emptied(Kind::Resource, before, after, out);
        let mut found = Vec::new();
        compare_lists(Kind::Resource, before, after, validator, &mut found);
        out.extend(found.into_iter().filter(|finding| !finding.evidence.is_empty()));
    }
}

/// What became of the definitions of one kind: O(k) by name and hash.
fn compare_lists(
    kind: Kind,
    before: &Surface,
    after: &Surface,
    validator: &dyn Validator,
    out: &mut Vec<Finding>,
) {
    let split = split(before.items(kind), after.items(kind));
    let tools = tool_names(after);
    let steps = Cell::new(STEPS_OF_A_SERVER);
    let aids = Aids { tools: &tools, validator, steps: &steps };
    for (old, new) in &split.changed {
        compare_items(old, new, aids, out);
    }
    let Renames { pairs, removed, added } = match kind {
        Kind::Tool => find_renames(split.removed, split.added),
        Kind::ResourceTemplate => templates::find_pairs(split.removed, split.added),
        Kind::Prompt | Kind::Resource => {
            Renames { pairs: Vec::new(), removed: split.removed, added: split.added }
        }
    };
    for (old, new) in pairs {
        match kind {
            Kind::ResourceTemplate => templates::compare(old, new, aids, out),
            _ => renamed(old, new, aids, out),
        }
    }
    for old in removed {
        out.push(removal(old));
    }
    for new in added {
        let finding = addition(new);
        out.push(finding.with_evidence(evidence_of(new, &tools)));
    }
}

struct Split<'s> {
    removed: Vec<&'s Definition>,
    added: Vec<&'s Definition>,
    changed: Vec<(&'s Definition, &'s Definition)>,
}

/// Walks two sorted lists side by side.
fn split<'s>(mut old: &'s [Definition], mut new: &'s [Definition]) -> Split<'s> {
    let mut result = Split { removed: Vec::new(), added: Vec::new(), changed: Vec::new() };
    loop {
        match (old, new) {
            ([], []) => return result,
            ([first, rest @ ..], []) => {
                result.removed.push(first);
                old = rest;
            }
            ([], [first, rest @ ..]) => {
                result.added.push(first);
                new = rest;
            }
            ([left, old_rest @ ..], [right, new_rest @ ..]) => {
                match compare_utf16(left.name(), right.name()) {
                    Ordering::Less => {
                        result.removed.push(left);
                        old = old_rest;
                    }
                    Ordering::Greater => {
                        result.added.push(right);
                        new = new_rest;
                    }
                    Ordering::Equal => {
                        if left.digest() != right.digest() {
                            result.changed.push((left, right));
                        }
                        (old, new) = (old_rest, new_rest);
                    }
                }
            }
        }
    }
}

fn removal(old: &Definition) -> Finding {
    let kind = match old.kind() {
        Kind::Tool => FindingType::ToolRemoved,
        Kind::Prompt => FindingType::PromptRemoved,
        Kind::Resource => FindingType::ResourceRemoved,
        Kind::ResourceTemplate => FindingType::TemplateRemoved,
    };
    let subject = (subject_kind(old.kind()), old.name());
    Finding::new(kind, subject, (Severity::Info, Compat::Breaking), "removed").of_member(
        "",
        Some(summary(old)),
        None,
    )
}

fn addition(new: &Definition) -> Finding {
    let (kind, severity) = match new.kind() {
        Kind::Tool => (FindingType::ToolAdded, Severity::Critical),
        Kind::Prompt => (FindingType::PromptAdded, Severity::Moderate),
        Kind::Resource => (FindingType::ResourceAdded, Severity::Moderate),
        Kind::ResourceTemplate => (FindingType::TemplateAdded, Severity::Moderate),
    };
    let subject = (subject_kind(new.kind()), new.name());
    let mut sentence = "added, not approved yet".to_owned();
    if new.kind() == Kind::Tool {
        let assessed = crate::marked_risk::assess_alone(new);
        let _ = write!(sentence, "; risk {}", assessed.risk.name());
        if !assessed.reasons.is_empty() {
            let _ = write!(sentence, ": {}", assessed.reasons.join(", "));
        }
    }
    Finding::new(kind, subject, (severity, Compat::Safe), sentence).of_member(
        "",
        None,
        Some(summary(new)),
    )
}

/// The same thing under another name, and whatever else is different.
fn renamed(old: &Definition, new: &Definition, aids: Aids<'_>, out: &mut Vec<Finding>) {
    let sentence = format!("`{}` renamed, by its text or its arguments", old.name());
    let grade = (Severity::Critical, Compat::Breaking);
    let subject = (SubjectKind::Tool, new.name());
    let finding = Finding::new(FindingType::ToolRenamed, subject, grade, sentence);
    let sides = (Some(old.name().to_owned()), Some(new.name().to_owned()));
    out.push(finding.of_member("name", sides.0, sides.1));
    compare_items(old, new, aids, out);
}
