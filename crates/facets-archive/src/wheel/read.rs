//! Wheels read, visited and copied from.

use std::io::{Read, Seek, Write};

use super::contents::ContentReader;
use super::index::WheelIndex;
use super::scan::{ScannedWheel, scan_wheel};
use crate::error::{ArchiveError, UnpackError};
use crate::index::TakeFile;
use crate::limits::ArchiveLimits;

/// Reads a wheel to its end and checks every rule. Nothing is written.
pub fn read_wheel(
    wheel: &mut (impl Read + Seek),
    limits: &ArchiveLimits,
) -> Result<WheelIndex, ArchiveError> {
    Ok(scan_wheel(wheel, limits)?.index)
}

/// Hands each file of a wheel on with its content, in the order in which they are stored, after all of the wheel was
/// checked. The content is read a second time, one file at a time, and is that which was checked.
pub fn visit_wheel<E: From<ArchiveError>>(
    wheel: &mut (impl Read + Seek),
    limits: &ArchiveLimits,
    take: &mut TakeFile<'_, E>,
) -> Result<WheelIndex, E> {
    let ScannedWheel { index, places } = scan_wheel(wheel, limits)?;
    let mut contents = ContentReader::open(wheel)?;
    let mut content = Vec::new();
    for (file, place) in index.files.iter().zip(places) {
        content.clear();
        contents.read(file, place, &mut |part| {
            content.extend_from_slice(part);
            Ok(())
        })?;
        take(file, &content)?;
    }
    Ok(index)
}

/// Copies the content of one file, after all of the wheel was checked. The copy is to be used only if this succeeds; it
/// is empty if the index does not have the file.
pub fn copy_wheel_file(
    wheel: &mut (impl Read + Seek),
    path: &str,
    output: &mut dyn Write,
    limits: &ArchiveLimits,
) -> Result<WheelIndex, ArchiveError> {
    let ScannedWheel { index, places } = scan_wheel(wheel, limits)?;
    let mut files = index.files.iter().zip(places);
    if let Some((file, place)) = files.find(|(file, _)| file.path.as_str() == path) {
        let unwritable = |source| UnpackError::Unwritable { path: path.to_owned(), source };
        ContentReader::open(wheel)?.read(file, place, &mut |part| {
            output.write_all(part).map_err(unwritable)?;
            Ok(())
        })?;
    }
    Ok(index)
}
