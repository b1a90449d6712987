use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How much of what a server says is kept for an error message.
const KEPT: usize = 64 << 10;

/// The last words of a stream that is read to its end, however long it is.
#[derive(Clone, Debug, Default)]
pub struct Tail(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    words: Mutex<Words>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Words {
    kept: VecDeque<u8>,
    has_ended: bool,
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

    fn add(&self, bytes: &[u8]) {
        let mut words = self.words();
        words.kept.extend(bytes);
        let superfluous = words.kept.len().saturating_sub(KEPT);
        words.kept.drain(..superfluous);
    }

    /// What is kept so far, as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.words().kept.make_contiguous()).into_owned()
    }

    /// What is kept once the stream has ended, for whose end this waits a while.
    #[must_use]
    pub fn last_words(&self, patience: Duration) -> String {
        let words = self.words();
        let waited = self.0.ended.wait_timeout_while(words, patience, |words| !words.has_ended);
        drop(waited);
        self.text()
    }
}
