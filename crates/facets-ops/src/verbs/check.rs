//! `facet check`: is what runs what was approved?

use std::path::PathBuf;

use facets_drift::{Compat, Finding, FindingType, Severity, Side, SubjectKind, sort_findings};
use facets_launch::{Launchable, ProcessLaunch};
use facets_lock::{Grants, LockedEntry, LockedServer, Pin};
use facets_mcp::{CaptureError, CaptureOptions, EraChoice};
use facets_model::manifest::DeclaredServer;
use facets_probe::ObserveError;
use facets_project::{Project, State};
use facets_surface::{Also, Surface};

pub use crate::approval::Trust;
use crate::approval::UserDecision;
use crate::capturing::capture_options;
use crate::confinement::{apply_grants, opened_by};
use crate::confusable_names::{like_others, look_among_others};
use crate::consent::{AlreadyApproved, ApprovalPage, Consent};
use crate::error::{OpsError, ServerError};
use crate::facet_values::FacetValues;
pub use crate::judgement::{CheckOutcome, CheckReport, CheckedServer, Judgement, UncapturedShown};
use crate::judgement::{judged, naming, not_locked, something_pinned};
use crate::launch_options::LaunchOptions;
use crate::launching::prepare;
use crate::moving::{approve_moved, not_approved};
use crate::observing::observe_once;
use crate::outside_servers::refuse_inside_server;
use crate::packages::{PackageShown, package_source, platform};
use crate::pinned::{Pinned, against_manifest, chosen, differences, image_of, is_others};
use crate::pinning::{approve_entry, with_source};
use crate::policy::{self, Asked};
use crate::profile_varies::variations;
use crate::resolving::stored_artifact_shown;
use crate::source_changes::source_changes;
use crate::source_scan::source_of;
use crate::start_attempt::{AskedBy, StartAttempt};
use crate::surface_warnings::warnings;

/// What to check.
#[derive(Debug)]
pub struct CheckRequest {
    /// The servers; none are all.
    pub names: Vec<String>,
    /// Seconds to wait for an answer; none is as pinned.
    pub timeout: Option<u64>,
    /// Who decides what may be started.
    pub trust: Trust,
    /// What is bad enough to say no.
    pub fail_on: Severity,
    /// A policy instead of the project's own.
    pub policy: Option<PathBuf>,
}

/// Sees the servers come in.
pub trait CheckProgress: Sync {
    /// There are this many.
    fn begin(&self, servers: usize);
    /// One is done.
    fn done(&self, name: &str);
}

/// Starts or calls every server, all at once, and compares what each declares with the lock.
pub fn check(
    request: &CheckRequest,
    consent: &dyn Consent,
    progress: &dyn CheckProgress,
) -> Result<CheckReport, OpsError> {
    let project = Project::here()?;
    let loaded = policy::load(request.policy.as_deref())?;
    let names = &request.names;
    let state = project.read(&|name| names.is_empty() || names.iter().any(|n| n == name))?;
    something_pinned(&state)?;
    let chosen = chosen(names, &state)?;
    if request.trust == Trust::Approvals {
        // If that fails, each server says why below.
        let _ = approve_moved(&chosen, &project, &state, consent);
    }
    let mut jobs = Vec::new();
    for name in chosen {
        // Somebody else's entry is not ours to judge.
        if is_others(&name, &state) {
            continue;
        }
        jobs.push((name.clone(), ready(&name, &project, &state, request, consent)));
    }
    progress.begin(jobs.len());
    let servers = check_all(jobs, &|name, job| {
        let checked = check_one(name, job, &project, request.timeout);
        progress.done(&checked.name);
        checked
    });
    let (facets, uncaptured, fail_on) = (Vec::new(), Vec::new(), request.fail_on);
    let mut report = CheckReport { servers, facets, uncaptured, fail_on, policy: None };
    if request.names.is_empty() {
        report.servers.extend(not_locked(&state));
        report.uncaptured = uncaptured_servers(&state);
        require_checked(&report)?;
    }
    let asked = Asked { names, state: &state };
    report.policy = policy::apply(loaded.as_ref(), &mut report.servers, &asked);
    Ok(report)
}

/// Servers of facets that nobody has looked at.
fn uncaptured_servers(state: &State) -> Vec<UncapturedShown> {
    let entries = state.lock.servers().iter();
    let uncaptured = entries.filter_map(|(name, entry)| match entry {
        LockedEntry::Uncaptured(server) if is_others(name, state) => {
            let is_published = matches!(server.declared, DeclaredServer::Floor { .. });
            Some(UncapturedShown { name: name.clone(), image: image_of(server), is_published })
        }
        _ => None,
    });
    uncaptured.collect()
}

/// Where nothing was judged, nothing is as approved, either.
fn require_checked(report: &CheckReport) -> Result<(), OpsError> {
    if !report.servers.is_empty() || report.uncaptured.is_empty() {
        return Ok(());
    }
    let names = |is_image: bool| {
        let all = report.uncaptured.iter().filter(|one| one.image.is_some() == is_image);
        all.map(|one| one.name.clone()).collect()
    };
    Err(ServerError::AllUncaptured { names: names(false), images: names(true) }.into())
}

/// A server that may be started, or why it is not.
struct Job {
    pinned: Pinned,
    server: Launchable,
    /// What it was confined to.
    grants: Grants,
    findings: Vec<Finding>,
    notes: Vec<String>,
}

fn ready(
    name: &str,
    project: &Project,
    state: &State,
    request: &CheckRequest,
    consent: &dyn Consent,
) -> Ready {
    let pinned = Pinned::of(name, state).map_err(CheckOutcome::Edited)?;
    let mut findings = against_manifest(name, &pinned, state);
    match allowed(name, &pinned, project, request.trust, consent) {
        Ok(Allowed { server, grants, mut notes }) => {
            let changed =
                source_changes(project.place(), &pinned).map_err(CheckOutcome::of_error)?;
            findings.extend(changed.findings);
            notes.extend(changed.notes);
            Ok(Box::new(Job { pinned, server, grants, findings, notes }))
        }
        Err(error) if findings.is_empty() => Err(CheckOutcome::of_error(naming(error, name))),
        // That something else would be started is a no, also if nothing is.
        Err(_) => Err(judged(findings)),
    }
}

/// A server that may be started.
struct Allowed {
    server: Launchable,
    /// What it is confined to.
    grants: Grants,
    /// From which file of a client values are, where several differ.
    notes: Vec<String>,
}

/// spec 8.5: nothing is started that this machine has not approved
fn allowed(
    name: &str,
    pinned: &Pinned,
    project: &Project,
    trust: Trust,
    consent: &dyn Consent,
) -> Result<Allowed, OpsError> {
    let values = FacetValues::of(project, name, &pinned.server.origin);
    let decision = UserDecision::with_values(name, &pinned.server, project, &values)?;
    let (start, grants) = (pinned.start(), &decision.grants);
    let settings = decision.settings(&pinned.server);
    let options = LaunchOptions::of(project, name, &settings, grants)?;
    // spec 5.2: what is compared is what is the same on every machine
    if decision.is_trusted(trust) {
        let approved = decision.approval.as_ref().map(|_| &pinned.server);
        let origin = &pinned.server.origin;
        let (options, notes) =
            options.with_values_for(project, (name, origin), approved, &values)?;
        let server = prepare(start, &options, &AlreadyApproved)?;
        let server = apply_grants(server.normalised(), grants)?;
        return Ok(Allowed { server, grants: grants.clone(), notes });
    }
    if !consent.can_answer() {
        return Err(not_approved(name, &pinned.server, project));
    }
    let (options, _) =
        options.with_values_for(project, (name, &pinned.server.origin), None, &values)?;
    let here = apply_grants(prepare(start, &options, consent)?, grants)?;
    // What was pinned elsewhere is new to whoever is asked here.
    let mut page = ApprovalPage {
        name: name.to_owned(),
        surface: pinned.surface.clone(),
        hashes: pinned.hashes.clone(),
        look: look_among_others(project, name, &pinned.surface),
        warnings: warnings(&pinned.surface, None),
        changes: None,
        source: pinned.server.source.clone(),
        artifact: stored_artifact_shown(&pinned.server.pin),
        package: package_shown(pinned),
        grants: grants.clone(),
        settings: (!pinned.server.origin.is_remote()).then_some(settings),
        varies: Vec::new(),
        opened: opened_by(&here, grants),
        replaces: None,
        notes: Vec::new(),
    };
    consent.may_pin(&page).required()?;
    refuse_inside_server()?;
    let variant = variant_of_pinned(&here, pinned);
    page.varies = variations(&pinned.surface, &variant);
    if !page.varies.is_empty() {
        consent.may_pin(&page).required()?;
    }
    let entry = LockedServer { grants: grants.clone(), ..pinned.server.clone() };
    approve_entry(project, (name, &entry, decision.values), decision.latest.as_ref(), variant)?;
    Ok(Allowed { server: here.normalised(), grants: grants.clone(), notes: Vec::new() })
}

/// What is shown of a pinned package.
fn package_shown(pinned: &Pinned) -> Option<PackageShown> {
    let (pin, closure) = pinned.server.pin.package().zip(pinned.closure.as_ref())?;
    Some(PackageShown::of(pin, closure, &platform().ok()?))
}

/// What a server declares otherwise on this machine, if it still declares everywhere what is pinned; else
/// what it declares now is drift, and nothing of that is approved.
fn variant_of_pinned(here: &Launchable, pinned: &Pinned) -> Also {
    let mut variant = Also::default();
    let options = capture_options(here, None, pinned.server.settings.timeout);
    let options = CaptureOptions { era: EraChoice::Only(pinned.server.era), ..options };
    let look =
        |server: &Launchable| observe_once(server, options, &()).ok().map(|(surface, _)| surface);
    if let Some((everywhere, here)) = look(&here.normalised()).zip(look(here))
        && everywhere.hashes().surface == pinned.hashes.surface
    {
        variant.add(&pinned.surface, &here);
        variant.remove(&pinned.surface.also);
    }
    variant
}

/// A server that may be started, or what is said of it without.
type Ready = Result<Box<Job>, CheckOutcome>;

/// Runs all jobs side by side. One that panics is a server that could not be judged, never one
/// that is missing from the report.
fn check_all(
    jobs: Vec<(String, Ready)>,
    check: &(dyn Fn(String, Ready) -> CheckedServer + Sync),
) -> Vec<CheckedServer> {
    std::thread::scope(|scope| {
        let started = jobs.into_iter().map(|(name, job)| {
            let of_thread = name.clone();
            (name, scope.spawn(move || check(of_thread, job)))
        });
        let started: Vec<_> = started.collect();
        let ended = started.into_iter().map(|(name, job)| {
            job.join().unwrap_or_else(|_| {
                let subject = format!("the server {name:?}");
                let error = OpsError::Internal { subject };
                CheckedServer::new(name, CheckOutcome::Failed(error))
            })
        });
        ended.collect()
    })
}

fn check_one(name: String, job: Ready, project: &Project, timeout: Option<u64>) -> CheckedServer {
    let job = match job {
        Ok(job) => job,
        Err(outcome) => return CheckedServer::new(name, outcome),
    };
    let tools = job.pinned.server.surface.tools.len();
    let (outcome, seen) = match observe_and_compare(&name, &job, project, timeout) {
        Ok((found, seen)) => (judged(job.findings.into_iter().chain(found).collect()), seen),
        Err(error) => (CheckOutcome::of_error(error), None),
    };
    let profile = Some(job.pinned.server.settings.profile);
    let facts = policy::facts(&job.pinned.server, seen);
    let is_remote = job.pinned.server.origin.is_remote();
    let notes = job.notes;
    CheckedServer { name, tools, outcome, profile, notes, is_remote, facts }
}

/// Adds what the verified files of an artifact or a package can reach.
fn with_source_of(surface: &mut Surface, server: &Launchable, pin: &Pin) -> Result<(), OpsError> {
    let Launchable::Process(ProcessLaunch { verified: Some(files), .. }) = server else {
        return Ok(());
    };
    surface.source = match pin {
        Pin::Package(package) => package_source(&files.tree, package)?,
        Pin::Artifact(_) | Pin::AsWritten => source_of(&files.tree)?,
    };
    Ok(())
}

/// What changed, and the tools that there are.
type Compared = (Vec<Finding>, Option<Vec<String>>);

fn observe_and_compare(
    name: &str,
    job: &Job,
    project: &Project,
    timeout: Option<u64>,
) -> Result<Compared, OpsError> {
    let options = capture_options(&job.server, timeout, job.pinned.server.settings.timeout);
    // spec 5.1: the era is pinned, and used again
    let options = CaptureOptions { era: EraChoice::Only(job.pinned.server.era), ..options };
    let attempt = StartAttempt {
        server: &job.server,
        origin: &job.pinned.server.origin,
        grants: &job.grants,
        asked: AskedBy::Pinned { name },
    };
    let (mut surface, _) = match observe_once(&job.server, options, &()) {
        Err(OpsError::Observe(ObserveError::Capture {
            source: CaptureError::Unstable { names, .. },
            ..
        })) => return Ok((vec![varies(&names)], None)),
        other => other.map_err(|error| attempt.explain(error))?,
    };
    with_source_of(&mut surface, &job.server, &job.pinned.server.pin)?;
    with_source(&mut surface, project.place(), job.pinned.server.source.as_deref())?;
    let hashes = surface.hashes();
    let mut found = differences(job.pinned.side(), Side { surface: &surface, hashes: &hashes });
    if !found.is_empty() {
        found.extend(like_others(project, name, &surface, Some(&job.pinned.surface)));
        sort_findings(&mut found);
    }
    Ok((found, Some(hashes.tools.keys().cloned().collect())))
}

/// A server that answers differently from one asking to the next was not like that.
fn varies(names: &[String]) -> Finding {
    let sentence = format!("two lists asked for one after the other differ: {}", names.join(", "));
    Finding::new(
        FindingType::SurfaceVaries,
        (SubjectKind::Server, ""),
        (Severity::Critical, Compat::Risky),
        sentence,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::{CheckReport, Judgement};

    #[test]
    fn a_job_that_panics_is_reported_as_not_judged() {
        let names = ["calm", "panics", "quiet"];
        let jobs = names.map(|name| (name.to_owned(), Err(CheckOutcome::Judged(Vec::new()))));
        let servers = check_all(jobs.into(), &|name, job| {
            assert!(name != "panics", "a defect");
            CheckedServer::new(name, job.err().unwrap_or(CheckOutcome::Judged(Vec::new())))
        });
        assert_eq!(servers.iter().map(|server| server.name.as_str()).collect::<Vec<_>>(), names);
        let CheckOutcome::Failed(error) = &servers[1].outcome else { panic!("{servers:?}") };
        assert!(matches!(error, OpsError::Internal { .. }), "{error:?}");
        let (facets, fail_on) = (Vec::new(), Severity::Moderate);
        let uncaptured = Vec::new();
        let report = CheckReport { servers, facets, uncaptured, fail_on, policy: None };
        assert_eq!(report.judgement(), Judgement::Unknown);
    }
}
