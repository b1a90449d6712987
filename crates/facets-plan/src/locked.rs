//! The lock entry of a facet.

use std::collections::BTreeMap;

use facets_digest::Digest;
use facets_digest::json::compare_utf16;
use facets_lock::{
    AcceptedFindings, LockedAsset, LockedAssetFile, LockedFacet, LockedMaterialization,
};
use facets_model::manifest::{Materialization, ProjectFacet};
use facets_model::{ArtifactName, ArtifactPath, AssetKind, AssetName, AssetScope};

use crate::effective::{assets_of, override_of};
use crate::problem::PlanProblem;
use crate::resolved::{ResolvedFacet, check_facet, primary_path};

/// The lock entry of a facet: its assets as the project wants them, with the hash of every file. Nothing is
/// accepted yet.
pub fn locked_facet(
    name: &ArtifactName,
    facet: &ResolvedFacet,
    wanted: &ProjectFacet,
    scope: AssetScope,
) -> Result<LockedFacet, Vec<PlanProblem>> {
    let mut problems = check_facet(name, facet, wanted);
    let digests: BTreeMap<&str, (&ArtifactPath, &Digest)> =
        facet.files.iter().map(|(path, digest)| (path.as_str(), (path, digest))).collect();
    let mut assets = Vec::new();
    for (kind, authored) in assets_of(&facet.manifest) {
        let mut files = Vec::new();
        for path in asset_paths(facet, kind, authored) {
            match digests.get(path.as_str()) {
                Some((path, digest)) => {
                    files.push(LockedAssetFile { path: (*path).clone(), integrity: **digest });
                }
                None => problems.push(PlanProblem::MissingFile { facet: name.clone(), path }),
            }
        }
        let materialization = locked_materialization(wanted, kind, authored);
        assets.push(LockedAsset { scope, kind, name: authored.clone(), materialization, files });
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(LockedFacet {
        source: facet.source.clone(),
        version: facet.version.clone(),
        integrity: facet.integrity,
        content_hash: facet.content_hash,
        assets,
        servers: facet.manifest.servers.clone(),
        accepted: AcceptedFindings::default(),
    })
}

/// The paths of an asset's files in the archive, in the order in which a lock lists them.
fn asset_paths(facet: &ResolvedFacet, kind: AssetKind, name: &AssetName) -> Vec<String> {
    let skill = facet.manifest.skills.get(name).filter(|_| kind == AssetKind::Skill);
    let companions = skill.into_iter().flat_map(|skill| &skill.files);
    let companions = companions.map(|path| format!("skills/{name}/{path}"));
    let mut paths: Vec<String> =
        std::iter::once(primary_path(kind, name.as_str())).chain(companions).collect();
    // The reference orders texts by UTF-16 code units.
    paths.sort_by(|one, other| compare_utf16(one, other));
    paths
}

/// What the project says about an asset, as a lock says it.
pub(crate) fn locked_materialization(
    wanted: &ProjectFacet,
    kind: AssetKind,
    authored: &AssetName,
) -> LockedMaterialization {
    match override_of(wanted, kind.group(), authored.as_str()) {
        None => LockedMaterialization::Authored,
        Some(Materialization::Aliased(alias)) => LockedMaterialization::Aliased(alias.clone()),
        Some(Materialization::Omitted) => LockedMaterialization::Omitted,
    }
}
