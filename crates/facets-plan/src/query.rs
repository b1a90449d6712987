//! What has to be asked for before a plan can be made.

use std::collections::BTreeMap;

use facets_lock::{Lock, LockError, LockedFacet, LockedFacetSource};
use facets_model::manifest::{FacetSource, ProjectFacet, VersionSpec};
use facets_model::{ArtifactName, Floor, HttpUrl, Origin};

use crate::problem::PlanProblem;
use crate::server::{WantedServer, WantedWhat};
use crate::standing::{
    FacetStanding, ServerStanding, facet_standing, registry_of, server_standing,
};
use crate::wanted::{Move, Wanted};

impl Move {
    /// The names that are neither a facet's nor a server's.
    #[must_use]
    pub fn unknown_names(
        &self,
        wanted: &Wanted,
        servers: &BTreeMap<String, WantedServer>,
    ) -> Vec<String> {
        let Self::Named(names) = self else { return Vec::new() };
        let is_facet = |name: &str| wanted.facets.keys().any(|facet| facet.as_str() == name);
        let unknown = names.iter().filter(|name| !is_facet(name) && !servers.contains_key(*name));
        unknown.cloned().collect()
    }
}

/// What has to be fetched or asked for a facet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FacetQuery {
    /// Exactly these bytes.
    Locked(Box<LockedFacet>),
    /// Whatever the source has now: ask the registry or git, read the directory.
    Resolve {
        /// Where it comes from.
        source: FacetSource,
        /// The registry that the lock pins for it.
        registry: Option<HttpUrl>,
    },
}

/// What has to be fetched or asked for each declared facet, or the lock entries that are invalid.
pub fn facet_queries(
    wanted: &Wanted,
    lock: &Lock,
    moves: &Move,
) -> Result<BTreeMap<ArtifactName, FacetQuery>, Vec<PlanProblem>> {
    let query = |(name, entry): (&ArtifactName, &ProjectFacet)| {
        let query = facet_query(name, &entry.source, lock, moves);
        (name.clone(), query.map_err(|error| broken("facet", name.as_str(), error)))
    };
    all_or_problems(wanted.facets.iter().map(query))
}

fn facet_query(
    name: &ArtifactName,
    source: &FacetSource,
    lock: &Lock,
    moves: &Move,
) -> Result<FacetQuery, LockError> {
    let locked = match facet_standing(lock, name, source) {
        FacetStanding::Broken(error) => return Err(error.clone()),
        FacetStanding::Satisfied(facet) => {
            if !moves.includes(name.as_str()) && !is_rebuilt(source) || cannot_move(source) {
                return Ok(FacetQuery::Locked(Box::new(facet.clone())));
            }
            Some(facet)
        }
        FacetStanding::Differs(facet) => Some(facet),
        FacetStanding::Absent => None,
    };
    let registry = match locked.map(|facet| &facet.source) {
        Some(LockedFacetSource::Registry { url }) => Some(url.clone()),
        _ => None,
    };
    Ok(FacetQuery::Resolve { source: source.clone(), registry })
}

/// A directory of the project is built anew each time.
fn is_rebuilt(source: &FacetSource) -> bool {
    matches!(source, FacetSource::Local(_))
}

/// An exact version is published once.
fn cannot_move(source: &FacetSource) -> bool {
    matches!(source, FacetSource::Registry(VersionSpec::Exact(_)))
}

/// What has to be done for a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerQuery {
    /// Nothing: its entry in the lock stays.
    Locked,
    /// Ask the registry for a version.
    Resolve {
        /// Its name there.
        artifact: ArtifactName,
        /// The lowest version that will do.
        floor: Floor,
        /// The registry that the lock pins for it.
        registry: Option<HttpUrl>,
    },
    /// Look at a command, an address or a local artifact that is new or was changed.
    Capture(Origin),
    /// Nobody has looked at it, and it is only started after a yes; an image never.
    Uncaptured,
}

/// What has to be done for each wanted server, or the lock entries that are invalid.
pub fn server_queries(
    servers: &BTreeMap<String, WantedServer>,
    lock: &Lock,
    moves: &Move,
) -> Result<BTreeMap<String, ServerQuery>, Vec<PlanProblem>> {
    let query = |(name, server): (&String, &WantedServer)| {
        let query = server_query(name, server, lock, moves);
        (name.clone(), query.map_err(|error| broken("server", name, error)))
    };
    all_or_problems(servers.iter().map(query))
}

fn server_query(
    name: &str,
    server: &WantedServer,
    lock: &Lock,
    moves: &Move,
) -> Result<ServerQuery, LockError> {
    let is_moved = moves.includes(name);
    let locked = match server_standing(lock, name, server) {
        ServerStanding::Broken(error) => return Err(error.clone()),
        ServerStanding::Other => return Ok(ServerQuery::Locked),
        ServerStanding::Satisfied(locked) => {
            // A command or an address has no other version.
            if !is_moved || matches!(server.what, WantedWhat::Inline { .. }) {
                return Ok(ServerQuery::Locked);
            }
            Some(locked)
        }
        ServerStanding::Uncaptured if !is_moved => return Ok(ServerQuery::Uncaptured),
        ServerStanding::Uncaptured | ServerStanding::DiffersUncaptured => None,
        ServerStanding::Differs(locked) => Some(locked),
        ServerStanding::Absent => None,
    };
    Ok(match &server.what {
        WantedWhat::Registry { artifact, floor } => ServerQuery::Resolve {
            artifact: artifact.clone(),
            floor: floor.clone(),
            registry: locked.and_then(registry_of).cloned(),
        },
        WantedWhat::Inline { origin, .. } | WantedWhat::Local(origin) => {
            ServerQuery::Capture(origin.clone())
        }
        WantedWhat::Image(_) => ServerQuery::Uncaptured,
    })
}

fn broken(what: &'static str, name: &str, error: LockError) -> PlanProblem {
    PlanProblem::BrokenEntry { what, name: name.to_owned(), error }
}

fn all_or_problems<K: Ord, V>(
    all: impl Iterator<Item = (K, Result<V, PlanProblem>)>,
) -> Result<BTreeMap<K, V>, Vec<PlanProblem>> {
    let (mut good, mut problems) = (BTreeMap::new(), Vec::new());
    for (key, one) in all {
        match one {
            Ok(one) => {
                good.insert(key, one);
            }
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(good) } else { Err(problems) }
}
