use memchr::{memchr, memchr2};

use crate::too_long::TooLong;

/// One line of a stream, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A message: it begins with `{` or `[`.
    Message(Vec<u8>),
    /// Something else that a server printed where it should not.
    Noise(Vec<u8>),
}

/// What may be kept for the next line.
const ROOMY: usize = 256 << 10;

/// Cuts a stream into lines. Blank lines vanish, and so does `\r` before `\n`.
#[derive(Debug)]
pub struct LineFramer {
    pending: Vec<u8>,
    /// How much of `pending` has no line end in it.
    searched: usize,
    limit: usize,
}

impl LineFramer {
    /// A line of more than `limit` bytes is refused.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { pending: Vec::new(), searched: 0, limit }
    }

    /// Takes the next bytes, and gives back the lines that they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Line>, TooLong> {
        self.pending.extend_from_slice(bytes);
        let mut lines = Vec::new();
        let mut start = 0;
        while let Some(length) = find_end(&self.pending[self.searched..]) {
            let end = self.searched + length;
            self.check(end - start)?;
            lines.extend(classify(&self.pending[start..end]));
            start = end + 1;
            self.searched = start;
        }
        self.pending.drain(..start);
        // One large message must not hold its memory for ever.
        if self.pending.capacity() > ROOMY && self.pending.len() < ROOMY {
            self.pending.shrink_to(ROOMY);
        }
        self.searched = self.pending.len();
        self.check(self.pending.len())?;
        Ok(lines)
    }

    /// What stands behind the last line end, when the stream has ended.
    #[must_use]
    pub fn finish(self) -> Option<Line> {
        classify(&self.pending)
    }

    fn check(&self, length: usize) -> Result<(), TooLong> {
        if length > self.limit { Err(TooLong { limit: self.limit }) } else { Ok(()) }
    }
}

fn find_end(bytes: &[u8]) -> Option<usize> {
    memchr(b'\n', bytes)
}

// spec 5.7: a line that does not start with `{` or `[` is noise
fn classify(line: &[u8]) -> Option<Line> {
    let line = line.trim_ascii();
    match line.first()? {
        b'{' | b'[' => Some(Line::Message(line.to_vec())),
        _ => Some(Line::Noise(line.to_vec())),
    }
}

/// Line ends inside a message are white space, and a blank is just as good. Some readers end a
/// line where a carriage return stands.
pub fn keep_on_one_line(bytes: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = memchr2(b'\r', b'\n', &bytes[at..]) {
        bytes[at + found] = b' ';
        at += found + 1;
    }
}

/// Appends a message as one line, as it came but for what would make it two.
pub fn push_line(message: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(message);
    let end = out.len() - usize::from(message.ends_with(b"\r"));
    keep_on_one_line(&mut out[start..end]);
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(text: &str) -> Line {
        Line::Message(text.as_bytes().to_vec())
    }

    #[test]
    fn tells_messages_from_noise() {
        let mut framer = LineFramer::new(100);
        let lines = framer.push(b"{\"a\":1}\r\n\n  \nlistening on 3000\n[1]\n{\"b\"").unwrap();
        assert_eq!(
            lines,
            [message("{\"a\":1}"), Line::Noise(b"listening on 3000".to_vec()), message("[1]")]
        );
        assert_eq!(framer.push(b":2}\n").unwrap(), [message("{\"b\":2}")]);
        framer.push(b"{\"cut").unwrap();
        assert_eq!(framer.finish(), Some(message("{\"cut")));
    }

    #[test]
    fn stops_at_the_limit_wherever_the_line_ends() {
        let mut framer = LineFramer::new(4);
        assert_eq!(framer.push(b"1234\n12345").unwrap_err(), TooLong { limit: 4 });
        assert_eq!(LineFramer::new(4).push(b"12345\n").unwrap_err(), TooLong { limit: 4 });
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter(text in "[{}a\r\n ]{0,60}", cuts in proptest::collection::vec(0usize..60, 0..6)) {
            let whole = LineFramer::new(1000).push(text.as_bytes()).unwrap();
            let mut framer = LineFramer::new(1000);
            let mut pieces = Vec::new();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            for pair in cuts.windows(2) {
                pieces.extend(framer.push(&text.as_bytes()[pair[0]..pair[1]]).unwrap());
            }
            prop_assert_eq!(pieces, whole);
        }
    }
}
