//! From where bytes are acquired, and what is remembered of that.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use facets_lock::{Lock, LockedFacetEntry, LockedFacetSource};
use facets_model::{ArtifactName, ArtifactSource, HttpUrl, Origin, Version};
use facets_project::{Seen, SeenVersion, UserDirectory};
use facets_registry_client::{PublishedKind, RegistryClientLimits};
use facets_store::Store;

use super::archives::ArchiveStore;
use super::git_program::GitLimits;
use super::origins::RegistryOrigins;
use super::progress::InstallProgress;
use crate::error::{AcquireError, OpsError};
use crate::install_report::YankedVersion;
use crate::registry_choice::{RegistryChoice, registry_limits};
use crate::stored_artifact::open_store;

/// For what, and from where, bytes are acquired.
pub(crate) struct AcquireRequest<'a> {
    /// The directory of the project.
    pub(crate) project: &'a Path,
    /// Its lock, which says where things came from.
    pub(crate) lock: &'a Lock,
    /// The registry that was typed.
    pub(crate) registry: Option<&'a str>,
    /// Whether the configured registry may replace a locked one.
    pub(crate) accepts_other_registry: bool,
    /// Whether nothing but the lock and the store is used.
    pub(crate) is_offline: bool,
    /// Where this user keeps things, for what was seen of registries.
    pub(crate) user: UserDirectory,
    pub(crate) progress: &'a dyn InstallProgress,
}

/// Acquires bytes, and remembers what registries answered when everything has succeeded.
pub(crate) struct Acquirer<'a> {
    pub(super) project: &'a Path,
    pub(super) lock: &'a Lock,
    pub(super) is_offline: bool,
    pub(super) user: UserDirectory,
    pub(super) progress: &'a dyn InstallProgress,
    pub(super) store: Store,
    pub(super) origins: RegistryOrigins,
    pub(super) git_limits: GitLimits,
    pub(super) sightings: Mutex<Vec<Sighting>>,
    /// Versions that a registry answered with, and that were taken back.
    pub(super) yanked: Mutex<BTreeSet<YankedVersion>>,
}

/// A version that was seen.
pub(super) struct Sighting {
    pub(super) registry: String,
    pub(super) kind: PublishedKind,
    pub(super) name: ArtifactName,
    pub(super) version: Version,
    pub(super) hashes: SeenVersion,
}

impl<'a> Acquirer<'a> {
    /// With the store of this user. Nothing is asked yet.
    pub(crate) fn new(request: AcquireRequest<'a>) -> Result<Self, OpsError> {
        Self::with(request, open_store()?, registry_limits()?)
    }

    pub(super) fn with(
        request: AcquireRequest<'a>,
        store: Store,
        limits: RegistryClientLimits,
    ) -> Result<Self, OpsError> {
        let AcquireRequest { project, lock, is_offline, user, progress, .. } = request;
        let configured = RegistryChoice::find(request.registry)?;
        let accepts_other = request.accepts_other_registry;
        let origins = RegistryOrigins::new(configured, accepts_other, only_registry(lock), limits);
        let (git_limits, sightings) = (GitLimits::default(), Mutex::default());
        Ok(Self {
            project,
            lock,
            is_offline,
            user,
            progress,
            store,
            origins,
            git_limits,
            sightings,
            yanked: Mutex::default(),
        })
    }

    /// Writes down which versions were seen. To be called when the whole command has succeeded: what was refused
    /// or undone must not stand in the way of the next one.
    pub(crate) fn remember(&self) -> Result<(), OpsError> {
        let mut sightings = self.sightings.lock().unwrap_or_else(PoisonError::into_inner);
        for one in sightings.drain(..) {
            let Sighting { registry, kind, name, version, hashes } = one;
            let seen = Seen::of(&self.user, &registry);
            // Another process has seen something else since it was compared.
            if !seen.remember(kind.word(), name.as_str(), &version, &hashes)? {
                let subject = format!("{} {name} {version}", kind.word());
                self.progress.note(&format!("{registry} has other content for {subject} by now"));
            }
        }
        Ok(())
    }

    /// What a registry answered with though it was taken back.
    pub(crate) fn yanked(&self) -> BTreeSet<YankedVersion> {
        self.yanked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn archives(&self) -> ArchiveStore<'_> {
        let (store, progress, is_offline) = (&self.store, self.progress, self.is_offline);
        ArchiveStore { store, progress, is_offline }
    }

    /// Nothing is fetched offline.
    pub(super) fn require_network(&self, subject: &str) -> Result<(), OpsError> {
        if self.is_offline {
            return Err(AcquireError::Offline { missing: vec![subject.to_owned()] }.into());
        }
        Ok(())
    }
}

/// The registry that everything in a lock came from, if it was one.
fn only_registry(lock: &Lock) -> Option<HttpUrl> {
    let of_facet = |entry: &LockedFacetEntry| match entry {
        LockedFacetEntry::Facet(facet) => match &facet.source {
            LockedFacetSource::Registry { url } => Some(url.clone()),
            LockedFacetSource::Git { .. } | LockedFacetSource::Local { .. } => None,
        },
        LockedFacetEntry::Broken(_) => None,
    };
    let facets = lock.facets().values().filter_map(of_facet);
    let servers = lock.servers().keys().filter_map(|name| registry_of_server(lock, name));
    let mut all: BTreeSet<HttpUrl> = facets.chain(servers.cloned()).collect();
    all.pop_first().filter(|_| all.is_empty())
}

/// The registry that the lock pins for a server.
pub(super) fn registry_of_server<'l>(lock: &'l Lock, name: &str) -> Option<&'l HttpUrl> {
    match &lock.server(name)?.origin {
        Origin::SourceMode(origin) => match &origin.source {
            ArtifactSource::Registry { url } => Some(url),
            ArtifactSource::Local { .. } => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use facets_digest::Digest;
    use facets_lock::{AcceptedFindings, LockedFacet};

    use super::*;

    fn with_facet(lock: &Lock, name: &str, source: LockedFacetSource) -> Lock {
        let facet = LockedFacet {
            source,
            version: "1.0.0".parse().unwrap(),
            integrity: Digest::of(b""),
            content_hash: None,
            assets: Vec::new(),
            servers: BTreeMap::new(),
            accepted: AcceptedFindings::default(),
        };
        lock.with_facet(name, &facet).unwrap()
    }

    #[test]
    fn new_names_come_from_the_registry_of_the_lock_if_that_is_one() {
        let of = |url: &str| LockedFacetSource::Registry { url: url.parse().unwrap() };
        let (one, two) = ("https://one.example", "https://two.example");
        let mut lock = Lock::empty();
        assert_eq!(only_registry(&lock), None);
        lock = with_facet(&lock, "local", LockedFacetSource::Local { path: "./a".to_owned() });
        assert_eq!(only_registry(&lock), None);
        lock = with_facet(&lock, "first", of(one));
        lock = with_facet(&lock, "second", of(one));
        assert_eq!(only_registry(&lock), Some(one.parse().unwrap()));
        lock = with_facet(&lock, "third", of(two));
        assert_eq!(only_registry(&lock), None);
    }
}
