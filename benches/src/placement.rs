//! Where the buffer of a reader begins.

use std::fs::File;
use std::hint::black_box;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use facets_digest::{Hasher, ReadBuffer};

use crate::{Target, ratios, report};

const PAGE: usize = 4096;
/// How far behind a page large memory of the usual allocator begins: its own header stands there.
const SHIFT: usize = 16;
/// Beginning with a page never costs. That it gains, on processors that copy slowly elsewhere, is no
/// target: others copy equally fast to both places.
const NO_LOSS: f64 = 0.95;

/// Reads a file to its end through a buffer.
type Reader = fn(&Path, &mut [u8]);

pub(crate) fn measure(runs: usize, file: Option<&Path>) {
    let path = file.map_or_else(own_program, Path::to_owned);
    let size = path.metadata().map_or(0, |metadata| metadata.len()) >> 20;
    let readers: [(&str, Reader); 2] = [("reading", read), ("reading and hashing", hash)];
    for (verb, reader) in readers {
        let on_page = || reader(&path, &mut ReadBuffer::new());
        let behind_page = || with_shifted(|buffer| reader(&path, buffer));
        let what = format!("speed of {verb} {size} MiB through a buffer that begins with a page");
        let baseline = format!("a buffer that begins {SHIFT} bytes behind a page");
        report(&what, &baseline, ratios(runs, behind_page, on_page), &Target::AtLeast(NO_LOSS));
    }
}

/// A file that exists wherever this runs.
fn own_program() -> PathBuf {
    std::env::current_exe().expect("a program knows its file")
}

/// Lends a buffer of the same length that begins a little behind a page.
fn with_shifted(work: impl FnOnce(&mut [u8])) {
    let length = ReadBuffer::new().len();
    let mut bytes = vec![0; length + 2 * PAGE];
    let start = bytes.as_ptr().align_offset(PAGE).min(PAGE) + SHIFT;
    work(&mut bytes[start..start + length]);
}

fn read(path: &Path, buffer: &mut [u8]) {
    each_piece(path, buffer, |piece| {
        black_box(piece);
    });
}

fn hash(path: &Path, buffer: &mut [u8]) {
    let mut hasher = Hasher::new();
    each_piece(path, buffer, |piece| hasher.update(piece));
    black_box(hasher.finish());
}

fn each_piece(path: &Path, buffer: &mut [u8], mut take: impl FnMut(&[u8])) {
    let mut file = File::open(path).expect("the file can be opened");
    loop {
        let count = file.read(buffer).expect("the file can be read");
        if count == 0 {
            return;
        }
        take(&buffer[..count]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shifted_buffer_begins_behind_a_page_and_is_as_long_as_the_other() {
        with_shifted(|buffer| {
            assert_eq!(buffer.as_ptr().align_offset(PAGE), PAGE - SHIFT);
            assert_eq!(buffer.len(), ReadBuffer::new().len());
        });
    }
}
