//! A command line: the program is found, its environment is made.

use std::ffi::OsStr;
use std::path::Path;

use facets_files::FileError;
use facets_launch::{Filesystem, Network, ProcessLaunch, Sandbox, Variables, find_program};
use facets_model::{CommandOrigin, Origin};

use crate::consent::{Consent, LaunchShown};
use crate::error::OpsError;
use crate::launch_options::{LaunchOptions, SandboxRequest};
use crate::program_files::{OpenedPath, installation_of};

pub(super) fn prepare(
    origin: &Origin,
    command: &CommandOrigin,
    options: &LaunchOptions<'_>,
    consent: &dyn Consent,
) -> Result<ProcessLaunch, OpsError> {
    let directory = options.start_directory()?;
    for path in options.sandbox.filesystem.iter().flatten() {
        // A path that is not there would allow nothing, silently.
        std::fs::metadata(path).map_err(|source| {
            OpsError::File(FileError::Unreadable { path: path.clone(), source })
        })?;
    }
    let mut variables = Variables {
        named: command.env.clone(),
        given: options.given.clone(),
        ..Variables::default()
    };
    let program = OsStr::new(&command.command);
    let found = find_program(program, &directory, &variables.search_path());
    let sandbox = sandbox_for(found.as_deref(), &directory, options.sandbox.clone());
    let shown = LaunchShown {
        origin,
        program: found,
        directory: &directory,
        sandbox: &sandbox,
        artifact: None,
        package: None,
        grants: None,
    };
    consent.may_start_with(&shown, &options.published).required()?;
    variables.environment = options.environment.make()?;
    Ok(ProcessLaunch {
        program: program.to_owned(),
        args: command.args.iter().map(Into::into).collect(),
        variables,
        directory,
        sandbox,
        verified: None,
    })
}

fn sandbox_for(program: Option<&Path>, directory: &Path, request: SandboxRequest) -> Sandbox {
    let network = if request.network { Network::Closed } else { Network::Open };
    let filesystem = match request.filesystem {
        None => Filesystem::Open,
        Some(extra) => {
            // What is opened is opened without links, so they are followed here.
            let resolved =
                |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            let mut read = vec![resolved(directory)];
            let installed = program.map(|program| installation_of(program, &[]));
            let installed = installed.unwrap_or_default();
            let names = installed.iter().filter_map(OpenedPath::split_folder).collect();
            read.extend(installed.into_iter().flat_map(OpenedPath::into_parts));
            read.extend(extra.iter().map(|path| resolved(path)));
            Filesystem::Listed { read, names, write: Vec::new() }
        }
    };
    Sandbox { network, filesystem, ..Sandbox::default() }
}
