//! `facet check`: is what runs what was approved?

use std::path::PathBuf;

use facets_drift::{
    Compat, Finding, FindingType, Severity, Side, SubjectKind, compare_launches, first_look,
};
use facets_lock::LockedEntry;
use facets_mcp::{CaptureError, EraChoice};
use facets_policy::{Facts, Graded};
use facets_probe::{ObserveError, Target};
use facets_project::{Approval, Approvals, Project, State, declared_launch};

use crate::OpsError;
use crate::consent::{Answer, ApprovalPage, Consent, LaunchShown};
use crate::grant::confined;
use crate::inspect::{CaptureOptions, look_at, prepare};
use crate::pin::{is_same_launch, with_source};
use crate::pinned::{Pinned, chosen, differences, is_approved, target_of};
use crate::policy::{self, AppliedPolicy, Asked};
use crate::surface_warnings::warnings;

/// What to check.
#[derive(Debug)]
pub struct CheckRequest {
    /// The servers; none are all.
    pub names: Vec<String>,
    /// Limits and era.
    pub options: CaptureOptions,
    /// Who decides what may be started.
    pub trust: Trust,
    /// What is bad enough to say no.
    pub fail_on: Severity,
    /// A policy instead of the project's own.
    pub policy: Option<PathBuf>,
}

/// Who decides what may be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// This user on this machine.
    Approvals,
    /// Whoever reviewed the lock.
    Lock,
}

/// What became of one server.
#[derive(Debug)]
pub enum CheckOutcome {
    /// It was looked at; without findings it is as it was approved.
    Judged(Vec<Graded>),
    /// Lock and surface file are not as facet wrote them.
    Edited(String),
    /// It was not looked at.
    Failed(OpsError),
}

/// One server.
#[derive(Debug)]
pub struct CheckedServer {
    /// Its name.
    pub name: String,
    /// How many tools it had when it was approved.
    pub tools: usize,
    /// What became of it.
    pub outcome: CheckOutcome,
    /// What a policy asks about it.
    pub(crate) facts: Facts,
}

impl CheckedServer {
    /// A server of which nothing else is known.
    pub(crate) fn new(name: String, outcome: CheckOutcome) -> Self {
        Self { name, tools: 0, outcome, facts: Facts::default() }
    }
}

/// All servers.
#[derive(Debug)]
pub struct CheckReport {
    /// Sorted by name.
    pub servers: Vec<CheckedServer>,
    /// What is bad enough to say no.
    pub fail_on: Severity,
    /// The policy that was applied.
    pub policy: Option<AppliedPolicy>,
}

/// The answer to the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Everything is as it was approved.
    Yes,
    /// Something is not.
    No,
    /// Something could not be looked at.
    Unknown,
}

impl CheckReport {
    /// A no is one, whatever else could not be looked at.
    #[must_use]
    pub fn judgement(&self) -> Judgement {
        let bad = |finding: &Graded| finding.is_bad(self.fail_on);
        let no = |server: &CheckedServer| match &server.outcome {
            CheckOutcome::Judged(findings) => findings.iter().any(bad),
            CheckOutcome::Edited(_) => true,
            CheckOutcome::Failed(_) => false,
        };
        let unknown = |server: &CheckedServer| match &server.outcome {
            CheckOutcome::Judged(findings) => findings.iter().any(Graded::is_undecided),
            CheckOutcome::Edited(_) => false,
            CheckOutcome::Failed(_) => true,
        };
        if self.servers.iter().any(no) {
            Judgement::No
        } else if self.servers.iter().any(unknown) {
            Judgement::Unknown
        } else {
            Judgement::Yes
        }
    }
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
    let mut jobs = Vec::new();
    for name in chosen(names, &state)? {
        // Somebody else's entry is not ours to judge.
        if is_others(&name, &state) {
            continue;
        }
        jobs.push((name.clone(), ready(&name, &project, &state, request, consent)));
    }
    progress.begin(jobs.len());
    let servers = std::thread::scope(|scope| {
        let running: Vec<_> = jobs
            .into_iter()
            .map(|(name, job)| {
                let (project, options) = (&project, request.options);
                scope.spawn(move || {
                    let checked = run(name, job, project, options);
                    progress.done(&checked.name);
                    checked
                })
            })
            .collect();
        running.into_iter().filter_map(|job| job.join().ok()).collect()
    });
    let mut report = CheckReport { servers, fail_on: request.fail_on, policy: None };
    if request.names.is_empty() {
        report.servers.extend(not_locked(&state));
    }
    let asked = Asked { names, state: &state };
    report.policy = policy::apply(loaded.as_ref(), &mut report.servers, &asked);
    Ok(report)
}

/// A gate that looks in the wrong place must not say yes.
pub(crate) fn something_pinned(state: &State) -> Result<(), OpsError> {
    let declared = state.manifest.as_ref().is_some_and(|manifest| !manifest.servers.is_empty());
    if !state.lock.servers().is_empty() || declared {
        Ok(())
    } else {
        Err(crate::ServerError::NothingPinned.into())
    }
}

/// Whether an entry is somebody else's, and not one of ours that lost what makes it one.
pub(crate) fn is_others(name: &str, state: &State) -> bool {
    let other = matches!(state.lock.servers().get(name), Some(LockedEntry::Other));
    let declared = state.manifest.as_ref().and_then(|manifest| declared_launch(manifest, name));
    other && declared.is_none()
}

/// What the manifest says of a server otherwise than the lock.
pub(crate) fn against_manifest(name: &str, pinned: &Pinned, state: &State) -> Vec<Finding> {
    let Some(manifest) = &state.manifest else { return Vec::new() };
    match declared_launch(manifest, name) {
        Some(declared) if !is_same_launch(&declared, &pinned.server.launch) => {
            compare_launches(&pinned.server.launch, &declared)
        }
        Some(_) => Vec::new(),
        None => vec![Finding::new(
            FindingType::LaunchChanged,
            (SubjectKind::Server, ""),
            (Severity::Moderate, Compat::Risky),
            "facets.json does not name it any more, or names something else",
        )],
    }
}

/// Servers that the manifest names and nobody has approved.
pub(crate) fn not_locked(state: &State) -> Vec<CheckedServer> {
    let declared = state.manifest.iter().flat_map(|manifest| manifest.servers.keys());
    let new = declared.filter(|name| !state.lock.servers().contains_key(*name));
    new.map(|name| {
        let error = named(OpsError::NotApproved { asked: false }, name);
        CheckedServer::new(name.clone(), CheckOutcome::Failed(error))
    })
    .collect()
}

/// A server that may be started, or why it is not.
struct Job {
    pinned: Pinned,
    target: Target,
    findings: Vec<Finding>,
}

fn ready(
    name: &str,
    project: &Project,
    state: &State,
    request: &CheckRequest,
    consent: &dyn Consent,
) -> Result<Box<Job>, CheckOutcome> {
    let pinned = Pinned::of(name, state).map_err(CheckOutcome::Edited)?;
    let findings = against_manifest(name, &pinned, state);
    match allowed(name, &pinned, project, request.trust, consent) {
        Ok(target) => Ok(Box::new(Job { pinned, target, findings })),
        Err(error) if findings.is_empty() => Err(CheckOutcome::Failed(named(error, name))),
        // That something else would be started is a no, also if nothing is.
        Err(_) => Err(judged(findings)),
    }
}

/// Findings before any policy.
pub(crate) fn judged(findings: Vec<Finding>) -> CheckOutcome {
    CheckOutcome::Judged(findings.into_iter().map(Graded::from).collect())
}

/// Whose approval is missing.
fn named(error: OpsError, name: &str) -> OpsError {
    match error {
        OpsError::NotApproved { asked } => {
            crate::ServerError::NotApproved { name: name.to_owned(), asked }.into()
        }
        other => other,
    }
}

/// spec 8.5: nothing is started that this machine has not approved
fn allowed(
    name: &str,
    pinned: &Pinned,
    project: &Project,
    trust: Trust,
    consent: &dyn Consent,
) -> Result<Target, OpsError> {
    let known = trust == Trust::Lock || is_approved(&pinned.server, project)?;
    let target = target_of(&pinned.server.launch)?;
    let grants = &pinned.server.grants;
    if known {
        return confined(prepare(target, &Always)?, grants);
    }
    let target = confined(prepare(target, consent)?, grants)?;
    // What was pinned elsewhere is new to whoever is asked here.
    let page = ApprovalPage {
        name: name.to_owned(),
        surface: pinned.surface.clone(),
        hashes: pinned.hashes.clone(),
        look: first_look(&pinned.surface),
        warnings: warnings(&pinned.surface, None),
        changes: None,
        source: pinned.server.source.clone(),
        grants: pinned.server.grants.clone(),
    };
    consent.may_pin(&page).required()?;
    Approvals::of_this_user()?.add(&Approval::of(&pinned.server, project.place()))?;
    Ok(target)
}

/// What was approved needs no question.
pub(crate) struct Always;

impl Consent for Always {
    fn is_there(&self) -> bool {
        true
    }

    fn has_answered(&self) -> bool {
        true
    }

    fn may_start(&self, _: &LaunchShown<'_>) -> Answer {
        Answer::Yes
    }

    fn may_pin(&self, _: &ApprovalPage) -> Answer {
        Answer::No
    }
}

fn run(
    name: String,
    job: Result<Box<Job>, CheckOutcome>,
    project: &Project,
    options: CaptureOptions,
) -> CheckedServer {
    let job = match job {
        Ok(job) => job,
        Err(outcome) => return CheckedServer::new(name, outcome),
    };
    let tools = job.pinned.server.tools.len();
    let (outcome, seen) = match look(&job, project, options) {
        Ok((found, seen)) => (judged(job.findings.into_iter().chain(found).collect()), seen),
        Err(error) => (CheckOutcome::Failed(error), None),
    };
    CheckedServer { name, tools, outcome, facts: policy::facts(&job.pinned.server, seen) }
}

/// What changed, and the tools that there are.
type Looked = (Vec<Finding>, Option<Vec<String>>);

fn look(job: &Job, project: &Project, options: CaptureOptions) -> Result<Looked, OpsError> {
    // spec 5.1: the era is pinned, and used again
    let options = CaptureOptions { era: EraChoice::Only(job.pinned.server.era), ..options };
    let (mut surface, _) = match look_at(&job.target, options) {
        Err(OpsError::Observe(ObserveError::Capture {
            source: CaptureError::Unstable { names, .. },
            ..
        })) => return Ok((vec![varies(&names)], None)),
        other => other?,
    };
    with_source(&mut surface, project.place(), job.pinned.server.source.as_deref())?;
    let hashes = surface.hashes();
    let found = differences(job.pinned.side(), Side { surface: &surface, hashes: &hashes });
    Ok((found, Some(hashes.tools.keys().cloned().collect())))
}

/// A server that answers differently from one asking to the next was not like that.
fn varies(names: &[String]) -> Finding {
    let sentence = format!("two lists right after each other differ: {}", names.join(", "));
    Finding::new(
        FindingType::SurfaceVaries,
        (SubjectKind::Server, ""),
        (Severity::Critical, Compat::Risky),
        sentence,
    )
}
