//! The probe worker: it unpacks an artifact, scans it, starts it, and writes one answer to standard output.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use facets_digest::NoProgress;
use facets_launch::{Launchable, Launcher, ResourceLimits};
use facets_mcp::{CaptureLimits, CaptureOptions};
use facets_probe::{
    LookOrder, LookProgress, Observed, ScanRequest, observe_for_all_clients, scan_directory,
};
use facets_surface::{
    Also, Definition, Kind, Source, Surface, parse_surface_file, write_surface_file,
};
use rustix::fs::Mode;
use rustix::process::umask;

use super::answer::{LONGEST, write_outcome};
use super::artifact::UnpackedArtifact;
use super::outcome::{ProbeAnswer, ProbeFailure};
use super::refusal::{broken, of_observation, of_scan};
use super::task::ProbeTask;

/// spec 9.2: all looks at a server together, and what comes before them.
const TOTAL: Duration = Duration::from_secs(30);

/// One answer. The first question is asked in both eras, and both have to fail before the time is up.
const ANSWER: Duration = Duration::from_secs(20);

/// spec 9.2: of one server that was started.
const SERVER_LIMITS: ResourceLimits =
    ResourceLimits { resident: 512 << 20, tasks: 256, written: 64 << 20 };

/// The main function of the worker process. These are the arguments behind [`super::PROBE_WORKER`].
pub fn probe_worker(arguments: &[OsString]) -> ExitCode {
    // Files are made with the mode that they keep: to change it may be refused here.
    let _ = umask(Mode::from_raw_mode(0o022));
    let outcome = match ProbeTask::parse(arguments) {
        Some(task) => examine(&task).map(|surface_file| ProbeAnswer { surface_file }),
        None => Err(ProbeFailure::Broken("the worker got other arguments".to_owned())),
    };
    match write_outcome(&mut io::stdout().lock(), &outcome) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The surface file of an artifact.
fn examine(task: &ProbeTask) -> Result<String, ProbeFailure> {
    let deadline = Instant::now() + TOTAL;
    let folder = fs::canonicalize(std::env::temp_dir());
    let folder = folder.map_err(broken("cannot use the scratch directory"))?;
    let launcher = Launcher::from_current_executable();
    let launcher = launcher.map_err(broken("cannot start the program again"))?;
    let artifact = UnpackedArtifact::unpack(task, &folder)?;
    let source = scan(&launcher, &artifact.tree, deadline)?;
    let server = artifact.launchable(&task.runtime)?;
    let mut surface = look(&launcher.with_limits(SERVER_LIMITS), &server, deadline)?;
    surface.source = source;
    surface_text(&surface)
}

/// What the files of the artifact can reach. A scan that was cut short would say something else than one that was not.
fn scan(launcher: &Launcher, tree: &Path, deadline: Instant) -> Result<Source, ProbeFailure> {
    let request = ScanRequest { path: tree.to_owned() };
    let left = deadline.saturating_duration_since(Instant::now());
    let scanned = scan_directory(launcher, &request, left, &NoProgress);
    let scanned = scanned.map_err(|error| of_scan(&error))?;
    require_time(deadline, "scanning the source")?;
    Ok(scanned.into_source())
}

/// What the server declares everywhere. The environment is the same in every look, so a difference is of the
/// server's own making.
fn look(
    launcher: &Launcher,
    server: &Launchable,
    deadline: Instant,
) -> Result<Surface, ProbeFailure> {
    let limits = CaptureLimits {
        answer: ANSWER,
        total: TOTAL,
        until: Some(deadline),
        ..CaptureLimits::default()
    };
    let options = CaptureOptions { limits, ..CaptureOptions::default() };
    let progress = LookProgress { first: &(), again: &() };
    let order = LookOrder::AtOnce;
    let observed = observe_for_all_clients(launcher, server, options, order, progress);
    let Observed { surface, variant, .. } = observed.map_err(|error| of_observation(&error))?;
    // A later look that was cut short counts as one without an answer, and its difference would be missing.
    require_time(deadline, "reading the declarations")?;
    require_constant(&variant)?;
    Ok(surface)
}

fn require_time(deadline: Instant, what: &str) -> Result<(), ProbeFailure> {
    if Instant::now() < deadline {
        return Ok(());
    }
    let error = format!("{what} took longer than {} s", TOTAL.as_secs());
    Err(ProbeFailure::refused("server-too-slow", error))
}

/// Resources are data, and may vary. Anything else would be drift for each user.
fn require_constant(variant: &Also) -> Result<(), ProbeFailure> {
    let items = variant.items.iter().filter(|item| item.kind() != Kind::Resource);
    let instructions = variant.instructions.first().map(|_| "instructions");
    let names: BTreeSet<&str> = items.map(Definition::name).chain(instructions).collect();
    if names.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = names.into_iter().collect();
    let error = format!("the server declares something else at each start: {}", names.join(", "));
    Err(ProbeFailure::refused("unstable-surface", error))
}

/// The surface file, if it can be read again.
fn surface_text(surface: &Surface) -> Result<String, ProbeFailure> {
    let text = write_surface_file(surface);
    if text.len() > LONGEST || parse_surface_file(text.as_bytes()).is_err() {
        let error = format!("the surface file is larger than {} MiB", LONGEST >> 20);
        return Err(ProbeFailure::refused("surface-too-large", error));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(kind: Kind, raw: &str) -> Definition {
        Definition::parse(kind, raw).unwrap()
    }

    #[test]
    fn only_resources_may_differ_between_two_starts() {
        let resource = item(Kind::Resource, r#"{"uri":"file:///a","name":"a"}"#);
        let mut variant = Also { items: vec![resource], ..Also::default() };
        assert_eq!(require_constant(&variant), Ok(()));
        variant.items.push(item(Kind::Tool, r#"{"name":"now"}"#));
        variant.items.push(item(Kind::Tool, r#"{"name":"now","description":"noon"}"#));
        variant.instructions.push("it is noon".to_owned());
        let Err(ProbeFailure::Refused { code, error, .. }) = require_constant(&variant) else {
            panic!("it is refused");
        };
        assert_eq!(code, "unstable-surface");
        assert!(error.ends_with("at each start: instructions, now"), "{error}");
    }

    #[test]
    fn what_is_too_late_is_refused() {
        let now = Instant::now();
        assert_eq!(require_time(now + TOTAL, "it"), Ok(()));
        let late = require_time(now, "it").unwrap_err();
        let expected = "it took longer than 30 s".to_owned();
        assert_eq!(late, ProbeFailure::refused("server-too-slow", expected));
    }
}
