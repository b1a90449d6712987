//! What to know before something is approved for the first time.

use std::collections::{BTreeMap, BTreeSet};

use facets_digest::json::{self, Limits, Provenance};
use facets_markers::ToolNames;
use facets_surface::{Definition, Kind, Surface};

use crate::finding::{Evidence, Finding, Severity, SubjectKind};
use crate::items::subject_kind;
use crate::marked_risk::{assess_with, severity_at_first_sight};
use crate::names::confusable_names;
use crate::risk::Assessment;
use crate::surfaces::tool_names;
use crate::texts::{Role, Text, placed_evidence, placed_in, texts};

/// A tool, and how much it can do by its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolLook {
    /// Its name.
    pub name: String,
    /// How much it can do, and why that is thought. A text with a critical marker is never below
    /// HIGH, one with a moderate marker never LOW.
    pub assessment: Assessment,
    /// The worst of its markers.
    pub severity: Option<Severity>,
}

/// A marker, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkerLook {
    /// What kind of thing has it.
    pub subject_kind: SubjectKind,
    /// Its name; empty for the server.
    pub subject: String,
    /// Which member of it, such as `inputSchema.properties.path.description`; of the server
    /// `instructions`, `capabilities`, or a member of `serverInfo`.
    pub member: String,
    /// The marker.
    pub evidence: Evidence,
    /// How bad it is at first sight.
    pub severity: Severity,
}

/// Everything to see before deciding about a server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FirstLook {
    /// The tools: highest risk first, then by the worst marker.
    pub tools: Vec<ToolLook>,
    /// What is suspicious in any text, the worst first.
    pub markers: Vec<MarkerLook>,
    /// Names that a reader takes for others.
    pub names: Vec<Finding>,
}

impl FirstLook {
    /// The worst of what was found: a yes given beforehand covers it up to a level.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        let markers = self.markers.iter().map(|marker| marker.severity);
        self.names.iter().map(|finding| finding.severity).chain(markers).max()
    }

    /// The markers by what has them, the worst first.
    #[must_use]
    pub fn markers_by_subject(&self) -> MarkersBySubject<'_> {
        let mut by_subject = MarkersBySubject::new();
        for marker in &self.markers {
            let subject = (marker.subject_kind, marker.subject.as_str());
            by_subject.entry(subject).or_default().push(marker);
        }
        by_subject
    }
}

/// Markers by kind and name of what has them; the name of the server is empty.
pub type MarkersBySubject<'l> = BTreeMap<(SubjectKind, &'l str), Vec<&'l MarkerLook>>;

/// Looks at a surface that was never approved.
#[must_use]
pub fn first_look(surface: &Surface) -> FirstLook {
    let mut markers = server_markers(surface);
    let known = tool_names(surface);
    for kind in [Kind::Tool, Kind::Prompt, Kind::Resource, Kind::ResourceTemplate] {
        // What only other clients are given is pinned as well.
        let others = surface.also.items.iter().filter(|item| item.kind() == kind);
        for item in surface.items(kind).iter().chain(others) {
            let found = placed_evidence(item, &known).into_iter();
            let subject = (subject_kind(kind), item.name());
            markers.extend(found.map(|placed| marker(subject, placed)));
        }
    }
    let mut seen = BTreeSet::new();
    markers.retain(|marker| seen.insert(key(marker)));
    markers.sort_by_key(|marker| std::cmp::Reverse(marker.severity));
    let mut look = FirstLook { tools: Vec::new(), markers, names: confusable_names(surface, None) };
    let by_subject = look.markers_by_subject();
    let assess = |tool: &Definition| {
        // The worst is the first.
        let worst = by_subject.get(&(SubjectKind::Tool, tool.name())).and_then(|all| all.first());
        assess(tool, worst.copied())
    };
    let mut tools: Vec<ToolLook> = surface.items(Kind::Tool).iter().map(assess).collect();
    tools.sort_by_key(|tool| std::cmp::Reverse((tool.assessment.risk, tool.severity)));
    look.tools = tools;
    look
}

/// What makes a marker the same as another: a definition for other clients repeats most of it.
fn key(marker: &MarkerLook) -> (SubjectKind, String, String, Evidence) {
    let MarkerLook { subject_kind, subject, member, evidence, .. } = marker.clone();
    (subject_kind, subject, member, evidence)
}

/// What the server says beside its definitions; as drift, all of it is looked at, too.
fn server_markers(surface: &Surface) -> Vec<MarkerLook> {
    let prose = |member: &str, text: &'_ str| {
        let texts = [(member.to_owned(), Text { text, role: Role::Prose })];
        placed_in(&texts.into(), "", ToolNames::NONE)
    };
    let mut found = Vec::new();
    for text in surface.instructions.iter().chain(&surface.also.instructions) {
        found.extend(prose("instructions", text));
    }
    found.extend(prose("capabilities", &surface.capabilities));
    let info = surface.server.info.as_bytes();
    if let Ok(info) = json::parse(info, Provenance::Captured, Limits::DOCUMENT) {
        let said = placed_in(&texts(&info, "name"), "", ToolNames::NONE);
        found.extend(said.into_iter().map(|(place, one)| (format!("serverInfo.{place}"), one)));
    }
    found.into_iter().map(|placed| marker((SubjectKind::Server, ""), placed)).collect()
}

fn marker(
    (subject_kind, subject): (SubjectKind, &str),
    (member, evidence): (String, Evidence),
) -> MarkerLook {
    let severity = severity_at_first_sight(&evidence);
    MarkerLook { subject_kind, subject: subject.to_owned(), member, evidence, severity }
}

/// A tool with its risk, and the worst of its markers.
fn assess(tool: &Definition, worst: Option<&MarkerLook>) -> ToolLook {
    let severity = worst.map(|marker| marker.severity);
    let assessment = assess_with(tool, worst.map(|marker| (marker.severity, &marker.evidence)));
    ToolLook { name: tool.name().to_owned(), assessment, severity }
}
