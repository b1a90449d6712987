//! What a registry states about a version, compared with the lock and with what this user has seen.

use std::sync::{Arc, PoisonError};

use facets_model::{ArtifactName, HttpUrl};
use facets_project::Seen;
use facets_registry_client::{PublishedKind, RegistryClient, VersionDocument, WantedVersion};

use super::acquirer::{Acquirer, Sighting};
use super::comparing::{LockedBytes, require_locked};
use super::freshness::{require_fresh, seen_of};
use crate::error::OpsError;
use crate::install_report::YankedVersion;

/// What a registry is asked for.
pub(super) struct RegistryAsk<'q> {
    pub(super) kind: PublishedKind,
    pub(super) name: &'q ArtifactName,
    pub(super) wanted: &'q WantedVersion,
    /// What the answer has to be, where it is locked.
    pub(super) locked: Option<&'q LockedBytes>,
    /// The registry that the lock pins.
    pub(super) pinned: Option<&'q HttpUrl>,
    /// The registry of whoever needs it, where none is pinned or configured.
    pub(super) near: Option<&'q HttpUrl>,
}

/// What a registry states, and nothing that is known speaks against it.
pub(super) struct RegistryAnswer {
    pub(super) client: Arc<RegistryClient>,
    pub(super) document: VersionDocument,
}

impl RegistryAsk<'_> {
    /// Kind and name, for people.
    pub(super) fn subject(&self) -> String {
        format!("{} {}", self.kind.word(), self.name)
    }
}

impl Acquirer<'_> {
    /// The address of the registry that is asked, also if there is nothing to ask.
    pub(super) fn registry_for(&self, ask: &RegistryAsk<'_>) -> Result<HttpUrl, OpsError> {
        self.origins.address(&ask.subject(), ask.pinned, ask.near)
    }

    /// Asks for the document of a version.
    pub(super) fn ask(&self, ask: &RegistryAsk<'_>) -> Result<RegistryAnswer, OpsError> {
        let client = self.origins.client(&ask.subject(), ask.pinned, ask.near)?;
        let document = client.version(ask.kind, ask.name, ask.wanted)?;
        if let Some(locked) = ask.locked {
            let address = client.address().version_url(ask.kind, ask.name, &document.version)?;
            require_locked(locked, &document, &address)?;
        }
        let seen = Seen::of(&self.user, &client.address().to_string());
        let seen = seen.versions(ask.kind.word(), ask.name.as_str())?;
        require_fresh(&client, &document, ask.wanted, &seen)?;
        if let Some(yank) = &document.yanked {
            let (subject, version) = (ask.subject(), document.version.clone());
            let yanked = YankedVersion { subject, version, reason: yank.reason.clone() };
            self.yanked.lock().unwrap_or_else(PoisonError::into_inner).insert(yanked);
        }
        Ok(RegistryAnswer { client, document })
    }

    /// Keeps in mind that a version was seen: its bytes were verified, or nothing but its document was asked for.
    pub(super) fn saw(&self, answer: &RegistryAnswer) {
        let document = &answer.document;
        let sighting = Sighting {
            registry: answer.client.address().to_string(),
            kind: document.kind,
            name: document.name.clone(),
            version: document.version.clone(),
            hashes: seen_of(document),
        };
        self.sightings.lock().unwrap_or_else(PoisonError::into_inner).push(sighting);
    }
}
