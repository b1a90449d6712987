//! A facet that expands to a thousand times its size, made without ever holding that.

use facets_digest::Digest;
use miniz_oxide::MZFlush;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::deflate::core::{CompressorOxide, create_comp_flags_from_zip_params};
use miniz_oxide::deflate::stream::deflate;
use serde_json::json;

use super::tar::{Checksum, Entry};

/// `json.dumps(…, indent=2)`, as the tool of the vectors writes it.
const MANIFEST: &str = r#"{
  "name": "neg-bomb",
  "version": "1.0.0",
  "skills": {
    "s1": {
      "description": "d"
    }
  },
  "files": [
    "z.bin"
  ]
}
"#;
const SKILL: &[u8] = b"# hi\n";
const PART: usize = 1 << 20;
const PARTS: usize = 300;
/// SHA-256 of that many zeros.
const ZEROS: &str = "sha256:17a88af83717f68b8bd97873ffcf022c8aed703416fe9b08e0fa9e3287692bf0";
/// CRC-32 of the uncompressed tar.
const CHECKSUM: u32 = 0xa702_50c9;

/// 300 MiB of zeros in about 300 KiB; `integrity` is the digest of its uncompressed tar.
pub fn facet_bomb(integrity: &str) -> Vec<u8> {
    let mut zeros = entry("z.bin", b"");
    zeros.size = Some((PART * PARTS) as u64);
    let mut start = entry("facet.json", MANIFEST.as_bytes()).bytes();
    start.extend(entry("skills/s1/SKILL.md", SKILL).bytes());
    start.extend(zeros.header());
    let manifest = json!({
        "facetVersion": 0.2,
        "archive": "archive.tar.gz",
        "integrity": integrity,
        "files": {
            "facet.json": Digest::of(MANIFEST.as_bytes()).to_string(),
            "skills/s1/SKILL.md": Digest::of(SKILL).to_string(),
            "z.bin": ZEROS,
        },
    });
    let mut bytes = entry("build-manifest.json", manifest.to_string().as_bytes()).bytes();
    bytes.extend(entry("archive.tar.gz", &gzip_of_parts(&start)).bytes());
    bytes.resize(bytes.len().next_multiple_of(10_240), 0);
    bytes
}

fn entry(name: &str, content: &[u8]) -> Entry {
    Entry { checksum: Checksum::Short, ..Entry::file(name.as_bytes(), content) }
}

/// One gzip member: the start, all zeros, and those that fill the last record of the tar.
fn gzip_of_parts(start: &[u8]) -> Vec<u8> {
    let length = start.len() + PART * PARTS;
    let whole = length.next_multiple_of(10_240);
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    bytes.extend(compressed_part(start));
    bytes.extend(compressed_part(&vec![0; PART]).repeat(PARTS));
    bytes.extend(compress_to_vec(&vec![0; whole - length], 6));
    bytes.extend(CHECKSUM.to_le_bytes());
    bytes.extend_from_slice(&(whole as u64).to_le_bytes()[..4]);
    bytes
}

/// Compressed bytes that end with a byte, and refer to nothing before them: such parts can be joined.
fn compressed_part(content: &[u8]) -> Vec<u8> {
    let raw = create_comp_flags_from_zip_params(6, -15, 0);
    let mut compressor = Box::new(CompressorOxide::new(raw));
    let mut compressed = vec![0; content.len() + 1024];
    let done = deflate(&mut compressor, content, &mut compressed, MZFlush::Full);
    assert_eq!(done.bytes_consumed, content.len());
    compressed.truncate(done.bytes_written);
    compressed
}
