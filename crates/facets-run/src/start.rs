//! Anything that can be launched becomes one running server.

use facets_launch::{LaunchError, Launchable, Launcher};

use crate::remote::Remote;
use crate::running_server::RunningServer;

/// Starts a process, or makes ready to call an address. `on_stderr` receives what a process writes
/// to standard error.
pub fn start_server(
    server: &Launchable,
    launcher: &Launcher,
    on_stderr: impl FnMut(&[u8]) + Send + 'static,
) -> Result<RunningServer, LaunchError> {
    match server {
        Launchable::Process(process) => {
            let running = launcher.start_with_stderr(process, on_stderr)?;
            let lost = || LaunchError::Supervisor(std::io::ErrorKind::BrokenPipe.into());
            RunningServer::of_process(running).ok_or_else(lost)
        }
        Launchable::Remote(remote) => Ok(Remote::start(&remote.url, remote.headers.clone())?),
    }
}
