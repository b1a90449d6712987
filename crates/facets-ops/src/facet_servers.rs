//! The servers that facets of a lock bring along, by the names that they have in the project.

use std::collections::BTreeMap;

use facets_model::ArtifactName;
use facets_plan::effective_server_name;
use facets_project::State;

/// The servers of all locked facets, each with the facets that declare it.
pub(crate) fn facet_servers(state: &State) -> BTreeMap<String, Vec<ArtifactName>> {
    let mut servers: BTreeMap<String, Vec<ArtifactName>> = BTreeMap::new();
    let Some(manifest) = &state.manifest else { return servers };
    for (name, wanted) in &manifest.facets {
        let locked = state.lock.facet(name.as_str());
        for authored in locked.into_iter().flat_map(|facet| facet.servers.keys()) {
            if let Some(effective) = effective_server_name(wanted, authored) {
                servers.entry(effective).or_default().push(name.clone());
            }
        }
    }
    servers
}

/// The name that a facet has for a server of the project.
pub(crate) fn authored_name<'s>(
    name: &str,
    facet: &ArtifactName,
    state: &'s State,
) -> Option<&'s str> {
    let wanted = state.manifest.as_ref()?.facets.get(facet)?;
    let mut servers = state.lock.facet(facet.as_str())?.servers.keys();
    let authored =
        servers.find(|authored| effective_server_name(wanted, authored).as_deref() == Some(name));
    authored.map(String::as_str)
}
