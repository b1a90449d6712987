//! Arguments of the commands about runtimes.

use facets_face::{DownloadBar, Shown};
use facets_ops::OpsError;
use facets_ops::runtime::{RuntimeRequest, install_runtimes, list_runtimes, remove_runtimes};

use crate::args::{RuntimeArguments, RuntimeCommand};
use crate::render::Renderer;

pub(crate) fn run_runtime(
    arguments: &RuntimeArguments,
    renderer: &Renderer,
) -> Result<Shown, OpsError> {
    match arguments.command.as_ref().unwrap_or(&RuntimeCommand::List) {
        RuntimeCommand::List => Ok(renderer.runtimes(&list_runtimes()?)),
        RuntimeCommand::Install { name } => {
            let bar = DownloadBar::new(renderer.is_quiet());
            let report = install_runtimes(&RuntimeRequest { name: *name }, &bar);
            drop(bar);
            Ok(renderer.runtimes_installed(&report?))
        }
        RuntimeCommand::Remove { name } => {
            Ok(renderer.runtimes_removed(&remove_runtimes(&RuntimeRequest { name: *name })?))
        }
    }
}
