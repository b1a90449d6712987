//! An artifact: its bytes are verified, and started with a runtime that is verified, too.

use std::sync::Arc;

use facets_digest::Digest;
use facets_fetch::Machine;
use facets_launch::{ProcessLaunch, Sandbox, Variables, VerifiedFiles, value_of};
use facets_lock::{ArtifactPin, RuntimePin};
use facets_model::manifest::Variable;
use facets_model::{ArtifactSource, Origin, PlatformName, SourceModeOrigin};
use facets_runtime::{
    BunCommand, InstalledRuntime, ManagedRuntime, RuntimeBinary, Runtimes, bun_command_of,
    is_variable_of_bun,
};
use facets_store::Store;

use crate::artifact_start::ArtifactStart;
use crate::consent::{ArtifactShown, Consent, LaunchShown};
use crate::error::{ArtifactError, OpsError, SourceLook};
use crate::launch_options::{LaunchOptions, StartPurpose};
use crate::runtime_fetching::{RuntimeFetch, runtime_fetcher};
use crate::source_artifact::local_archive;
use crate::start_progress::StartProgress;
use crate::stored_artifact::{
    StoredArtifact, get_artifact, installed_runtime, open_store, put_artifact,
};

/// spec 11.1: the managed runtime on the verified artifact, and no argument or variable but those pinned
pub(super) fn prepare(
    origin: &Origin,
    (artifact, pin): (&SourceModeOrigin, &ArtifactPin),
    options: &LaunchOptions<'_>,
    consent: &dyn Consent,
) -> Result<ProcessLaunch, OpsError> {
    let directory = options.start_directory()?;
    let store = open_store()?;
    let progress = consent.progress();
    let StoredArtifact { server, tree } = stored(&store, artifact, pin, (options, progress))?;
    let mut variables = variables(&server.manifest.env, options)?;
    let runtime = pinned_runtime(&pin.runtime)?;
    let sandbox = Sandbox::default();
    let shown = ArtifactShown::of(&server, pin);
    let launch = LaunchShown {
        origin,
        program: None,
        directory: &directory,
        sandbox: &sandbox,
        artifact: Some(&shown),
        package: None,
        grants: options.grants.as_ref(),
    };
    consent.may_start(&launch).required()?;
    let runtime = installed(&store, runtime, options.purpose, progress)?;
    let BunCommand { arguments, variables: fixed } = bun_command_of(&server, tree.path());
    variables.environment = options.environment.make()?;
    variables.fixed = fixed;
    let program = runtime.program();
    let read = vec![program.clone()];
    let tree_path = tree.path().to_owned();
    let name = options.name.map(str::to_owned);
    let check = Arc::new(ArtifactStart { name, tree, runtime });
    Ok(ProcessLaunch {
        program: program.into(),
        args: arguments,
        variables,
        directory,
        sandbox,
        verified: Some(VerifiedFiles { tree: tree_path, read, check }),
    })
}

/// The artifact of a lock entry. One that is not stored is built again where that gives the pinned bytes;
/// `run` builds nothing.
fn stored(
    store: &Store,
    artifact: &SourceModeOrigin,
    pin: &ArtifactPin,
    (options, progress): (&LaunchOptions<'_>, &dyn StartProgress),
) -> Result<StoredArtifact, OpsError> {
    if let Some(found) = get_artifact(store, pin)? {
        return Ok(found);
    }
    let absent = |source_look: SourceLook| ArtifactError::ArtifactAbsent {
        artifact: format!("{} {}", pin.name, pin.version),
        content_hash: pin.content_hash,
        source_look,
    };
    let ArtifactSource::Local { path } = &artifact.source else {
        return Err(absent(SourceLook::NotBuilt).into());
    };
    let Some(root) = options.project_place().filter(|_| options.purpose == StartPurpose::Capture)
    else {
        return Err(absent(SourceLook::NotBuilt).into());
    };
    let mut archive = local_archive(&root.join(path.as_str()), progress)
        .map_err(|_| absent(SourceLook::Unbuildable))?;
    let built = put_artifact(store, &mut archive)?;
    let hashes = (built.server.index.integrity, built.server.index.content_hash);
    if hashes == (pin.integrity, pin.content_hash) {
        return Ok(built);
    }
    Err(absent(SourceLook::Changed).into())
}

/// The variables that the manifest of an artifact lists, with the values of a start: for a look the harmless
/// ones of the manifest, for use those of the user.
fn variables(listed: &[Variable], options: &LaunchOptions<'_>) -> Result<Variables, OpsError> {
    let mut variables = Variables { given: options.given.clone(), ..Variables::default() };
    for variable in listed {
        let name = variable.name.as_str();
        // It would decide which code runs.
        if is_variable_of_bun(name) {
            continue;
        }
        let is_look = options.purpose == StartPurpose::Capture;
        let probe = variable.probe.as_ref().filter(|_| is_look);
        if let Some(probe) = probe {
            variables.given.insert(name.to_owned(), probe.clone());
        }
        // What differs between users is no part of what is pinned.
        let is_passed = !is_look || probe.is_some() || variable.required;
        let has_value = value_of(name, &variables.given).is_some();
        if is_passed && has_value {
            variables.named.push(name.to_owned());
        } else if variable.required && options.purpose != StartPurpose::Describe {
            return Err(missing(variable, options));
        }
    }
    Ok(variables)
}

/// spec 3.2: a required variable without a value stops the start with its description
fn missing(variable: &Variable, options: &LaunchOptions<'_>) -> OpsError {
    ArtifactError::VariableMissing {
        variable: variable.name.to_string(),
        description: variable.description.clone(),
        looked: options.looked.clone(),
    }
    .into()
}

/// The runtime that a lock entry pins, if this facet has it with the same bytes.
fn pinned_runtime(pin: &RuntimePin) -> Result<&'static ManagedRuntime, OpsError> {
    let shown = || format!("{} {}", pin.name.name(), pin.version);
    let runtime = facets_runtime::find(pin.name, &pin.version.to_string())
        .ok_or_else(|| ArtifactError::RuntimeUnknown { runtime: shown() })?;
    let RuntimeBinary { platform, .. } = runtime.binary()?;
    let platform: PlatformName = platform.parse().map_err(|_| OpsError::Internal {
        subject: format!("the platform {platform:?} of {}", shown()),
    })?;
    let known = runtime.digests();
    let (expected, actual) = (pin.binaries.get(&platform), known.get(&platform));
    if expected.is_some() && expected == actual {
        return Ok(runtime);
    }
    let text = |digest: Option<&Digest>| digest.map_or("none".to_owned(), Digest::to_string);
    Err(ArtifactError::RuntimeDiffers {
        runtime: shown(),
        platform: platform.to_string(),
        expected: text(expected),
        actual: text(actual),
    }
    .into())
}

/// The verified runtime. A look fetches it if it is absent; `run` fetches nothing.
fn installed(
    store: &Store,
    runtime: &'static ManagedRuntime,
    purpose: StartPurpose,
    progress: &dyn StartProgress,
) -> Result<InstalledRuntime, OpsError> {
    match (installed_runtime(store, runtime)?, purpose) {
        (Some(installed), _) => Ok(installed),
        (None, StartPurpose::Capture) => {
            let fetcher = runtime_fetcher(Machine::here(), store);
            let watched = RuntimeFetch::new(runtime, progress);
            Ok(Runtimes::new(store).install(runtime, &fetcher, &watched)?)
        }
        (None, StartPurpose::Use | StartPurpose::Describe) => {
            Err(ArtifactError::RuntimeAbsent { runtime: runtime.to_string() }.into())
        }
    }
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

    fn options(purpose: StartPurpose, given: &[(&str, &str)]) -> LaunchOptions<'static> {
        let given = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        LaunchOptions { given: given.collect(), purpose, ..LaunchOptions::default() }
    }

    const ONE: &str = "FACET_TEST_ONE";
    const TWO: &str = "FACET_TEST_TWO";

    #[test]
    fn a_look_gets_the_probe_values_and_a_session_those_of_the_user() {
        let listed = [variable(ONE, true, Some("harmless")), variable(TWO, false, None)];
        let own = [(ONE, "own"), (TWO, "other")];
        let look = variables(&listed, &options(StartPurpose::Capture, &own)).unwrap();
        assert_eq!(look.named, [ONE]);
        assert_eq!(value_of(ONE, &look.given), Some("harmless".into()));
        let session = variables(&listed, &options(StartPurpose::Use, &own)).unwrap();
        assert_eq!(session.named, [ONE, TWO]);
        assert_eq!(value_of(ONE, &session.given), Some("own".into()));
    }

    #[test]
    fn a_required_variable_without_a_value_stops_the_start_with_its_description() {
        let listed = [variable(ONE, true, Some("harmless")), variable(TWO, true, None)];
        let refused = |purpose, given: &[(&str, &str)]| {
            let error = variables(&listed, &options(purpose, given)).err()?;
            Some(error.to_string())
        };
        let message =
            |name: &str| Some(format!("environment variable {name} is not set: what {name} is"));
        assert_eq!(refused(StartPurpose::Use, &[]), message(ONE));
        assert_eq!(refused(StartPurpose::Capture, &[]), message(TWO));
        assert_eq!(refused(StartPurpose::Capture, &[(TWO, "own")]), None);
        assert_eq!(refused(StartPurpose::Describe, &[]), None);
    }
}
