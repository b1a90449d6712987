//! Where `facets.json` and `facets.lock` differ, for an install that may change neither.

use std::collections::BTreeMap;

use facets_lock::{
    Lock, LockedAsset, LockedEntry, LockedFacet, LockedFacetSource, LockedMaterialization,
    LockedServer,
};
use facets_model::manifest::ProjectFacet;
use facets_model::{ArtifactName, AssetKind};

use crate::effective::SERVERS;
use crate::fix::source_text;
use crate::locked::locked_materialization;
use crate::problem::PlanProblem;
use crate::resolved::unused_overrides;
use crate::server::{WantedServer, combine};
use crate::standing::{
    FacetStanding, ServerStanding, facet_standing, registry_of, server_standing,
};
use crate::wanted::Wanted;

/// Where `facets.json` and `facets.lock` differ. Its text is a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockDifference {
    /// A facet or server is declared and not locked.
    #[error("{what} \"{name}\" is declared, but not locked")]
    NotLocked {
        /// `facet` or `server`.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A facet or server is locked and not declared.
    #[error("{what} \"{name}\" is locked, but not declared")]
    NotDeclared {
        /// `facet` or `server`.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// Another version, source or declaration is locked.
    #[error("{what} \"{name}\" is declared as {declared}, but locked as {locked}")]
    Differs {
        /// `facet` or `server`.
        what: &'static str,
        /// Its name.
        name: String,
        /// What is declared.
        declared: String,
        /// What is locked.
        locked: String,
    },
    /// An asset is locked under another name.
    #[error(
        "the {kind} \"{name}\" of facet \"{facet}\" is {declared} in facets.json, but {locked} in the lock"
    )]
    Materialization {
        /// The facet.
        facet: String,
        /// What it is.
        kind: AssetKind,
        /// The author's name for it.
        name: String,
        /// What `facets.json` says.
        declared: String,
        /// What the lock says.
        locked: String,
    },
    /// The declarations are in conflict, or an entry of the lock is invalid.
    #[error("{0}")]
    Problem(PlanProblem),
}

/// Where `facets.json` and `facets.lock` differ: facets first, then servers, by name.
#[must_use]
pub fn frozen_differences(wanted: &Wanted, lock: &Lock) -> Vec<LockDifference> {
    let mut differences = Vec::new();
    for (name, entry) in &wanted.facets {
        differences.extend(facet_differences(name, entry, lock));
    }
    let is_declared = |name: &str| wanted.facets.keys().any(|facet| facet.as_str() == name);
    let undeclared = lock.facets().keys().filter(|name| !is_declared(name));
    differences.extend(undeclared.map(|name| not_declared("facet", name)));
    // Facets that are not declared want nothing; their servers are not declared, either.
    let facets: BTreeMap<&ArtifactName, &LockedFacet> =
        wanted.facets.keys().filter_map(|name| Some((name, lock.facet(name.as_str())?))).collect();
    let declared = facets.into_iter().map(|(name, facet)| (name, &facet.servers));
    match combine(wanted, declared) {
        Ok(servers) => differences.extend(server_differences(&servers, lock)),
        Err(problems) => differences.extend(problems.into_iter().map(LockDifference::Problem)),
    }
    differences
}

fn facet_differences(
    name: &ArtifactName,
    entry: &ProjectFacet,
    lock: &Lock,
) -> Vec<LockDifference> {
    let (what, shown) = ("facet", name.to_string());
    match facet_standing(lock, name, &entry.source) {
        FacetStanding::Absent => vec![LockDifference::NotLocked { what, name: shown }],
        FacetStanding::Broken(error) => {
            let error = error.clone();
            vec![LockDifference::Problem(PlanProblem::BrokenEntry { what, name: shown, error })]
        }
        FacetStanding::Differs(facet) => {
            let (declared, locked) = (source_text(&entry.source), locked_source(facet));
            vec![LockDifference::Differs { what, name: shown, declared, locked }]
        }
        FacetStanding::Satisfied(facet) => materializations(name, entry, facet),
    }
}

/// A locked facet for people: its version, and where it comes from.
fn locked_source(facet: &LockedFacet) -> String {
    let version = &facet.version;
    match &facet.source {
        LockedFacetSource::Registry { url } => format!("{version} of the registry {url}"),
        LockedFacetSource::Git { url, commit } => format!("{version} of {url}#{commit}"),
        LockedFacetSource::Local { path } => format!("{version} in {path}"),
    }
}

fn materializations(
    name: &ArtifactName,
    entry: &ProjectFacet,
    facet: &LockedFacet,
) -> Vec<LockDifference> {
    let known = |group: &str| {
        if group == SERVERS {
            return facet.servers.keys().cloned().collect();
        }
        let assets = facet.assets.iter().filter(|asset| asset.kind.group() == group);
        assets.map(|asset| asset.name.to_string()).collect()
    };
    let unused = unused_overrides(name, entry, known);
    let differs = |asset: &&LockedAsset| {
        locked_materialization(entry, asset.kind, &asset.name) != asset.materialization
    };
    let others = facet.assets.iter().filter(differs).map(|asset| LockDifference::Materialization {
        facet: name.to_string(),
        kind: asset.kind,
        name: asset.name.to_string(),
        declared: shown(&locked_materialization(entry, asset.kind, &asset.name)),
        locked: shown(&asset.materialization),
    });
    unused.into_iter().map(LockDifference::Problem).chain(others).collect()
}

fn shown(materialization: &LockedMaterialization) -> String {
    match materialization {
        LockedMaterialization::Authored => "installed under its own name".to_owned(),
        LockedMaterialization::Aliased(alias) => format!("aliased to \"{alias}\""),
        LockedMaterialization::Omitted => "omitted".to_owned(),
    }
}

fn server_differences(
    servers: &BTreeMap<String, WantedServer>,
    lock: &Lock,
) -> Vec<LockDifference> {
    let wanted = servers.iter().filter_map(|(name, server)| server_difference(name, server, lock));
    // Entries that this facet does not start may be of a newer one, or of somebody else.
    let extra = lock.servers().iter().filter(|(name, entry)| {
        !servers.contains_key(*name) && !matches!(entry, LockedEntry::Other)
    });
    wanted.chain(extra.map(|(name, _)| not_declared("server", name))).collect()
}

fn server_difference(name: &str, server: &WantedServer, lock: &Lock) -> Option<LockDifference> {
    let (what, name_shown) = ("server", name.to_owned());
    let differs = |locked: String| {
        let declared = server.what.to_string();
        Some(LockDifference::Differs { what, name: name.to_owned(), declared, locked })
    };
    match server_standing(lock, name, server) {
        ServerStanding::Satisfied(_) | ServerStanding::Uncaptured | ServerStanding::Other => None,
        ServerStanding::Absent => Some(LockDifference::NotLocked { what, name: name_shown }),
        ServerStanding::Differs(locked) => differs(locked_server(locked)),
        ServerStanding::DiffersUncaptured => {
            differs("another one that was never started".to_owned())
        }
        ServerStanding::Broken(error) => {
            let error = error.clone();
            let broken = PlanProblem::BrokenEntry { what, name: name_shown, error };
            Some(LockDifference::Problem(broken))
        }
    }
}

/// A pinned server for people.
fn locked_server(locked: &LockedServer) -> String {
    match locked.pin.artifact() {
        Some(pin) if registry_of(locked).is_some() => {
            format!("registry server {}@{}", pin.name, pin.version)
        }
        _ => format!("`{}`", locked.origin),
    }
}

fn not_declared(what: &'static str, name: &str) -> LockDifference {
    LockDifference::NotDeclared { what, name: name.to_owned() }
}
