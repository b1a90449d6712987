//! Whatever serves: a process below us, or something far away.

use std::os::fd::OwnedFd;
use std::time::Duration;

use facets_launch::{Ending, RunningProcess};

use crate::pipe::make_nonblocking;

/// What keeps a server alive, and ends it.
pub trait ServerHandle: Send {
    /// How it ended, if it has ended by itself within some time.
    fn wait(&mut self, at_most: Duration) -> Option<Ending>;
    /// Ends it, and everything below it.
    fn stop(self: Box<Self>) -> Ending;
}

/// A server that was started or is called.
pub struct RunningServer {
    /// What it hears; none once it was told that nothing more comes.
    pub(crate) input: Option<OwnedFd>,
    /// What it says.
    pub(crate) output: OwnedFd,
    pub(crate) handle: Box<dyn ServerHandle>,
}

impl std::fmt::Debug for RunningServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunningServer").finish_non_exhaustive()
    }
}

impl RunningServer {
    /// A process whose streams nobody has taken yet.
    pub fn of_process(mut running: RunningProcess) -> Option<Self> {
        let (output, input) = running.take_streams()?;
        Some(Self::new(input.into(), output.into(), Box::new(running)))
    }

    /// Anything with two streams.
    #[must_use]
    pub fn new(input: OwnedFd, output: OwnedFd, handle: Box<dyn ServerHandle>) -> Self {
        make_nonblocking(&input);
        make_nonblocking(&output);
        Self { input: Some(input), output, handle }
    }
}

impl ServerHandle for RunningProcess {
    fn wait(&mut self, at_most: Duration) -> Option<Ending> {
        RunningProcess::wait(self, at_most)
    }

    fn stop(self: Box<Self>) -> Ending {
        RunningProcess::stop(*self)
    }
}
