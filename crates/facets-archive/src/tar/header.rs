//! One block of 512 bytes: what it says, and the one form in which it is written.

use crate::entry_mode::EntryMode;
use crate::error::TarError;

/// A header, or a piece of content.
pub(super) type Block = [u8; BLOCK];

pub(super) const BLOCK: usize = 512;
/// What a name field has room for.
pub(super) const NAME: usize = 100;

const CHECKSUM: std::ops::Range<usize> = 148..156;
const POSIX: &[u8; 8] = b"ustar\x0000";
const GNU: &[u8; 8] = b"ustar  \0";

/// Where the parts of a header begin, in their order.
const FIELDS: &[(usize, &str)] = &[
    (0, "name"),
    (100, "mode"),
    (108, "owner"),
    (124, "size"),
    (136, "time"),
    (148, "checksum"),
    (156, "type"),
    (157, "link name"),
    (257, "magic"),
    (265, "owner"),
    (329, "device"),
    (345, "prefix"),
    (500, "end of the header"),
];

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryType {
    File,
    Directory,
    /// Records about the next entry.
    Pax,
    /// Records about all entries that follow.
    PaxGlobal,
    Sparse,
    Other(&'static str),
}

/// The parts of a header that are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RawHeader {
    pub(super) name: Vec<u8>,
    pub(super) entry_type: EntryType,
    pub(super) size: u64,
    pub(super) mode: u64,
}

/// Reads a header that is not all zeros.
pub(super) fn parse(block: &Block, offset: u64) -> Result<RawHeader, TarError> {
    let stated = number(&block[CHECKSUM]).ok_or(TarError::Checksum { offset })?;
    if stated != sum(block) {
        return Err(TarError::Checksum { offset });
    }
    let malformed = |problem| TarError::Format { offset, problem };
    let name = parse_name(block).map_err(malformed)?;
    let bad_number = |field| TarError::Number { offset, field };
    let size = number(&block[124..136]).ok_or(bad_number("size"))?;
    let mode = number(&block[100..108]).ok_or(bad_number("mode"))?;
    let entry_type = entry_type(block[156]);
    let is_plain = matches!(entry_type, EntryType::File | EntryType::Directory);
    if is_plain && !is_zero(&block[157..257]) {
        return Err(malformed("a file has a link name"));
    }
    Ok(RawHeader { name, entry_type, size, mode })
}

fn entry_type(flag: u8) -> EntryType {
    match flag {
        b'0' | 0 => EntryType::File,
        b'5' => EntryType::Directory,
        b'x' => EntryType::Pax,
        b'g' => EntryType::PaxGlobal,
        b'S' => EntryType::Sparse,
        b'1' => EntryType::Other("a hard link"),
        b'2' => EntryType::Other("a symbolic link"),
        b'3' | b'4' => EntryType::Other("a device"),
        b'6' => EntryType::Other("a pipe"),
        b'L' | b'K' => EntryType::Other("a long name in GNU form"),
        _ => EntryType::Other("an entry of an unknown type"),
    }
}

/// Prefix and name; every reader must see the same, so nothing may stand behind their ends.
fn parse_name(block: &Block) -> Result<Vec<u8>, &'static str> {
    let (name, behind) = until_zero(&block[..NAME]);
    if !is_zero(behind) {
        return Err("bytes behind the end of the name");
    }
    if !is_zero(&block[500..]) {
        return Err("bytes behind the last field");
    }
    if block[257..265] == *GNU {
        // Here GNU has other fields, of which none is accepted.
        return if is_zero(&block[345..]) { Ok(name.to_vec()) } else { Err("GNU fields") };
    }
    if block[257..265] != *POSIX {
        return Err("neither POSIX nor GNU tar");
    }
    let (prefix, behind) = until_zero(&block[345..500]);
    if !is_clean_behind(prefix.len(), behind) {
        return Err("bytes behind the end of the prefix");
    }
    Ok(if prefix.is_empty() { name.to_vec() } else { [prefix, b"/", name].concat() })
}

/// Behind a prefix stand zeros. Some writers put two times at the end of the field, where no prefix reaches.
fn is_clean_behind(prefix: usize, behind: &[u8]) -> bool {
    const TIMES: usize = 131;
    let (gap, times) = behind.split_at(TIMES.saturating_sub(prefix).min(behind.len()));
    let is_time = |byte: &u8| matches!(byte, b'0'..=b'7' | b' ' | 0);
    is_zero(gap) && (is_zero(times) || prefix < TIMES && times.iter().all(is_time))
}

/// What stands before the first zero byte, and the rest.
fn until_zero(field: &[u8]) -> (&[u8], &[u8]) {
    field.split_at(field.iter().position(|&byte| byte == 0).unwrap_or(field.len()))
}

pub(super) fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0)
}

/// Octal digits, blanks before and blanks or zero bytes behind them; nothing else, no binary form.
fn number(field: &[u8]) -> Option<u64> {
    let start = field.iter().position(|&byte| byte != b' ')?;
    let digits = field[start..].iter().take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    let (digits, behind) = field[start..].split_at(digits);
    let is_end = |byte: &u8| matches!(byte, b' ' | 0);
    if digits.is_empty() || !behind.iter().all(is_end) {
        return None;
    }
    // Twelve digits at most, so this cannot overflow.
    Some(digits.iter().fold(0, |value, digit| value * 8 + u64::from(digit - b'0')))
}

/// The sum of all bytes, where those of the checksum itself count as blanks.
fn sum(block: &Block) -> u64 {
    let own: u64 = block[CHECKSUM].iter().map(|&byte| u64::from(byte)).sum();
    let all: u64 = block.iter().map(|&byte| u64::from(byte)).sum();
    all - own + 8 * u64::from(b' ')
}

/// How a checksum is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checksum {
    /// As the reference of facets does: no zeros in front, filled with zero bytes.
    Short,
    /// As most do: six digits, a zero byte, a blank.
    Padded,
}

/// Writes a header. The name must fit.
pub(super) fn build(
    name: &[u8],
    size: u64,
    flag: u8,
    mode: EntryMode,
    checksum: Checksum,
) -> Block {
    let mut block = [0; BLOCK];
    let length = name.len().min(NAME);
    block[..length].copy_from_slice(&name[..length]);
    let mode = match mode {
        EntryMode::Plain => b"0000644",
        EntryMode::Executable => b"0000755",
    };
    block[100..107].copy_from_slice(mode);
    block[108..115].copy_from_slice(b"0000000");
    block[116..123].copy_from_slice(b"0000000");
    put(&mut block, 124, &format!("{size:011o}"));
    put(&mut block, 136, "00000000000");
    block[156] = flag;
    block[257..265].copy_from_slice(POSIX);
    let sum = sum(&block);
    match checksum {
        Checksum::Short => put(&mut block, CHECKSUM.start, &format!("{sum:o}")),
        Checksum::Padded => put(&mut block, CHECKSUM.start, &format!("{sum:06o}\0 ")),
    }
    block
}

fn put(block: &mut Block, at: usize, text: &str) {
    block[at..at + text.len()].copy_from_slice(text.as_bytes());
}

/// The part in which two headers differ first.
pub(super) fn differing_field(left: &Block, right: &Block) -> Option<&'static str> {
    let at = left.iter().zip(right).position(|(one, other)| one != other)?;
    FIELDS.iter().rev().find(|(start, _)| *start <= at).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str) -> Block {
        build(name.as_bytes(), 5, b'0', EntryMode::Plain, Checksum::Padded)
    }

    /// The same with other bytes at a place, and the right checksum.
    fn with(block: &Block, at: usize, bytes: &[u8]) -> Block {
        let mut block = *block;
        block[at..at + bytes.len()].copy_from_slice(bytes);
        let text = format!("{:06o}\0 ", sum(&block));
        put(&mut block, CHECKSUM.start, &text);
        block
    }

    #[test]
    fn what_is_written_is_read() {
        let read = parse(&header("a/b"), 0).unwrap();
        assert_eq!((&*read.name, read.size, read.mode), (&b"a/b"[..], 5, 0o644));
        let program = build(b"x", 0, b'0', EntryMode::Executable, Checksum::Short);
        assert_eq!(parse(&program, 0).unwrap().mode, 0o755);
    }

    #[test]
    fn the_checksum_of_the_reference_has_no_zeros_in_front() {
        let block = build(b"facet.json", 362, b'0', EntryMode::Plain, Checksum::Short);
        assert_eq!(block[CHECKSUM][5..], [0, 0, 0]);
        assert_ne!(block[CHECKSUM][0], b'0');
    }

    #[test]
    fn a_prefix_stands_before_the_name() {
        let block = with(&header("b"), 345, b"package/a");
        assert_eq!(parse(&block, 0).unwrap().name, b"package/a/b");
        let times = with(&block, 476, b"00000000001\x0000000000002\x00");
        assert_eq!(parse(&times, 0).unwrap().name, b"package/a/b");
    }

    #[test]
    fn hidden_bytes_are_refused() {
        let cases: [(usize, &[u8]); 9] = [
            (50, b"x"),
            (400, b"x"),
            (480, b"x"),
            (508, b"tar"),
            (157, b"link"),
            (124, b"\x80"),
            (124, b"9"),
            (124, b"00000000 5\0"),
            (257, b"ustar  \0"),
        ];
        for (at, bytes) in cases {
            let block = if at == 257 { with(&header("a"), 345, b"x") } else { header("a") };
            assert!(parse(&with(&block, at, bytes), 0).is_err(), "{at}");
        }
        let mut damaged = header("a");
        damaged[0] = b'b';
        assert_eq!(parse(&damaged, 7), Err(TarError::Checksum { offset: 7 }));
    }

    #[test]
    fn the_field_that_differs_is_named() {
        let (one, other) = (header("a"), with(&header("a"), 136, b"1"));
        // The checksum follows from the time, which stands before it.
        assert_eq!(differing_field(&one, &other), Some("time"));
        assert_eq!(differing_field(&one, &one), None);
    }
}
