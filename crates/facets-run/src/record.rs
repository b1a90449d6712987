//! What is written down, by a thread of its own: a slow disk must not hold up a session.

use std::mem;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use facets_guard::Event;

/// Decisions that wait to be written; beyond this the session waits.
const MAX_WAITING: usize = 16 << 10;
/// How long they wait at most. To wake somebody for each of them would cost more than the
/// session itself.
const PACE: Duration = Duration::from_millis(20);

/// Whoever wants to know.
pub trait RecordDecisions: Send {
    /// Something was decided.
    fn on_decision(&mut self, event: &Event);
}

/// Decisions that wait to be written.
#[derive(Debug, Default)]
struct PendingEvents {
    events: Mutex<Vec<Event>>,
    taken: Condvar,
}

impl PendingEvents {
    fn events(&self) -> MutexGuard<'_, Vec<Event>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes decisions, and hands them on.
#[derive(Debug)]
pub struct Recorder {
    waiting: Arc<PendingEvents>,
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Recorder {
    /// Hands decisions to somebody who may be slow.
    pub fn new(record: impl RecordDecisions + 'static) -> std::io::Result<Self> {
        let waiting = Arc::new(PendingEvents::default());
        let (end, ended) = channel();
        let theirs = Arc::clone(&waiting);
        let thread = std::thread::Builder::new().spawn(move || write(&theirs, &ended, record))?;
        Ok(Self { waiting, end: Some(end), thread: Some(thread) })
    }

    pub(crate) fn take(&self, events: &mut Vec<Event>) {
        if events.is_empty() {
            return;
        }
        let mut waiting = self.waiting.events();
        // None may be lost, so the session waits if it has to.
        while waiting.len() > MAX_WAITING {
            let woken = self.waiting.taken.wait(waiting);
            waiting = woken.unwrap_or_else(PoisonError::into_inner);
        }
        waiting.append(events);
    }
}

fn write(waiting: &PendingEvents, ended: &Receiver<()>, mut record: impl RecordDecisions) {
    loop {
        let is_last = ended.recv_timeout(PACE) != Err(RecvTimeoutError::Timeout);
        let events = mem::take(&mut *waiting.events());
        waiting.taken.notify_all();
        for event in &events {
            record.on_decision(event);
        }
        if is_last {
            return;
        }
    }
}

impl Drop for Recorder {
    /// Everything is written before the session ends.
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
