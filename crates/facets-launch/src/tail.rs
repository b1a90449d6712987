use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

/// How much of what a server says is kept for an error message.
const KEPT: usize = 64 << 10;

/// The last words of a stream that is read to its end, however long it is.
#[derive(Clone, Debug, Default)]
pub struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    /// Reads a stream on a thread of its own, so that its writer never waits.
    pub(crate) fn follow(mut stream: impl Read + Send + 'static) -> Self {
        let tail = Self::default();
        let ours = tail.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                ours.add(&buffer[..count]);
            }
        });
        tail
    }

    fn add(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(bytes);
        let superfluous = kept.len().saturating_sub(KEPT);
        kept.drain(..superfluous);
    }

    /// What is kept, as text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(kept.make_contiguous()).into_owned()
    }
}
