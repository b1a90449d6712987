//! Looks at a server, and leaves nothing running.

use std::time::Duration;

use facets_failure::Stderr;
use facets_launch::{Ending, LaunchError, Launchable, Launcher, ProcessLaunch, RemoteLaunch};
use facets_mcp::{
    Capture, CaptureError, CaptureOptions, EraChoice, HttpTransport, StdioTransport, Transport,
    TransportError, capture,
};
use facets_surface::Era;

use crate::error::ObserveError;
use crate::watched::{ObserveProgress, ObserveStep, WatchedTransport};

/// A server that closes its output has usually just ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What was seen.
#[derive(Clone, Debug)]
pub struct Observation {
    /// What the server declares.
    pub capture: Capture,
    /// What it wrote to standard error.
    pub stderr: Stderr,
}

/// Looks at a server, and leaves nothing running.
pub fn observe(
    launcher: &Launcher,
    server: &Launchable,
    options: CaptureOptions,
    progress: &dyn ObserveProgress,
) -> Result<Observation, ObserveError> {
    progress.on_step(ObserveStep::Starting);
    let look = |process, options| observe_process(launcher, process, options, progress);
    match server {
        Launchable::Remote(remote) => observe_remote(remote, options, progress),
        Launchable::Process(process) => match look(process, options) {
            Err(ObserveError::Capture { source, .. })
                if options.era == EraChoice::Preferred && died_of_discovery(&source) =>
            {
                let era = EraChoice::Only(Era::Initialize);
                look(process, CaptureOptions { era, ..options })
            }
            other => other,
        },
    }
}

/// An older server may end itself over a question it does not know, or over what comes after it.
fn died_of_discovery(error: &CaptureError) -> bool {
    matches!(
        error,
        CaptureError::Transport {
            method: "server/discover" | "initialize",
            source: TransportError::Closed
        }
    )
}

fn observe_remote(
    remote: &RemoteLaunch,
    options: CaptureOptions,
    progress: &dyn ObserveProgress,
) -> Result<Observation, ObserveError> {
    let mut transport = HttpTransport::new(&remote.url, remote.headers.clone(), options.limits);
    let stderr = Stderr::default();
    match watched_capture(&mut transport, options, progress) {
        Ok(capture) => Ok(Observation { capture, stderr }),
        Err(source) => Err(ObserveError::Capture { source, stderr, ending: None }),
    }
}

fn watched_capture(
    transport: &mut dyn Transport,
    options: CaptureOptions,
    progress: &dyn ObserveProgress,
) -> Result<Capture, CaptureError> {
    let mut watched = WatchedTransport::new(transport, options.limits.answer, progress);
    capture(&mut watched, options)
}

fn observe_process(
    launcher: &Launcher,
    process: &ProcessLaunch,
    options: CaptureOptions,
    progress: &dyn ObserveProgress,
) -> Result<Observation, ObserveError> {
    let mut running = launcher.start(process)?;
    let stderr = running.stderr().clone();
    let Some((output, input)) = running.take_streams() else {
        return Err(LaunchError::Supervisor(std::io::ErrorKind::BrokenPipe.into()).into());
    };
    let mut transport = StdioTransport::new(output, input, options.limits);
    let result = watched_capture(&mut transport, options, progress);
    drop(transport);
    match result {
        Ok(capture) => match running.stop() {
            Ending::Unknown | Ending::SupervisorLost => Err(ObserveError::SupervisorLost),
            Ending::Exited(_) | Ending::Killed(_) => {
                Ok(Observation { capture, stderr: stderr.stderr() })
            }
        },
        Err(source) => {
            let closed =
                matches!(&source, CaptureError::Transport { source: TransportError::Closed, .. });
            let ending = if closed { running.wait(LAST_WORDS) } else { None };
            drop(running);
            if ending == Some(Ending::SupervisorLost) {
                return Err(ObserveError::SupervisorLost);
            }
            // Everything has ended, so its last words are on their way.
            let stderr = stderr.last_words(LAST_WORDS);
            Err(ObserveError::Capture { source, stderr, ending })
        }
    }
}
