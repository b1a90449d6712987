//! Streams that never hold us up.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use facets_digest::ReadBuffer;
use rustix::fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat};
use rustix::io::Errno;
use rustix::pipe::fcntl_setpipe_size;

/// What may be written before it is read.
const PIPE_SIZE: usize = 1 << 20;
/// Memory that an empty queue may keep.
const ROOMY: usize = 1 << 20;

/// Nobody reads it any more.
#[derive(Debug)]
pub(crate) struct PipeError;

/// The two streams of a client.
#[derive(Debug)]
pub struct ClientEnds {
    /// What it says.
    pub input: OwnedFd,
    /// What it hears.
    pub output: OwnedFd,
}

/// Makes a stream not wait, if it is one that no other process waits on through the same
/// description; gives back what it was.
pub(crate) fn make_nonblocking(stream: &impl AsFd) -> Option<OFlags> {
    let kind = FileType::from_raw_mode(fstat(stream).ok()?.st_mode);
    if !matches!(kind, FileType::Fifo | FileType::Socket) {
        return None;
    }
    if kind == FileType::Fifo {
        // Large messages pass in fewer pieces; where that is not allowed they pass all the same.
        let _ = fcntl_setpipe_size(stream, PIPE_SIZE);
    }
    let flags = fcntl_getfl(stream).ok()?;
    fcntl_setfl(stream, flags | OFlags::NONBLOCK).ok()?;
    Some(flags)
}

/// What came of reading.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReadOutcome<'b> {
    Bytes(&'b [u8]),
    NotYet,
    End,
}

/// A place for what is read. It begins with a page, as what lies in a pipe does.
pub(crate) struct ChunkReader {
    buffer: ReadBuffer,
}

impl ChunkReader {
    pub(crate) fn new() -> Self {
        Self { buffer: ReadBuffer::new() }
    }

    /// Reads what is there.
    pub(crate) fn read(&mut self, stream: BorrowedFd<'_>) -> ReadOutcome<'_> {
        loop {
            return match rustix::io::read(stream, &mut self.buffer[..]) {
                Ok(0) => ReadOutcome::End,
                Ok(count) => ReadOutcome::Bytes(&self.buffer[..count]),
                Err(Errno::AGAIN) => ReadOutcome::NotYet,
                Err(Errno::INTR) => continue,
                Err(_) => ReadOutcome::End,
            };
        }
    }
}

/// What has yet to be written.
#[derive(Debug, Default)]
pub(crate) struct WriteQueue {
    bytes: Vec<u8>,
    written: usize,
}

impl WriteQueue {
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() - self.written
    }

    /// Where to put more.
    pub(crate) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Nobody will read it.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Writes what can be written without waiting.
    pub(crate) fn write(&mut self, stream: BorrowedFd<'_>) -> Result<(), PipeError> {
        while self.written < self.bytes.len() {
            match rustix::io::write(stream, &self.bytes[self.written..]) {
                Ok(count) => self.written += count,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(_) => return Err(PipeError),
            }
        }
        if self.written == self.bytes.len() {
            self.bytes.clear();
            self.written = 0;
            self.bytes.shrink_to(ROOMY);
        } else if self.written > ROOMY {
            self.bytes.drain(..self.written);
            self.written = 0;
        }
        Ok(())
    }
}
