//! The second pass: the content of files that were validated.

use std::io::{BufReader, Read, Seek};

use facets_digest::Hasher;

use super::content::read_content;
use super::inflater::Inflater;
use super::input::BUFFER;
use super::scan::ContentPlace;
use crate::error::{ArchiveError, UnpackError, unreadable};
use crate::index::ArchivedFile;
use crate::unpack::rewind;

/// Reads the content of one file after the other.
pub(super) struct ContentReader<R> {
    input: BufReader<R>,
    position: u64,
    inflater: Inflater,
}

impl<R: Read + Seek> ContentReader<R> {
    pub(super) fn open(mut wheel: R) -> Result<Self, ArchiveError> {
        rewind(&mut wheel)?;
        let input = BufReader::with_capacity(BUFFER, wheel);
        Ok(Self { input, position: 0, inflater: Inflater::new() })
    }

    /// Shows the content of a file, part by part. It is to be used only if this succeeds: then it is what was
    /// validated. Files are read in the order in which they are stored.
    pub(super) fn read(
        &mut self,
        file: &ArchivedFile,
        place: ContentPlace,
        show: &mut dyn FnMut(&[u8]) -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let ContentPlace { start, content } = place;
        let forward = start.checked_sub(self.position).and_then(|step| i64::try_from(step).ok());
        let forward = forward.ok_or(UnpackError::Changed)?;
        self.input.seek_relative(forward).map_err(unreadable)?;
        self.position = start + content.compressed;
        let mut hasher = Hasher::new();
        let mut hash_and_show = |part: &[u8], _| {
            hasher.update(part);
            show(part)
        };
        let entry = file.path.as_str();
        let read =
            read_content(&mut self.input, &mut self.inflater, entry, content, &mut hash_and_show);
        match read {
            Ok(()) if hasher.finish() == file.digest => Ok(()),
            // Nothing was wrong with it before.
            Ok(()) | Err(ArchiveError::Wheel(_)) => Err(UnpackError::Changed.into()),
            Err(error) => Err(error),
        }
    }
}
