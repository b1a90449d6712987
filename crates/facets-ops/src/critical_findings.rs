//! What a yes given beforehand does not cover (spec 8.5): findings that have to be read first.

use facets_drift::{Finding, MarkerLook, Severity, SubjectKind};
use facets_markers::spelled_out;

use crate::consent::{ApprovalPage, Consent};
use crate::error::{OpsError, ServerError};

/// spec 8.5: `--yes` accepts up to `moderate`; whatever is worse, at first sight or as drift, takes
/// a yes at a terminal, or a level that was accepted by name.
pub(crate) fn require_accepted(page: &ApprovalPage, consent: &dyn Consent) -> Result<(), OpsError> {
    let is_asked = !consent.has_answered() || !consent.can_answer();
    if is_asked {
        return Ok(());
    }
    above_accepted(&page.name, &findings_of(page), consent.accepts())
}

/// The same about changes alone.
pub(crate) fn require_accepted_changes(
    name: &str,
    changes: &[Finding],
    accepted: Severity,
) -> Result<(), OpsError> {
    let found: Vec<PageFinding<'_>> = changes.iter().map(PageFinding::of_finding).collect();
    above_accepted(name, &found, accepted)
}

fn above_accepted(
    name: &str,
    found: &[PageFinding<'_>],
    accepted: Severity,
) -> Result<(), OpsError> {
    let above: Vec<&PageFinding<'_>> = found.iter().filter(|one| one.severity > accepted).collect();
    // The first of the worst is the one that is explained.
    let Some(worst) = above.iter().rev().max_by_key(|one| one.severity) else { return Ok(()) };
    let next = format!("facet explain {}", worst.code);
    Err(ServerError::AboveAccepted {
        name: name.to_owned(),
        worst: worst.severity.name(),
        accepted: accepted.name(),
        found: shown(&above),
        code: worst.code,
        next,
    }
    .into())
}

/// Where something was not accepted, says what to type to accept it; `command` gets the level.
pub(crate) fn or_accept_with(error: OpsError, command: impl FnOnce(&str) -> String) -> OpsError {
    match error {
        OpsError::Server(ServerError::AboveAccepted {
            name, worst, accepted, found, code, ..
        }) => {
            let next = command(worst);
            ServerError::AboveAccepted { name, worst, accepted, found, code, next }.into()
        }
        other => other,
    }
}

/// Something on a page that has a severity.
struct PageFinding<'p> {
    severity: Severity,
    code: &'static str,
    what: PageWords<'p>,
}

enum PageWords<'p> {
    Marker(&'p MarkerLook),
    Finding(&'p Finding),
}

/// Of what was approved before, what changed; else everything that there is to see.
fn findings_of(page: &ApprovalPage) -> Vec<PageFinding<'_>> {
    let Some(changes) = &page.changes else {
        let markers = page.look.markers.iter().map(PageFinding::of_marker);
        let names = page.look.names.iter().chain(&page.varies);
        return markers.chain(names.map(PageFinding::of_finding)).collect();
    };
    changes.iter().map(PageFinding::of_finding).collect()
}

impl<'p> PageFinding<'p> {
    fn of_marker(marker: &'p MarkerLook) -> Self {
        let (severity, code) = (marker.severity, marker.evidence.rule);
        Self { severity, code, what: PageWords::Marker(marker) }
    }

    fn of_finding(finding: &'p Finding) -> Self {
        let marker = finding.evidence.first().map(|evidence| evidence.rule);
        let code = marker.unwrap_or(finding.kind.name());
        Self { severity: finding.severity, code, what: PageWords::Finding(finding) }
    }

    /// What it is about, what was found, and under which code it is explained.
    fn words(&self) -> String {
        let (kind, subject, said) = match self.what {
            PageWords::Marker(MarkerLook { subject_kind, subject, evidence, .. }) => {
                (*subject_kind, subject, format!("\"{}\"", evidence.readable_words()))
            }
            PageWords::Finding(Finding { subject_kind, subject, sentence, evidence, .. }) => {
                let words = evidence.first().map(|one| format!(": \"{}\"", one.readable_words()));
                (*subject_kind, subject, format!("{sentence}{}", words.unwrap_or_default()))
            }
        };
        let about = match kind {
            SubjectKind::Server => "server".to_owned(),
            kind => format!("{} {}", kind.name(), name(subject)),
        };
        format!("{about}: {said} [{}]", self.code)
    }
}

/// A name with what hides in it written out, and not longer than anybody reads.
fn name(name: &str) -> String {
    const MOST: usize = 100;
    let spelled = spelled_out(name);
    match spelled.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &spelled[..end]),
        None => spelled,
    }
}

/// The first few; the page has all of them.
fn shown(found: &[&PageFinding<'_>]) -> String {
    const MOST: usize = 8;
    let first = found.iter().take(MOST).map(|one| one.words()).collect::<Vec<_>>().join("; ");
    match found.len().saturating_sub(MOST) {
        0 => first,
        more => format!("{first}; and {more} more"),
    }
}
