//! An archive on its way in: a temporary file that is hashed while it is written.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use facets_catalog::ArtifactKind;
use facets_digest::{Digest, Hasher};
use facets_model::ArtifactName;
use tempfile::TempPath;

use crate::blocking::blocking;
use crate::caller::Caller;
use crate::error::RegistryError;
use crate::refusals;
use crate::registry::Registry;
use crate::upload_slots::UploadSlot;

/// How files of uploads begin, so that those of dead processes are known.
pub(crate) const UPLOAD_PREFIX: &str = "upload-";

/// Bytes that are collected before they are hashed and written. With all slots taken, this is what uploads hold.
const BUFFER: usize = 128 << 10;

/// An archive that is being received. It is deleted when this is dropped.
pub struct Upload {
    kind: ArtifactKind,
    name: ArtifactName,
    limit: u64,
    size: u64,
    path: TempPath,
    /// Gone while it is written to, and for good if that failed.
    spool: Option<Spool>,
    slot: UploadSlot,
}

/// An archive that was received. It is deleted when this is dropped.
pub(crate) struct Received {
    pub(crate) kind: ArtifactKind,
    pub(crate) name: ArtifactName,
    pub(crate) content_hash: Digest,
    pub(crate) size: u64,
    path: TempPath,
    pub(crate) slot: UploadSlot,
}

struct Spool {
    file: File,
    hasher: Hasher,
    buffer: Vec<u8>,
}

impl Spool {
    fn write_out(mut self) -> Result<Self, RegistryError> {
        self.hasher.update(&self.buffer);
        self.file.write_all(&self.buffer).map_err(unwritable)?;
        self.buffer.clear();
        Ok(self)
    }
}

fn unwritable(source: std::io::Error) -> RegistryError {
    RegistryError::Io { what: "a file of an upload", source }
}

impl Registry {
    /// Prepares to receive an archive, after everything was checked that can be known without it: the scope of
    /// the token, the owner of the name, and the announced size.
    pub async fn begin_body(
        &self,
        kind: ArtifactKind,
        name: &ArtifactName,
        caller: &Caller,
        announced: Option<u64>,
    ) -> Result<Upload, RegistryError> {
        caller.require_publish(name)?;
        let limit = self.limits().archive_bytes(kind);
        if announced.is_some_and(|size| size > limit) {
            return Err(refusals::too_large("the archive", limit).into());
        }
        let owner = self.catalog().name_owner(kind, name).await?;
        if owner.is_some_and(|owner| owner != caller.owner) {
            if self.catalog().is_claimed(kind, name).await? {
                return Err(refusals::not_owner(kind, name).into());
            }
            return Err(refusals::not_owner_of_scope(kind, name).into());
        }
        let patience = self.limits().wait_for_slot;
        let slot = self.upload_slots().acquire(&caller.owner, patience).await?;
        slot.begin_receiving();
        let folder = self.places().uploads.clone();
        let (file, path) = blocking(move || make_file(&folder)).await?;
        let spool = Spool { file, hasher: Hasher::new(), buffer: Vec::new() };
        Ok(Upload { kind, name: name.clone(), limit, size: 0, path, spool: Some(spool), slot })
    }
}

fn make_file(folder: &Path) -> Result<(File, TempPath), RegistryError> {
    let made = tempfile::Builder::new().prefix(UPLOAD_PREFIX).tempfile_in(folder);
    Ok(made.map_err(unwritable)?.into_parts())
}

impl Upload {
    /// Takes the next bytes. More than the limit are refused while they come.
    pub async fn write(&mut self, chunk: &[u8]) -> Result<(), RegistryError> {
        self.slot.note_received(chunk.len() as u64);
        self.size = self.size.saturating_add(chunk.len() as u64);
        if self.size > self.limit {
            return Err(refusals::too_large("the archive", self.limit).into());
        }
        let mut rest = chunk;
        while !rest.is_empty() {
            let spool = self.spool.as_mut().ok_or_else(broken)?;
            let taken = rest.len().min(BUFFER - spool.buffer.len());
            spool.buffer.extend_from_slice(&rest[..taken]);
            rest = &rest[taken..];
            if spool.buffer.len() == BUFFER {
                self.write_out().await?;
            }
        }
        Ok(())
    }

    async fn write_out(&mut self) -> Result<(), RegistryError> {
        let spool = self.spool.take().ok_or_else(broken)?;
        self.spool = Some(blocking(move || spool.write_out()).await?);
        Ok(())
    }

    /// Waits until its slot is needed for another owner; why it has to end then.
    pub async fn displaced(&self) -> RegistryError {
        self.slot.displaced().await
    }

    /// All bytes came.
    pub(crate) async fn finish(mut self) -> Result<Received, RegistryError> {
        self.slot.end_receiving();
        if self.size > self.limit {
            return Err(refusals::too_large("the archive", self.limit).into());
        }
        self.write_out().await?;
        let spool = self.spool.take().ok_or_else(broken)?;
        Ok(Received {
            kind: self.kind,
            name: self.name,
            content_hash: spool.hasher.finish(),
            size: self.size,
            path: self.path,
            slot: self.slot,
        })
    }
}

/// An earlier write failed, or was given up.
fn broken() -> RegistryError {
    RegistryError::internal("an upload was continued after it failed")
}

impl Received {
    /// Where it lies.
    pub(crate) fn path(&self) -> PathBuf {
        self.path.to_path_buf()
    }
}
