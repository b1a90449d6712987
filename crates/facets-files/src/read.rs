//! Reading with a limit.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use crate::error::{FileError, unreadable};

/// Reads to the end of a stream; nothing if that is more than `limit` bytes.
pub fn read_to_limit(stream: impl Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    // One byte more than allowed tells a full file from one that goes on.
    stream.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// Reads a file that must be one, also behind a link: a pipe that nobody writes to would hold us
/// for ever.
pub fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    if !fs::metadata(path).map_err(unreadable(path))?.is_file() {
        return Err(FileError::NotPlain { path: path.to_owned() });
    }
    read_open(path, limit)
}

/// Reads a file that must be one, and no link, which could lead anywhere; nothing if there is none.
pub fn read_plain(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
    let data = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(unreadable(path))?,
    };
    if !data.is_file() {
        return Err(FileError::NotPlain { path: path.to_owned() });
    }
    read_open(path, limit).map(Some)
}

fn read_open(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let bytes = File::open(path).and_then(|file| read_to_limit(file, limit));
    bytes
        .map_err(unreadable(path))?
        .ok_or_else(|| FileError::TooLarge { path: path.to_owned(), limit })
}
