//! Bytes of a wheel, in order.

use std::io::{self, BufRead, Read};

use crate::error::{ArchiveError, WheelError, unreadable};

/// What is read at a time.
pub(super) const BUFFER: usize = 64 * 1024;

/// Bytes that are there; none at the end.
pub(super) fn fill(input: &mut impl BufRead) -> Result<&[u8], ArchiveError> {
    loop {
        match input.fill_buf() {
            Ok([]) => return Ok(&[]),
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(error)),
        }
    }
    // Nothing is read here: a result from inside of the loop would be borrowed in it for good.
    input.fill_buf().map_err(unreadable)
}

/// Fills a record.
pub(super) fn read_record(input: &mut impl Read, record: &mut [u8]) -> Result<(), ArchiveError> {
    input.read_exact(record).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => WheelError::Truncated.into(),
        _ => unreadable(error),
    })
}

/// Shows so many bytes, part by part.
pub(super) fn read_parts(
    input: &mut impl BufRead,
    length: u64,
    show: &mut dyn FnMut(&[u8]) -> Result<(), ArchiveError>,
) -> Result<(), ArchiveError> {
    let mut left = length;
    while left > 0 {
        let part = start_of(fill(input)?, left);
        if part.is_empty() {
            return Err(WheelError::Truncated.into());
        }
        show(part)?;
        let shown = part.len();
        left -= shown as u64;
        input.consume(shown);
    }
    Ok(())
}

/// At most so many bytes.
pub(super) fn start_of(bytes: &[u8], most: u64) -> &[u8] {
    &bytes[..usize::try_from(most).map_or(bytes.len(), |most| most.min(bytes.len()))]
}
