//! Facets: of a registry, a git repository or a directory.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use facets_archive::{ArchiveError, ArchiveLimits, FacetArchive, read_facet_files};
use facets_lock::{LockedFacet, LockedFacetSource};
use facets_model::manifest::FacetSource;
use facets_model::{ArtifactName, ArtifactPath, HttpUrl};
use facets_plan::{FacetQuery, ResolvedFacet};
use facets_registry_client::{PublishedKind, WantedVersion};

use super::acquirer::Acquirer;
use super::archives::{ArchiveReader, PublishedArchive};
use super::built::{build_archive, path_in_project, project_folder};
use super::comparing::{ArchiveFacts, ExpectedFacts, LockedBytes};
use super::freshness::wanted_version;
use super::git_repository::{GitPoint, GitRepository, clone_address, shown_address};
use super::parallel::acquire_all;
use super::registry_ask::RegistryAsk;
use crate::error::{AcquireError, InstallCheck, OpsError};
use crate::source_artifact::unwritable_temporary;

/// spec 4.5, and the limit of registries for the files of a facet: they are in memory.
const BUILT: ArchiveLimits = ArchiveLimits { total: 256 << 20, ..ArchiveLimits::SPEC };

/// The same of a registry, which takes archives of up to 5 MiB.
const PUBLISHED: ArchiveLimits = ArchiveLimits { compressed: 5 << 20, ..BUILT };

/// A facet whose bytes were verified.
#[derive(Debug)]
pub(crate) struct AcquiredFacet {
    /// What it is, for the planner.
    pub(crate) resolved: ResolvedFacet,
    /// The bytes of its files, by their paths in the archive.
    pub(crate) contents: BTreeMap<ArtifactPath, Vec<u8>>,
}

/// A facet that was read, and the bytes of its files.
type ReadFacet = (FacetArchive, BTreeMap<ArtifactPath, Vec<u8>>);

/// Which facet, and which of the items that are acquired it is.
struct FacetItem<'f> {
    number: usize,
    name: &'f ArtifactName,
    locked: Option<LockedBytes>,
}

impl FacetItem<'_> {
    /// Kind and name, and the version if it is locked.
    fn subject(&self) -> String {
        match &self.locked {
            Some(locked) => format!("facet {} {}", self.name, locked.version),
            None => format!("facet {}", self.name),
        }
    }

    /// What the lock, or what was typed, says about its bytes.
    fn expected<'e>(&'e self, check: InstallCheck, subject: &'e str) -> ExpectedFacts<'e> {
        ExpectedFacts {
            check,
            subject,
            name: self.name,
            version: self.locked.as_ref().map(|locked| locked.version.to_string()),
            integrity: self.locked.as_ref().map(|locked| locked.integrity),
        }
    }
}

impl Acquirer<'_> {
    /// Facets, several at once: what is locked from the store if it is there, else from where it is locked to
    /// come from; the rest from what its source has now.
    pub(crate) fn facets(
        &self,
        queries: &BTreeMap<ArtifactName, FacetQuery>,
    ) -> Result<BTreeMap<ArtifactName, AcquiredFacet>, OpsError> {
        let items: Vec<(&ArtifactName, &FacetQuery)> = queries.iter().collect();
        let shown: Vec<String> = items.iter().map(|(name, _)| format!("facet {name}")).collect();
        self.progress.begin(&shown);
        let all = acquire_all(&items, self.progress, |number, (name, query)| match query {
            FacetQuery::Locked(facet) => self.locked_facet(number, name, facet),
            FacetQuery::Resolve { source, registry } => {
                let item = FacetItem { number, name, locked: None };
                self.new_facet(&item, source, registry.as_ref())
            }
        })?;
        Ok(queries.keys().cloned().zip(all).collect())
    }

    fn locked_facet(
        &self,
        number: usize,
        name: &ArtifactName,
        facet: &LockedFacet,
    ) -> Result<AcquiredFacet, OpsError> {
        let version = facet.version.to_string();
        let internal = |_| OpsError::Internal { subject: format!("the version {version}") };
        let locked = LockedBytes {
            version: version.parse().map_err(internal)?,
            integrity: facet.integrity,
            content_hash: facet.content_hash,
        };
        let wanted = WantedVersion::Exact(locked.version.clone());
        let item = FacetItem { number, name, locked: Some(locked) };
        match &facet.source {
            LockedFacetSource::Registry { url } => self.registry_facet(&item, &wanted, Some(url)),
            LockedFacetSource::Git { url, commit } => {
                self.git_facet(&item, url, GitPoint::Commit(commit))
            }
            LockedFacetSource::Local { path } => {
                self.local_facet(&item, &path_in_project(path, &item.subject())?)
            }
        }
    }

    fn new_facet(
        &self,
        item: &FacetItem<'_>,
        source: &FacetSource,
        pinned: Option<&HttpUrl>,
    ) -> Result<AcquiredFacet, OpsError> {
        match source {
            FacetSource::Registry(spec) => {
                self.registry_facet(item, &wanted_version(spec)?, pinned)
            }
            FacetSource::Git { url, reference } => {
                let point = reference.as_deref().map_or(GitPoint::Head, GitPoint::Reference);
                self.git_facet(item, url, point)
            }
            FacetSource::Local(path) => self.local_facet(item, path),
        }
    }

    fn registry_facet(
        &self,
        item: &FacetItem<'_>,
        wanted: &WantedVersion,
        pinned: Option<&HttpUrl>,
    ) -> Result<AcquiredFacet, OpsError> {
        let (kind, locked) = (PublishedKind::Facet, item.locked.as_ref());
        let ask = RegistryAsk { kind, name: item.name, wanted, locked, pinned, near: None };
        let source = LockedFacetSource::Registry { url: self.registry_for(&ask)? };
        if let Some(stored) = self.stored_facet(item, &PUBLISHED)? {
            return Ok(acquired(source, stored));
        }
        self.require_network(&format!("{} {wanted}", ask.subject()))?;
        let answer = self.ask(&ask)?;
        let document = &answer.document;
        let subject = format!("{} {}", ask.subject(), document.version);
        let expected = ExpectedFacts {
            check: InstallCheck::Content,
            subject: &subject,
            name: item.name,
            version: Some(document.version.to_string()),
            integrity: Some(document.integrity),
        };
        let reader = ArchiveReader {
            subject: &subject,
            read: &|bytes| read_facet_bytes(bytes, &PUBLISHED),
            compare: &|read, source_of| expected.compare(&facts_of(read), source_of),
        };
        let (client, number) = (&*answer.client, item.number);
        let published = PublishedArchive { client, document, limit: PUBLISHED.compressed, number };
        let read = self.archives().fetched(&published, &reader)?;
        self.saw(&answer);
        Ok(acquired(source, read))
    }

    /// What is locked, if the store has it.
    fn stored_facet(
        &self,
        item: &FacetItem<'_>,
        limits: &ArchiveLimits,
    ) -> Result<Option<ReadFacet>, OpsError> {
        let Some(hash) = item.locked.as_ref().and_then(|locked| locked.content_hash) else {
            return Ok(None);
        };
        let subject = item.subject();
        let expected = item.expected(InstallCheck::Lockfile, &subject);
        let reader = ArchiveReader {
            subject: &subject,
            read: &|bytes| read_facet_bytes(bytes, limits),
            compare: &|read, source_of| expected.compare(&facts_of(read), source_of),
        };
        self.archives().stored(&hash, &reader)
    }

    fn git_facet(
        &self,
        item: &FacetItem<'_>,
        url: &str,
        point: GitPoint<'_>,
    ) -> Result<AcquiredFacet, OpsError> {
        let address = clone_address(url);
        let source = |commit: String| LockedFacetSource::Git { url: address.clone(), commit };
        if let (GitPoint::Commit(commit), Some(stored)) = (point, self.stored_facet(item, &BUILT)?)
        {
            return Ok(acquired(source(commit.to_owned()), stored));
        }
        let subject = item.subject();
        self.require_network(&subject)?;
        let shown = shown_address(&address);
        let failed = |reason: String| AcquireError::Git {
            subject: subject.clone(),
            url: shown.clone(),
            reason: reason.replace(address.as_str(), &shown),
        };
        let repository =
            GitRepository::fetch(&address, point, &self.git_limits).map_err(&failed)?;
        let folder = tempfile::tempdir().map_err(unwritable_temporary)?;
        repository.write_facet(folder.path()).map_err(&failed)?;
        let place = format!("{shown}#{}", repository.commit);
        let archive = build_archive(folder.path(), &subject, &place)?;
        let read = built(item, InstallCheck::Git, &archive, &place)?;
        // So that the next install, and one without a network, finds it.
        self.store.put_file(&read.0.index.content_hash, archive.as_slice())?;
        Ok(acquired(source(repository.commit), read))
    }

    /// A directory of the project, built anew each time.
    fn local_facet(
        &self,
        item: &FacetItem<'_>,
        path: &ArtifactPath,
    ) -> Result<AcquiredFacet, OpsError> {
        let subject = item.subject();
        let folder = project_folder(self.project, path, &subject)?;
        let place = format!("./{path}");
        let archive = build_archive(&folder, &subject, &place)?;
        let read = built(item, InstallCheck::Lockfile, &archive, &place)?;
        Ok(acquired(LockedFacetSource::Local { path: place }, read))
    }
}

/// An archive that was built here, compared with what the lock has for it.
fn built(
    item: &FacetItem<'_>,
    check: InstallCheck,
    archive: &[u8],
    place: &str,
) -> Result<ReadFacet, OpsError> {
    let subject = item.subject();
    // Without a lock entry only the name can be another one.
    let check = if item.locked.is_some() { check } else { InstallCheck::Content };
    let expected = item.expected(check, &subject);
    let reader = ArchiveReader {
        subject: &subject,
        read: &|bytes| read_facet_bytes(bytes, &BUILT),
        compare: &|read, source_of| expected.compare(&facts_of(read), source_of),
    };
    reader.read(&mut Cursor::new(archive), place)
}

/// Reads a facet with all its files, up to the limits.
fn read_facet_bytes(
    bytes: &mut dyn Read,
    limits: &ArchiveLimits,
) -> Result<ReadFacet, ArchiveError> {
    let mut held = Vec::new();
    // One byte more than is allowed is enough to see that there are too many.
    let all = bytes.take(limits.compressed.saturating_add(1)).read_to_end(&mut held);
    all.map_err(|source| ArchiveError::Unreadable { source })?;
    read_facet_files(&mut Cursor::new(held), limits)
}

fn facts_of((facet, _): &ReadFacet) -> ArchiveFacts<'_> {
    ArchiveFacts {
        name: &facet.manifest.name,
        version: facet.manifest.version.to_string(),
        integrity: facet.index.integrity,
    }
}

fn acquired(source: LockedFacetSource, (facet, contents): ReadFacet) -> AcquiredFacet {
    let FacetArchive { manifest, index, .. } = facet;
    let files = index.files.into_iter().map(|file| (file.path, file.digest));
    let resolved = ResolvedFacet {
        source,
        version: manifest.version.clone(),
        integrity: index.integrity,
        content_hash: Some(index.content_hash),
        files: files.collect(),
        manifest,
    };
    AcquiredFacet { resolved, contents }
}
