//! Archives on their way into the store: hashed while they are downloaded, read to their end and compared before
//! they are stored.

use std::fs::File;
use std::io::{self, Read, Seek as _, Write};
use std::time::Duration;

use facets_archive::{ArchiveError, ContentError};
use facets_digest::Digest;
use facets_fetch::FetchProgress;
use facets_registry_client::{RegistryClient, RegistryClientError, VersionDocument};
use facets_store::{Store, StoreError};

use super::progress::InstallProgress;
use crate::error::{AcquireError, InstallCheck, InstallError, OpsError};

/// How often a download is begun anew that was cut off.
const RETRIES: u32 = 2;

/// How long another process is waited for that downloads the same: as long as a request may take.
const PATIENCE: Duration = Duration::from_mins(10);

/// Reads an archive to its end, and checks every rule.
pub(super) type ReadsArchive<'r, T> = dyn Fn(&mut dyn Read) -> Result<T, ArchiveError> + 'r;

/// Compares what was read, which came from this address or path, with what is expected.
pub(super) type ComparesArchive<'c, T> = dyn Fn(&T, &str) -> Result<(), OpsError> + 'c;

/// How an archive is read and compared.
pub(super) struct ArchiveReader<'r, T> {
    /// Kind, name and version.
    pub(super) subject: &'r str,
    pub(super) read: &'r ReadsArchive<'r, T>,
    pub(super) compare: &'r ComparesArchive<'r, T>,
}

/// An archive that a registry has.
pub(super) struct PublishedArchive<'p> {
    pub(super) client: &'p RegistryClient,
    pub(super) document: &'p VersionDocument,
    /// The most bytes that are taken.
    pub(super) limit: u64,
    /// Which of the items that are acquired it is.
    pub(super) number: usize,
}

/// The store, and who sees how archives come into it.
#[derive(Clone, Copy)]
pub(super) struct ArchiveStore<'s> {
    pub(super) store: &'s Store,
    pub(super) progress: &'s dyn InstallProgress,
    pub(super) is_offline: bool,
}

impl ArchiveStore<'_> {
    /// An archive that is stored; none if it is not, or was modified there and can be fetched again.
    pub(super) fn stored<T>(
        &self,
        content_hash: &Digest,
        reader: &ArchiveReader<'_, T>,
    ) -> Result<Option<T>, OpsError> {
        let file = match self.store.get_file(content_hash) {
            // It was removed by that.
            Err(error @ StoreError::Tampered { .. }) if !self.is_offline => {
                self.progress.note(&format!("{}: {error}; it is fetched again", reader.subject));
                return Ok(None);
            }
            other => other?,
        };
        let Some(file) = file else { return Ok(None) };
        let place = file.path().display().to_string();
        let read = reader.read(&mut &*file, &place)?;
        file.require_unmodified()?;
        Ok(Some(read))
    }

    /// An archive of a registry, from the store if it is there. One process downloads it, others wait.
    pub(super) fn fetched<T>(
        &self,
        archive: &PublishedArchive<'_>,
        reader: &ArchiveReader<'_, T>,
    ) -> Result<T, OpsError> {
        let content_hash = &archive.document.content_hash;
        if let Some(stored) = self.stored(content_hash, reader)? {
            return Ok(stored);
        }
        let _turn = self.store.fetch_turn(content_hash, PATIENCE)?;
        if let Some(stored) = self.stored(content_hash, reader)? {
            return Ok(stored);
        }
        let address = archive.address()?;
        let mut file = self.download(archive, reader.subject, &address)?;
        let read = reader.read(&mut file, &address)?;
        file.rewind().map_err(|source| self.unwritable(source))?;
        self.store.put_file(content_hash, &file)?;
        Ok(read)
    }

    /// The bytes of an archive, which have its content hash, in a file without a name.
    fn download(
        &self,
        archive: &PublishedArchive<'_>,
        subject: &str,
        address: &str,
    ) -> Result<File, OpsError> {
        let progress = self.progress.files();
        if let Some(size) = archive.document.size {
            progress.on_size(archive.number, size);
        }
        let mut left = RETRIES;
        loop {
            // Beside the store: there is room where its entries are.
            let file = tempfile::tempfile_in(self.store.path());
            let file = file.map_err(|source| self.unwritable(source))?;
            let mut counted = CountedFile { file, received: 0, number: archive.number, progress };
            match archive.client.archive(archive.document, archive.most(), &mut counted) {
                Ok(_) => {
                    let mut file = counted.file;
                    file.rewind().map_err(|source| self.unwritable(source))?;
                    return Ok(file);
                }
                Err(RegistryClientError::Broken { .. }) if left > 0 && counted.received > 0 => {
                    left -= 1;
                    progress.restart(archive.number);
                }
                Err(error) => return Err(self.not_downloaded(error, archive, (subject, address))),
            }
        }
    }

    fn not_downloaded(
        &self,
        error: RegistryClientError,
        archive: &PublishedArchive<'_>,
        (subject, address): (&str, &str),
    ) -> OpsError {
        let differs = |expected: String, actual: String| InstallError::Mismatch {
            check: InstallCheck::Transport,
            subject: subject.to_owned(),
            expected,
            actual,
            source_of: address.to_owned(),
        };
        match error {
            RegistryClientError::Mismatch { expected, actual, .. } => {
                differs(format!("content hash {expected}"), format!("content hash {actual}")).into()
            }
            RegistryClientError::TooLarge { limit, .. } if archive.document.size == Some(limit) => {
                differs(format!("{limit} bytes, as the registry states"), "more".to_owned()).into()
            }
            RegistryClientError::Download { source } => self.unwritable(source),
            other => other.into(),
        }
    }

    fn unwritable(&self, source: io::Error) -> OpsError {
        StoreError::of_write(self.store.path(), source).into()
    }
}

impl PublishedArchive<'_> {
    /// The most bytes that are taken: one more than the registry states is never what it published.
    fn most(&self) -> u64 {
        self.document.size.map_or(self.limit, |size| size.min(self.limit))
    }

    /// Where it is.
    fn address(&self) -> Result<String, OpsError> {
        let VersionDocument { kind, name, version, .. } = self.document;
        let version = self.client.address().version_url(*kind, name, version)?;
        Ok(format!("{version}/archive"))
    }
}

impl<T> ArchiveReader<'_, T> {
    /// Reads an archive, and compares it. One that breaks a rule is named with where it came from.
    pub(super) fn read(&self, bytes: &mut dyn Read, source_of: &str) -> Result<T, OpsError> {
        let read = (self.read)(bytes).map_err(|error| self.refused(error, source_of))?;
        (self.compare)(&read, source_of)?;
        Ok(read)
    }

    fn refused(&self, error: ArchiveError, source_of: &str) -> OpsError {
        let (subject, source_of) = (self.subject.to_owned(), source_of.to_owned());
        match error {
            ArchiveError::Content(ContentError::Integrity { expected, actual, .. }) => {
                InstallError::Mismatch {
                    check: InstallCheck::Content,
                    subject,
                    expected: format!("integrity {expected}, as its build manifest states"),
                    actual: format!("integrity {actual}"),
                    source_of,
                }
                .into()
            }
            other => AcquireError::Archive { subject, source_of, source: Box::new(other) }.into(),
        }
    }
}

/// A file that tells how many bytes it got.
struct CountedFile<'c> {
    file: File,
    received: u64,
    number: usize,
    progress: &'c dyn FetchProgress,
}

impl Write for CountedFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.received += written as u64;
        self.progress.advance(self.number, written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
