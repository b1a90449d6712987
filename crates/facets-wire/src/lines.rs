use std::borrow::Cow;

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
    let line = trim_json_space(line);
    match line.first()? {
        b'{' | b'[' => Some(Line::Message(line.to_vec())),
        _ => Some(Line::Noise(line.to_vec())),
    }
}

/// A line without the white space around it that JSON knows. A form feed is none.
#[must_use]
pub fn trim_json_space(line: &[u8]) -> &[u8] {
    let is_other = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let Some(start) = line.iter().position(is_other) else { return &[] };
    let end = line.iter().rposition(is_other).unwrap_or(start);
    &line[start..=end]
}

/// A message in which every escape of half a character is that of a replacement character: some
/// servers cut texts in the middle of one. Everything else is as it was.
#[must_use]
pub fn without_lone_surrogates(message: &[u8]) -> Cow<'_, [u8]> {
    let unit = |at: usize| {
        let escape = message.get(at..at + 6)?.strip_prefix(b"\\u")?;
        let digits = core::str::from_utf8(escape).ok()?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut out: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(found) = message.get(at..).and_then(|rest| memchr(b'\\', rest)) {
        at += found;
        // An escape of one letter may be a backslash, and is stepped over.
        let Some(first) = unit(at) else {
            at += 2;
            continue;
        };
        let is_pair = (0xd800..0xdc00).contains(&first)
            && unit(at + 6).is_some_and(|second| (0xdc00..0xe000).contains(&second));
        if !is_pair && (0xd800..0xe000).contains(&first) {
            let out = out.get_or_insert_with(|| message.to_vec());
            out[at..at + 6].copy_from_slice(b"\\ufffd");
        }
        at += if is_pair { 12 } else { 6 };
    }
    out.map_or(Cow::Borrowed(message), Cow::Owned)
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

    #[test]
    fn halves_of_characters_are_replaced_and_nothing_else() {
        for (text, expected) in [
            (r"a\ud83d", r"a\ufffd"),
            (r"\ud83d\ude00", r"\ud83d\ude00"),
            (r"\ude00\ud83d", r"\ufffd\ufffd"),
            (r"\ud83d\ud83d\ude00", r"\ufffd\ud83d\ude00"),
            (r"\\ud83d", r"\\ud83d"),
            (r"\\\ud83d", r"\\\ufffd"),
            (r"\u00e9\n", r"\u00e9\n"),
            (r"\ud83", r"\ud83"),
            ("\\", "\\"),
        ] {
            let got = without_lone_surrogates(text.as_bytes());
            assert_eq!(&*got, expected.as_bytes(), "{text}");
        }
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
