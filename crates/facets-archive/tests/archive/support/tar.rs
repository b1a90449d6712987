//! Tar and gzip, written with any fault that is asked for.

/// One entry.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: Vec<u8>,
    pub flag: u8,
    pub mode: Vec<u8>,
    pub time: u64,
    /// What the header states, if that is not the size of the content.
    pub size: Option<u64>,
    pub content: Vec<u8>,
    /// Bytes that are put over the header, before its checksum is computed.
    pub patches: Vec<(usize, Vec<u8>)>,
    pub checksum: Checksum,
    /// What fills the last block.
    pub padding: u8,
}

/// How the checksum of a header is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    Short,
    Padded,
    Wrong,
}

impl Entry {
    /// A regular file as `facet build` writes it for a server.
    pub fn file(name: &[u8], content: &[u8]) -> Self {
        Self {
            name: name.to_vec(),
            flag: b'0',
            mode: b"0000644\0".to_vec(),
            time: 0,
            size: None,
            content: content.to_vec(),
            patches: Vec::new(),
            checksum: Checksum::Padded,
            padding: 0,
        }
    }

    pub fn header(&self) -> [u8; 512] {
        let mut block = [0; 512];
        let size = self.size.unwrap_or(self.content.len() as u64);
        let (size, time) = (format!("{size:011o}"), format!("{:011o}", self.time));
        let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &self.name[..self.name.len().min(100)]);
        put(100, &self.mode);
        put(108, b"0000000\x000000000\0");
        put(124, size.as_bytes());
        put(136, time.as_bytes());
        put(148, b"        ");
        put(156, &[self.flag]);
        put(257, b"ustar\x0000");
        for (at, bytes) in &self.patches {
            put(*at, bytes);
        }
        let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
        let text = match self.checksum {
            Checksum::Short => format!("{sum:o}\0\0\0\0\0"),
            Checksum::Padded => format!("{sum:06o}\0 "),
            Checksum::Wrong => format!("{:06o}\0 ", sum + 1),
        };
        block[148..156].copy_from_slice(&text.as_bytes()[..8]);
        block
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.header().to_vec();
        bytes.extend_from_slice(&self.content);
        bytes.resize(bytes.len().next_multiple_of(512), self.padding);
        bytes
    }
}

/// The records of an extended header.
pub fn pax_records(records: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (key, value) in records {
        let rest = key.len() + value.len() + 3;
        let length =
            (rest..rest + 20).find(|length| length.to_string().len() + rest == *length).unwrap();
        bytes.extend_from_slice(format!("{length} {key}={value}\n").as_bytes());
    }
    bytes
}

pub fn crc32(bytes: &[u8]) -> u32 {
    let table: Vec<u32> = (0..256_u32)
        .map(|byte| {
            (0..8).fold(byte, |crc, _| (crc >> 1) ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 })
        })
        .collect();
    !bytes
        .iter()
        .fold(u32::MAX, |crc, &byte| (crc >> 8) ^ table[usize::from(crc.to_le_bytes()[0] ^ byte)])
}

/// One gzip member.
pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    bytes.extend(miniz_oxide::deflate::compress_to_vec(content, 6));
    bytes.extend(crc32(content).to_le_bytes());
    bytes.extend_from_slice(&(content.len() as u64).to_le_bytes()[..4]);
    bytes
}
