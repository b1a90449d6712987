//! What a declared facet turned out to be.

use facets_digest::Digest;
use facets_lock::LockedFacetSource;
use facets_model::manifest::{FacetManifest, FacetSource, ProjectFacet, VersionSpec};
use facets_model::{ArtifactName, ArtifactPath, AssetKind, PlainVersion};

use crate::effective::{SERVERS, assets_of};
use crate::fix::{Fix, spec_text};
use crate::problem::PlanProblem;

/// What a declared facet turned out to be. Its bytes are verified.
#[derive(Clone, Debug)]
pub struct ResolvedFacet {
    /// Where it comes from.
    pub source: LockedFacetSource,
    /// Its own manifest.
    pub manifest: FacetManifest,
    /// The version that was resolved.
    pub version: PlainVersion,
    /// The SHA-256 of its canonical inner tar.
    pub integrity: Digest,
    /// The SHA-256 of the bytes that were downloaded, where there are some.
    pub content_hash: Option<Digest>,
    /// The files of its archive.
    pub files: Vec<(ArtifactPath, Digest)>,
}

/// What is wrong with one facet: another name or version than was asked for, composition, and overrides
/// that name nothing.
pub(crate) fn check_facet(
    name: &ArtifactName,
    facet: &ResolvedFacet,
    wanted: &ProjectFacet,
) -> Vec<PlanProblem> {
    let mut problems = Vec::new();
    problems.extend(identity(name, facet));
    problems.extend(unwanted_version(name, facet, wanted));
    if !facet.manifest.facets.is_empty() {
        let of = facet.manifest.facets.iter().map(|one| format!("{}@{}", one.name, one.version));
        problems.push(PlanProblem::Composition { facet: name.clone(), of: of.collect() });
    }
    let known = |group: &str| names_in(&facet.manifest, group);
    problems.extend(unused_overrides(name, wanted, known));
    problems
}

/// The name and version inside are those that were asked for.
fn identity(name: &ArtifactName, facet: &ResolvedFacet) -> Vec<PlanProblem> {
    let members = [
        ("name", name.to_string(), facet.manifest.name.to_string()),
        ("version", facet.version.to_string(), facet.manifest.version.to_string()),
    ];
    let others = members.into_iter().filter(|(_, expected, found)| expected != found);
    let problem = |(member, expected, found)| PlanProblem::OtherFacet {
        facet: name.clone(),
        member,
        expected,
        found,
    };
    others.map(problem).collect()
}

fn unwanted_version(
    name: &ArtifactName,
    facet: &ResolvedFacet,
    wanted: &ProjectFacet,
) -> Option<PlanProblem> {
    let FacetSource::Registry(spec) = &wanted.source else { return None };
    if admits(spec, &facet.version) {
        return None;
    }
    let (asked, found) = (spec_text(spec), facet.version.to_string());
    Some(PlanProblem::UnwantedVersion { facet: name.clone(), asked, found })
}

/// Whether a version is one that a project asks for.
pub(crate) fn admits(spec: &VersionSpec, version: &PlainVersion) -> bool {
    match spec {
        VersionSpec::Exact(exact) => exact == version,
        VersionSpec::Prefix(numbers) => {
            let text = version.to_string();
            let own = text.split('.').map(|number| number.parse::<u64>().ok());
            own.zip(numbers).all(|(own, asked)| own == Some(*asked))
        }
        VersionSpec::Latest => true,
    }
}

/// Overrides of a facet that name nothing which it has.
pub(crate) fn unused_overrides(
    name: &ArtifactName,
    wanted: &ProjectFacet,
    known: impl Fn(&str) -> Vec<String>,
) -> Vec<PlanProblem> {
    let mut problems = Vec::new();
    for one in &wanted.overrides {
        let known = known(&one.group);
        if !known.contains(&one.authored) {
            problems.push(PlanProblem::UnusedOverride {
                facet: name.clone(),
                group: one.group.clone(),
                authored: one.authored.clone(),
                known,
                fix: Fix::without_override(name, wanted, one),
            });
        }
    }
    problems.sort_by_cached_key(ToString::to_string);
    problems
}

fn names_in(manifest: &FacetManifest, group: &str) -> Vec<String> {
    if group == SERVERS {
        return manifest.servers.keys().cloned().collect();
    }
    let assets = assets_of(manifest).into_iter();
    assets.filter(|(kind, _)| kind.group() == group).map(|(_, name)| name.to_string()).collect()
}

/// The file that an asset is named by.
pub(crate) fn primary_path(kind: AssetKind, name: &str) -> String {
    match kind {
        AssetKind::Skill => format!("skills/{name}/SKILL.md"),
        AssetKind::Agent | AssetKind::Command => format!("{}/{name}.md", kind.group()),
    }
}
