//! The servers that a project and its facets want, by effective name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use facets_model::manifest::{DeclaredServer, Materialization, Override};
use facets_model::{
    ArtifactName, ArtifactSource, Floor, ImageReference, Origin, SourceModeOrigin, Version,
    collision_key,
};

use crate::effective::{SERVERS, effective_server_name, last_segment};
use crate::fix::{Fix, TakenNames};
use crate::problem::{PlanProblem, ServerClaim};
use crate::resolved::ResolvedFacet;
use crate::wanted::{Requirer, Wanted};

/// A server that is wanted under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedServer {
    /// What is wanted.
    pub what: WantedWhat,
    /// Who wants it, sorted: the project first.
    pub by: Vec<Requirer>,
}

/// What is wanted under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there are as many as servers in a project")]
pub enum WantedWhat {
    /// A source-mode server of a registry.
    Registry {
        /// Its name there.
        artifact: ArtifactName,
        /// The highest of all floors.
        floor: Floor,
    },
    /// A command or an address.
    Inline {
        /// As declared, with the values of its variables.
        declared: DeclaredServer,
        /// Where it comes from.
        origin: Origin,
    },
    /// A source-mode server in a directory or archive on this machine. Only a project declares one.
    Local(Origin),
    /// An OCI image.
    Image(ImageReference),
}

impl WantedWhat {
    /// What a declaration wants; nothing if it is a floor under a name that no registry knows.
    pub(crate) fn of(authored: &str, declared: &DeclaredServer) -> Option<Self> {
        Some(match declared {
            DeclaredServer::Floor { artifact, floor } => {
                let artifact = artifact.clone().or_else(|| authored.parse().ok())?;
                Self::Registry { artifact, floor: floor.clone() }
            }
            DeclaredServer::Image(image) => Self::Image(image.clone()),
            DeclaredServer::Origin { origin, .. } if is_local(origin) => {
                Self::Local(origin.clone())
            }
            DeclaredServer::Origin { origin, .. } => {
                Self::Inline { declared: declared.clone(), origin: origin.clone() }
            }
        })
    }

    /// Both at once, if one server can be both.
    fn combined(self, other: &Self) -> Option<Self> {
        match (self, other) {
            (
                Self::Registry { artifact, floor },
                Self::Registry { artifact: other, floor: other_floor },
            ) if artifact == *other => {
                Some(Self::Registry { artifact, floor: higher(floor, other_floor) })
            }
            (own, other) => (own == *other).then_some(own),
        }
    }
}

/// For people: the command line, the address, the image, or the registry server with its floor.
impl fmt::Display for WantedWhat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Registry { artifact, floor } => write!(f, "registry server {artifact}@{floor}"),
            Self::Inline { origin, .. } | Self::Local(origin) => write!(f, "`{origin}`"),
            Self::Image(image) => write!(f, "image {image}"),
        }
    }
}

fn is_local(origin: &Origin) -> bool {
    match origin {
        Origin::SourceMode(SourceModeOrigin { source, .. }) => {
            matches!(source, ArtifactSource::Local { .. })
        }
        Origin::Package(_) => true,
        Origin::Command(_) | Origin::Address(_) => false,
    }
}

/// spec 10.4: the higher floor
fn higher(own: Floor, other: &Floor) -> Floor {
    let version = |floor: &Floor| floor.to_string().parse::<Version>().ok();
    if version(other) > version(&own) { other.clone() } else { own }
}

/// A server of one declaration.
#[derive(Clone, Debug)]
struct Claim {
    name: String,
    by: Requirer,
    what: WantedWhat,
}

/// The servers of the project and of all facets by effective name, or every conflict.
pub fn wanted_servers(
    wanted: &Wanted,
    facets: &BTreeMap<ArtifactName, ResolvedFacet>,
) -> Result<BTreeMap<String, WantedServer>, Vec<PlanProblem>> {
    let declared = facets.iter().map(|(name, facet)| (name, &facet.manifest.servers));
    combine(wanted, declared)
}

/// The same, of declarations by facet.
pub(crate) fn combine<'f>(
    wanted: &Wanted,
    facets: impl Iterator<Item = (&'f ArtifactName, &'f BTreeMap<String, DeclaredServer>)>,
) -> Result<BTreeMap<String, WantedServer>, Vec<PlanProblem>> {
    let (claims, mut problems) = claims(wanted, facets);
    let mut taken: TakenNames = claims.iter().map(|claim| claim.name.as_str()).collect();
    let mut groups: BTreeMap<String, Vec<Claim>> = BTreeMap::new();
    for claim in claims {
        groups.entry(collision_key(&claim.name)).or_default().push(claim);
    }
    let mut servers = BTreeMap::new();
    for group in groups.into_values().flat_map(split_project_spellings) {
        match merged(&group) {
            Some((name, server)) => {
                servers.insert(name, server);
            }
            None => problems.push(conflict(wanted, &group, &mut taken)),
        }
    }
    if problems.is_empty() { Ok(servers) } else { Err(problems) }
}

/// Every declaration that is not omitted: the project's first, then those of facets by name.
fn claims<'f>(
    wanted: &Wanted,
    facets: impl Iterator<Item = (&'f ArtifactName, &'f BTreeMap<String, DeclaredServer>)>,
) -> (Vec<Claim>, Vec<PlanProblem>) {
    let own = wanted.servers.iter().map(|(authored, declared)| {
        let by = Requirer::Project { authored: authored.clone() };
        (last_segment(authored).to_owned(), by, declared)
    });
    let of_facets = facets.flat_map(|(facet, servers)| {
        let entry = wanted.facets.get(facet);
        let named = move |authored: &str| match entry {
            Some(entry) => effective_server_name(entry, authored),
            None => None,
        };
        servers.iter().filter_map(move |(authored, declared)| {
            let by = Requirer::Facet { facet: facet.clone(), authored: authored.clone() };
            Some((named(authored)?, by, declared))
        })
    });
    let (mut claims, mut problems) = (Vec::new(), Vec::new());
    for (name, by, declared) in own.chain(of_facets) {
        match WantedWhat::of(by.authored(), declared) {
            Some(what) => claims.push(Claim { name, by, what }),
            None => problems.push(PlanProblem::BadServerName { by }),
        }
    }
    // The project's own name for something outranks one that only the scope of a registry name hides.
    claims.sort_by_cached_key(|claim| {
        (claim.by.facet().cloned(), claim.name != claim.by.authored(), claim.by.clone())
    });
    (claims, problems)
}

/// A project may tell two servers apart by case alone, as long as no facet wants that name.
fn split_project_spellings(group: Vec<Claim>) -> Vec<Vec<Claim>> {
    if group.iter().any(|claim| claim.by.facet().is_some()) {
        return vec![group];
    }
    let mut spellings: BTreeMap<String, Vec<Claim>> = BTreeMap::new();
    for claim in group {
        spellings.entry(claim.name.clone()).or_default().push(claim);
    }
    spellings.into_values().collect()
}

fn merged(group: &[Claim]) -> Option<(String, WantedServer)> {
    let (first, others) = group.split_first()?;
    let what = others.iter().try_fold(first.what.clone(), |what, claim| {
        if claim.name == first.name { what.combined(&claim.what) } else { None }
    })?;
    let by: BTreeSet<Requirer> = group.iter().map(|claim| claim.by.clone()).collect();
    Some((first.name.clone(), WantedServer { what, by: by.into_iter().collect() }))
}

fn conflict(wanted: &Wanted, group: &[Claim], taken: &mut TakenNames) -> PlanProblem {
    let name = group.first().map(|claim| claim.name.clone()).unwrap_or_default();
    let mut agreed: Option<WantedWhat> = None;
    let mut aliases: BTreeMap<&ArtifactName, Vec<Override>> = BTreeMap::new();
    let mut fixes = Vec::new();
    for claim in group {
        let combined = match agreed.clone() {
            None => Some(claim.what.clone()),
            Some(what) if claim.name == name => what.combined(&claim.what),
            Some(_) => None,
        };
        if combined.is_some() {
            agreed = combined;
        } else if let Requirer::Facet { facet, authored } = &claim.by {
            let alias = taken.free_alias(facet.as_str(), authored);
            aliases.entry(facet).or_default().extend(alias.map(|alias| Override {
                group: SERVERS.to_owned(),
                authored: authored.clone(),
                materialization: Materialization::Aliased(alias),
            }));
        } else {
            fixes.extend(renamed(claim, taken));
        }
    }
    for (facet, overrides) in aliases {
        let entry = wanted.facets.get(facet);
        fixes.extend(entry.map(|entry| Fix::with_overrides(facet, entry, &overrides)));
    }
    let claims = group.iter().map(|claim| shown(claim, &name)).collect();
    PlanProblem::ServerConflict { name, claims, fixes }
}

fn shown(claim: &Claim, name: &str) -> ServerClaim {
    let what = if claim.name == name {
        claim.what.to_string()
    } else {
        format!("{} as \"{}\"", claim.what, claim.name)
    };
    ServerClaim { by: claim.by.clone(), name: claim.name.clone(), what }
}

/// A registry server of the project under a name of its own. Only the name of such a server is not the
/// name of its member.
fn renamed(claim: &Claim, taken: &mut TakenNames) -> Option<Fix> {
    let WantedWhat::Registry { artifact, floor } = &claim.what else { return None };
    let authored = claim.by.authored();
    let scope = authored.split('/').next()?;
    let alias = taken.free_alias(scope, authored)?;
    Some(Fix::renamed_server(authored, &alias, artifact, floor))
}
