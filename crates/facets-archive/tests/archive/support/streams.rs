//! Files that behave as real ones sometimes do.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

/// A file that another program replaces when it is rewound for the nth time.
pub struct Replaced {
    before: Cursor<Vec<u8>>,
    after: Cursor<Vec<u8>>,
    rewinds: usize,
    swap: usize,
}

impl Replaced {
    pub fn at_rewind(swap: usize, before: &[u8], after: &[u8]) -> Self {
        let (before, after) = (Cursor::new(before.to_vec()), Cursor::new(after.to_vec()));
        Self { before, after, rewinds: 0, swap }
    }

    fn current(&mut self) -> &mut Cursor<Vec<u8>> {
        if self.rewinds < self.swap { &mut self.before } else { &mut self.after }
    }
}

impl Read for Replaced {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.current().read(buffer)
    }
}

impl Seek for Replaced {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.rewinds += usize::from(to == SeekFrom::Start(0));
        self.current().seek(to)
    }
}

/// A file that gives one byte at a time, and is interrupted before each.
pub struct Hesitant {
    file: Cursor<Vec<u8>>,
    reads: usize,
}

impl Hesitant {
    pub fn new(bytes: &[u8]) -> Self {
        Self { file: Cursor::new(bytes.to_vec()), reads: 0 }
    }
}

impl Read for Hesitant {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reads += 1;
        if self.reads % 2 == 1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let length = buffer.len().min(1);
        self.file.read(&mut buffer[..length])
    }
}

impl Seek for Hesitant {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// A file that cannot be read from an offset on.
pub struct Unreadable {
    file: Cursor<Vec<u8>>,
    from: u64,
}

impl Unreadable {
    pub fn from_offset(from: u64, bytes: &[u8]) -> Self {
        Self { file: Cursor::new(bytes.to_vec()), from }
    }
}

impl Read for Unreadable {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.from.saturating_sub(self.file.position());
        if left == 0 {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let length = buffer.len().min(usize::try_from(left).unwrap());
        self.file.read(&mut buffer[..length])
    }
}

impl Seek for Unreadable {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
