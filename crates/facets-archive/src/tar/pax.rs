//! Records of extended headers: `LENGTH KEY=VALUE\n`, where LENGTH counts the whole record.

use std::collections::BTreeSet;

use super::header::{Block, Checksum, NAME, build};
use crate::entry_mode::EntryMode;
use crate::error::TarError;

/// The most that the records of one entry take.
pub(super) const LONGEST: u64 = 16 * 1024;

/// The name of our own extended headers.
const OWN_NAME: &[u8] = b"PaxHeader";

/// Records that say nothing about what a file is or holds.
const HARMLESS: &[&str] =
    &["atime", "charset", "comment", "ctime", "gid", "gname", "mtime", "uid", "uname"];
/// Beginnings of the names of such records.
const HARMLESS_PREFIXES: &[&str] = &["LIBARCHIVE.", "NODETAR.", "SCHILY."];

/// What the records before an entry say about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PaxRecords {
    pub(super) path: Option<Vec<u8>>,
    pub(super) size: Option<u64>,
}

/// Reads records.
pub(super) fn parse(bytes: &[u8], offset: u64) -> Result<PaxRecords, TarError> {
    let malformed = |problem| TarError::Pax { offset, problem };
    let mut records = PaxRecords::default();
    let mut seen = BTreeSet::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (key, value, behind) = next_record(rest).ok_or(malformed("a malformed record"))?;
        rest = behind;
        if !seen.insert(key) {
            return Err(malformed("a record stands twice"));
        }
        match key {
            "path" => records.path = Some(value.to_vec()),
            "size" => records.size = Some(decimal(value).ok_or(malformed("a malformed size"))?),
            _ if is_harmless(key) => {}
            _ if key.starts_with("GNU.sparse.") => {
                return Err(TarError::Sparse { entry: key.to_owned() });
            }
            _ => return Err(TarError::PaxRecord { offset, key: key.to_owned() }),
        }
    }
    Ok(records)
}

fn is_harmless(key: &str) -> bool {
    HARMLESS.contains(&key) || HARMLESS_PREFIXES.iter().any(|prefix| key.starts_with(prefix))
}

/// The first record and what stands behind it.
fn next_record(bytes: &[u8]) -> Option<(&str, &[u8], &[u8])> {
    let blank = bytes.iter().position(|&byte| byte == b' ')?;
    let length = usize::try_from(decimal(&bytes[..blank])?).ok()?;
    let (record, behind) = bytes.split_at_checked(length)?;
    let record = record.get(blank + 1..)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|&byte| byte == b'=')?;
    let key = std::str::from_utf8(&record[..equals]).ok().filter(|key| !key.is_empty())?;
    Some((key, &record[equals + 1..], behind))
}

/// Digits without zeros in front; nineteen at most, which cannot overflow.
fn decimal(digits: &[u8]) -> Option<u64> {
    let is_plain = digits.iter().all(u8::is_ascii_digit) && (1..20).contains(&digits.len());
    if !is_plain || digits.len() > 1 && digits[0] == b'0' {
        return None;
    }
    Some(digits.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0')))
}

/// The record of a long path, as we write it.
pub(super) fn path_record(path: &str) -> Vec<u8> {
    // The length counts its own digits.
    let rest = " path=\n".len() + path.len();
    let mut length = rest;
    while length != rest + length.to_string().len() {
        length = rest + length.to_string().len();
    }
    format!("{length} path={path}\n").into_bytes()
}

/// The header before such a record.
pub(super) fn path_header(record: &[u8]) -> Block {
    build(OWN_NAME, record.len() as u64, b'x', EntryMode::Plain, Checksum::Padded)
}

/// Where a path is too long for a header, the header has as many whole characters as fit.
pub(super) fn short_name(path: &str) -> &str {
    let end = (0..=NAME.min(path.len())).rev().find(|&end| path.is_char_boundary(end));
    &path[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_counts_its_own_length() {
        for length in [1, 80, 90, 91, 92, 93, 94, 101, 985, 990, 991, 992, 993, 1024] {
            let path = "p".repeat(length);
            let record = path_record(&path);
            let text = std::str::from_utf8(&record).unwrap();
            let (stated, _) = text.split_once(' ').unwrap();
            assert_eq!(stated, record.len().to_string());
            let read = parse(&record, 0).unwrap();
            assert_eq!(read, PaxRecords { path: Some(path.into_bytes()), size: None });
        }
    }

    #[test]
    fn records_that_change_what_an_entry_is_are_refused() {
        assert!(parse(b"13 mtime=1.5\n20 SCHILY.dev=16777220\n", 0).is_err(), "a wrong length");
        assert!(parse(b"13 mtime=1.5\n23 SCHILY.dev=16777220\n", 0).is_ok());
        assert_eq!(parse(b"9 size=5\n", 0).unwrap().size, Some(5));
        for bad in [
            &b"13 linkpath=\n"[..],
            b"14 linkpath=a\n",
            b"22 GNU.sparse.major=1\n",
            b"21 hdrcharset=BINARY\n",
            b"11 size=05\n",
            b"9 size=x\n",
            b"7 a=bc",
            b"0 a=b\n",
            b"9 path=a\n9 path=b\n",
            b"6 a=b\n\0",
            b"99999999999999999999 a=b\n",
            b" a=b\n",
        ] {
            assert!(parse(bad, 0).is_err(), "{}", String::from_utf8_lossy(bad));
        }
    }

    #[test]
    fn a_short_name_ends_with_a_whole_character() {
        assert_eq!(short_name("abc"), "abc");
        let path = format!("{}é", "a".repeat(99));
        assert_eq!(short_name(&path).len(), 99);
        assert_eq!(short_name(&"a".repeat(200)).len(), 100);
    }
}
