//! Skills, agents and commands: what is new, changed or gone (spec 7.10).

use facets_markers::{Context, Marker, Power, ToolNames, markers, new_markers};

use crate::asset_markers::severity_in_asset;
use crate::finding::{Compat, Evidence, Finding, FindingType, Severity, SubjectKind};
use crate::text::{TextChange, classify};
use crate::texts::MOST;

/// What there is to know about the text of an asset before it is written. `subject` is its kind and
/// name, `skill planning`; a companion has its path behind that, `skill planning/guide.md`. Without
/// `before` it is looked at as something new; the same text gives nothing.
#[must_use]
pub fn asset_findings(subject: &str, before: Option<&str>, after: &str) -> Vec<Finding> {
    powerful_asset_findings(subject, before.map(|text| (text, &[][..])), (after, &[]))
}

/// The same of a text that its client reads, with what the client does by itself when it uses it.
#[must_use]
pub fn powerful_asset_findings(
    subject: &str,
    before: Option<(&str, &[Power])>,
    after: (&str, &[Power]),
) -> Vec<Finding> {
    let found = match before {
        None => Some(added(subject, after)),
        Some((before, _)) if before == after.0 => None,
        Some(before) => Some(changed(subject, before, after)),
    };
    found.into_iter().collect()
}

/// An asset, or a file of one, that is no longer there.
#[must_use]
pub fn asset_removed(subject: &str, before: &str) -> Finding {
    let (kind, name) = subject_of(subject);
    let grade = (Severity::Info, Compat::Breaking);
    let sentence = format!("{} removed", kind.name());
    Finding::new(FindingType::AssetRemoved, (kind, name), grade, sentence).of_member(
        "",
        Some(before.to_owned()),
        None,
    )
}

/// The rules of a finding's markers that make it critical, each once; none if it is so by its type, or is not.
#[must_use]
pub fn critical_rules(finding: &Finding) -> Vec<&'static str> {
    let is_critical = |evidence: &&Evidence| match (finding.kind, &finding.after) {
        // Beside what no honest asset needs, a new one may have what many have.
        (FindingType::AssetAdded, Some(text)) => {
            severity_in_asset(evidence, text) == Severity::Critical
        }
        _ => finding.severity == Severity::Critical,
    };
    let mut rules: Vec<&str> =
        finding.evidence.iter().filter(is_critical).map(|evidence| evidence.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

fn added(subject: &str, (text, powers): (&str, &[Power])) -> Finding {
    let (kind, name) = subject_of(subject);
    let powers = powers.iter().map(|power| power.marker.clone());
    let found = powers.chain(markers(without_mark(text), &CONTEXT)).map(evidence);
    let mut graded: Vec<(Severity, Evidence)> =
        found.map(|evidence| (severity_in_asset(&evidence, text), evidence)).collect();
    // The worst first: what is left out is no worse than what is shown.
    graded.sort_by_key(|(severity, _)| std::cmp::Reverse(*severity));
    let worst = graded.first().map_or(Severity::Moderate, |(severity, _)| *severity);
    let severity = worst.max(Severity::Moderate);
    let compat = if severity == Severity::Critical { Compat::Risky } else { Compat::Safe };
    let sentence = format!("new {}", kind.name());
    let subject = (kind, name);
    let mut finding = Finding::new(FindingType::AssetAdded, subject, (severity, compat), sentence)
        .of_member("", None, Some(text.to_owned()));
    finding.evidence = graded.into_iter().take(MOST).map(|(_, evidence)| evidence).collect();
    finding
}

fn changed(
    subject: &str,
    (before, known): (&str, &[Power]),
    (after, powers): (&str, &[Power]),
) -> Finding {
    let subject = subject_of(subject);
    let (grade, sentence) = match classify(before, after) {
        TextChange::Typo => ((Severity::Safe, Compat::Cosmetic), "typo corrected"),
        TextChange::Other => ((Severity::Moderate, Compat::Risky), "text changed"),
    };
    let new = new_markers(&[without_mark(before)], without_mark(after), &CONTEXT);
    let is_new = |power: &&Power| {
        !known.iter().any(|old| (old.marker.rule, &old.key) == (power.marker.rule, &power.key))
    };
    let powers = powers.iter().filter(is_new).map(|power| power.marker.clone());
    let new = powers.chain(new);
    Finding::new(FindingType::AssetChanged, subject, grade, sentence)
        .of_member("", Some(before.to_owned()), Some(after.to_owned()))
        .with_evidence(new.take(MOST).map(evidence).collect())
}

/// A skill is used beside any tools, and names them as it likes.
const CONTEXT: Context<'_> = Context { own: "", tools: ToolNames::NONE };

fn evidence(Marker { rule, words }: Marker) -> Evidence {
    Evidence { rule, words }
}

/// The byte order mark that some editors write hides nothing.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Kind and name. What begins with no kind of asset is about the facet.
fn subject_of(subject: &str) -> (SubjectKind, &str) {
    let (word, name) = subject.split_once(' ').unwrap_or(("", subject));
    match word {
        "skill" => (SubjectKind::Skill, name),
        "agent" => (SubjectKind::Agent, name),
        "command" => (SubjectKind::Command, name),
        "facet" => (SubjectKind::Facet, name),
        _ => (SubjectKind::Facet, subject),
    }
}
