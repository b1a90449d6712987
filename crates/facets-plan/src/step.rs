//! The steps of a plan, with what a person or a report needs of each.

use std::collections::BTreeMap;

use facets_digest::Digest;
use facets_lock::{
    Lock, LockedEntry, LockedFacet, LockedFacetEntry, LockedServer, UncapturedServer,
};
use facets_model::manifest::DeclaredServer;
use facets_model::{ArtifactName, HttpUrl, Version};

use crate::assets::{AssetAction, AssetStep};
use crate::query::ServerQuery;
use crate::server::{WantedServer, WantedWhat};
use crate::standing::{is_same_server, registry_of};
use crate::wanted::Requirer;

/// What an install or upgrade changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Facets by name.
    pub facets: Vec<FacetStep>,
    /// Servers by effective name.
    pub servers: Vec<ServerStep>,
    /// Files by base and path.
    pub assets: Vec<AssetStep>,
}

impl Plan {
    /// Whether everything is as it should be already.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let is_kept = |action: AssetAction| {
            matches!(action, AssetAction::Keep { .. } | AssetAction::KeptEdited { .. })
        };
        self.facets.iter().all(|one| one.step.is_keep())
            && self.servers.iter().all(|one| one.step.is_keep())
            && self.assets.iter().all(|one| is_kept(one.action))
    }
}

/// What happens to one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<T> {
    /// It is new.
    Add(T),
    /// It is replaced.
    Change {
        /// As it is locked.
        from: T,
        /// As it will be.
        to: T,
    },
    /// Nothing wants it any longer.
    Remove(T),
    /// It stays as it is.
    Keep(T),
}

impl<T: PartialEq> Step<T> {
    fn between(from: Option<T>, to: T) -> Self {
        match from {
            None => Self::Add(to),
            Some(from) if from == to => Self::Keep(to),
            Some(from) => Self::Change { from, to },
        }
    }
}

impl<T> Step<T> {
    /// Whether it stays as it is.
    #[must_use]
    pub const fn is_keep(&self) -> bool {
        matches!(self, Self::Keep(_))
    }

    /// As it is locked.
    #[must_use]
    pub const fn from(&self) -> Option<&T> {
        match self {
            Self::Add(_) => None,
            Self::Change { from: state, .. } | Self::Remove(state) | Self::Keep(state) => {
                Some(state)
            }
        }
    }

    /// As it will be.
    #[must_use]
    pub const fn to(&self) -> Option<&T> {
        match self {
            Self::Remove(_) => None,
            Self::Change { to: state, .. } | Self::Add(state) | Self::Keep(state) => Some(state),
        }
    }
}

/// What happens to a facet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetStep {
    /// Its name.
    pub name: String,
    /// What happens to it.
    pub step: Step<LockedFacet>,
}

/// What happens to each facet of the lock, and to each that will be locked.
#[must_use]
pub fn plan_facets(lock: &Lock, after: &BTreeMap<ArtifactName, LockedFacet>) -> Vec<FacetStep> {
    let mut steps = Vec::new();
    for (name, facet) in after {
        let from = lock.facet(name.as_str()).cloned();
        let step = Step::between(from, facet.clone());
        steps.push(FacetStep { name: name.to_string(), step });
    }
    for (name, entry) in lock.facets() {
        let is_wanted = after.keys().any(|wanted| wanted.as_str() == name);
        if let (false, LockedFacetEntry::Facet(facet)) = (is_wanted, entry) {
            let step = Step::Remove(LockedFacet::clone(facet));
            steps.push(FacetStep { name: name.clone(), step });
        }
    }
    steps.sort_by(|one, other| one.name.cmp(&other.name));
    steps
}

/// What happens to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerStep {
    /// Its effective name.
    pub name: String,
    /// What happens to it.
    pub step: Step<ServerState>,
    /// Who wants it; nobody if it is removed.
    pub by: Vec<Requirer>,
}

/// A server as it is or will be locked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerState {
    /// For people: the command line, the address, the image or path, or the name in the registry.
    pub what: String,
    /// The name in the registry or in its own manifest, if it is source-mode.
    pub artifact: Option<ArtifactName>,
    /// Its version, if it has one and that is known.
    pub version: Option<Version>,
    /// The SHA-256 of its uncompressed tar, if it is known.
    pub integrity: Option<Digest>,
    /// The registry that it comes from.
    pub registry: Option<HttpUrl>,
    /// Whether what it declares is pinned. One that is not cannot be started.
    pub is_captured: bool,
}

/// A version that a registry named for a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedServer {
    /// Its version.
    pub version: Version,
    /// The SHA-256 of its uncompressed tar.
    pub integrity: Digest,
    /// The registry.
    pub registry: HttpUrl,
}

/// What happens to each wanted server, and to each locked one that only facets wanted. Entries that this
/// facet does not start, and those that no locked facet declares, are left alone.
#[must_use]
pub fn plan_servers(
    lock: &Lock,
    wanted: &BTreeMap<String, WantedServer>,
    queries: &BTreeMap<String, ServerQuery>,
    resolved: &BTreeMap<String, ResolvedServer>,
) -> Vec<ServerStep> {
    let mut steps = Vec::new();
    for (name, server) in wanted {
        let from = lock.servers().get(name).and_then(|entry| locked_state(name, entry));
        let step = match (queries.get(name), from) {
            (Some(ServerQuery::Locked | ServerQuery::Uncaptured), Some(from)) => Step::Keep(from),
            // An entry of another kind stays, and says nothing that could be shown.
            (Some(ServerQuery::Locked), None) => Step::Keep(wanted_state(server, None, false)),
            (Some(ServerQuery::Uncaptured), None) => Step::Add(wanted_state(server, None, false)),
            (_, from) => changed(from, wanted_state(server, resolved.get(name), true)),
        };
        steps.push(ServerStep { name: name.clone(), step, by: server.by.clone() });
    }
    for (name, entry) in lock.servers() {
        if !wanted.contains_key(name) && is_of_a_facet(lock, entry) {
            let state = locked_state(name, entry).map(Step::Remove);
            steps.extend(state.map(|step| ServerStep { name: name.clone(), step, by: Vec::new() }));
        }
    }
    steps.sort_by(|one, other| one.name.cmp(&other.name));
    steps
}

/// A server that was resolved or is looked at anew. The same artifact of the same registry stays.
fn changed(from: Option<ServerState>, to: ServerState) -> Step<ServerState> {
    match from {
        // Looking at a server again may find something else, also where it is started alike.
        Some(from) if from == to && to.integrity.is_none() => Step::Change { from, to },
        from => Step::between(from, to),
    }
}

fn locked_state(name: &str, entry: &LockedEntry) -> Option<ServerState> {
    match entry {
        LockedEntry::Server(server) => Some(server_state(server)),
        LockedEntry::Uncaptured(server) => Some(uncaptured_state(name, server)),
        LockedEntry::Other | LockedEntry::Broken(_) => None,
    }
}

fn server_state(server: &LockedServer) -> ServerState {
    let pin = server.pin.artifact();
    let registry = registry_of(server).cloned();
    let what = match pin {
        Some(pin) if registry.is_some() => pin.name.to_string(),
        _ => server.origin.to_string(),
    };
    ServerState {
        what,
        artifact: pin.map(|pin| pin.name.clone()),
        version: pin.map(|pin| pin.version.clone()),
        integrity: pin.map(|pin| pin.integrity),
        registry,
        is_captured: true,
    }
}

fn uncaptured_state(name: &str, server: &UncapturedServer) -> ServerState {
    let (what, artifact) = match &server.declared {
        DeclaredServer::Origin { origin, .. } => (origin.to_string(), None),
        DeclaredServer::Image(image) => (image.to_string(), None),
        DeclaredServer::Floor { artifact, .. } => {
            // The name of the entry, where it says no other.
            let artifact = artifact.clone().or_else(|| name.parse().ok());
            (artifact.as_ref().map_or(name, ArtifactName::as_str).to_owned(), artifact)
        }
    };
    let (version, integrity, registry) = (None, None, None);
    ServerState { what, artifact, version, integrity, registry, is_captured: false }
}

fn wanted_state(
    server: &WantedServer,
    resolved: Option<&ResolvedServer>,
    is_captured: bool,
) -> ServerState {
    let (what, artifact) = match &server.what {
        WantedWhat::Registry { artifact, .. } => (artifact.to_string(), Some(artifact.clone())),
        WantedWhat::Inline { origin, .. } | WantedWhat::Local(origin) => (origin.to_string(), None),
        WantedWhat::Image(image) => (image.to_string(), None),
    };
    ServerState {
        what,
        artifact,
        version: resolved.map(|resolved| resolved.version.clone()),
        integrity: resolved.map(|resolved| resolved.integrity),
        registry: resolved.map(|resolved| resolved.registry.clone()),
        is_captured,
    }
}

/// Whether a facet of the lock declares a server, under whatever name the project gave it.
fn is_of_a_facet(lock: &Lock, entry: &LockedEntry) -> bool {
    let server = match entry {
        LockedEntry::Server(server) => server,
        LockedEntry::Uncaptured(_) => return true,
        LockedEntry::Other | LockedEntry::Broken(_) => return false,
    };
    let facets = lock.facets().keys().filter_map(|name| lock.facet(name));
    let mut declared = facets.flat_map(|facet| &facet.servers);
    declared.any(|(authored, declared)| {
        let what = WantedWhat::of(authored, declared);
        what.is_some_and(|what| is_same_server(server, &what))
    })
}
