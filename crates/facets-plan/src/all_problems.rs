//! Everything that is wrong with what was resolved.

use std::collections::BTreeMap;

use facets_model::ArtifactName;

use crate::asset_conflict::asset_conflicts;
use crate::problem::PlanProblem;
use crate::resolved::{ResolvedFacet, check_facet};
use crate::server::wanted_servers;
use crate::wanted::Wanted;

/// Every problem of what was resolved: of each facet, then of their assets, then of all servers.
#[must_use]
pub fn find_problems(
    wanted: &Wanted,
    facets: &BTreeMap<ArtifactName, ResolvedFacet>,
) -> Vec<PlanProblem> {
    let both =
        wanted.facets.iter().filter_map(|(name, entry)| Some((name, entry, facets.get(name)?)));
    let mut problems: Vec<_> =
        both.flat_map(|(name, entry, facet)| check_facet(name, facet, entry)).collect();
    problems.extend(asset_conflicts(wanted, facets));
    problems.extend(wanted_servers(wanted, facets).err().unwrap_or_default());
    problems
}
