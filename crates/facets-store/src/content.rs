//! Bytes on their way into the store: hashed while they are written.

use std::fs::{File, Permissions};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use facets_digest::{FileDigest, Hasher, ReadBuffer};

use crate::directory::{Directory, creating};
use crate::error::{StoreError, unwritable};
use crate::stamp::PLAIN;

/// A new file of an entry.
pub(crate) struct NewFile<'n> {
    file: File,
    path: PathBuf,
    /// What it is to the caller, for messages.
    what: &'n str,
}

impl<'n> NewFile<'n> {
    pub(crate) fn create(
        directory: &Directory,
        name: &str,
        what: &'n str,
    ) -> Result<Self, StoreError> {
        let path = directory.path().join(name);
        let file = directory.open_file(name, creating()).map_err(unwritable(&path))?;
        Ok(Self { file, path, what })
    }

    /// Copies all bytes of a source, and hashes them.
    pub(crate) fn copy(
        &mut self,
        mut source: impl Read,
        limit: u64,
        buffer: &mut ReadBuffer,
    ) -> Result<FileDigest, StoreError> {
        let (mut hasher, mut size) = (Hasher::new(), 0);
        loop {
            let read = match source.read(buffer) {
                Ok(0) => return Ok(FileDigest { digest: hasher.finish(), size }),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(source) => {
                    return Err(StoreError::Source { what: self.what.to_owned(), source });
                }
            };
            size += read as u64;
            if size > limit {
                let limit = format!("{limit} bytes");
                return Err(StoreError::TooLarge { what: self.what.to_owned(), limit });
            }
            hasher.update(&buffer[..read]);
            self.file.write_all(&buffer[..read]).map_err(unwritable(&self.path))?;
        }
    }

    /// From here on the file is not written any more.
    pub(crate) fn seal(self, permissions: u32) -> Result<File, StoreError> {
        let sealed = self.file.set_permissions(Permissions::from_mode(permissions));
        sealed.map_err(unwritable(&self.path))?;
        Ok(self.file)
    }
}

/// Writes a small file of an entry, to the disk.
pub(crate) fn write_sealed(
    directory: &Directory,
    name: &str,
    bytes: &[u8],
) -> Result<(), StoreError> {
    let mut new = NewFile::create(directory, name, name)?;
    new.file.write_all(bytes).map_err(unwritable(&new.path))?;
    let path = new.path.clone();
    new.seal(PLAIN)?.sync_all().map_err(unwritable(&path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use facets_digest::Digest;

    fn copied(source: impl Read, limit: u64) -> Result<FileDigest, StoreError> {
        let folder = tempfile::tempdir().unwrap();
        let directory = Directory::open_path(folder.path()).unwrap();
        let mut new = NewFile::create(&directory, "new", "a file").unwrap();
        let digest = new.copy(source, limit, &mut ReadBuffer::new())?;
        new.seal(PLAIN).unwrap();
        let mode = std::fs::metadata(folder.path().join("new")).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o444);
        Ok(digest)
    }

    /// Fails in the middle, after an interruption.
    struct Broken(u8);

    impl Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            match self.0 {
                1 => Err(io::ErrorKind::Interrupted.into()),
                2 => {
                    buffer[0] = 7;
                    Ok(1)
                }
                _ => Err(io::ErrorKind::ConnectionReset.into()),
            }
        }
    }

    #[test]
    fn bytes_are_hashed_up_to_their_limit() {
        let found = copied(&b"abc"[..], 3).unwrap();
        assert_eq!(found, FileDigest { digest: Digest::of(b"abc"), size: 3 });
        let failed = copied(&b"abcd"[..], 3);
        assert!(matches!(failed, Err(StoreError::TooLarge { .. })), "{failed:?}");
    }

    #[test]
    fn a_source_that_fails_is_told_apart_from_a_full_disk() {
        let failed = copied(Broken(0), 3);
        let Err(StoreError::Source { what, source }) = &failed else { panic!("{failed:?}") };
        assert_eq!((what.as_str(), source.kind()), ("a file", io::ErrorKind::ConnectionReset));
    }
}
