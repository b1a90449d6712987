use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use facets_failure::Stderr;

/// How much of the beginning of what a server says is kept for an error message.
const FIRST: usize = 16 << 10;

/// How much of its end.
const LAST: usize = 64 << 10;

/// The first and the last words of a stream that is read to its end, however long it is.
#[derive(Clone, Debug, Default)]
pub struct Tail(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    words: Mutex<Words>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Words {
    first: Vec<u8>,
    /// Line ends between the two.
    omitted: usize,
    /// Whether anything between the two is not kept.
    is_cut: bool,
    last: VecDeque<u8>,
    has_ended: bool,
}

impl Words {
    fn add(&mut self, bytes: &[u8]) {
        let room = FIRST.saturating_sub(self.first.len()).min(bytes.len());
        let (begin, rest) = bytes.split_at(room);
        self.first.extend_from_slice(begin);
        self.last.extend(rest);
        let superfluous = self.last.len().saturating_sub(LAST);
        self.is_cut |= superfluous > 0;
        self.omitted += self.last.drain(..superfluous).filter(|byte| *byte == b'\n').count();
    }

    fn stderr(&self) -> Stderr {
        let (begin, end) = self.last.as_slices();
        let last = [begin, end].concat();
        if !self.is_cut {
            let all = [self.first.as_slice(), &last].concat();
            return Stderr::of(&String::from_utf8_lossy(&all));
        }
        // What is left of a line that was cut is no line, unless it is all that there is.
        let end = |bytes: &[u8]| bytes.iter().rposition(|byte| *byte == b'\n');
        let whole = end(&self.first).map_or(self.first.len(), |end| end + 1);
        let next = last.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let next = if next == last.len() { 0 } else { next };
        let first = String::from_utf8_lossy(&self.first[..whole]);
        let last = String::from_utf8_lossy(&last[next..]);
        Stderr::with_gap(&first, self.omitted + 1, &last)
    }
}

impl Tail {
    /// Reads a stream on a thread of its own, so that its writer never waits.
    ///
    /// `listener` hears every piece as well.
    pub(crate) fn follow(
        mut stream: impl Read + Send + 'static,
        mut listener: impl FnMut(&[u8]) + Send + 'static,
    ) -> Self {
        let tail = Self::default();
        let ours = tail.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                ours.add(&buffer[..count]);
                listener(&buffer[..count]);
            }
            ours.words().has_ended = true;
            ours.0.ended.notify_all();
        });
        tail
    }

    fn words(&self) -> MutexGuard<'_, Words> {
        self.0.words.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what was written.
    pub fn add(&self, bytes: &[u8]) {
        self.words().add(bytes);
    }

    /// What is kept so far.
    #[must_use]
    pub fn stderr(&self) -> Stderr {
        self.words().stderr()
    }

    /// What is kept once the stream has ended, for whose end this waits a while.
    #[must_use]
    pub fn last_words(&self, patience: Duration) -> Stderr {
        let words = self.words();
        let waited = self.0.ended.wait_timeout_while(words, patience, |words| !words.has_ended);
        drop(waited);
        self.stderr()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_flood_the_first_and_the_last_lines_are_kept_and_the_rest_is_counted() {
        let tail = Tail::default();
        let line = |number: usize| format!("warning {number:06}: a line of some length\n");
        for number in 0..20_000 {
            tail.add(line(number).as_bytes());
        }
        let kept = tail.stderr();
        let line_length = line(0).trim_end().len();
        assert_eq!(kept.first[0], line(0).trim_end());
        assert_eq!(kept.last.last().map(String::as_str), Some(line(19_999).trim_end()));
        assert_eq!(kept.first.len() + kept.omitted + kept.last.len(), 20_000);
        assert!(kept.lines().all(|line| line.len() == line_length));
        assert!(kept.lines().map(str::len).sum::<usize>() <= FIRST + LAST);
    }

    #[test]
    fn a_line_across_the_border_stays_whole() {
        let tail = Tail::default();
        tail.add(&[b'x'; FIRST - 2]);
        tail.add("é and more\nlast".as_bytes());
        let kept = tail.stderr();
        assert_eq!((kept.first.len(), kept.omitted), (2, 0));
        assert!(kept.first[0].ends_with("xé and more"), "{kept:?}");
    }
}
