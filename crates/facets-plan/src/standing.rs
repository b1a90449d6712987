//! Whether a lock has what is wanted.

use facets_lock::{
    Lock, LockError, LockedEntry, LockedFacet, LockedFacetEntry, LockedFacetSource, LockedServer,
    UncapturedServer,
};
use facets_model::manifest::{DeclaredServer, FacetSource};
use facets_model::{ArtifactName, ArtifactSource, HttpUrl, Origin};

use crate::resolved::admits;
use crate::server::{WantedServer, WantedWhat};
use crate::wanted::Requirer;

/// What a lock has for a facet.
pub(crate) enum FacetStanding<'l> {
    Absent,
    /// What was asked for.
    Satisfied(&'l LockedFacet),
    /// Another version, or another origin.
    Differs(&'l LockedFacet),
    Broken(&'l LockError),
}

pub(crate) fn facet_standing<'l>(
    lock: &'l Lock,
    name: &ArtifactName,
    source: &FacetSource,
) -> FacetStanding<'l> {
    match lock.facets().get(name.as_str()) {
        None => FacetStanding::Absent,
        Some(LockedFacetEntry::Broken(error)) => FacetStanding::Broken(error),
        Some(LockedFacetEntry::Facet(facet)) if is_from(facet, source) => {
            FacetStanding::Satisfied(facet)
        }
        Some(LockedFacetEntry::Facet(facet)) => FacetStanding::Differs(facet),
    }
}

fn is_from(facet: &LockedFacet, source: &FacetSource) -> bool {
    match (source, &facet.source) {
        (FacetSource::Registry(spec), LockedFacetSource::Registry { .. }) => {
            admits(spec, &facet.version)
        }
        (FacetSource::Git { url, reference }, LockedFacetSource::Git { url: locked, commit }) => {
            // A branch or tag may point elsewhere by now, a commit cannot.
            let other_commit = |reference: &String| is_commit(reference) && reference != commit;
            git_address(url) == git_address(locked) && !reference.as_ref().is_some_and(other_commit)
        }
        (FacetSource::Local(path), LockedFacetSource::Local { path: locked }) => {
            locked.strip_prefix("./").unwrap_or(locked) == path.as_str()
        }
        _ => false,
    }
}

/// A complete commit of git, by SHA-1 or SHA-256.
fn is_commit(reference: &str) -> bool {
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    matches!(reference.len(), 40 | 64) && reference.bytes().all(is_hex)
}

/// `github:owner/repository` is short for an address.
fn git_address(url: &str) -> String {
    match url.strip_prefix("github:") {
        Some(repository) => format!("https://github.com/{repository}.git"),
        None => url.to_owned(),
    }
}

/// What a lock has for a server.
pub(crate) enum ServerStanding<'l> {
    Absent,
    /// What was asked for.
    Satisfied(&'l LockedServer),
    /// What was asked for, but nobody has looked at it yet.
    Uncaptured,
    /// Another server, or another version.
    Differs(&'l LockedServer),
    /// Another declaration that nobody has looked at.
    DiffersUncaptured,
    /// An entry that this facet does not start.
    Other,
    Broken(&'l LockError),
}

pub(crate) fn server_standing<'l>(
    lock: &'l Lock,
    name: &str,
    server: &WantedServer,
) -> ServerStanding<'l> {
    match lock.servers().get(name) {
        None => ServerStanding::Absent,
        Some(LockedEntry::Other) => ServerStanding::Other,
        Some(LockedEntry::Broken(error)) => ServerStanding::Broken(error),
        Some(LockedEntry::Uncaptured(locked)) if is_uncaptured_as(name, locked, &server.what) => {
            ServerStanding::Uncaptured
        }
        Some(LockedEntry::Uncaptured(_)) => ServerStanding::DiffersUncaptured,
        Some(LockedEntry::Server(locked)) => {
            if satisfies(locked, server) && values_are_recorded(lock, server) {
                ServerStanding::Satisfied(locked)
            } else {
                ServerStanding::Differs(locked)
            }
        }
    }
}

fn satisfies(locked: &LockedServer, server: &WantedServer) -> bool {
    let admitted = match (&server.what, locked.pin.artifact()) {
        (WantedWhat::Registry { floor, .. }, Some(pin)) => floor.admits(&pin.version),
        _ => true,
    };
    admitted && is_same_server(locked, &server.what)
}

/// Whether a pinned server is what is wanted, in any version.
pub(crate) fn is_same_server(locked: &LockedServer, what: &WantedWhat) -> bool {
    match what {
        WantedWhat::Registry { artifact, .. } => {
            let name = locked.pin.artifact().map(|pin| &pin.name);
            name == Some(artifact) && registry_of(locked).is_some()
        }
        WantedWhat::Inline { origin, .. } | WantedWhat::Local(origin) => {
            locked.origin.is_declared_as(origin)
        }
        WantedWhat::Image(_) => false,
    }
}

/// The registry that a pinned server comes from.
pub(crate) fn registry_of(locked: &LockedServer) -> Option<&HttpUrl> {
    let Origin::SourceMode(artifact) = &locked.origin else { return None };
    match &artifact.source {
        ArtifactSource::Registry { url } => Some(url),
        ArtifactSource::Local { .. } => None,
    }
}

fn is_uncaptured_as(name: &str, locked: &UncapturedServer, what: &WantedWhat) -> bool {
    match (what, &locked.declared) {
        (WantedWhat::Inline { declared, .. }, locked) => declared == locked,
        (WantedWhat::Image(image), DeclaredServer::Image(locked)) => image == locked,
        (
            WantedWhat::Registry { artifact, floor },
            DeclaredServer::Floor { artifact: locked, floor: locked_floor },
        ) => {
            // The name of the entry, where it says no other.
            let locked = locked.as_ref().map_or(name, ArtifactName::as_str);
            floor == locked_floor && locked == artifact.as_str()
        }
        _ => false,
    }
}

/// A pinned server has the names of its variables, not their values. Values that a facet gives decide what
/// it does, so they have to be those of a facet in the lock.
fn values_are_recorded(lock: &Lock, server: &WantedServer) -> bool {
    let WantedWhat::Inline { declared, .. } = &server.what else { return true };
    let DeclaredServer::Origin { values, .. } = declared else { return true };
    let is_recorded = |by: &Requirer| match by {
        Requirer::Project { .. } => true,
        Requirer::Facet { facet, authored } => {
            let facet = lock.facet(facet.as_str());
            facet.and_then(|facet| facet.servers.get(authored)) == Some(declared)
        }
    };
    values.is_empty() || server.by.iter().any(is_recorded)
}
