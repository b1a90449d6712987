//! What is wrong with a wheel as a zip file.

use facets_failure::Describe;

/// What is wrong with a wheel as a zip file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WheelError {
    /// It ends inside an entry.
    #[error("the wheel ends too early")]
    Truncated,
    /// It does not end with an end record, or with one that is not accepted.
    #[error("the wheel does not end as a zip file does: {problem}")]
    End {
        /// What is wrong.
        problem: &'static str,
    },
    /// The directory cannot be read.
    #[error("the directory of the wheel is malformed at byte {offset}: {problem}")]
    Directory {
        /// Where.
        offset: u64,
        /// What is wrong.
        problem: &'static str,
    },
    /// Numbers are in records of zip64.
    #[error("{part} is in the zip64 format, which is not accepted")]
    Zip64 {
        /// The end record, or an entry.
        part: String,
    },
    /// An entry is encrypted.
    #[error("{entry:?} is encrypted")]
    Encrypted {
        /// The entry.
        entry: String,
    },
    /// An entry has a flag that is not accepted.
    #[error("{entry:?} has the flags {flags:#06x}")]
    Flags {
        /// The entry.
        entry: String,
        /// All of its flags.
        flags: u16,
    },
    /// An entry is neither stored nor deflated.
    #[error("{entry:?} is compressed with the method {method}")]
    Method {
        /// The entry.
        entry: String,
        /// Its number.
        method: u16,
    },
    /// A name has characters beyond ASCII, and readers cannot know which.
    #[error("the path {entry:?} is not marked as UTF-8")]
    NameEncoding {
        /// The entry.
        entry: String,
    },
    /// A link, a device, or something else that is no file.
    #[error("{entry:?} is {kind}, which is not accepted")]
    EntryType {
        /// The entry.
        entry: String,
        /// What it is.
        kind: &'static str,
    },
    /// A program that would run as its owner.
    #[error("{entry:?} has the mode {mode:o}")]
    Mode {
        /// The entry.
        entry: String,
        /// Its permission bits.
        mode: u32,
    },
    /// An extra field that could change what an entry is.
    #[error("{entry:?} has the extra field {id:#06x}, which is not accepted")]
    ExtraField {
        /// The entry.
        entry: String,
        /// The number of the field.
        id: u16,
    },
    /// Extra fields that cannot be read.
    #[error("the extra fields of {entry:?} are malformed: {problem}")]
    Extra {
        /// The entry.
        entry: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// No header stands where the directory says.
    #[error("{entry:?} has no header at byte {offset}")]
    NoHeader {
        /// The entry.
        entry: String,
        /// Where.
        offset: u64,
    },
    /// Header and directory contradict each other.
    #[error("the {place} of {entry:?} states another {field} than the directory")]
    Mismatch {
        /// The entry.
        entry: String,
        /// `header` or `data descriptor`.
        place: &'static str,
        /// What they disagree about.
        field: &'static str,
    },
    /// An entry reaches into what follows it.
    #[error("{entry:?} overlaps with what follows it")]
    Overlap {
        /// The entry.
        entry: String,
    },
    /// Bytes belong to no entry.
    #[error("{length} bytes at byte {offset} belong to no entry")]
    Gap {
        /// Where.
        offset: u64,
        /// How many.
        length: u64,
    },
    /// The deflate stream is damaged.
    #[error("the compressed data of {entry:?} is damaged: {problem}")]
    Data {
        /// The entry.
        entry: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// The bytes are not the ones that were compressed.
    #[error("the checksum of {entry:?} does not match its content")]
    Checksum {
        /// The entry.
        entry: String,
        /// What the wheel states.
        expected: u32,
        /// What was found.
        actual: u32,
    },
    /// More or fewer bytes come out.
    #[error("{entry:?} does not have the size that the wheel states")]
    Size {
        /// The entry.
        entry: String,
        /// What the wheel states.
        expected: u64,
        /// What was found; nothing if it is more.
        actual: Option<u64>,
    },
}

impl Describe for WheelError {
    fn code(&self) -> &'static str {
        match self {
            Self::Truncated => "archive-truncated",
            Self::End { .. } => "archive-zip-end",
            Self::Directory { .. } => "archive-zip-directory",
            Self::Zip64 { .. } => "archive-zip64",
            Self::Encrypted { .. } => "archive-zip-encrypted",
            Self::Flags { .. } => "archive-zip-flags",
            Self::Method { .. } => "archive-zip-method",
            Self::NameEncoding { .. } => "archive-path-not-utf8",
            Self::EntryType { .. } => "archive-entry-type",
            Self::Mode { .. } => "archive-mode",
            Self::ExtraField { .. } | Self::Extra { .. } => "archive-zip-extra",
            Self::NoHeader { .. } | Self::Mismatch { .. } => "archive-zip-mismatch",
            Self::Overlap { .. } => "archive-zip-overlap",
            Self::Gap { .. } => "archive-zip-gap",
            Self::Data { .. } => "archive-zip-data",
            Self::Checksum { .. } => "archive-zip-checksum",
            Self::Size { .. } => "archive-zip-size",
        }
    }

    fn expected(&self) -> Option<String> {
        Some(match self {
            Self::Truncated => "a complete wheel".to_owned(),
            Self::End { .. } => "a zip file that ends with a plain end record".to_owned(),
            Self::Directory { .. } => "the entries that the end record counts".to_owned(),
            Self::Zip64 { .. } => "a zip file of less than 4 GiB, without zip64".to_owned(),
            Self::Encrypted { .. } => "files that are not encrypted".to_owned(),
            Self::Flags { .. } => "the flags 0x0008 and 0x0800, and those of deflate".to_owned(),
            Self::Method { .. } => "files that are stored or deflated".to_owned(),
            Self::NameEncoding { .. } => "paths in UTF-8".to_owned(),
            Self::EntryType { .. } => "regular files and directories".to_owned(),
            Self::Mode { .. } => "a mode without set-user-ID and set-group-ID".to_owned(),
            Self::ExtraField { .. } => "fields that do not change what an entry is".to_owned(),
            Self::Extra { .. } => "fields with their number and length".to_owned(),
            Self::NoHeader { .. } => "a header before each file".to_owned(),
            Self::Mismatch { .. } => "the same value in both".to_owned(),
            Self::Overlap { .. } | Self::Gap { .. } => {
                "files that follow each other without a gap".to_owned()
            }
            Self::Data { .. } => "one valid deflate stream".to_owned(),
            Self::Checksum { expected, .. } => format!("{expected:08x}"),
            Self::Size { expected, .. } => format!("{expected} bytes"),
        })
    }

    fn actual(&self) -> Option<String> {
        match self {
            Self::End { problem }
            | Self::Directory { problem, .. }
            | Self::Extra { problem, .. }
            | Self::Data { problem, .. } => Some((*problem).to_owned()),
            Self::Checksum { actual, .. } => Some(format!("{actual:08x}")),
            Self::Size { actual, .. } => {
                Some(actual.map_or("more".to_owned(), |actual| format!("{actual} bytes")))
            }
            _ => None,
        }
    }
}
