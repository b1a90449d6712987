//! What to know before something is approved for the first time.

use facets_surface::{Definition, Kind, Surface};

use crate::finding::{Evidence, Finding, Severity, SubjectKind};
use crate::items::subject_kind;
use crate::names::confusable_names;
use crate::risk::{self, Assessment};
use crate::surfaces::tool_names;
use crate::texts::{Role, Text, evidence, evidence_of};
use facets_markers::{Approved, ToolNames};

/// A tool, and how much it can do by its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolLook {
    /// Its name.
    pub name: String,
    /// How much it can do, and why that is thought.
    pub assessment: Assessment,
}

/// A marker, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkerLook {
    /// What kind of thing has it.
    pub subject_kind: SubjectKind,
    /// Its name; empty for the instructions of the server.
    pub subject: String,
    /// The marker.
    pub evidence: Evidence,
}

/// Everything that somebody should see who decides about a server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FirstLook {
    /// The tools, the most powerful first.
    pub tools: Vec<ToolLook>,
    /// What is suspicious in any text.
    pub markers: Vec<MarkerLook>,
    /// Names that a reader takes for others.
    pub names: Vec<Finding>,
}

impl FirstLook {
    /// The worst of what was found, which a yes that was given beforehand may not cover.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.names.iter().map(|finding| finding.severity).max()
    }
}

/// Looks at a surface that nobody has approved.
#[must_use]
pub fn first_look(surface: &Surface) -> FirstLook {
    let assess = |tool: &Definition| ToolLook {
        name: tool.name().to_owned(),
        assessment: risk::assess(tool),
    };
    let mut tools: Vec<ToolLook> = surface.items(Kind::Tool).iter().map(assess).collect();
    tools.sort_by_key(|tool| std::cmp::Reverse(tool.assessment.risk));
    let known = tool_names(surface);
    let mut markers = Vec::new();
    let mut add = |subject_kind, subject: &str, found: Vec<Evidence>| {
        markers.extend(found.into_iter().map(|evidence| MarkerLook {
            subject_kind,
            subject: subject.to_owned(),
            evidence,
        }));
    };
    if let Some(text) = surface.instructions.as_deref() {
        let text = Text { text, role: Role::Prose };
        add(
            SubjectKind::Server,
            "",
            evidence(&Approved::new(Vec::new()), text, "", ToolNames::NONE),
        );
    }
    for kind in [Kind::Tool, Kind::Prompt, Kind::Resource, Kind::ResourceTemplate] {
        for item in surface.items(kind) {
            add(subject_kind(kind), item.name(), evidence_of(item, &known));
        }
    }
    FirstLook { tools, markers, names: confusable_names(surface, None) }
}
