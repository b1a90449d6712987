//! Servers of a registry.

use std::collections::BTreeMap;
use std::io::Read;

use facets_archive::{ArchiveLimits, ServerArchive, read_server_archive};
use facets_lock::{ArtifactPin, Pin};
use facets_model::{ArtifactName, HttpUrl};
use facets_registry_client::{PublishedKind, VersionDocument, WantedVersion};

use super::acquirer::{Acquirer, registry_of_server};
use super::archives::{ArchiveReader, PublishedArchive};
use super::comparing::{ArchiveFacts, ExpectedFacts, LockedBytes};
use super::parallel::acquire_all;
use super::registry_ask::RegistryAsk;
use crate::error::{InstallCheck, OpsError};

/// Which version of a server is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServerWish {
    /// The bytes that the lock pins under this name.
    Locked,
    /// What a registry has.
    Resolve {
        /// Its name there.
        artifact: ArtifactName,
        wanted: WantedVersion,
        /// The registry that the lock pins for it.
        pinned: Option<HttpUrl>,
        /// The registry of the facet that needs it, where none is pinned or configured.
        near: Option<HttpUrl>,
    },
}

/// A server whose archive is in the store, under its content hash, and was verified.
pub(crate) struct AcquiredServer {
    /// Where it came from, or is locked to come from.
    pub(crate) registry: HttpUrl,
    /// What it has in it, with both hashes.
    pub(crate) archive: ServerArchive,
    /// What the registry states; none if the store has what is locked, and nobody was asked.
    pub(crate) document: Option<VersionDocument>,
}

impl Acquirer<'_> {
    /// The servers of these effective names, several at once. Their archives are in the store afterwards.
    pub(crate) fn servers(
        &self,
        wanted: &BTreeMap<String, ServerWish>,
    ) -> Result<BTreeMap<String, AcquiredServer>, OpsError> {
        let items: Vec<(&String, &ServerWish)> = wanted.iter().collect();
        let shown: Vec<String> = items.iter().map(|(name, _)| format!("server {name}")).collect();
        self.progress.begin(&shown);
        let all = acquire_all(&items, self.progress, |number, (name, wish)| {
            self.server(number, name, wish)
        })?;
        Ok(wanted.keys().cloned().zip(all).collect())
    }

    fn server(
        &self,
        number: usize,
        name: &str,
        wish: &ServerWish,
    ) -> Result<AcquiredServer, OpsError> {
        match wish {
            ServerWish::Locked => {
                let (pin, pinned) = self.pin_of(name)?;
                let locked = LockedBytes {
                    version: pin.version.clone(),
                    integrity: pin.integrity,
                    content_hash: Some(pin.content_hash),
                };
                let wanted = WantedVersion::Exact(locked.version.clone());
                let ask = RegistryAsk {
                    kind: PublishedKind::Server,
                    name: &pin.name,
                    wanted: &wanted,
                    locked: Some(&locked),
                    pinned: Some(pinned),
                    near: None,
                };
                self.locked_server(number, &ask, &locked)
            }
            ServerWish::Resolve { artifact, wanted, pinned, near } => {
                let ask = RegistryAsk {
                    kind: PublishedKind::Server,
                    name: artifact,
                    wanted,
                    locked: None,
                    pinned: pinned.as_ref(),
                    near: near.as_ref(),
                };
                self.published_server(number, &ask)
            }
        }
    }

    fn pin_of(&self, name: &str) -> Result<(&ArtifactPin, &HttpUrl), OpsError> {
        let pin = match self.lock.server(name).map(|server| &server.pin) {
            Some(Pin::Artifact(pin)) => Some(&**pin),
            _ => None,
        };
        let registry = registry_of_server(self.lock, name);
        let unknown = || OpsError::Internal { subject: format!("the registry of {name:?}") };
        pin.zip(registry).ok_or_else(unknown)
    }

    pub(super) fn locked_server(
        &self,
        number: usize,
        ask: &RegistryAsk<'_>,
        locked: &LockedBytes,
    ) -> Result<AcquiredServer, OpsError> {
        let registry = self.registry_for(ask)?;
        let subject = format!("{} {}", ask.subject(), locked.version);
        let expected = ExpectedFacts {
            check: InstallCheck::Lockfile,
            subject: &subject,
            name: ask.name,
            version: Some(locked.version.to_string()),
            integrity: Some(locked.integrity),
        };
        let compare = |server: &ServerArchive, source_of: &str| {
            expected.compare(&facts_of(server), source_of)
        };
        let reader = ArchiveReader { subject: &subject, read: &read_server, compare: &compare };
        if let Some(hash) = &locked.content_hash
            && let Some(archive) = self.archives().stored(hash, &reader)?
        {
            return Ok(AcquiredServer { registry, archive, document: None });
        }
        self.require_network(&subject)?;
        self.published_server(number, ask)
    }

    fn published_server(
        &self,
        number: usize,
        ask: &RegistryAsk<'_>,
    ) -> Result<AcquiredServer, OpsError> {
        let registry = self.registry_for(ask)?;
        self.require_network(&format!("{} {}", ask.subject(), ask.wanted))?;
        let answer = self.ask(ask)?;
        let document = &answer.document;
        let subject = format!("{} {}", ask.subject(), document.version);
        let expected = ExpectedFacts {
            check: InstallCheck::Content,
            subject: &subject,
            name: ask.name,
            version: Some(document.version.to_string()),
            integrity: Some(document.integrity),
        };
        let compare = |server: &ServerArchive, source_of: &str| {
            expected.compare(&facts_of(server), source_of)
        };
        let reader = ArchiveReader { subject: &subject, read: &read_server, compare: &compare };
        let limit = ArchiveLimits::SPEC.compressed;
        let published = PublishedArchive { client: &answer.client, document, limit, number };
        let archive = self.archives().fetched(&published, &reader)?;
        self.saw(&answer);
        Ok(AcquiredServer { registry, archive, document: Some(answer.document) })
    }
}

fn read_server(bytes: &mut dyn Read) -> Result<ServerArchive, facets_archive::ArchiveError> {
    read_server_archive(bytes, &ArchiveLimits::SPEC)
}

fn facts_of(server: &ServerArchive) -> ArchiveFacts<'_> {
    ArchiveFacts {
        name: &server.manifest.name,
        version: server.manifest.version.to_string(),
        integrity: server.index.integrity,
    }
}
