//! What is wrong with an entry, or with the order or the end of entries.

use facets_failure::Describe;

/// What is wrong with an entry, or with the order or the end of entries.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TarError {
    /// It ends inside an entry.
    #[error("the archive ends too early, at byte {offset}")]
    Truncated {
        /// Where.
        offset: u64,
    },
    /// A header does not have the sum that it states.
    #[error("the header at byte {offset} has a wrong checksum")]
    Checksum {
        /// Where.
        offset: u64,
    },
    /// A header of another kind of tar, or with bytes where there must be none.
    #[error("the header at byte {offset} is malformed: {problem}")]
    Format {
        /// Where.
        offset: u64,
        /// What is wrong.
        problem: &'static str,
    },
    /// A number that is not written in octal digits.
    #[error("the header at byte {offset} has a malformed {field}")]
    Number {
        /// Where.
        offset: u64,
        /// Which number.
        field: &'static str,
    },
    /// A header that says the same in another way than the format does.
    #[error("the {field} of {entry:?} is not written as the format prescribes")]
    NotCanonical {
        /// The entry.
        entry: String,
        /// Which part.
        field: &'static str,
    },
    /// A link, a device, or something else that is no file.
    #[error("{entry:?} is {kind}, which is not accepted")]
    EntryType {
        /// The entry.
        entry: String,
        /// What it is.
        kind: &'static str,
    },
    /// A file with holes that the archive does not hold.
    #[error("{entry:?} is a sparse file")]
    Sparse {
        /// The entry.
        entry: String,
    },
    /// A program that would run as its owner.
    #[error("{entry:?} has the mode {mode:o}")]
    Mode {
        /// The entry.
        entry: String,
        /// Its permission bits.
        mode: u64,
    },
    /// An extended header that cannot be read, or has nothing behind it.
    #[error("the extended header at byte {offset} is malformed: {problem}")]
    Pax {
        /// Where.
        offset: u64,
        /// What is wrong.
        problem: &'static str,
    },
    /// An extended header with a record that is not accepted.
    #[error("the extended header at byte {offset} has the record {key:?}, which is not accepted")]
    PaxRecord {
        /// Where.
        offset: u64,
        /// The name of the record.
        key: String,
    },
    /// The extended header and the header contradict each other.
    #[error("{entry:?}: the extended header states another {field} than the header")]
    PaxConflict {
        /// The entry.
        entry: String,
        /// What they disagree about.
        field: &'static str,
    },
    /// Something stands between a file and the next header.
    #[error("the bytes that fill the last block of {entry:?} are not zero")]
    Padding {
        /// The entry.
        entry: String,
    },
    /// Something follows the end.
    #[error("the archive goes on behind its end, at byte {offset}")]
    Trailing {
        /// Where.
        offset: u64,
    },
    /// The end is missing, too short or too long.
    #[error("the archive does not end as the format prescribes")]
    End {
        /// The zero bytes that end it.
        expected: String,
        /// How many there are.
        actual: u64,
    },
    /// The entries are not sorted.
    #[error("{path:?} stands behind {after:?}, which breaks the order of paths")]
    Order {
        /// The later path.
        path: String,
        /// The path before it.
        after: String,
    },
}

impl Describe for TarError {
    fn code(&self) -> &'static str {
        match self {
            Self::Truncated { .. } => "archive-truncated",
            Self::Checksum { .. } => "archive-header-checksum",
            Self::Format { .. } => "archive-header-format",
            Self::Number { .. } => "archive-header-number",
            Self::NotCanonical { .. } => "archive-header-not-canonical",
            Self::EntryType { .. } => "archive-entry-type",
            Self::Sparse { .. } => "archive-sparse",
            Self::Mode { .. } => "archive-mode",
            Self::Pax { .. } => "archive-pax",
            Self::PaxRecord { .. } => "archive-pax-record",
            Self::PaxConflict { .. } => "archive-pax-conflict",
            Self::Padding { .. } => "archive-padding",
            Self::Trailing { .. } => "archive-trailing-bytes",
            Self::End { .. } => "archive-end",
            Self::Order { .. } => "archive-order",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::Truncated { .. } => "a complete archive".to_owned(),
            Self::Checksum { .. } => "the sum of the bytes of the header".to_owned(),
            Self::Format { .. } => "a ustar header".to_owned(),
            Self::Number { .. } => "octal digits".to_owned(),
            Self::NotCanonical { .. } => "the one form that the format has".to_owned(),
            Self::EntryType { .. } | Self::Sparse { .. } => "regular files".to_owned(),
            Self::Mode { .. } => "a mode without set-user-ID and set-group-ID".to_owned(),
            Self::Pax { .. } => "records of the form `LENGTH KEY=VALUE`".to_owned(),
            Self::PaxRecord { .. } => "records that do not change what an entry is".to_owned(),
            Self::PaxConflict { .. } => "the same value in both".to_owned(),
            Self::Padding { .. } | Self::Trailing { .. } => "zero bytes".to_owned(),
            Self::End { expected, .. } => expected.clone(),
            Self::Order { .. } => "entries in ascending order of their paths".to_owned(),
        })
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::End { actual, .. } => Some(format!("{actual} zero bytes")),
            _ => None,
        }
    }
}
