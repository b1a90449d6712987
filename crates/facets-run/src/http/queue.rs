//! Messages on their way to somebody who may read slowly.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Bytes that may wait for one reader, before another message.
const MAX_WAITING: usize = 16 << 20;

/// Where messages for one request go.
#[derive(Debug)]
pub(super) struct MessageSender {
    sender: Sender<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
}

/// Where they come out.
#[derive(Debug)]
pub(super) struct MessageReceiver {
    receiver: Receiver<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
}

pub(super) fn message_queue() -> (MessageSender, MessageReceiver) {
    let (sender, receiver) = channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    (MessageSender { sender, waiting: Arc::clone(&waiting) }, MessageReceiver { receiver, waiting })
}

impl MessageSender {
    /// Whether it went its way: not if nobody reads, or somebody much too slowly.
    pub(super) fn send(&self, message: Vec<u8>) -> bool {
        if self.waiting.load(Ordering::Relaxed) > MAX_WAITING {
            return false;
        }
        self.waiting.fetch_add(message.len(), Ordering::Relaxed);
        self.sender.send(message).is_ok()
    }

    /// The last message, which is waited for: it goes its way whatever else waits.
    pub(super) fn answer(&self, message: Vec<u8>) {
        self.waiting.fetch_add(message.len(), Ordering::Relaxed);
        // If nobody waits any more, nobody does.
        let _ = self.sender.send(message);
    }

    /// Whether somebody reads.
    pub(super) fn is_open(&self) -> bool {
        Arc::strong_count(&self.waiting) > 1
    }
}

impl MessageReceiver {
    pub(super) fn recv_timeout(&self, at_most: Duration) -> Result<Vec<u8>, RecvTimeoutError> {
        let message = self.receiver.recv_timeout(at_most)?;
        self.waiting.fetch_sub(message.len(), Ordering::Relaxed);
        Ok(message)
    }

    /// The first message of a kind; those before it are not wanted.
    pub(super) fn find(&self, is_wanted: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
        loop {
            let message = self.receiver.recv().ok()?;
            self.waiting.fetch_sub(message.len(), Ordering::Relaxed);
            if is_wanted(&message) {
                return Some(message);
            }
        }
    }
}
