//! Archives as npm packs them, byte for byte the same every time.

use super::hashes::crc32;

const BLOCK: usize = 512;

/// The time that npm gives every file, in 1985.
const TIME: u64 = 499_162_500;

/// One entry of a tar archive, honest or not: nothing about it is checked.
#[derive(Clone, Debug)]
pub struct TarEntry {
    /// With the folder that installers strip, usually `package/`.
    pub path: String,
    /// The type flag, such as `b'0'` for a file.
    pub kind: u8,
    /// Permissions.
    pub mode: u32,
    /// Where a link leads.
    pub link: String,
    /// The content.
    pub bytes: Vec<u8>,
}

impl TarEntry {
    /// A file that is not executable.
    #[must_use]
    pub fn file(path: &str, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref().to_vec();
        Self { path: path.to_owned(), kind: b'0', mode: 0o644, link: String::new(), bytes }
    }

    /// A symbolic link.
    #[must_use]
    pub fn symbolic_link(path: &str, target: &str) -> Self {
        Self { kind: b'2', mode: 0o777, link: target.to_owned(), ..Self::file(path, b"") }
    }

    /// A hard link.
    #[must_use]
    pub fn hard_link(path: &str, target: &str) -> Self {
        Self { kind: b'1', link: target.to_owned(), ..Self::file(path, b"") }
    }

    fn header(&self) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
        let (prefix, name) = split_path(&self.path);
        put(0, name.as_bytes());
        put(100, format!("{:07o}\0{:07o}\0{:07o}\0", self.mode, 0, 0).as_bytes());
        put(124, format!("{:011o}\0{TIME:011o}\0", self.bytes.len()).as_bytes());
        // The sum counts its own place as spaces.
        put(148, b"        ");
        put(156, &[self.kind]);
        put(157, self.link.as_bytes());
        put(257, b"ustar\x0000");
        put(345, prefix.as_bytes());
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        block
    }
}

/// A path of more than 100 bytes is divided at a slash.
fn split_path(path: &str) -> (&str, &str) {
    if path.len() <= 100 {
        return ("", path);
    }
    let mut slashes = path.match_indices('/').map(|(at, _)| (&path[..at], &path[at + 1..]));
    let split = slashes.find(|(prefix, name)| prefix.len() <= 155 && name.len() <= 100);
    split.unwrap_or_else(|| panic!("too long for a tar archive: {path}"))
}

/// A gzipped tar archive with these entries, in this order.
#[must_use]
pub fn tarball(entries: &[TarEntry]) -> Vec<u8> {
    let mut tar = Vec::new();
    for entry in entries {
        tar.extend(entry.header());
        tar.extend_from_slice(&entry.bytes);
        tar.resize(tar.len().next_multiple_of(BLOCK), 0);
    }
    tar.resize(tar.len() + 2 * BLOCK, 0);
    gzip(&tar)
}

/// Stored, not compressed: what a newer compressor does differently would change every hash.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    let mut blocks = bytes.chunks(usize::from(u16::MAX)).peekable();
    while let Some(block) = blocks.next() {
        let length = u16::try_from(block.len()).unwrap_or_default();
        packed.push(u8::from(blocks.peek().is_none()));
        packed.extend(length.to_le_bytes());
        packed.extend((!length).to_le_bytes());
        packed.extend_from_slice(block);
    }
    packed.extend(crc32(bytes).to_le_bytes());
    packed.extend(u32::try_from(bytes.len()).unwrap_or_default().to_le_bytes());
    packed
}
