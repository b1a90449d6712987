//! How far a look at a server has come: libraries tell it, a face shows it.

use std::time::Duration;

use facets_probe::{ObserveProgress, ObserveStep};

/// A part of a look at a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartStep {
    /// The runtime that starts it is fetched.
    Fetching {
        /// Bytes that have arrived.
        received: u64,
        /// How many there are; 0 if that is not known.
        total: u64,
    },
    /// The packages that it needs are found out.
    Resolving,
    /// It is started, or called.
    Starting,
    /// The same once more, as another client would.
    LookingAgain,
    /// It was asked something, and has not answered yet.
    Waiting {
        /// How long is waited.
        at_most: Duration,
    },
    /// It answers, and is asked for a list.
    Reading {
        /// What is listed.
        what: &'static str,
    },
}

/// Sees how far a command has come that starts servers.
pub trait StartProgress: Sync {
    /// One of several servers comes next.
    fn on_server(&self, _number: usize, _of: usize) {}
    /// This begins.
    fn on_step(&self, name: &str, step: StartStep);
}

/// Nobody looks.
#[derive(Debug)]
pub struct NoStartProgress;

impl StartProgress for NoStartProgress {
    fn on_step(&self, _: &str, _: StartStep) {}
}

/// Which server is looked at, and who sees how far that has come.
#[derive(Clone, Copy)]
pub(crate) struct WatchedStart<'w> {
    pub(crate) name: &'w str,
    pub(crate) progress: &'w dyn StartProgress,
    /// Whether it was looked at before.
    pub(crate) is_again: bool,
}

impl<'w> WatchedStart<'w> {
    pub(crate) fn new(name: &'w str, progress: &'w dyn StartProgress) -> Self {
        Self { name, progress, is_again: false }
    }
}

impl ObserveProgress for WatchedStart<'_> {
    fn on_step(&self, step: ObserveStep) {
        let step = match step {
            ObserveStep::Starting if self.is_again => StartStep::LookingAgain,
            ObserveStep::Starting => StartStep::Starting,
            ObserveStep::Waiting { at_most } => StartStep::Waiting { at_most },
            ObserveStep::Reading { what } => StartStep::Reading { what },
        };
        self.progress.on_step(self.name, step);
    }
}
