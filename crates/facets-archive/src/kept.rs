//! A small uncompressed archive, kept in memory after it was validated: these bytes cannot change before they
//! are written.

use crate::error::ArchiveError;
use crate::source::ByteSource;

/// The bytes that passed, up to a limit; none once there are more.
pub(crate) struct KeptBytes {
    bytes: Option<Vec<u8>>,
    limit: usize,
}

impl KeptBytes {
    pub(crate) fn none() -> Self {
        Self { bytes: None, limit: 0 }
    }

    pub(crate) fn up_to(limit: usize) -> Self {
        Self { bytes: Some(Vec::new()), limit }
    }

    fn keep(&mut self, part: &[u8]) {
        let Some(bytes) = &mut self.bytes else { return };
        let needed = bytes.len().saturating_add(part.len());
        if needed > self.limit {
            self.bytes = None;
            return;
        }
        if needed > bytes.capacity() {
            // Doubled, but never beyond the limit.
            let wanted = bytes.capacity().saturating_mul(2).clamp(needed, self.limit);
            bytes.reserve_exact(wanted - bytes.len());
        }
        bytes.extend_from_slice(part);
    }
}

/// Keeps the bytes that pass.
pub(crate) struct KeptSource<S> {
    source: S,
    kept: KeptBytes,
}

impl<S> KeptSource<S> {
    pub(crate) fn new(source: S, kept: KeptBytes) -> Self {
        Self { source, kept }
    }

    /// Where the bytes came from, and all of them, unless there were too many.
    pub(crate) fn finish(self) -> (S, Option<Vec<u8>>) {
        (self.source, self.kept.bytes)
    }
}

impl<S: ByteSource> ByteSource for KeptSource<S> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ArchiveError> {
        let read = self.source.read(buffer)?;
        self.kept.keep(&buffer[..read]);
        Ok(read)
    }
}

/// An uncompressed archive, and where the content of each of its files begins.
pub(crate) struct KeptTar {
    bytes: Vec<u8>,
    starts: Vec<u64>,
}

impl KeptTar {
    pub(crate) fn new(bytes: Vec<u8>, starts: Vec<u64>) -> Self {
        Self { bytes, starts }
    }

    /// The content of a file, by its number in the archive.
    pub(crate) fn content(&self, number: usize, size: u64) -> Option<&[u8]> {
        let start = *self.starts.get(number)?;
        let end = start.checked_add(size)?;
        self.bytes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_kept_up_to_the_limit_and_dropped_beyond_it() {
        let mut kept = KeptBytes::up_to(10);
        for part in [&b"abcd"[..], b"", b"efghi", b"j"] {
            kept.keep(part);
            let capacity = kept.bytes.as_ref().map(Vec::capacity);
            assert!(capacity.is_some_and(|capacity| capacity <= 10), "{capacity:?}");
        }
        assert_eq!(kept.bytes.as_deref(), Some(&b"abcdefghij"[..]));
        kept.keep(b"k");
        assert_eq!(kept.bytes, None);
        kept.keep(b"");
        assert_eq!(kept.bytes, None, "what follows is not kept either");
    }

    #[test]
    fn content_is_found_only_inside_the_archive() {
        let tar = KeptTar::new(b"0123456789".to_vec(), vec![2, 8]);
        assert_eq!(tar.content(0, 3), Some(&b"234"[..]));
        assert_eq!(tar.content(1, 2), Some(&b"89"[..]));
        assert_eq!(tar.content(1, 3), None);
        assert_eq!(tar.content(1, u64::MAX), None);
        assert_eq!(tar.content(2, 0), None);
    }
}
