//! Blocks of tar and members of gzip, read and written without the crate that is tested.

use facets_digest::Digest;
use serde_json::{Map, Value, json};

const BLOCK: usize = 512;
/// Facets are filled up to a multiple of it.
const RECORD: usize = 10_240;
/// The most that the limits of the target let through, and more.
const LARGEST: usize = 1 << 20;

/// How a checksum is written (spec 4.1, 4.2).
#[derive(Clone, Copy)]
pub enum Checksum {
    /// No zeros in front, zero bytes behind.
    Short,
    /// Six digits, a zero byte, a blank.
    Padded,
}

/// Fills up with zeros, as facets are.
pub fn fill_record(bytes: &[u8]) -> Vec<u8> {
    let mut filled = bytes.to_vec();
    filled.resize(bytes.len().next_multiple_of(RECORD), 0);
    filled
}

/// One member with stored blocks, so that every byte of the input is a byte of the content.
pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut member = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let mut parts = content.chunks(0xffff).peekable();
    if parts.peek().is_none() {
        member.extend([1, 0, 0, 0xff, 0xff]);
    }
    while let Some(part) = parts.next() {
        let length = u16::try_from(part.len()).expect("a chunk fits");
        member.push(u8::from(parts.peek().is_none()));
        member.extend(length.to_le_bytes());
        member.extend((!length).to_le_bytes());
        member.extend(part);
    }
    let size = u32::try_from(content.len()).expect("inputs are small");
    member.extend(crc32(content).to_le_bytes());
    member.extend(size.to_le_bytes());
    member
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc: u32, _| {
            if crc & 1 == 0 { crc >> 1 } else { (crc >> 1) ^ 0xedb8_8320 }
        })
    })
}

/// The content of a member that was accepted.
pub fn gunzip(member: &[u8]) -> Vec<u8> {
    let flags = member[3];
    let mut start = 10;
    if flags & 4 != 0 {
        start += 2 + usize::from(u16::from_le_bytes([member[10], member[11]]));
    }
    for text in [8, 16] {
        if flags & text != 0 {
            let end = member[start..].iter().position(|byte| *byte == 0);
            start += end.expect("a text that ends") + 1;
        }
    }
    let deflated = &member[start..member.len() - 8];
    miniz_oxide::inflate::decompress_to_vec_with_limit(deflated, LARGEST)
        .expect("what was accepted can be decompressed")
}

/// Where headers stand, and how long the content behind each is, as far as that can be followed.
fn headers(tar: &[u8]) -> Vec<(usize, usize)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(block) = tar.get(at..at + BLOCK) {
        let Some(size) = octal(&block[124..136]) else { break };
        if size > tar.len() || block.iter().all(|byte| *byte == 0) {
            break;
        }
        found.push((at, size));
        at += BLOCK + size.next_multiple_of(BLOCK);
    }
    found
}

fn octal(field: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(field).ok()?;
    usize::from_str_radix(text.trim_matches(['\0', ' ']), 8).ok()
}

/// Names and contents of all entries.
pub fn entries(tar: &[u8]) -> Vec<(&[u8], &[u8])> {
    let entry = |(at, size): (usize, usize)| {
        let field = &tar[at..at + 100];
        let name = field.split(|byte| *byte == 0).next().unwrap_or_default();
        Some((name, tar.get(at + BLOCK..at + BLOCK + size)?))
    };
    headers(tar).into_iter().filter_map(entry).collect()
}

/// The same archive with the right checksum in each header.
pub fn repair(tar: &[u8], checksum: Checksum) -> Vec<u8> {
    let mut repaired = tar.to_vec();
    for (at, _) in headers(tar) {
        write_checksum(&mut repaired[at..at + BLOCK], checksum);
    }
    repaired
}

fn write_checksum(block: &mut [u8], checksum: Checksum) {
    block[148..156].fill(b' ');
    let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
    let text = match checksum {
        Checksum::Short => format!("{sum:o}"),
        Checksum::Padded => format!("{sum:06o}\0 "),
    };
    block[148..156].fill(0);
    block[148..148 + text.len()].copy_from_slice(text.as_bytes());
}

/// A facet with this inner archive, which states nothing but the truth about it.
pub fn wrap_facet(inner: &[u8]) -> Vec<u8> {
    let inner = fill_record(inner);
    let digest = |(name, content): (&[u8], &[u8])| {
        let digest = Digest::of(content).to_string();
        (String::from_utf8_lossy(name).into_owned(), Value::String(digest))
    };
    let files: Map<String, Value> = entries(&inner).into_iter().map(digest).collect();
    let manifest = json!({
        "facetVersion": 0.2,
        "archive": "archive.tar.gz",
        "integrity": Digest::of(&inner).to_string(),
        "files": files,
    });
    let mut outer = Vec::new();
    add_entry(&mut outer, "build-manifest.json", manifest.to_string().as_bytes());
    add_entry(&mut outer, "archive.tar.gz", &gzip(&inner));
    fill_record(&outer)
}

/// One file with the header that facets have.
fn add_entry(tar: &mut Vec<u8>, name: &str, content: &[u8]) {
    let mut block = [0; BLOCK];
    let size = format!("{:011o}", content.len());
    let fields = [
        (0, name),
        (100, "0000644"),
        (108, "0000000"),
        (116, "0000000"),
        (124, &*size),
        (136, "00000000000"),
        (156, "0"),
        (257, "ustar\x0000"),
    ];
    for (at, text) in fields {
        block[at..at + text.len()].copy_from_slice(text.as_bytes());
    }
    write_checksum(&mut block, Checksum::Short);
    tar.extend(block);
    tar.extend(content);
    tar.resize(tar.len().next_multiple_of(BLOCK), 0);
}
