//! Zip files, read and written without the crate that is tested.

const HEADER: usize = 30;
const ENTRY: usize = 46;
const END: usize = 22;
const DESCRIPTOR: u16 = 0x0008;
/// The most that the limits of the target let through, and more.
const LARGEST: usize = 1 << 20;

/// An entry, as the directory has it.
pub struct Listed {
    pub name: Vec<u8>,
    pub flags: u16,
    pub method: u16,
    pub compressed: usize,
    pub offset: usize,
    /// Where it stands in the directory.
    at: usize,
}

impl Listed {
    pub fn is_directory(&self) -> bool {
        self.name.ends_with(b"/")
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    let number = u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?);
    usize::try_from(number).ok()
}

fn length_at(bytes: &[u8], at: usize) -> Option<usize> {
    u16_at(bytes, at).map(usize::from)
}

fn put(bytes: &mut [u8], at: usize, number: usize) {
    let number = u32::try_from(number).expect("inputs are small");
    bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
}

/// Where the directory begins, if this ends as a zip file does.
pub fn directory_start(zip: &[u8]) -> Option<usize> {
    u32_at(zip, zip.len().checked_sub(END)? + 16).filter(|start| *start <= zip.len() - END)
}

/// Entries of the directory, as far as they can be followed.
pub fn entries(zip: &[u8]) -> Vec<Listed> {
    let mut found = Vec::new();
    let Some(mut at) = directory_start(zip) else { return found };
    while let Some(entry) = entry_at(zip, at) {
        let lengths = [28, 30, 32].map(|field| length_at(zip, at + field).unwrap_or(0));
        at += ENTRY + lengths.iter().sum::<usize>();
        found.push(entry);
    }
    found
}

fn entry_at(zip: &[u8], at: usize) -> Option<Listed> {
    if zip.get(at..at + 4)? != b"PK\x01\x02" {
        return None;
    }
    let name = length_at(zip, at + 28)?;
    Some(Listed {
        name: zip.get(at + ENTRY..at + ENTRY + name)?.to_vec(),
        flags: u16_at(zip, at + 8)?,
        method: u16_at(zip, at + 10)?,
        compressed: u32_at(zip, at + 20)?,
        offset: u32_at(zip, at + 42)?,
        at,
    })
}

/// Where the content of an entry begins, by its header.
pub fn data_start(zip: &[u8], offset: usize) -> Option<usize> {
    if zip.get(offset..offset + 4)? != b"PK\x03\x04" {
        return None;
    }
    Some(offset + HEADER + length_at(zip, offset + 26)? + length_at(zip, offset + 28)?)
}

/// The content that comes out of stored bytes.
pub fn expand(method: u16, data: &[u8]) -> Option<Vec<u8>> {
    match method {
        0 => Some(data.to_vec()),
        8 => miniz_oxide::inflate::decompress_to_vec_with_limit(data, LARGEST).ok(),
        _ => None,
    }
}

/// The content of an entry.
pub fn content(zip: &[u8], entry: &Listed) -> Option<Vec<u8>> {
    let start = data_start(zip, entry.offset)?;
    expand(entry.method, zip.get(start..start.checked_add(entry.compressed)?)?)
}

/// The same file with the right checksum and size of each entry, in its header and in the directory.
pub fn repair(zip: &[u8]) -> Vec<u8> {
    let mut repaired = zip.to_vec();
    for entry in entries(zip) {
        let Some(content) = content(zip, &entry) else { continue };
        let (checksum, size) = (crc32(&content), content.len());
        put(&mut repaired, entry.at + 16, checksum);
        put(&mut repaired, entry.at + 24, size);
        // Where they may be left out, they stay as they are.
        if entry.flags & DESCRIPTOR == 0 {
            put(&mut repaired, entry.offset + 14, checksum);
            put(&mut repaired, entry.offset + 22, size);
        }
    }
    repaired
}

/// A zip file with these headers and contents, one after the other. The directory states what they do; the mode of a
/// file is taken from the time in its header, which means nothing.
pub fn with_directory(headers: &[u8]) -> Vec<u8> {
    let (mut directory, mut count, mut at) = (Vec::new(), 0_u16, 0);
    while let Some((entry, end)) = stated(headers, at) {
        directory.extend(entry);
        count += 1;
        at = end;
    }
    let mut zip = headers.to_vec();
    let start = u32::try_from(zip.len()).expect("inputs are small");
    let length = u32::try_from(directory.len()).expect("inputs are small");
    zip.extend(directory);
    zip.extend(b"PK\x05\x06\0\0\0\0");
    zip.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    zip.extend([length.to_le_bytes(), start.to_le_bytes()].concat());
    zip.extend([0, 0]);
    repair(&zip)
}

/// The entry for the directory that a header states, and where the next one begins.
fn stated(headers: &[u8], at: usize) -> Option<(Vec<u8>, usize)> {
    let start = data_start(headers, at)?;
    let end = start.checked_add(u32_at(headers, at + 18)?)?;
    headers.get(start..end)?;
    let fixed = headers.get(at..at + HEADER)?;
    let name = headers.get(at + HEADER..at + HEADER + length_at(headers, at + 26)?)?;
    let mut entry = b"PK\x01\x02\x14\x03".to_vec();
    entry.extend(&fixed[4..28]);
    // no extra fields, no comment, the first disk, no internal attributes, those of DOS
    entry.extend([0; 10]);
    entry.extend(&fixed[10..12]);
    entry.extend(u32::try_from(at).ok()?.to_le_bytes());
    entry.extend(name);
    let descriptor = if u16_at(headers, at + 6)? & DESCRIPTOR == 0 { 0 } else { 16 };
    Some((entry, end + descriptor))
}

pub fn crc32(bytes: &[u8]) -> usize {
    let crc = bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc: u32, _| {
            if crc & 1 == 0 { crc >> 1 } else { (crc >> 1) ^ 0xedb8_8320 }
        })
    });
    usize::try_from(!crc).expect("machines have 64 bits")
}
