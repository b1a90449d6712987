//! What stands between quotes: its escapes, its encoding, and where it ends.

use memchr::memchr2;

/// Bytes of a text that are looked at one by one.
const NEAR: usize = 24;

/// Bytes that stand for themselves.
const IS_PLAIN: [bool; 256] = {
    let mut are = [false; 256];
    let mut at = b' ';
    while at <= b'~' {
        are[at as usize] = at != b'"' && at != b'\\';
        at += 1;
    }
    are
};

/// Where a text stands after some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StringStep {
    /// It goes on.
    Open,
    /// Its closing quote was read.
    Ended,
}

/// Reads a text piece by piece, from behind its opening quote.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StringReader {
    escape: Escape,
    /// The beginning of a character whose end has not come yet.
    partial: [u8; 4],
    partial_len: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    /// Behind a backslash.
    Begun,
    /// So many hexadecimal digits are missing.
    Digits(u8),
}

impl StringReader {
    /// How many bytes were read, at least one, and where that leads. Nothing if it is no JSON.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Option<(usize, StringStep)> {
        if self.escape != Escape::None {
            self.escape = self.escape.after(*bytes.first()?)?;
            return Some((1, StringStep::Open));
        }
        // Most texts are short and plain, and a search has to begin before it is fast.
        let near = bytes.iter().take(NEAR).position(|byte| !IS_PLAIN[usize::from(*byte)]);
        if let Some(at) = near.filter(|_| self.partial_len == 0)
            && let b'"' | b'\\' = bytes[at]
        {
            return Some((at + 1, self.after_plain(bytes[at])));
        }
        let plain = memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
        let (text, more) = bytes.split_at(plain);
        self.check_plain(text)?;
        let Some(end) = more.first() else { return Some((plain, StringStep::Open)) };
        if self.partial_len > 0 {
            return None;
        }
        Some((plain + 1, self.after_plain(*end)))
    }

    /// Where a quote or a backslash leads.
    fn after_plain(&mut self, end: u8) -> StringStep {
        if end == b'"' {
            return StringStep::Ended;
        }
        self.escape = Escape::Begun;
        StringStep::Open
    }

    /// No control characters, and valid UTF-8.
    fn check_plain(&mut self, text: &[u8]) -> Option<()> {
        // One look at each byte, without a branch: most texts are long and plain.
        let (low, high) =
            text.iter().fold((0x20_u8, 0_u8), |(low, high), byte| (low.min(*byte), high | *byte));
        if low < 0x20 {
            return None;
        }
        if self.partial_len == 0 && high < 0x80 {
            return Some(());
        }
        let rest = self.complete_partial(text)?;
        match core::str::from_utf8(rest) {
            Ok(_) => Some(()),
            // An error without a length is a character that is cut off.
            Err(error) if error.error_len().is_none() => {
                let cut = &rest[error.valid_up_to()..];
                self.partial[..cut.len()].copy_from_slice(cut);
                self.partial_len = cut.len();
                Some(())
            }
            Err(_) => None,
        }
    }

    /// Ends the character that was cut off, byte by byte; gives back what comes behind it.
    fn complete_partial<'t>(&mut self, text: &'t [u8]) -> Option<&'t [u8]> {
        let mut rest = text;
        while self.partial_len > 0 {
            let Some((byte, after)) = rest.split_first() else { return Some(rest) };
            *self.partial.get_mut(self.partial_len)? = *byte;
            self.partial_len += 1;
            rest = after;
            match core::str::from_utf8(&self.partial[..self.partial_len]) {
                Ok(_) => self.partial_len = 0,
                Err(error) if error.error_len().is_none() => {}
                Err(_) => return None,
            }
        }
        Some(rest)
    }
}

impl Escape {
    /// What follows a byte of an escape; nothing if there is no such escape.
    fn after(self, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::Begun, b'u') => Some(Self::Digits(4)),
            (Self::Begun, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                Some(Self::None)
            }
            (Self::Digits(1), byte) if byte.is_ascii_hexdigit() => Some(Self::None),
            (Self::Digits(left), byte) if byte.is_ascii_hexdigit() => Some(Self::Digits(left - 1)),
            _ => None,
        }
    }
}
