//! What a registry is asked.

use std::io::Write;

use facets_digest::Digest;
use facets_digest::json::quoted;
use facets_model::{ArtifactName, Version};
use url::Url;

use crate::address::RegistryAddress;
use crate::document::{AskedVersion, VersionDocument};
use crate::download::download;
use crate::error::RegistryClientError;
use crate::identity::RegistryIdentity;
use crate::limits::RegistryClientLimits;
use crate::lists::{ArtifactPage, ListPosition, PublishedVersion, VersionDifference, VersionPage};
use crate::progress::PublishProgress;
use crate::publication::{Publication, Publishing};
use crate::token::RegistryToken;
use crate::transport::RegistryTransport;
use crate::upload::ArchiveUpload;
use crate::wanted::{PublishedKind, WantedVersion, name_path};

/// A registry, and the token that it knows us by. Every call waits for its answer.
#[derive(Debug)]
pub struct RegistryClient {
    address: RegistryAddress,
    transport: RegistryTransport,
}

impl RegistryClient {
    /// Nothing is sent yet. The token goes to this address alone.
    pub fn new(
        address: RegistryAddress,
        token: Option<&RegistryToken>,
        limits: RegistryClientLimits,
    ) -> Result<Self, RegistryClientError> {
        let transport = RegistryTransport::new(&address, token, limits)?;
        Ok(Self { address, transport })
    }

    /// Where the registry is.
    #[must_use]
    pub fn address(&self) -> &RegistryAddress {
        &self.address
    }

    /// Publishes an archive, and waits until the registry has decided.
    pub fn publish(
        &self,
        upload: &mut ArchiveUpload<'_>,
        progress: &dyn PublishProgress,
    ) -> Result<Publication, RegistryClientError> {
        let (address, transport) = (&self.address, &self.transport);
        Publishing { address, transport, progress }.publish(upload)
    }

    /// The document of a version.
    pub fn version(
        &self,
        kind: PublishedKind,
        name: &ArtifactName,
        wanted: &WantedVersion,
    ) -> Result<VersionDocument, RegistryClientError> {
        let path = format!("{}/{}", name_path(kind, name), wanted.segment());
        let url = self.address.join(&path)?;
        let body = self.transport.document(&url, self.transport.limits.document)?;
        VersionDocument::parse(&url, &body, &AskedVersion { kind, name, wanted })
    }

    /// The versions of a name, the newest first.
    pub fn versions(
        &self,
        kind: PublishedKind,
        name: &ArtifactName,
        position: &ListPosition,
    ) -> Result<VersionPage, RegistryClientError> {
        let mut url = self.address.join(&format!("{}/versions", name_path(kind, name)))?;
        position.write_to(&mut url);
        let body = self.transport.document(&url, self.transport.limits.document)?;
        VersionPage::parse(&url, &body)
    }

    /// Writes the archive of a version, which has the stated content hash. What was written before an error
    /// is worth nothing.
    pub fn archive(
        &self,
        document: &VersionDocument,
        limit: u64,
        to: &mut dyn Write,
    ) -> Result<u64, RegistryClientError> {
        let url =
            self.below_version(document.kind, &document.name, &document.version, "archive")?;
        download(&self.transport, &url, document, (limit, to))
    }

    /// The surface file of a server. Nothing is compared: [`Self::verified_surface`] does that.
    pub fn surface(
        &self,
        name: &ArtifactName,
        version: &Version,
    ) -> Result<Vec<u8>, RegistryClientError> {
        let url = self.below_version(PublishedKind::Server, name, version, "surface")?;
        self.transport.document(&url, self.transport.limits.surface)
    }

    /// The surface file of a version, which has the digest that the document states.
    pub fn verified_surface(
        &self,
        document: &VersionDocument,
    ) -> Result<Vec<u8>, RegistryClientError> {
        let bytes = self.surface(&document.name, &document.version)?;
        let stated = document.server.as_ref().and_then(|server| server.surface_file);
        let what = || format!("surface file of {} {}", document.name, document.version);
        let Some(expected) = stated else {
            let problem = format!("no digest is stated for the {}", what());
            return Err(RegistryClientError::Answer { url: self.address.to_string(), problem });
        };
        let actual = Digest::of(&bytes);
        if actual != expected {
            return Err(RegistryClientError::Mismatch { what: what(), expected, actual });
        }
        Ok(bytes)
    }

    /// The contracts of the tools of a server, as the JSON that the registry sent. Nothing of it is verified: the
    /// surface file has all of it.
    pub fn contract(
        &self,
        name: &ArtifactName,
        version: &Version,
    ) -> Result<Vec<u8>, RegistryClientError> {
        let url = self.below_version(PublishedKind::Server, name, version, "contract")?;
        self.transport.document(&url, self.transport.limits.surface)
    }

    /// All versions of a name, the newest first, page by page. More than `most` are an error.
    pub fn all_versions(
        &self,
        kind: PublishedKind,
        name: &ArtifactName,
        most: usize,
    ) -> Result<Vec<PublishedVersion>, RegistryClientError> {
        let mut all = Vec::new();
        let mut position = ListPosition { cursor: None, limit: Some(100) };
        loop {
            let page = self.versions(kind, name, &position)?;
            // A page without items could have a next one for ever.
            let is_last = page.next.is_none() || page.items.is_empty();
            all.extend(page.items);
            if all.len() > most {
                let problem = format!("{name} has more than {most} versions");
                return Err(RegistryClientError::Answer { url: self.address.to_string(), problem });
            }
            if is_last {
                return Ok(all);
            }
            position.cursor = page.next;
        }
    }

    /// What changed between two versions.
    pub fn diff(
        &self,
        kind: PublishedKind,
        name: &ArtifactName,
        (from, to): (&Version, &Version),
    ) -> Result<VersionDifference, RegistryClientError> {
        let mut url = self.below_version(kind, name, to, "diff")?;
        url.query_pairs_mut().append_pair("from", &from.to_string());
        let body = self.transport.document(&url, self.transport.limits.document)?;
        VersionDifference::parse(&url, &body, (from, to))
    }

    /// The names that a text is found in, or all names if it is empty.
    pub fn search(
        &self,
        kind: PublishedKind,
        query: &str,
        position: &ListPosition,
    ) -> Result<ArtifactPage, RegistryClientError> {
        let mut url = self.address.join(&format!("v0/{}", kind.segment()))?;
        if !query.is_empty() {
            url.query_pairs_mut().append_pair("q", query);
        }
        position.write_to(&mut url);
        let body = self.transport.document(&url, self.transport.limits.document)?;
        ArtifactPage::parse(&url, &body, kind)
    }

    /// Takes a version back: it stays, and is no longer chosen.
    pub fn yank(
        &self,
        kind: PublishedKind,
        name: &ArtifactName,
        version: &Version,
        reason: &str,
    ) -> Result<VersionDocument, RegistryClientError> {
        let url = self.below_version(kind, name, version, "yank")?;
        let reply = self.transport.post(&url, &format!("{{\"reason\":{}}}", quoted(reason)))?;
        let body = self.transport.body(reply, self.transport.limits.document)?;
        read_exact(&url, &body, (kind, name, version))
    }

    /// The opposite.
    pub fn unyank(
        &self,
        kind: PublishedKind,
        name: &ArtifactName,
        version: &Version,
    ) -> Result<VersionDocument, RegistryClientError> {
        let url = self.below_version(kind, name, version, "yank")?;
        let reply = self.transport.delete(&url)?;
        let body = self.transport.body(reply, self.transport.limits.document)?;
        read_exact(&url, &body, (kind, name, version))
    }

    /// Who the token belongs to.
    pub fn whoami(&self) -> Result<RegistryIdentity, RegistryClientError> {
        let url = self.address.join("v0/auth/me")?;
        let body = self.transport.document(&url, self.transport.limits.document)?;
        RegistryIdentity::parse(&url, &body)
    }

    fn below_version(
        &self,
        kind: PublishedKind,
        name: &ArtifactName,
        version: &Version,
        what: &str,
    ) -> Result<Url, RegistryClientError> {
        self.address.join(&format!("{}/{version}/{what}", name_path(kind, name)))
    }
}

fn read_exact(
    url: &Url,
    body: &[u8],
    (kind, name, version): (PublishedKind, &ArtifactName, &Version),
) -> Result<VersionDocument, RegistryClientError> {
    let wanted = WantedVersion::Exact(version.clone());
    VersionDocument::parse(url, body, &AskedVersion { kind, name, wanted: &wanted })
}
