//! Packages of npm: written by others, read by the same rules.

use std::io::{Read, Seek, Write};
use std::os::fd::BorrowedFd;

use crate::copied_file::CopiedFile;
use crate::error::{ArchiveError, UnpackError};
use crate::handed_files::HandedFiles;
use crate::index::{ArchiveIndex, ExpectedArtifact, TakeFile};
use crate::kept::{KeptBytes, KeptTar};
use crate::limits::ArchiveLimits;
use crate::scan::{NoVisitor, read_and_keep, read_compressed};
use crate::tar::ArchiveFormat;
use crate::unpack::{rewind, write_archive};

/// Reads a package to its end and checks every rule. Paths are those inside the one directory that every
/// package has. Nothing is written.
pub fn read_npm_package(
    reader: impl Read,
    limits: &ArchiveLimits,
) -> Result<ArchiveIndex, ArchiveError> {
    read_compressed(reader, ArchiveFormat::Npm, limits, &mut NoVisitor)
}

/// Unpacks a package into an empty directory, after all of it was checked and compared. Name and version are
/// in its `package.json`, which the caller reads.
pub fn unpack_npm_package(
    package: &mut (impl Read + Seek),
    expected: &ExpectedArtifact,
    directory: BorrowedFd<'_>,
    limits: &ArchiveLimits,
) -> Result<ArchiveIndex, ArchiveError> {
    rewind(package)?;
    let kept = KeptBytes::up_to(limits.kept);
    let (index, kept) =
        read_and_keep(&mut *package, ArchiveFormat::Npm, limits, kept, &mut NoVisitor)?;
    index.verify(expected)?;
    write_archive(directory, &index, kept.as_ref(), |visitor| {
        rewind(package)?;
        read_compressed(&mut *package, ArchiveFormat::Npm, limits, visitor)
    })?;
    Ok(index)
}

/// Reads a package to its end, checks every rule, compares it, and copies the content of one file meanwhile. The
/// copy is to be used only if this succeeds; it is empty if the index does not have the file.
pub fn copy_npm_file(
    reader: impl Read,
    path: &str,
    output: &mut dyn Write,
    expected: &ExpectedArtifact,
    limits: &ArchiveLimits,
) -> Result<ArchiveIndex, ArchiveError> {
    let mut copied = CopiedFile::new(path, output);
    let index = read_compressed(reader, ArchiveFormat::Npm, limits, &mut copied)?;
    index.verify(expected)?;
    Ok(index)
}

/// Hands each file of a package on with its content, in the order of the archive, after all of it was checked. A package
/// that is too large to be kept is read a second time, one file at a time; what is handed on is what was checked.
pub fn visit_npm_package<E: From<ArchiveError>>(
    package: &mut (impl Read + Seek),
    limits: &ArchiveLimits,
    take: &mut TakeFile<'_, E>,
) -> Result<ArchiveIndex, E> {
    rewind(package)?;
    let kept = KeptBytes::up_to(limits.kept);
    let (index, kept) =
        read_and_keep(&mut *package, ArchiveFormat::Npm, limits, kept, &mut NoVisitor)?;
    match kept {
        Some(kept) => take_kept(&index, &kept, take)?,
        None => take_again(&index, package, limits, take)?,
    }
    Ok(index)
}

fn take_kept<E: From<ArchiveError>>(
    index: &ArchiveIndex,
    kept: &KeptTar,
    take: &mut TakeFile<'_, E>,
) -> Result<(), E> {
    for (number, file) in index.files.iter().enumerate() {
        let content = kept.content(number, file.size);
        take(file, content.ok_or(ArchiveError::from(UnpackError::Changed))?)?;
    }
    Ok(())
}

fn take_again<'t, E: From<ArchiveError>>(
    index: &'t ArchiveIndex,
    package: &mut (impl Read + Seek),
    limits: &ArchiveLimits,
    take: &'t mut TakeFile<'t, E>,
) -> Result<(), E> {
    rewind(package)?;
    let mut handed = HandedFiles::new(&index.files, take);
    let read = read_compressed(package, ArchiveFormat::Npm, limits, &mut handed);
    if let Some(refusal) = handed.into_refusal() {
        return Err(refusal);
    }
    if read? != *index {
        return Err(ArchiveError::from(UnpackError::Changed).into());
    }
    Ok(())
}
