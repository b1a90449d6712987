//! The formats that share one reader, and what is different between them.

use std::cmp::Ordering;

use facets_digest::json::compare_utf16;

use super::header::{Block, Checksum, build};
use crate::entry_mode::EntryMode;

/// What the reference fills its archives up to.
const FACET_RECORD: u64 = 10_240;
const END_BLOCKS: u64 = 1024;

/// A format, which decides what its reader insists on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArchiveFormat {
    /// The outer archive of a facet: two files in any order.
    FacetContainer,
    /// The inner archive of a facet.
    Facet,
    /// A source-mode server.
    Server,
    /// An npm package: written by others, one directory around everything.
    Npm,
}

impl ArchiveFormat {
    /// How two paths are ordered, where they are.
    pub(super) fn compare(self, left: &str, right: &str) -> Option<Ordering> {
        match self {
            Self::Facet => Some(compare_utf16(left, right)),
            Self::Server => Some(left.as_bytes().cmp(right.as_bytes())),
            Self::FacetContainer | Self::Npm => None,
        }
    }

    /// The one header that a file may have; none where headers are written by others.
    pub(super) fn header(self, name: &[u8], size: u64, mode: EntryMode) -> Option<Block> {
        match self {
            // spec 4.1: nothing in a facet is a program
            Self::FacetContainer | Self::Facet => {
                Some(build(name, size, b'0', EntryMode::Plain, Checksum::Short))
            }
            Self::Server => Some(build(name, size, b'0', mode, Checksum::Padded)),
            Self::Npm => None,
        }
    }

    /// The zero bytes at the end of an archive of so many bytes: how many there are, if that is fixed.
    pub(crate) fn end(self, content: u64) -> Option<u64> {
        match self {
            Self::FacetContainer | Self::Facet => {
                Some(content.next_multiple_of(FACET_RECORD) - content)
            }
            Self::Server => Some(END_BLOCKS),
            Self::Npm => None,
        }
    }

    /// Whether so many zero bytes may end an archive of so many bytes.
    pub(super) fn accepts_end(self, content: u64, zeros: u64) -> bool {
        match self.end(content) {
            Some(expected) => zeros == expected,
            None => zeros >= END_BLOCKS && zeros.is_multiple_of(512),
        }
    }

    /// The same for people.
    pub(super) fn end_in_words(self, content: u64) -> String {
        match self.end(content) {
            Some(expected) => format!("{expected} zero bytes"),
            None => format!("at least {END_BLOCKS} zero bytes, in blocks of 512"),
        }
    }
}
