//! What others may know of a session, and ask of it.

use std::io::{self, PipeReader, PipeWriter, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How a session stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Requests that wait for an answer.
    pub waiting: usize,
    /// Items that the server has listed as they were approved.
    pub approved: usize,
    /// What is withheld.
    pub withheld: Vec<String>,
    /// What a person types about that.
    pub next: Option<String>,
    /// How often the server was started again.
    pub restarts: u32,
    /// Whether the server has not answered when it was last asked whether it is there.
    pub is_silent: bool,
    /// That the server has answered nothing for longer than it should; none once it has.
    pub unanswered: Option<String>,
}

/// Shared between a session and whoever asks.
#[derive(Clone, Debug)]
pub struct Control {
    status: Arc<Mutex<Status>>,
    stop: Arc<Mutex<PipeWriter>>,
    has_ended: Arc<AtomicBool>,
}

impl Control {
    /// A control, and what the session listens on.
    pub fn new() -> io::Result<(Self, PipeReader)> {
        let (reader, writer) = io::pipe()?;
        let control = Self {
            status: Arc::default(),
            stop: Arc::new(Mutex::new(writer)),
            has_ended: Arc::default(),
        };
        Ok((control, reader))
    }

    /// How the session stands.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set(&self, status: Status) {
        *self.status.lock().unwrap_or_else(PoisonError::into_inner) = status;
    }

    /// Whether the session goes on.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        !self.has_ended.load(Ordering::Relaxed)
    }

    pub(crate) fn ended(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }

    /// Has the session end.
    pub fn stop(&self) {
        let mut stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        // If nobody listens any more, it has ended.
        let _ = stop.write_all(b"s");
    }
}
