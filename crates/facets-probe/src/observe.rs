//! Looks at a server, and leaves nothing running.

use std::time::Duration;

use facets_launch::{Ending, LaunchError, Launchable, Launcher, ProcessLaunch, RemoteLaunch};
use facets_mcp::{
    Capture, CaptureError, CaptureOptions, EraChoice, HttpTransport, StdioTransport,
    TransportError, capture,
};
use facets_surface::Era;

use crate::error::ObserveError;

/// A server that closes its output has usually just ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What was seen.
#[derive(Clone, Debug)]
pub struct Observation {
    /// What the server declares.
    pub capture: Capture,
    /// The end of what it said on standard error.
    pub stderr: String,
}

/// Looks at a server, and leaves nothing running.
pub fn observe(
    launcher: &Launcher,
    server: &Launchable,
    options: CaptureOptions,
) -> Result<Observation, ObserveError> {
    match server {
        Launchable::Remote(remote) => observe_remote(remote, options),
        Launchable::Process(process) => match observe_process(launcher, process, options) {
            Err(ObserveError::Capture { source, .. })
                if options.era == EraChoice::Preferred && died_of_discovery(&source) =>
            {
                let era = EraChoice::Only(Era::Initialize);
                observe_process(launcher, process, CaptureOptions { era, ..options })
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
) -> Result<Observation, ObserveError> {
    let mut transport = HttpTransport::new(&remote.url, remote.headers.clone(), options.limits);
    match capture(&mut transport, options) {
        Ok(capture) => Ok(Observation { capture, stderr: String::new() }),
        Err(source) => Err(ObserveError::Capture { source, stderr: String::new(), ending: None }),
    }
}

fn observe_process(
    launcher: &Launcher,
    process: &ProcessLaunch,
    options: CaptureOptions,
) -> Result<Observation, ObserveError> {
    let mut running = launcher.start(process)?;
    let stderr = running.stderr().clone();
    let Some((output, input)) = running.take_streams() else {
        return Err(LaunchError::Supervisor(std::io::ErrorKind::BrokenPipe.into()).into());
    };
    let mut transport = StdioTransport::new(output, input, options.limits);
    let result = capture(&mut transport, options);
    drop(transport);
    match result {
        Ok(capture) => match running.stop() {
            Ending::Unknown | Ending::SupervisorLost => Err(ObserveError::SupervisorLost),
            Ending::Exited(_) | Ending::Killed(_) => {
                Ok(Observation { capture, stderr: stderr.text() })
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
