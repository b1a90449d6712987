//! The risk of a tool whose texts have markers.

use facets_markers::{RULES, ToolNames};
use facets_surface::Definition;

use crate::finding::{Evidence, Severity};
use crate::risk::{self, Assessment, Risk};
use crate::texts::placed_evidence;

/// As drift every new marker is critical, because somebody has added it. At first sight some are
/// what honest servers have, too.
pub(crate) fn severity_at_first_sight(evidence: &Evidence) -> Severity {
    match evidence.rule {
        // spec 8.5: a plain address and "call this first" are moderate
        "marker-url" if !is_plain_address(&evidence.words) => Severity::Critical,
        "marker-url" | "marker-email" | "marker-call-first" => Severity::Moderate,
        // spec 7.4: a tool of the same server is guidance, and no marker by itself
        "marker-other-tool" => Severity::Info,
        _ => Severity::Critical,
    }
}

/// Whether an address only leads somewhere: it carries no code or data, no credentials, and is not
/// the one that gives out the credentials of a machine.
fn is_plain_address(words: &str) -> bool {
    let words = words.to_lowercase();
    let carries = ["data:", "javascript:", "vbscript:"].iter().any(|one| words.starts_with(one));
    let authority = words.split_once("://").map_or(&*words, |(_, rest)| rest);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    !carries && !authority.contains('@') && !authority.contains("169.254.169.254")
}

/// A tool whose text is suspicious is not harmless, whatever its words promise. Of its markers the worst
/// counts.
pub(crate) fn assess_with(tool: &Definition, worst: Option<(Severity, &Evidence)>) -> Assessment {
    let mut assessment = risk::assess(tool);
    let least = match worst {
        Some((Severity::Critical, _)) => Risk::High,
        Some((Severity::Moderate, _)) => Risk::Medium,
        _ => Risk::Low,
    };
    if let Some((_, evidence)) = worst.filter(|_| assessment.risk < least) {
        assessment.risk = least;
        assessment.reasons.insert(0, reason(evidence));
    }
    assessment
}

/// The same with the markers of its own texts.
pub(crate) fn assess_alone(tool: &Definition) -> Assessment {
    let found = placed_evidence(tool, ToolNames::NONE);
    let severities = found.iter().map(|(_, one)| (severity_at_first_sight(one), one));
    assess_with(tool, severities.max_by_key(|(severity, _)| *severity))
}

fn reason(evidence: &Evidence) -> String {
    let rule = RULES.iter().find(|rule| rule.code == evidence.rule);
    let why = rule.map_or(evidence.rule, |rule| rule.looks_for);
    format!("the text has \"{}\": {why}", evidence.words)
}
