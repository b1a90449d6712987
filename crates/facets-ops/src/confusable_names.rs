//! Names that a reader takes for others (spec 7.9), and who may say yes to them.

use facets_drift::{Finding, FindingType, FirstLook, Severity, first_look, names_like_others};
use facets_project::Project;
use facets_surface::Surface;

use crate::consent::{ApprovalPage, Consent};
use crate::error::{OpsError, ServerError};
use crate::pinned::Pinned;

/// What the other servers of a project declare, as pinned. One that is not as facet wrote it
/// is reported elsewhere, and nothing is compared with it.
fn other_servers(project: &Project, name: &str) -> Vec<(String, Surface)> {
    let Ok(state) = project.read(&|other| other != name) else { return Vec::new() };
    let others = state.lock.servers().keys().filter(|other| *other != name);
    let pinned = others.map(|other| (other, Pinned::of(other, &state)));
    pinned.filter_map(|(other, pinned)| Some((other.clone(), pinned.ok()?.surface))).collect()
}

/// Names that are new and look like those of other servers of the project.
pub(crate) fn like_others(
    project: &Project,
    name: &str,
    surface: &Surface,
    approved: Option<&Surface>,
) -> Vec<Finding> {
    names_like_others(surface, approved, &other_servers(project, name))
}

/// Names of a new server that look like those of others that are new as well.
pub(crate) fn like_new_others(surface: &Surface, others: &[(String, Surface)]) -> Vec<Finding> {
    names_like_others(surface, None, others)
}

/// A first look at a server among the others of a project.
pub(crate) fn look_among_others(project: &Project, name: &str, surface: &Surface) -> FirstLook {
    let mut look = first_look(surface);
    look.names.extend(like_others(project, name, surface, None));
    look
}

/// spec 8.5: `--yes` does not cover a name that could not be seen beforehand
pub(crate) fn require_seen(page: &ApprovalPage, consent: &dyn Consent) -> Result<(), OpsError> {
    let is_asked = !consent.has_answered() || !consent.can_answer();
    if is_asked || consent.accepts() == Severity::Critical {
        return Ok(());
    }
    let at_first_sight = page.look.names.iter().filter(|_| page.changes.is_none());
    let others = page.changes.iter().flatten().chain(&page.varies);
    let others = others.filter(|finding| finding.kind == FindingType::NameConfusable);
    let found: Vec<&str> = at_first_sight.chain(others).map(|finding| &*finding.sentence).collect();
    if found.is_empty() {
        return Ok(());
    }
    let name = page.name.clone();
    Err(ServerError::ConfusableNames { name, found: shown(&found) }.into())
}

/// The first few; `facet inspect` has the others.
fn shown(found: &[&str]) -> String {
    const MOST: usize = 8;
    let first = found.iter().take(MOST).copied().collect::<Vec<_>>().join("; ");
    match found.len().saturating_sub(MOST) {
        0 => first,
        more => format!("{first}; and {more} more"),
    }
}
