//! What a yes given beforehand does not cover (spec 8.5): findings that have to be read first.

use facets_drift::{Evidence, Finding, MarkerLook, Severity, SubjectKind, critical_rules};
use facets_lock::{AcceptedFinding, AcceptedFindings};
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
    require_at_most(page, consent.accepts())
}

/// The same, up to a level that was accepted by name.
pub(crate) fn require_at_most(page: &ApprovalPage, accepted: Severity) -> Result<(), OpsError> {
    refuse_above((&page.name, page.changes.is_some()), &findings_of(page), accepted)
}

/// The same of findings about a pinned server that was not started.
pub(crate) fn require_findings_at_most(
    name: &str,
    findings: &[Finding],
    accepted: Severity,
) -> Result<(), OpsError> {
    let found: Vec<PageFinding<'_>> = findings.iter().map(PageFinding::of_finding).collect();
    refuse_above((name, true), &found, accepted)
}

fn refuse_above(
    (name, is_pinned): (&str, bool),
    found: &[PageFinding<'_>],
    accepted: Severity,
) -> Result<(), OpsError> {
    let above: Vec<&PageFinding<'_>> = found.iter().filter(|one| one.severity > accepted).collect();
    // The first of the worst is the one that is explained.
    let Some(worst) = above.iter().rev().max_by_key(|one| one.severity) else { return Ok(()) };
    Err(ServerError::AboveAccepted {
        name: name.to_owned(),
        is_pinned,
        worst: worst.severity.name(),
        accepted: accepted.name(),
        found: shown(&above),
        accept: format!("--accept {}", worst.severity.name()),
        next: format!("facet explain {}", worst.code),
    }
    .into())
}

/// Where something was not accepted, says what to type to look at it, and what to accept it; `accept_with`
/// gets the level.
pub(crate) fn or_accept_with(
    error: OpsError,
    look: impl FnOnce() -> String,
    accept_with: impl FnOnce(&str) -> String,
) -> OpsError {
    match error {
        OpsError::Server(ServerError::AboveAccepted {
            name,
            is_pinned,
            worst,
            accepted,
            found,
            ..
        }) => {
            let (accept, next) = (accept_with(worst), look());
            ServerError::AboveAccepted { name, is_pinned, worst, accepted, found, accept, next }
                .into()
        }
        other => other,
    }
}

impl ApprovalPage {
    /// How many findings are critical: of what was approved before, among the changes.
    #[must_use]
    pub fn critical_findings(&self) -> usize {
        findings_of(self).iter().filter(|one| one.severity == Severity::Critical).count()
    }
}

/// spec 8.8: what a yes to a page accepts that has to be seen in the lock
pub(crate) fn accepted_on(page: &ApprovalPage) -> AcceptedFindings {
    let found = findings_of(page);
    let critical = found.iter().filter(|one| one.severity == Severity::Critical);
    critical.flat_map(PageFinding::accepted).collect()
}

/// The same of findings about texts.
pub(crate) fn accepted_of<'f>(findings: impl Iterator<Item = &'f Finding>) -> AcceptedFindings {
    let critical = findings.filter(|one| one.severity == Severity::Critical);
    critical.flat_map(|finding| PageFinding::of_finding(finding).accepted()).collect()
}

/// The worst finding of a page: of what was approved before, among the changes.
pub(crate) fn worst_of(page: &ApprovalPage) -> Option<Severity> {
    findings_of(page).iter().map(|one| one.severity).max()
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

    /// As the lock has it once it is accepted: by the rules that make it critical, else by its type.
    fn accepted(&self) -> Vec<AcceptedFinding> {
        let (kind, subject, rules) = match self.what {
            PageWords::Marker(MarkerLook { subject_kind, subject, .. }) => {
                (*subject_kind, subject, Vec::new())
            }
            PageWords::Finding(finding) => {
                (finding.subject_kind, &finding.subject, critical_rules(finding))
            }
        };
        let codes = if rules.is_empty() { vec![self.code] } else { rules };
        let subject = match kind {
            SubjectKind::Server => kind.name().to_owned(),
            kind => format!("{} {subject}", kind.name()),
        };
        let finding =
            |code: &str| AcceptedFinding { code: code.to_owned(), subject: subject.clone() };
        codes.into_iter().map(finding).collect()
    }

    /// What it is about, what was found, and under which codes it is explained.
    fn words(&self) -> String {
        let (kind, subject, said) = match self.what {
            PageWords::Marker(MarkerLook { subject_kind, subject, evidence, .. }) => {
                (*subject_kind, subject, marker_words(evidence))
            }
            PageWords::Finding(Finding { subject_kind, subject, sentence, evidence, .. }) => {
                let said = match evidence.as_slice() {
                    [] => format!("{sentence} [{}]", self.code),
                    markers => format!("{sentence}: {}", each_rule(markers).join(", ")),
                };
                (*subject_kind, subject, said)
            }
        };
        let about = match kind {
            SubjectKind::Server => "server".to_owned(),
            kind => format!("{} {}", kind.name(), name(subject)),
        };
        format!("{about}: {said}")
    }
}

fn marker_words(evidence: &Evidence) -> String {
    format!("\"{}\" [{}]", evidence.readable_words(), evidence.rule)
}

/// The first marker of every rule.
fn each_rule(markers: &[Evidence]) -> Vec<String> {
    let is_first = |(at, one): &(usize, &Evidence)| {
        !markers[..*at].iter().any(|earlier| earlier.rule == one.rule)
    };
    let firsts = markers.iter().enumerate().filter(is_first);
    firsts.map(|(_, one)| marker_words(one)).collect()
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
