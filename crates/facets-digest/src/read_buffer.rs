//! The buffer of every hot reader.

use std::ops::{Deref, DerefMut};

/// How much is read at a time: large enough that the system calls vanish, small enough to stay in the
/// second-level cache between reading and hashing.
const LENGTH: usize = 256 * 1024;
const PAGE: usize = 4096;

/// 256 KiB that begin with a page of memory: on some processors the kernel copies four times as slowly to
/// a place that begins a few bytes behind one.
pub struct ReadBuffer {
    bytes: Vec<u8>,
    start: usize,
}

impl ReadBuffer {
    /// Zeros.
    #[must_use]
    pub fn new() -> Self {
        let bytes = vec![0; LENGTH + PAGE];
        // More than a page only where the distance cannot be known, which no real machine says.
        let start = bytes.as_ptr().align_offset(PAGE).min(PAGE);
        Self { bytes, start }
    }
}

impl Default for ReadBuffer {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for ReadBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..self.start + LENGTH]
    }
}

impl DerefMut for ReadBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + LENGTH]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_begins_with_a_page_and_is_as_long_as_it_says() {
        for _ in 0..8 {
            let mut buffer = ReadBuffer::new();
            assert_eq!(buffer.as_ptr().align_offset(PAGE), 0);
            assert_eq!((buffer.len(), buffer.iter().max()), (LENGTH, Some(&0)));
            buffer[LENGTH - 1] = 7;
            assert_eq!(ReadBuffer::default().len(), LENGTH);
            assert_eq!(buffer.iter().max(), Some(&7));
        }
    }
}
