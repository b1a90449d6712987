//! Names that a reader takes for others (spec 7.9).

use facets_drift::{Finding, FirstLook, first_look, names_like_others};
use facets_project::Project;
use facets_surface::Surface;

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
