//! How far a look at a server has come, seen from what is sent and received.

use std::time::{Duration, Instant};

use facets_mcp::{Transport, TransportError};

/// A part of a look at a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObserveStep {
    /// It is started, or called.
    Starting,
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

/// Sees how far a look at a server has come.
pub trait ObserveProgress: Sync {
    /// This begins.
    fn on_step(&self, step: ObserveStep);
}

/// Nobody looks.
impl ObserveProgress for () {
    fn on_step(&self, _: ObserveStep) {}
}

/// A transport that tells what goes through it.
pub(crate) struct WatchedTransport<'t> {
    transport: &'t mut dyn Transport,
    at_most: Duration,
    progress: &'t dyn ObserveProgress,
    is_asked: bool,
    has_answered: bool,
}

impl<'t> WatchedTransport<'t> {
    pub(crate) fn new(
        transport: &'t mut dyn Transport,
        at_most: Duration,
        progress: &'t dyn ObserveProgress,
    ) -> Self {
        Self { transport, at_most, progress, is_asked: false, has_answered: false }
    }

    /// What begins with a request.
    fn step(&self, method: &str) -> Option<ObserveStep> {
        if !self.is_asked {
            return Some(ObserveStep::Waiting { at_most: self.at_most });
        }
        let what = match method {
            "tools/list" => "tools",
            "prompts/list" => "prompts",
            "resources/list" => "resources",
            "resources/templates/list" => "resource templates",
            _ => return None,
        };
        self.has_answered.then_some(ObserveStep::Reading { what })
    }
}

impl Transport for WatchedTransport<'_> {
    fn send(
        &mut self,
        message: &str,
        method: Option<&str>,
        deadline: Instant,
    ) -> Result<(), TransportError> {
        if let Some(method) = method {
            if let Some(step) = self.step(method) {
                self.progress.on_step(step);
            }
            self.is_asked = true;
        }
        self.transport.send(message, method, deadline)
    }

    fn receive(&mut self, deadline: Instant) -> Result<Vec<u8>, TransportError> {
        let received = self.transport.receive(deadline)?;
        self.has_answered = true;
        Ok(received)
    }

    fn agreed(&mut self, revision: &str) {
        self.transport.agreed(revision);
    }

    fn noise(&self) -> &[String] {
        self.transport.noise()
    }
}
