//! Sets of bytes in brackets.

/// Which bytes a set has; never the slash, which separates names.
#[derive(Clone, Debug)]
pub(super) struct ByteSet([bool; 256]);

impl ByteSet {
    /// Reads a set whose bracket ends before `at`. Gives back where the pattern goes on; nothing for a
    /// set that does not end.
    pub(super) fn parse(pattern: &[u8], at: usize) -> Option<(Self, usize)> {
        let byte_at = |at: usize| pattern.get(at).copied();
        let mut set = Self([false; 256]);
        let is_negated = matches!(byte_at(at), Some(b'!' | b'^'));
        let mut at = if is_negated { at + 1 } else { at };
        // The first byte of a range, if the next one can end it. A first `]` is an ordinary byte.
        let mut before = None;
        loop {
            let byte = byte_at(at)?;
            match (byte, before, byte_at(at + 1)) {
                (b'\\', _, _) => {
                    at += 1;
                    before = Some(byte_at(at)?);
                    set.add_range(before, before);
                }
                (b'-', Some(_), Some(end)) if end != b']' => {
                    at += if end == b'\\' { 2 } else { 1 };
                    set.add_range(before, Some(byte_at(at)?));
                    before = None;
                }
                (b'[', _, Some(b':')) => (before, at) = set.add_named(pattern, at)?,
                _ => {
                    before = Some(byte);
                    set.add_range(before, before);
                }
            }
            at += 1;
            if byte_at(at)? == b']' {
                break;
            }
        }
        if is_negated {
            set.0 = set.0.map(|has| !has);
        }
        set.0[usize::from(b'/')] = false;
        Some((set, at + 1))
    }

    pub(super) fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }

    fn add_range(&mut self, first: Option<u8>, last: Option<u8>) {
        if let (Some(first), Some(last)) = (first, last) {
            (first..=last).for_each(|byte| self.0[usize::from(byte)] = true);
        }
    }

    /// `[:digit:]` at `at`. Gives back what stands before the next byte, and where this ends.
    fn add_named(&mut self, pattern: &[u8], at: usize) -> Option<(Option<u8>, usize)> {
        let start = at + 2;
        let end = start + pattern.get(start..)?.iter().position(|&byte| byte == b']')?;
        let Some(name) = pattern[start..end].strip_suffix(b":") else {
            // No class after all: a bracket as any other byte.
            self.add_range(Some(b'['), Some(b'['));
            return Some((Some(b'['), at));
        };
        let has = class(name)?;
        (0..=127).filter(has).for_each(|byte| self.0[usize::from(byte)] = true);
        Some((None, end))
    }
}

/// The classes of POSIX, for ASCII.
fn class(name: &[u8]) -> Option<fn(&u8) -> bool> {
    let has: fn(&u8) -> bool = match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |byte| matches!(byte, b' '..=b'~'),
        b"punct" => u8::is_ascii_punctuation,
        b"space" => |byte| matches!(byte, b'\t'..=b'\r' | b' '),
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    };
    Some(has)
}
