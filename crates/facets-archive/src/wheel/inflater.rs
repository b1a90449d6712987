//! Raw deflate, one part after the other.
//!
//! Not with the stream of `miniz_oxide`: its window is a ring that begins with zeros, so it accepts a stream that refers
//! to bytes before its beginning. Other readers refuse that.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// How far back a stream can refer.
const HISTORY: usize = 32 * 1024;
/// The rest is moved less often if it is larger.
const WINDOW: usize = HISTORY + 128 * 1024;

/// Expands one stream at a time.
pub(super) struct Inflater {
    decompressor: Box<DecompressorOxide>,
    window: Box<[u8]>,
    /// Where the next byte goes. Everything before it belongs to the stream.
    end: usize,
}

/// What came of some input.
pub(super) struct Inflated<'i> {
    pub(super) consumed: usize,
    pub(super) content: &'i [u8],
    pub(super) progress: InflateProgress,
}

/// How far a stream is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InflateProgress {
    NeedsInput,
    HasOutput,
    Ended,
    Damaged,
}

impl Inflater {
    pub(super) fn new() -> Self {
        Self { decompressor: Box::default(), window: vec![0; WINDOW].into_boxed_slice(), end: 0 }
    }

    /// A new stream begins.
    pub(super) fn restart(&mut self) {
        self.decompressor.init();
        self.end = 0;
    }

    /// Expands some input of the stream.
    pub(super) fn inflate(&mut self, input: &[u8]) -> Inflated<'_> {
        if self.end == WINDOW {
            self.window.copy_within(WINDOW - HISTORY.., 0);
            self.end = HISTORY;
        }
        let flags = TINFL_FLAG_HAS_MORE_INPUT | TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let start = self.end;
        let (status, consumed, produced) =
            decompress(&mut self.decompressor, input, &mut self.window, start, flags);
        self.end += produced;
        let progress = match status {
            TINFLStatus::Done => InflateProgress::Ended,
            TINFLStatus::NeedsMoreInput => InflateProgress::NeedsInput,
            TINFLStatus::HasMoreOutput => InflateProgress::HasOutput,
            _ => InflateProgress::Damaged,
        };
        Inflated { consumed, content: &self.window[start..self.end], progress }
    }
}

#[cfg(test)]
mod tests {
    use miniz_oxide::deflate::compress_to_vec;

    use super::*;

    fn expand(
        inflater: &mut Inflater,
        mut input: &[u8],
        part: usize,
    ) -> (Vec<u8>, InflateProgress) {
        inflater.restart();
        let mut content = Vec::new();
        loop {
            let some = &input[..part.min(input.len())];
            let step = inflater.inflate(some);
            input = &input[step.consumed..];
            content.extend_from_slice(step.content);
            let progress = step.progress;
            match progress {
                InflateProgress::HasOutput => {}
                InflateProgress::NeedsInput if !input.is_empty() => {}
                _ => return (content, progress),
            }
        }
    }

    /// Repeats that are as far back as they can be, and bytes that do not repeat.
    fn mixed(length: usize) -> Vec<u8> {
        let mut state = 1_u32;
        let mut content: Vec<u8> = Vec::with_capacity(length);
        while content.len() < length {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let far = content.len().checked_sub(HISTORY).filter(|_| state.is_multiple_of(4));
            match far {
                Some(at) => content.extend_from_within(at..at + 200),
                None => content.extend(state.to_le_bytes()),
            }
        }
        content.truncate(length);
        content
    }

    #[test]
    fn streams_expand_to_what_was_compressed_whatever_the_parts() {
        let mut inflater = Inflater::new();
        for length in [0, 1, HISTORY, WINDOW - 1, WINDOW, WINDOW + 1, 3 * WINDOW + 17] {
            let content = mixed(length);
            let compressed = compress_to_vec(&content, 6);
            for part in [1, 1000, usize::MAX] {
                let (found, progress) = expand(&mut inflater, &compressed, part);
                assert!(found == content, "{length} in parts of {part}");
                assert_eq!(progress, InflateProgress::Ended);
            }
        }
    }

    #[test]
    fn a_stream_that_is_cut_asks_for_more() {
        let compressed = compress_to_vec(&mixed(5000), 6);
        let (_, progress) = expand(&mut Inflater::new(), &compressed[..compressed.len() - 1], 99);
        assert_eq!(progress, InflateProgress::NeedsInput);
    }

    /// Fixed codes: the letter `a`, then three bytes from `distance` bytes before.
    fn referring(distance_code: u32) -> Vec<u8> {
        let mut bits = Vec::new();
        let mut put = |code: u32, length: u32| {
            bits.extend((0..length).rev().map(|bit| code >> bit & 1 == 1));
        };
        // the last block, fixed codes; numbers of a header begin with their lowest bit
        put(0b110, 3);
        put(0x30 + u32::from(b'a'), 8);
        put(1, 7);
        put(distance_code, 5);
        put(0, 7);
        let byte =
            |bits: &[bool]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
        bits.chunks(8).map(byte).collect()
    }

    #[test]
    fn a_stream_that_refers_to_bytes_before_its_beginning_is_damaged() {
        let mut inflater = Inflater::new();
        let (content, progress) = expand(&mut inflater, &referring(0), 1);
        assert_eq!((&*content, progress), (&b"aaaa"[..], InflateProgress::Ended));
        // also behind another stream, whose bytes are still there
        let (_, progress) = expand(&mut inflater, &referring(1), 1);
        assert_eq!(progress, InflateProgress::Damaged);
    }
}
