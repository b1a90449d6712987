//! Effective names: what an asset or server is called in this project.

use facets_model::manifest::{FacetManifest, Materialization, ProjectFacet};
use facets_model::{AssetKind, AssetName};

/// The group of overrides that is about servers.
pub(crate) const SERVERS: &str = "servers";

/// What the project says about an asset or server of a facet; nothing if it keeps its name.
#[must_use]
pub fn override_of<'f>(
    facet: &'f ProjectFacet,
    group: &str,
    authored: &str,
) -> Option<&'f Materialization> {
    let mut overrides = facet.overrides.iter();
    overrides
        .find(|one| one.group == group && one.authored == authored)
        .map(|one| &one.materialization)
}

/// The name of an asset in this project; none if it is omitted.
#[must_use]
pub fn effective_asset_name(
    facet: &ProjectFacet,
    kind: AssetKind,
    authored: &AssetName,
) -> Option<AssetName> {
    match override_of(facet, kind.group(), authored.as_str()) {
        None => Some(authored.clone()),
        Some(Materialization::Aliased(alias)) => Some(alias.clone()),
        Some(Materialization::Omitted) => None,
    }
}

/// The name of a facet's server in this project; none if it is omitted.
#[must_use]
pub fn effective_server_name(facet: &ProjectFacet, authored: &str) -> Option<String> {
    match override_of(facet, SERVERS, authored) {
        None => Some(last_segment(authored).to_owned()),
        Some(Materialization::Aliased(alias)) => Some(alias.to_string()),
        Some(Materialization::Omitted) => None,
    }
}

/// A name without its scope.
pub(crate) fn last_segment(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Every asset of a facet, ordered as a lock lists them.
pub(crate) fn assets_of(manifest: &FacetManifest) -> Vec<(AssetKind, &AssetName)> {
    let skills = manifest.skills.keys().map(|name| (AssetKind::Skill, name));
    let agents = manifest.agents.keys().map(|name| (AssetKind::Agent, name));
    let commands = manifest.commands.keys().map(|name| (AssetKind::Command, name));
    skills.chain(agents).chain(commands).collect()
}

/// Which names an asset may not share: skills and commands are called alike, agents otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Namespace {
    SkillsAndCommands,
    Agents,
}

impl Namespace {
    pub(crate) const fn of(kind: AssetKind) -> Self {
        match kind {
            AssetKind::Skill | AssetKind::Command => Self::SkillsAndCommands,
            AssetKind::Agent => Self::Agents,
        }
    }
}
