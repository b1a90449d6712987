//! Assets that have one effective name.

use std::collections::BTreeMap;

use facets_model::manifest::{Materialization, Override};
use facets_model::{ArtifactName, AssetName, collision_key};

use crate::effective::{Namespace, assets_of, effective_asset_name};
use crate::fix::{Fix, TakenNames};
use crate::problem::{AssetClaim, PlanProblem};
use crate::resolved::ResolvedFacet;
use crate::wanted::Wanted;

/// Assets that have one effective name, of one facet or of several. Skills and commands share their
/// names.
#[must_use]
pub fn asset_conflicts(
    wanted: &Wanted,
    facets: &BTreeMap<ArtifactName, ResolvedFacet>,
) -> Vec<PlanProblem> {
    let mut groups: BTreeMap<(Namespace, String), Vec<(AssetName, AssetClaim)>> = BTreeMap::new();
    let mut taken: BTreeMap<Namespace, TakenNames> = BTreeMap::new();
    for (facet, resolved) in facets {
        let Some(entry) = wanted.facets.get(facet) else { continue };
        for (kind, authored) in assets_of(&resolved.manifest) {
            let Some(name) = effective_asset_name(entry, kind, authored) else { continue };
            let namespace = Namespace::of(kind);
            taken.entry(namespace).or_default().insert(name.as_str());
            let key = (namespace, collision_key(name.as_str()));
            let claim = AssetClaim { facet: facet.clone(), kind, authored: authored.clone() };
            groups.entry(key).or_default().push((name, claim));
        }
    }
    let mut problems = Vec::new();
    for ((namespace, _), group) in groups {
        if let [(name, _), _, ..] = &group[..] {
            let name = name.clone();
            let claims: Vec<AssetClaim> = group.into_iter().map(|(_, claim)| claim).collect();
            let fixes = aliases(wanted, &claims, taken.entry(namespace).or_default());
            problems.push(PlanProblem::AssetConflict { name, claims, fixes });
        }
    }
    problems
}

/// An alias for each but the first, in one entry for each facet.
fn aliases(wanted: &Wanted, claims: &[AssetClaim], taken: &mut TakenNames) -> Vec<Fix> {
    let mut overrides: BTreeMap<&ArtifactName, Vec<Override>> = BTreeMap::new();
    for claim in claims.iter().skip(1) {
        let alias = taken.free_alias(claim.facet.as_str(), claim.authored.as_str());
        overrides.entry(&claim.facet).or_default().extend(alias.map(|alias| Override {
            group: claim.kind.group().to_owned(),
            authored: claim.authored.to_string(),
            materialization: Materialization::Aliased(alias),
        }));
    }
    let fix = |(facet, overrides): (&ArtifactName, Vec<Override>)| {
        let entry = wanted.facets.get(facet)?;
        Some(Fix::with_overrides(facet, entry, &overrides))
    };
    overrides.into_iter().filter_map(fix).collect()
}
