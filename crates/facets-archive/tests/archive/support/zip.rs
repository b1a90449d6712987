//! Zip files, written with any fault that is asked for.

use super::tar::crc32;

/// Flags of an entry.
pub const DESCRIPTOR: u16 = 0x0008;
pub const UTF8: u16 = 0x0800;

/// What stands in a record instead: from an offset on, other bytes.
pub type Patches = Vec<(usize, Vec<u8>)>;

/// One entry.
#[derive(Clone, Debug)]
pub struct ZipEntry {
    pub name: Vec<u8>,
    pub content: Vec<u8>,
    pub flags: u16,
    /// 0 or 8, and others that nobody can read.
    pub method: u16,
    /// What is stored instead of the (compressed) content.
    pub stored: Option<Vec<u8>>,
    pub made_by: u16,
    pub mode: u32,
    pub extra: Vec<u8>,
    pub directory_extra: Vec<u8>,
    /// Over the header.
    pub patches: Patches,
    /// Over the entry of the directory.
    pub directory_patches: Patches,
    /// Whatever follows the content.
    pub behind: Vec<u8>,
}

impl ZipEntry {
    /// A deflated regular file, as Python writes it.
    pub fn file(name: &str, content: &[u8]) -> Self {
        Self {
            name: name.as_bytes().to_vec(),
            content: content.to_vec(),
            flags: 0,
            method: 8,
            stored: None,
            made_by: 0x0314,
            mode: 0o100_644,
            extra: Vec::new(),
            directory_extra: Vec::new(),
            patches: Vec::new(),
            directory_patches: Vec::new(),
            behind: Vec::new(),
        }
    }

    /// The same without compression.
    pub fn stored(name: &str, content: &[u8]) -> Self {
        Self { method: 0, ..Self::file(name, content) }
    }

    /// A directory; its name ends with a slash.
    pub fn directory(name: &str) -> Self {
        Self { mode: 0o040_755, ..Self::stored(name, b"") }
    }

    /// With empty numbers in its header, and a data descriptor behind its content.
    pub fn with_descriptor(mut self) -> Self {
        self.flags |= DESCRIPTOR;
        self.patches.push((14, vec![0; 12]));
        self.behind = self.descriptor();
        self
    }

    pub fn descriptor(&self) -> Vec<u8> {
        [&b"PK\x07\x08"[..], &self.numbers()].concat()
    }

    /// Other bytes over the header and the entry of the directory, which has all fields two bytes later.
    pub fn patch_both(mut self, at: usize, bytes: &[u8]) -> Self {
        self.patches.push((at, bytes.to_vec()));
        self.directory_patches.push((at + 2, bytes.to_vec()));
        self
    }

    pub fn data(&self) -> Vec<u8> {
        match (&self.stored, self.method) {
            (Some(stored), _) => stored.clone(),
            (None, 8) => miniz_oxide::deflate::compress_to_vec(&self.content, 6),
            (None, _) => self.content.clone(),
        }
    }

    /// Checksum and both sizes.
    fn numbers(&self) -> [u8; 12] {
        let mut numbers = [0; 12];
        numbers[..4].copy_from_slice(&crc32(&self.content).to_le_bytes());
        numbers[4..8].copy_from_slice(&length32(&self.data()));
        numbers[8..].copy_from_slice(&length32(&self.content));
        numbers
    }

    /// From the flags to the length of the name, which header and directory have alike.
    fn common(&self) -> Vec<u8> {
        let mut bytes = 20_u16.to_le_bytes().to_vec();
        bytes.extend(self.flags.to_le_bytes());
        bytes.extend(self.method.to_le_bytes());
        bytes.extend([0, 0, 0x21, 0]);
        bytes.extend(self.numbers());
        bytes.extend(length16(&self.name));
        bytes
    }

    /// Header, content and what is behind it.
    pub fn bytes(&self) -> Vec<u8> {
        let mut header = b"PK\x03\x04".to_vec();
        header.extend(self.common());
        header.extend(length16(&self.extra));
        header.extend_from_slice(&self.name);
        header.extend_from_slice(&self.extra);
        patch(&mut header, &self.patches);
        [header, self.data(), self.behind.clone()].concat()
    }

    fn directory_entry(&self, offset: usize) -> Vec<u8> {
        let mut entry = b"PK\x01\x02".to_vec();
        entry.extend(self.made_by.to_le_bytes());
        entry.extend(self.common());
        entry.extend(length16(&self.directory_extra));
        entry.extend([0; 6]);
        let is_directory = self.mode & 0o170_000 == 0o040_000;
        entry.extend((self.mode << 16 | if is_directory { 0x10 } else { 0 }).to_le_bytes());
        entry.extend(u32::try_from(offset).unwrap().to_le_bytes());
        entry.extend_from_slice(&self.name);
        entry.extend_from_slice(&self.directory_extra);
        patch(&mut entry, &self.directory_patches);
        entry
    }
}

/// A zip file.
#[derive(Clone, Debug, Default)]
pub struct ZipFile {
    pub entries: Vec<ZipEntry>,
    /// Before the first entry.
    pub start: Vec<u8>,
    pub before_directory: Vec<u8>,
    /// Behind the directory, and counted as part of it.
    pub in_directory: Vec<u8>,
    pub before_end: Vec<u8>,
    pub end_patches: Patches,
    pub behind: Vec<u8>,
}

impl ZipFile {
    pub fn of(entries: &[ZipEntry]) -> Self {
        Self { entries: entries.to_vec(), ..Self::default() }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let (mut bytes, mut directory) = (self.start.clone(), Vec::new());
        for entry in &self.entries {
            directory.extend(entry.directory_entry(bytes.len()));
            bytes.extend(entry.bytes());
        }
        directory.extend_from_slice(&self.in_directory);
        bytes.extend_from_slice(&self.before_directory);
        let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
        let count = u16::try_from(self.entries.len()).unwrap();
        end.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
        end.extend([length32(&directory), length32(&bytes)].concat());
        end.extend([0; 2]);
        patch(&mut end, &self.end_patches);
        [bytes, directory, self.before_end.clone(), end, self.behind.clone()].concat()
    }
}

/// An extra field.
pub fn extra_field(id: u16, content: &[u8]) -> Vec<u8> {
    [&id.to_le_bytes()[..], &length16(content), content].concat()
}

fn patch(bytes: &mut [u8], patches: &Patches) {
    for (at, patch) in patches {
        bytes[*at..*at + patch.len()].copy_from_slice(patch);
    }
}

fn length16(bytes: &[u8]) -> [u8; 2] {
    u16::try_from(bytes.len()).unwrap().to_le_bytes()
}

fn length32(bytes: &[u8]) -> [u8; 4] {
    u32::try_from(bytes.len()).unwrap().to_le_bytes()
}
