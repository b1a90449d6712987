//! Extra fields of headers.
//!
//! Some of them change what an entry is for readers that know them, such as its name. Only those are accepted that
//! do not.

use super::fields::{u16_at, u64_at};
use crate::error::WheelError;

/// Sizes that have no room in a header.
const ZIP64: u16 = 0x0001;
/// Times and owners, and what Java puts into each of its archives.
const IGNORED: [u16; 6] = [
    0x000a, // times of NTFS
    0x5455, // times
    0x5855, // times and owner of an old Info-ZIP
    0x7855, // owner of an old Info-ZIP
    0x7875, // owner
    0xcafe, // the first entry of a JAR
];

/// Sizes of an entry that its header has once more as fields of zip64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Zip64Sizes {
    pub(super) size: u64,
    pub(super) compressed: u64,
}

/// Reads the extra fields of a header; the sizes of zip64 are all that is of interest.
pub(super) fn parse_extra(entry: &str, extra: &[u8]) -> Result<Option<Zip64Sizes>, WheelError> {
    let malformed = |problem| WheelError::Extra { entry: entry.to_owned(), problem };
    let (mut rest, mut sizes) = (extra, None);
    while !rest.is_empty() {
        let Some((head, behind)) = rest.split_at_checked(4) else {
            return Err(malformed("bytes follow the last field"));
        };
        let (id, length) = (u16_at(head, 0), u16_at(head, 2));
        let Some((field, behind)) = behind.split_at_checked(length.into()) else {
            return Err(malformed("a field goes beyond the end"));
        };
        match id {
            ZIP64 if sizes.is_some() => return Err(malformed("the sizes of zip64 stand twice")),
            ZIP64 => sizes = Some(parse_sizes(field).ok_or_else(|| refused_zip64(entry))?),
            _ if IGNORED.contains(&id) => {}
            _ => return Err(WheelError::ExtraField { entry: entry.to_owned(), id }),
        }
        rest = behind;
    }
    Ok(sizes)
}

fn parse_sizes(field: &[u8]) -> Option<Zip64Sizes> {
    let sizes = || Zip64Sizes { size: u64_at(field, 0), compressed: u64_at(field, 8) };
    (field.len() == 16).then(sizes)
}

/// An entry that is in zip64.
pub(super) fn refused_zip64(entry: &str) -> WheelError {
    WheelError::Zip64 { part: format!("{entry:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(id: u16, content: &[u8]) -> Vec<u8> {
        let length = u16::try_from(content.len()).unwrap();
        [&id.to_le_bytes()[..], &length.to_le_bytes(), content].concat()
    }

    fn sizes(size: u64, compressed: u64) -> Vec<u8> {
        field(ZIP64, &[size.to_le_bytes(), compressed.to_le_bytes()].concat())
    }

    #[test]
    fn fields_that_change_nothing_are_ignored() {
        assert_eq!(parse_extra("a", b""), Ok(None));
        let all: Vec<u8> = IGNORED.iter().flat_map(|id| field(*id, b"content")).collect();
        assert_eq!(parse_extra("a", &all), Ok(None));
        let both = [field(0x5455, b"\x03time"), sizes(7, 5), field(0xcafe, b"")].concat();
        assert_eq!(parse_extra("a", &both), Ok(Some(Zip64Sizes { size: 7, compressed: 5 })));
    }

    #[test]
    fn fields_that_could_change_an_entry_are_refused() {
        // another name, another comment, encryption, an unknown one
        for id in [0x7075, 0x6375, 0x9901, 0x0017, 0x4242] {
            let refused = parse_extra("a", &field(id, b"content"));
            assert_eq!(refused, Err(WheelError::ExtraField { entry: "a".to_owned(), id }));
        }
    }

    #[test]
    fn malformed_fields_are_refused() {
        let zip64 = WheelError::Zip64 { part: "\"a\"".to_owned() };
        for length in [0, 8, 15, 17, 24, 28] {
            let refused = parse_extra("a", &field(ZIP64, &vec![0; length]));
            assert_eq!(refused, Err(zip64.clone()), "{length}");
        }
        let cut = field(0x5455, b"\x03time");
        for bytes in [[sizes(1, 1), sizes(1, 1)].concat(), cut[..8].to_vec(), cut[..3].to_vec()] {
            let refused = parse_extra("a", &bytes);
            assert!(matches!(refused, Err(WheelError::Extra { .. })), "{bytes:?}");
        }
    }
}
