//! What a session needs, and how it ends.

use std::io::PipeReader;
use std::time::Duration;

use facets_guard::Guard;
use facets_launch::Ending;

use crate::pipe::ClientEnds;
use crate::record::Recorder;
use crate::running_server::RunningServer;
use crate::status::Control;

/// Why a session could not be started, as whoever starts it knows it.
pub type SessionError = Box<dyn std::error::Error + Send + Sync>;

/// Starts the server, also again.
pub type StartServer<'s> = Box<dyn FnMut() -> Result<RunningServer, SessionError> + Send + 's>;

/// How long a server may be silent.
#[derive(Clone, Copy, Debug)]
pub struct SilenceLimits {
    /// One that says nothing for this long is asked whether it is there.
    pub silence: Duration,
    /// And if it does not answer for this long, and nobody waits for it, it is started again.
    pub unanswered: Duration,
    /// How long one may take for its first answer before that is said, and one that was started again for its
    /// opening before it is given up.
    pub opening: Duration,
}

impl Default for SilenceLimits {
    fn default() -> Self {
        Self {
            silence: Duration::from_secs(30),
            unanswered: Duration::from_mins(1),
            opening: Duration::from_secs(10),
        }
    }
}

/// Everything that a session needs.
pub struct Session<'s> {
    /// Who decides.
    pub guard: Guard,
    /// The client.
    pub client: ClientEnds,
    /// The server, which has been started.
    pub server: RunningServer,
    /// How to start it again.
    pub restart: StartServer<'s>,
    /// How often it is started again in a row.
    pub most_restarts: u32,
    /// How long it may be silent.
    pub patience: SilenceLimits,
    /// Who writes down.
    pub recorder: Recorder,
    /// Who asks how it stands.
    pub control: Control,
    /// What that one asks for.
    pub requests: PipeReader,
}

impl std::fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// The client has gone; how the server ended, if that was by itself.
    ClientLeft(Option<Ending>),
    /// The server ended by itself, and was not started again.
    ServerEnded(Ending),
    /// The server ended by itself before it had said anything; also if the client had left by then, unless
    /// it ended with 0.
    NeverSpoke(Ending),
    /// It could not be started again.
    NotRestarted(String),
    /// Something was not what was approved, and the user wants the session to end then.
    Drift(String),
    /// Somebody asked for it.
    Stopped,
}
