//! Zip archives, byte for byte the same every time.

use super::hashes::crc32;

const VERSION: u16 = 20;
/// Made on Unix, so that the permissions count.
const UNIX: u16 = 3 << 8;
/// Names are UTF-8.
const UTF8: u16 = 1 << 11;
/// The first of January 1980, the earliest that the format can say.
const DATE: u16 = 1 << 5 | 1;

/// One entry of a zip archive, honest or not: nothing about it is checked.
#[derive(Clone, Debug)]
pub struct ZipEntry {
    /// The name in the archive.
    pub path: String,
    /// Type and permissions as Unix has them.
    pub mode: u32,
    /// The content.
    pub bytes: Vec<u8>,
}

impl ZipEntry {
    /// A file that is not executable.
    #[must_use]
    pub fn file(path: &str, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref().to_vec();
        Self { path: path.to_owned(), mode: 0o100_644, bytes }
    }

    /// A symbolic link.
    #[must_use]
    pub fn symbolic_link(path: &str, target: &str) -> Self {
        Self { mode: 0o120_777, ..Self::file(path, target) }
    }

    /// What both headers of an entry have in common.
    fn common(&self) -> Vec<u8> {
        let size = four_bytes(self.bytes.len());
        let mut common = Vec::new();
        // Version, flags, stored, time, date.
        for number in [VERSION, UTF8, 0, 0, DATE] {
            common.extend(number.to_le_bytes());
        }
        common.extend(crc32(&self.bytes).to_le_bytes());
        common.extend([size, size].concat());
        common.extend(two_bytes(self.path.len()));
        common.extend([0, 0]);
        common
    }

    fn central(&self, common: &[u8], offset: usize) -> Vec<u8> {
        let mut central = b"PK\x01\x02".to_vec();
        central.extend((UNIX | VERSION).to_le_bytes());
        central.extend(common);
        // No comment, the first disk, binary.
        central.extend([0; 6]);
        central.extend((self.mode << 16).to_le_bytes());
        central.extend(four_bytes(offset));
        central.extend(self.path.as_bytes());
        central
    }
}

/// A zip archive with these entries, in this order. They are stored, not compressed.
#[must_use]
pub fn zip(entries: &[ZipEntry]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let common = entry.common();
        directory.extend(entry.central(&common, archive.len()));
        archive.extend(b"PK\x03\x04");
        archive.extend(common);
        archive.extend(entry.path.as_bytes());
        archive.extend_from_slice(&entry.bytes);
    }
    let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
    end.extend([two_bytes(entries.len()); 2].concat());
    end.extend(four_bytes(directory.len()));
    end.extend(four_bytes(archive.len()));
    end.extend([0, 0]);
    [archive, directory, end].concat()
}

fn two_bytes(count: usize) -> [u8; 2] {
    u16::try_from(count).unwrap_or_else(|_| panic!("too many for a zip archive")).to_le_bytes()
}

fn four_bytes(count: usize) -> [u8; 4] {
    u32::try_from(count).unwrap_or_else(|_| panic!("too large for a zip archive")).to_le_bytes()
}
