//! The artifact in the worker: unpacked, and made ready to be started.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};

use facets_archive::{ArchiveLimits, ExpectedArtifact, ServerArchive, unpack_server};
use facets_launch::{
    Filesystem, Launchable, Network, ProcessLaunch, Sandbox, Subprocess, Variables,
};
use facets_model::manifest::Variable;
use facets_runtime::{BunCommand, bun_command_of, is_variable_of_bun, read_surroundings};

use super::outcome::ProbeFailure;
use super::refusal::{broken, of_archive};
use super::task::ProbeTask;

/// An artifact whose files lie on the disk.
pub(super) struct UnpackedArtifact {
    server: ServerArchive,
    pub(super) tree: PathBuf,
    /// Where the server starts: an empty directory.
    start: PathBuf,
}

impl UnpackedArtifact {
    /// Unpacks the archive of a task, if it is the one that was validated.
    pub(super) fn unpack(task: &ProbeTask, folder: &Path) -> Result<Self, ProbeFailure> {
        let (tree, start) = (folder.join("tree"), folder.join("start"));
        let made = fs::create_dir(&tree).and_then(|()| fs::create_dir(&start));
        let directory = made.and_then(|()| File::open(&tree));
        let directory = directory.map_err(broken("cannot use the scratch directory"))?;
        let mut archive = File::open(&task.archive).map_err(broken("cannot read the archive"))?;
        let expected = ExpectedArtifact {
            content_hash: Some(task.content_hash),
            integrity: Some(task.integrity),
            ..ExpectedArtifact::default()
        };
        let unpacked =
            unpack_server(&mut archive, &expected, directory.as_fd(), &ArchiveLimits::SPEC);
        let server = unpacked.map_err(|error| of_archive(&error))?;
        Ok(Self { server, tree, start })
    }

    /// How the server is started: by the runtime, without network, without other programs, with no files but its
    /// own and the runtime, and with no values but those of its manifest.
    pub(super) fn launchable(&self, runtime: &Path) -> Result<Launchable, ProbeFailure> {
        let BunCommand { arguments, variables: fixed } = bun_command_of(&self.server, &self.tree);
        let variables = Variables { fixed, ..probe_variables(&self.server.manifest.env)? };
        let process = ProcessLaunch {
            program: runtime.into(),
            args: arguments,
            variables,
            directory: self.start.clone(),
            sandbox: Sandbox::default(),
            verified: None,
        };
        let read = vec![self.tree.clone(), self.start.clone(), runtime.to_owned()];
        let sandbox = Sandbox {
            network: Network::Closed,
            filesystem: Filesystem::Listed { read, names: Vec::new(), write: Vec::new() },
            subprocess: Subprocess::Closed { execute: process.executed_files(&[]) },
        };
        self.refuse_surroundings(&sandbox).map_err(broken("cannot start the server"))?;
        Ok(Launchable::Process(ProcessLaunch { sandbox, ..process }))
    }

    /// spec 11.1: a runtime looks for packages in every directory above a file.
    fn refuse_surroundings(&self, sandbox: &Sandbox) -> io::Result<()> {
        let mut above = read_surroundings(&self.tree).into_iter();
        match above.find(|path| sandbox.filesystem.opens_part_of(path)) {
            Some(path) => Err(io::Error::other(format!("{} is above it", path.display()))),
            None => Ok(()),
        }
    }
}

/// spec 9.2: the values that the manifest gives for this, and no others
fn probe_variables(listed: &[Variable]) -> Result<Variables, ProbeFailure> {
    let mut variables = Variables::default();
    // One of the runtime would decide which code runs.
    for variable in listed.iter().filter(|one| !is_variable_of_bun(one.name.as_str())) {
        let name = variable.name.to_string();
        match &variable.probe {
            Some(value) => {
                variables.given.insert(name.clone(), value.clone());
                variables.named.push(name);
            }
            None if variable.required => return Err(without_probe_value(variable)),
            None => {}
        }
    }
    Ok(variables)
}

/// spec 3.2: a required variable without a value stops the start with its description
fn without_probe_value(variable: &Variable) -> ProbeFailure {
    let name = &variable.name;
    let description = variable.description.as_ref().map(|text| format!(" ({text})"));
    let description = description.unwrap_or_default();
    let error = format!(
        "environment variable {name}{description} is required, and server.yaml has no probe value \
         for it"
    );
    ProbeFailure::refused("variable-not-set", error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, required: bool, probe: Option<&str>) -> Variable {
        Variable {
            name: name.parse().unwrap(),
            description: Some(format!("what {name} is")),
            required,
            secret: false,
            probe: probe.map(str::to_owned),
        }
    }

    #[test]
    fn a_server_gets_probe_values_and_nothing_else() {
        let listed = [
            variable("ONE", true, Some("harmless")),
            variable("TWO", false, None),
            variable("BUN_OPTIONS", true, Some("--preload=x")),
        ];
        let variables = probe_variables(&listed).unwrap();
        assert_eq!(variables.named, ["ONE"]);
        assert_eq!(variables.given["ONE"], "harmless");
        assert_eq!(variables.given.len(), 1);
    }

    #[test]
    fn a_required_variable_without_a_probe_value_is_named() {
        let listed = [variable("ONE", true, None)];
        let Err(ProbeFailure::Refused { code, error, .. }) = probe_variables(&listed) else {
            panic!("it is refused");
        };
        assert_eq!(code, "variable-not-set");
        assert!(error.contains("variable ONE (what ONE is) is required"), "{error}");
    }
}
