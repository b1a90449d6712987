//! The content of an entry.

use std::io::BufRead;

use super::inflater::{InflateProgress, Inflated, Inflater};
use super::input::{fill, read_parts, start_of};
use crate::error::{ArchiveError, WheelError};

/// How content is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CompressionMethod {
    Stored,
    Deflated,
}

impl CompressionMethod {
    pub(super) fn of_number(number: u16) -> Option<Self> {
        [Self::Stored, Self::Deflated].into_iter().find(|method| method.number() == number)
    }

    pub(super) fn number(self) -> u16 {
        match self {
            Self::Stored => 0,
            Self::Deflated => 8,
        }
    }
}

/// Content as it is stored, and what has to come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoredContent {
    pub(super) method: CompressionMethod,
    /// Bytes as it is stored.
    pub(super) compressed: u64,
    /// Bytes that come out.
    pub(super) size: u64,
}

/// Shows a part of the content, and says how many stored bytes were read so far.
pub(super) type ShowContent<'s> = dyn FnMut(&[u8], u64) -> Result<(), ArchiveError> + 's;

/// Reads content, which begins here and takes exactly the bytes that are stated.
pub(super) fn read_content(
    input: &mut impl BufRead,
    inflater: &mut Inflater,
    entry: &str,
    content: StoredContent,
    show: &mut ShowContent<'_>,
) -> Result<(), ArchiveError> {
    let StoredContent { method, compressed, size } = content;
    let wrong_size = |actual| WheelError::Size { entry: entry.to_owned(), expected: size, actual };
    let mut produced = 0;
    let mut count = |part: &[u8], consumed: u64| {
        produced += part.len() as u64;
        // Not a byte more than stated is shown: the limits were compared with that.
        if produced > size { Err(wrong_size(None).into()) } else { show(part, consumed) }
    };
    match method {
        CompressionMethod::Stored => {
            let mut consumed = 0;
            read_parts(input, compressed, &mut |part| {
                consumed += part.len() as u64;
                count(part, consumed)
            })?;
        }
        CompressionMethod::Deflated => {
            inflate_content(input, inflater, entry, compressed, &mut count)?;
        }
    }
    if produced == size { Ok(()) } else { Err(wrong_size(Some(produced)).into()) }
}

/// The stream has to end with the last of the bytes.
fn inflate_content(
    input: &mut impl BufRead,
    inflater: &mut Inflater,
    entry: &str,
    compressed: u64,
    show: &mut ShowContent<'_>,
) -> Result<(), ArchiveError> {
    let damaged = |problem| Err(WheelError::Data { entry: entry.to_owned(), problem }.into());
    inflater.restart();
    let mut left = compressed;
    loop {
        let part = start_of(fill(input)?, left);
        if part.is_empty() && left > 0 {
            return Err(WheelError::Truncated.into());
        }
        let Inflated { consumed, content, progress } = inflater.inflate(part);
        left -= consumed as u64;
        show(content, compressed - left)?;
        input.consume(consumed);
        match progress {
            InflateProgress::Ended if left == 0 => return Ok(()),
            InflateProgress::Ended => return damaged("bytes follow the end of the stream"),
            InflateProgress::NeedsInput if left == 0 => return damaged("the stream does not end"),
            InflateProgress::Damaged => return damaged("it is no deflate stream"),
            InflateProgress::NeedsInput | InflateProgress::HasOutput => {}
        }
    }
}
