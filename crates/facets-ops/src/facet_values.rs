//! Values that facets give the variables of the commands that they declare.

use std::collections::BTreeMap;
use std::io::Cursor;

use facets_archive::{ArchiveLimits, read_facet};
use facets_files::read_to_limit;
use facets_lock::LockedFacet;
use facets_model::manifest::{DeclaredServer, FacetManifest};
use facets_plan::effective_server_name;
use facets_project::Project;

use crate::stored_artifact::open_store;

/// The largest archive of a facet that is read.
const MOST: u64 = 64 << 20;

/// The values for a server. They are those of the facet that was installed on this machine, read from its verified
/// archive: a lock that somebody edited gives none.
pub(crate) fn facet_values(project: &Project, name: &str) -> BTreeMap<String, String> {
    let Ok(state) = project.read_as_is(&|_| false) else { return BTreeMap::new() };
    let Some(manifest) = &state.manifest else { return BTreeMap::new() };
    let Ok(installed) = project.installed() else { return BTreeMap::new() };
    for (facet, wanted) in &manifest.facets {
        let Some(locked) = state.lock.facet(facet.as_str()) else { continue };
        let has_values = |declared: &DeclaredServer| matches!(declared, DeclaredServer::Origin { values, .. } if !values.is_empty());
        let is_meant = |(authored, declared): &(&String, &DeclaredServer)| {
            has_values(declared) && effective_server_name(wanted, authored).as_deref() == Some(name)
        };
        let Some((authored, _)) = locked.servers.iter().find(is_meant) else { continue };
        let record = installed.facets.get(facet.as_str());
        if record.is_none_or(|record| record.integrity != locked.integrity) {
            continue;
        }
        if let Some(manifest) = stored_manifest(locked) {
            return values_of(&manifest, authored);
        }
    }
    BTreeMap::new()
}

fn stored_manifest(facet: &LockedFacet) -> Option<FacetManifest> {
    let file = open_store().ok()?.get_file(&facet.content_hash?).ok()??;
    let bytes = read_to_limit(&*file, MOST).ok()??;
    let archive = read_facet(Cursor::new(bytes), &ArchiveLimits::SPEC).ok()?;
    (archive.index.integrity == facet.integrity).then_some(archive.manifest)
}

fn values_of(manifest: &FacetManifest, authored: &str) -> BTreeMap<String, String> {
    match manifest.servers.get(authored) {
        Some(DeclaredServer::Origin { values, .. }) => {
            values.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
        }
        _ => BTreeMap::new(),
    }
}
