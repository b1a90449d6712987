//! `facet publish`: an artifact is shown, uploaded, and compared with what the registry says about it.

use std::io::Seek as _;
use std::path::{Path, PathBuf};

use facets_archive::ArchiveError;
use facets_digest::Digest;
use facets_fetch::FetchProgress;
use facets_registry_client::{
    ArchiveUpload, Publication, PublicationOutcome, RegistryClient, RegistryClientError,
    WantedVersion,
};
pub use facets_registry_client::{NoPublishProgress, ProbeWait, PublishProgress, VersionDocument};

pub use crate::publish_page::{PublishPage, ShownSurface};

use crate::building::ArtifactKind;
use crate::consent::Consent;
use crate::error::{OpsError, PublishError, SAME_WITH_YES, ServerError};
use crate::manifest_check::BuildCheckReport;
use crate::outside_servers::refuse_inside_server;
use crate::publish_archive::{ArchiveOutcome, PublishArchive, archive_to_publish};
use crate::publish_look::look_as_registry;
use crate::published_kind::published_kind;
use crate::registry_choice::RegistryChoice;
use crate::source_artifact::unwritable_temporary;

/// Whether something is uploaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishMode {
    /// It is.
    Upload,
    /// It is only shown.
    DryRun,
}

/// What to publish, and where.
#[derive(Debug)]
pub struct PublishRequest {
    /// A directory with a manifest, or an archive.
    pub path: PathBuf,
    /// The registry; none is that of the environment.
    pub registry: Option<String>,
    /// Whether it is uploaded.
    pub mode: PublishMode,
}

/// Who sees how far it has come.
pub struct PublishWatch<'w> {
    /// While packages of a server are fetched.
    pub build: &'w dyn FetchProgress,
    /// Called when nothing more is fetched, and before a question.
    pub on_built: &'w dyn Fn(),
    /// While it is uploaded.
    pub upload: &'w dyn PublishProgress,
}

/// What came of it.
#[derive(Debug)]
pub enum PublishOutcome {
    /// The directory has problems; nothing was uploaded.
    Refused(BuildCheckReport),
    /// The archive breaks a rule, or the facet is private; nothing was uploaded.
    Rejected(Box<OpsError>),
    /// It was shown, and nothing was uploaded.
    Shown(Box<PublishPage>),
    /// The registry has it.
    Published(Box<PublishReport>),
}

/// A version that the registry has.
#[derive(Debug)]
pub struct PublishReport {
    /// What was published.
    pub page: PublishPage,
    /// The registry.
    pub registry: String,
    /// Its address there.
    pub url: String,
    /// Whether it is new.
    pub status: PublishStatus,
    /// What the registry says about it.
    pub document: VersionDocument,
    /// Hashes that are not the same here and there.
    pub differences: Vec<HashDifference>,
}

/// Whether a version is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishStatus {
    /// It was published now.
    Published,
    /// The same content was published before.
    Unchanged,
}

/// A hash that is not the same here and there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashDifference {
    /// Which one, as it is called in JSON.
    pub what: &'static str,
    /// What was computed here.
    pub own: Digest,
    /// What the registry says.
    pub registry: Digest,
}

/// Builds or reads an artifact, shows it, uploads it if the answer is yes, and compares every hash.
pub fn publish(
    request: &PublishRequest,
    consent: &dyn Consent,
    watch: &PublishWatch<'_>,
) -> Result<PublishOutcome, OpsError> {
    let destination = Destination::of(request)?;
    let outcome = archive_to_publish(&request.path, watch.build);
    (watch.on_built)();
    let mut archive = match outcome {
        Ok(ArchiveOutcome::Ready(archive)) => *archive,
        Ok(ArchiveOutcome::Refused(report)) => return Ok(PublishOutcome::Refused(report)),
        Err(error) if is_rejection(&error) => {
            return Ok(PublishOutcome::Rejected(Box::new(error)));
        }
        Err(error) => return Err(error),
    };
    let surface = look(&request.path, &mut archive, consent)?;
    let mut page = PublishPage::of(&mut archive, surface);
    destination.show_on(&mut page)?;
    let Destination::Registry(client) = destination else {
        return Ok(PublishOutcome::Shown(Box::new(page)));
    };
    let next = SAME_WITH_YES.to_owned();
    consent.may_publish(&page).or_refuse("nothing was published", next)?;
    let publication = upload(&client, archive, watch.upload)?;
    let report = PublishReport::of(&client, page, publication)?;
    Ok(PublishOutcome::Published(Box::new(report)))
}

/// Whether an error is about the artifact itself. spec 14.2: that is a verdict, not a failure to judge
fn is_rejection(error: &OpsError) -> bool {
    match error {
        OpsError::Publish(PublishError::Private { .. }) => true,
        OpsError::ArchiveFile { source, .. } => {
            !matches!(**source, ArchiveError::Unreadable { .. } | ArchiveError::Unwritable { .. })
        }
        _ => false,
    }
}

/// Where it goes.
enum Destination {
    /// A registry, with a token for it.
    Registry(Box<RegistryClient>),
    /// Nowhere; this is the registry that would be asked.
    Nowhere(Option<RegistryChoice>),
}

impl Destination {
    /// Before anything is built: what is missing is found at once.
    fn of(request: &PublishRequest) -> Result<Self, OpsError> {
        let typed = request.registry.as_deref();
        if request.mode == PublishMode::DryRun {
            return Ok(Self::Nowhere(RegistryChoice::find(typed)?));
        }
        refuse_inside_server()?;
        let choice = RegistryChoice::require(typed)?;
        let client = choice.client(&choice.require_token()?.token)?;
        Ok(Self::Registry(Box::new(client)))
    }

    /// Writes it on the page.
    fn show_on(&self, page: &mut PublishPage) -> Result<(), OpsError> {
        let address = match self {
            Self::Registry(client) => Some(client.address()),
            Self::Nowhere(choice) => choice.as_ref().map(|choice| &choice.address),
        };
        let Some(address) = address else { return Ok(()) };
        let kind = published_kind(page.kind);
        page.registry = Some(address.to_string());
        page.url = Some(address.version_url(kind, &page.name, &page.version)?);
        Ok(())
    }
}

/// What a server declares, if it is one.
fn look(
    path: &Path,
    archive: &mut PublishArchive,
    consent: &dyn Consent,
) -> Result<Option<ShownSurface>, OpsError> {
    if archive.kind == ArtifactKind::Facet {
        return Ok(None);
    }
    // Without an answer in the end, nothing begins.
    if !consent.can_answer() {
        let (undone, next) = ("the server was not started", SAME_WITH_YES.to_owned());
        return Err(ServerError::Unanswered { undone, next, asked: false }.into());
    }
    let surface = look_as_registry(path, &mut archive.file, consent)?;
    Ok(Some(ShownSurface { hashes: surface.hashes(), surface }))
}

impl PublishPage {
    /// Takes over what is shown of an archive.
    fn of(archive: &mut PublishArchive, surface: Option<ShownSurface>) -> Self {
        Self {
            kind: archive.kind,
            name: archive.name.clone(),
            version: archive.version.clone(),
            integrity: archive.index.integrity,
            content_hash: archive.index.content_hash,
            size: archive.index.size,
            files: std::mem::take(&mut archive.index.files),
            left_out: std::mem::take(&mut archive.left_out),
            bundle: archive.bundle.take(),
            surface,
            warnings: std::mem::take(&mut archive.warnings),
            registry: None,
            url: None,
        }
    }
}

/// Uploads it. A version with other content is named with both integrities.
fn upload(
    client: &RegistryClient,
    mut archive: PublishArchive,
    progress: &dyn PublishProgress,
) -> Result<Publication, OpsError> {
    archive.file.rewind().map_err(unwritable_temporary)?;
    let mut upload = ArchiveUpload {
        kind: published_kind(archive.kind),
        name: &archive.name,
        version: &archive.version,
        size: archive.index.size,
        content: &mut archive.file,
    };
    let published = client.publish(&mut upload, progress);
    published.map_err(|error| explained(client, &archive, error))
}

/// The same error, with what is published instead where that is why.
fn explained(
    client: &RegistryClient,
    archive: &PublishArchive,
    error: RegistryClientError,
) -> OpsError {
    let PublishArchive { kind, name, version, index, .. } = archive;
    let wanted = WantedVersion::Exact(version.clone());
    let is_conflict = error.is_conflict();
    match is_conflict.then(|| client.version(published_kind(*kind), name, &wanted)) {
        Some(Ok(document)) if document.integrity != index.integrity => {
            PublishError::VersionExists {
                what: format!("{name} {version}"),
                registry: client.address().to_string(),
                published: document.integrity,
                own: index.integrity,
            }
            .into()
        }
        _ => error.into(),
    }
}

impl PublishReport {
    fn of(
        client: &RegistryClient,
        page: PublishPage,
        publication: Publication,
    ) -> Result<Self, OpsError> {
        let Publication { document, outcome } = publication;
        let status = match outcome {
            PublicationOutcome::New => PublishStatus::Published,
            PublicationOutcome::Before => PublishStatus::Unchanged,
        };
        let kind = published_kind(page.kind);
        let url = client.address().version_url(kind, &page.name, &page.version)?;
        let differences = differences(&page, &document, status);
        let registry = client.address().to_string();
        Ok(Self { page, registry, url, status, document, differences })
    }
}

/// Every hash that is not the same here and there.
fn differences(
    page: &PublishPage,
    document: &VersionDocument,
    status: PublishStatus,
) -> Vec<HashDifference> {
    let mut pairs = vec![("integrity", page.integrity, document.integrity)];
    // spec 9.2: of the same content, the archive that was published first stays
    if status == PublishStatus::Published {
        pairs.push(("content_hash", page.content_hash, document.content_hash));
    }
    if let (Some(own), Some(there)) = (&page.surface, &document.server) {
        pairs.extend([
            ("api_surface", own.hashes.api_surface, there.api_surface),
            ("surface", own.hashes.surface, there.surface),
            ("behavior", own.hashes.behavior.digest, there.behavior),
        ]);
    }
    let differing = pairs.into_iter().filter(|(_, own, registry)| own != registry);
    differing.map(|(what, own, registry)| HashDifference { what, own, registry }).collect()
}

#[cfg(test)]
mod tests {
    use facets_registry_client::PublishedKind;

    use super::*;

    fn page() -> PublishPage {
        PublishPage {
            kind: ArtifactKind::Facet,
            name: "demo".parse().unwrap(),
            version: "1.0.0".parse().unwrap(),
            integrity: Digest::of(b"integrity"),
            content_hash: Digest::of(b"content"),
            size: 1,
            files: Vec::new(),
            left_out: Vec::new(),
            bundle: None,
            surface: None,
            warnings: Vec::new(),
            registry: None,
            url: None,
        }
    }

    fn document(content: &[u8], integrity: &[u8]) -> VersionDocument {
        VersionDocument {
            kind: PublishedKind::Facet,
            name: "demo".parse().unwrap(),
            version: "1.0.0".parse().unwrap(),
            content_hash: Digest::of(content),
            integrity: Digest::of(integrity),
            size: None,
            owner: None,
            published_at: None,
            yanked: None,
            server: None,
        }
    }

    fn differing(document: &VersionDocument, status: PublishStatus) -> Vec<&'static str> {
        differences(&page(), document, status).iter().map(|one| one.what).collect()
    }

    #[test]
    fn every_hash_that_differs_is_named() {
        let same = document(b"content", b"integrity");
        assert!(differing(&same, PublishStatus::Published).is_empty());
        let other = document(b"x", b"y");
        assert_eq!(differing(&other, PublishStatus::Published), ["integrity", "content_hash"]);
    }

    #[test]
    fn of_the_same_content_the_first_archive_stays() {
        let first = document(b"compressed otherwise", b"integrity");
        assert_eq!(differing(&first, PublishStatus::Published), ["content_hash"]);
        assert!(differing(&first, PublishStatus::Unchanged).is_empty());
    }
}
