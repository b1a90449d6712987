//! A stream of lines, of which the long ones pass before they have ended.

use crate::envelope::Envelope;

/// Lines up to this are looked at as a whole.
pub(crate) const STREAM_FROM: usize = 64 << 10;
/// A list, or whatever else has to be seen whole, has at most this.
pub(crate) const MOST_HELD: usize = 16 << 20;

/// What happens to the rest of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Course {
    /// It is not decided.
    Gather,
    /// It goes on as it comes.
    Pass,
    /// It goes nowhere.
    Swallow,
}

/// A line that has not ended yet.
#[derive(Debug)]
pub(crate) struct Line {
    /// Its bytes so far; once it passes, the last of them, which wait for its end.
    pub(crate) held: Vec<u8>,
    /// What it is, once it is longer than most.
    pub(crate) envelope: Envelope,
    /// How much of `held` the envelope has seen.
    seen: usize,
    pub(crate) course: Course,
    /// Nobody can say what it is.
    pub(crate) is_broken: bool,
    /// Whoever was to read it has gone.
    pub(crate) is_lost: bool,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            held: Vec::new(),
            envelope: Envelope::default(),
            seen: 0,
            course: Course::Gather,
            is_broken: false,
            is_lost: false,
        }
    }
}

impl Line {
    /// Has the envelope read what is new.
    pub(crate) fn look(&mut self) {
        if !self.is_broken {
            self.is_broken = self.envelope.push(&self.held[self.seen..]).is_err();
        }
        self.seen = self.held.len();
    }

    /// Has the envelope read the end; whether it is a whole message.
    pub(crate) fn look_at_end(&mut self) -> bool {
        self.look();
        !self.is_broken && self.envelope.finish().is_ok()
    }

    /// More of a line that goes on, or nowhere.
    pub(crate) fn add(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.look();
        if !self.is_broken {
            self.is_broken = self.envelope.push(bytes).is_err();
        }
        if self.course == Course::Pass && !self.is_broken {
            let last = bytes.iter().rposition(|byte| !byte.is_ascii_whitespace());
            if let Some(last) = last {
                let start = out.len();
                out.append(&mut self.held);
                out.extend_from_slice(&bytes[..last]);
                keep_on_one_line(&mut out[start..]);
            }
            self.held.extend_from_slice(&bytes[last.unwrap_or(0)..]);
            // White space without end is no message.
            self.is_broken = self.held.len() > 2 * STREAM_FROM + bytes.len().min(STREAM_FROM);
        } else {
            self.held.clear();
        }
        self.seen = self.held.len();
    }

    /// Sends what is held but for its last byte, without which no reader takes it for a
    /// message: whatever is found out later, it is not too late.
    pub(crate) fn let_go(&mut self, out: &mut Vec<u8>) {
        let last = self.held.iter().rposition(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
        let start = out.len();
        out.extend_from_slice(&self.held[..last]);
        keep_on_one_line(&mut out[start..]);
        self.held.drain(..last);
        self.seen = self.held.len();
    }
}

/// Some readers end a line where a carriage return stands; inside a message that is white
/// space, and a blank is just as good.
pub(crate) fn keep_on_one_line(bytes: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\r', &bytes[at..]) {
        bytes[at + found] = b' ';
        at += found + 1;
    }
}

/// Appends a whole line as it came, but for what would make it two.
pub(crate) fn push_line(line: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(line);
    let end = out.len() - usize::from(line.ends_with(b"\r"));
    keep_on_one_line(&mut out[start..end]);
    out.push(b'\n');
}
