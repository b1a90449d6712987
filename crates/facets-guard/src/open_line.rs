//! A stream of lines, of which the long ones pass before they have ended.

use facets_wire::{Envelope, keep_on_one_line};

use crate::limits::STREAM_FROM;

/// What happens to the rest of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineMode {
    /// It is not decided.
    Gather,
    /// It goes on as it comes.
    Pass,
    /// It goes nowhere.
    Discard,
}

/// A line that has not ended yet.
#[derive(Debug)]
pub(crate) struct OpenLine {
    /// Its bytes so far; once it passes, the last of them, which wait for its end.
    pub(crate) held: Vec<u8>,
    /// What it is, once it is longer than most.
    pub(crate) envelope: Envelope,
    /// How much of `held` the envelope has seen.
    seen: usize,
    pub(crate) mode: LineMode,
    /// Nobody can say what it is.
    pub(crate) is_broken: bool,
    /// Whoever was to read it has gone.
    pub(crate) is_lost: bool,
}

impl Default for OpenLine {
    fn default() -> Self {
        Self {
            held: Vec::new(),
            envelope: Envelope::default(),
            seen: 0,
            mode: LineMode::Gather,
            is_broken: false,
            is_lost: false,
        }
    }
}

impl OpenLine {
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
        if self.mode == LineMode::Pass && !self.is_broken {
            let last = last_character(bytes);
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

    /// Sends what is held but for its last character, without which no reader takes it for a
    /// message: whatever is found out later, it is not too late.
    pub(crate) fn pass_on(&mut self, out: &mut Vec<u8>) {
        let last = last_character(&self.held).unwrap_or(0);
        let start = out.len();
        out.extend_from_slice(&self.held[..last]);
        keep_on_one_line(&mut out[start..]);
        self.held.drain(..last);
        self.seen = self.held.len();
    }
}

/// Where the last character begins that is not white space. Half a character is none that a reader
/// could take, so nothing is given if it began in bytes before these.
fn last_character(bytes: &[u8]) -> Option<usize> {
    let last = bytes.iter().rposition(|byte| !byte.is_ascii_whitespace())?;
    let is_start = |byte: &u8| byte & 0b1100_0000 != 0b1000_0000;
    bytes[..=last].iter().rposition(is_start)
}
