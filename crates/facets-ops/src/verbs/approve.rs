//! `facet approve`: look at what changed, and pin it anew.

use facets_drift::{Compat, Finding, FindingType, Severity, Side, SubjectKind};
use facets_launch::Launchable;
use facets_lock::{Grants, LockedServer};
use facets_mcp::{CaptureOptions, Conduct, EraChoice};
use facets_model::Origin;
use facets_project::{Project, State, declared_origin};
use facets_surface::{Also, Definition, Surface};

pub use crate::approval::Trust;
use crate::approval::is_trusted;
use crate::confinement::apply_grants;
use crate::consent::{Answer, ApprovalPage, Consent, LaunchShown};
use crate::error::{OpsError, ServerError};
use crate::launch_options::LaunchOptions;
use crate::launching::prepare;
use crate::observing::observe_for_all_clients;
use crate::outside_servers::refuse_inside_server;
use crate::pin_changes::compare_origins;
use crate::pinned::{Pinned, differences, is_others};
use crate::pinning::{Candidate, PinApproval, pin_candidate, with_source};
use crate::resolving::resolve;

/// What to approve.
#[derive(Debug)]
pub struct ApproveRequest {
    /// The servers.
    pub names: Vec<String>,
    /// Limits and era.
    pub options: CaptureOptions,
    /// Accept changes up to this without asking.
    pub accept: Option<Severity>,
    /// Who decides what may be started.
    pub trust: Trust,
}

/// Starts each server, shows what changed, and pins it anew if the answer is yes.
pub fn approve(
    request: &ApproveRequest,
    consent: &dyn Consent,
) -> Result<Vec<ApprovalPage>, OpsError> {
    refuse_inside_server()?;
    let project = Project::here()?;
    request.names.iter().map(|name| approve_one(&project, name, request, consent)).collect()
}

fn approve_one(
    project: &Project,
    name: &str,
    request: &ApproveRequest,
    consent: &dyn Consent,
) -> Result<ApprovalPage, OpsError> {
    let state = project.read(&|other| other == name)?;
    let origin = wanted_origin(name, &state)?;
    if is_others(name, &state) {
        return Err(ServerError::NotInline { name: name.to_owned() }.into());
    }
    let locked = state.lock.server(name);
    // What this user has not approved is new, whoever pinned it.
    let known = ApprovedOrAsk { project, locked, origin: &origin, trust: request.trust, consent };
    let before = Pinned::of(name, &state).ok().filter(|before| known.is_known(&before.server));
    let source = locked.and_then(|server| server.source.clone());
    let grants = locked.map_or(Grants::ALL, |server| server.grants.clone());
    let pin = resolve(&origin);
    let launchable = prepare((&origin, pin), &LaunchOptions::default(), &known)?;
    let server = apply_grants(launchable, &grants)?;
    let (mut surface, conduct) = observe(&server, locked, request.options)?;
    with_source(&mut surface, project.place(), source.as_deref())?;
    let changes = before.as_ref().map(|before| changes_since(before, &origin, &surface));
    let decision = decide(name, changes.as_deref(), request.accept, consent)?;
    let name = name.to_owned();
    let candidate = Candidate { name, origin, pin, source, surface, conduct, changes, grants };
    pin_candidate(project, candidate, &state, &decision)
}

/// What changed since a server was approved, for us and for other clients.
fn changes_since(before: &Pinned, origin: &Origin, surface: &Surface) -> Vec<Finding> {
    let hashes = surface.hashes();
    let mut changes = compare_origins(&before.server.origin, origin);
    changes.extend(differences(before.side(), Side { surface, hashes: &hashes }));
    changes.extend(changed_for_others(&before.surface.also, &surface.also));
    changes
}

/// Whether the yes that was given beforehand is enough, or somebody has to be asked.
fn decide<'c>(
    name: &str,
    changes: Option<&[Finding]>,
    accept: Option<Severity>,
    consent: &'c dyn Consent,
) -> Result<PinApproval<'c>, OpsError> {
    let worst = changes.into_iter().flatten().map(|finding| finding.severity).max();
    let accepted = match (accept, changes) {
        (Some(accept), Some(_)) => worst.is_none_or(|worst| worst <= accept),
        (Some(accept), None) => accept == Severity::Critical,
        (None, _) => false,
    };
    // A limit that was given holds, also for a yes that was given.
    if let (Some(accept), false, true) = (accept, accepted, consent.has_answered()) {
        let worst = worst.unwrap_or(Severity::Critical).name();
        let name = name.to_owned();
        return Err(ServerError::AboveAccepted { name, worst, accepted: accept.name() }.into());
    }
    Ok(if accepted { PinApproval::Given } else { PinApproval::Ask(consent) })
}

/// What a server declares to other clients is in no hash of its own.
fn changed_for_others(before: &Also, after: &Also) -> Option<Finding> {
    let key = |item: &Definition| (item.kind(), item.name().to_owned(), item.digest());
    let is_new = |item: &&Definition| !before.items.iter().any(|old| key(old) == key(item));
    let mut names: Vec<&str> = after.items.iter().filter(is_new).map(Definition::name).collect();
    if after.instructions.iter().any(|text| !before.instructions.contains(text)) {
        names.push("instructions");
    }
    let sentence = format!("other clients get something else now: {}", names.join(", "));
    let grade = (Severity::Critical, Compat::Risky);
    let subject = (SubjectKind::Server, "");
    (!names.is_empty()).then(|| Finding::new(FindingType::SurfaceVaries, subject, grade, sentence))
}

/// In the era that was pinned; in another only if the server does not speak that any more.
fn observe(
    server: &Launchable,
    locked: Option<&LockedServer>,
    options: CaptureOptions,
) -> Result<(Surface, Conduct), OpsError> {
    let Some(locked) = locked else { return observe_for_all_clients(server, options) };
    let pinned = CaptureOptions { era: EraChoice::Only(locked.era), ..options };
    observe_for_all_clients(server, pinned).or_else(|_| observe_for_all_clients(server, options))
}

/// What the manifest asks for, because that is what people edit; else what the lock does.
fn wanted_origin(name: &str, state: &State) -> Result<Origin, OpsError> {
    let declared = state.manifest.as_ref().and_then(|manifest| declared_origin(manifest, name));
    let locked = state.lock.server(name).map(|server| &server.origin);
    match (declared, locked) {
        (Some(declared), Some(locked)) if locked.is_declared_as(declared) => Ok(locked.clone()),
        (Some(declared), _) => Ok(declared.clone()),
        (None, Some(locked)) => Ok(locked.clone()),
        (None, None) => {
            let known = state.lock.servers().keys().cloned().collect();
            Err(ServerError::Unknown { name: name.to_owned(), known }.into())
        }
    }
}

/// Whoever decides, except that what this machine approved is started without a question.
struct ApprovedOrAsk<'k> {
    project: &'k Project,
    locked: Option<&'k LockedServer>,
    origin: &'k Origin,
    trust: Trust,
    consent: &'k dyn Consent,
}

impl ApprovedOrAsk<'_> {
    /// Whether this user has approved an entry, or trusts who wrote it.
    fn is_known(&self, server: &LockedServer) -> bool {
        is_trusted(server, self.project, self.trust).unwrap_or(false)
    }
}

impl Consent for ApprovedOrAsk<'_> {
    fn can_answer(&self) -> bool {
        self.consent.can_answer()
    }

    fn has_answered(&self) -> bool {
        self.consent.has_answered()
    }

    fn may_start(&self, shown: &LaunchShown<'_>) -> Answer {
        let locked = self.locked.filter(|server| server.origin == *self.origin);
        if locked.is_some_and(|server| self.is_known(server)) {
            Answer::Yes
        } else {
            self.consent.may_start(shown)
        }
    }

    fn may_pin(&self, page: &ApprovalPage) -> Answer {
        self.consent.may_pin(page)
    }
}
