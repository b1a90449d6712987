//! Packages of npm: written by others, read by the same rules.

use std::io::{Read, Seek, Write};
use std::os::fd::BorrowedFd;

use crate::copied_file::CopiedFile;
use crate::error::ArchiveError;
use crate::index::{ArchiveIndex, ExpectedArtifact};
use crate::kept::KeptBytes;
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
