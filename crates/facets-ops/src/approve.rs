//! `facet approve`: look at what changed, and pin it anew.

use facets_drift::{Compat, Finding, FindingType, Severity, Side, SubjectKind, compare_launches};
use facets_lock::{Grants, Launch, LockedServer};
use facets_mcp::{Conduct, EraChoice};
use facets_probe::Target;
use facets_project::{Project, State, declared_launch};
use facets_surface::{Also, Definition, Surface};

use crate::check::{Trust, is_others};
use crate::consent::{Answer, ApprovalPage, Consent, LaunchShown};
use crate::grant::confined;
use crate::inspect::{CaptureOptions, look_all_around, prepare};
use crate::pin::{Candidate, Decision, is_same_launch, pin, with_source};
use crate::pinned::{Pinned, differences, is_approved, target_of};
use crate::{OpsError, ServerError};

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
    let launch = launch_of(name, &state)?;
    if is_others(name, &state) {
        return Err(ServerError::NotInline { name: name.to_owned() }.into());
    }
    let locked = state.lock.server(name);
    // What this user has not approved is new, whoever pinned it.
    let known = Known { project, state: &state, name, launch: &launch, request, consent };
    let before = Pinned::of(name, &state).ok().filter(|before| known.is_known(&before.server));
    let source = locked.and_then(|server| server.source.clone());
    let grants = locked.map_or(Grants::ALL, |server| server.grants.clone());
    let target = confined(prepare(target_of(&launch)?, &known)?, &grants)?;
    let (mut surface, conduct) = look(&target, locked, request.options)?;
    with_source(&mut surface, project.place(), source.as_deref())?;
    let changes = before.as_ref().map(|before| {
        let hashes = surface.hashes();
        let mut changes = compare_launches(&before.server.launch, &launch);
        changes.extend(differences(before.side(), Side { surface: &surface, hashes: &hashes }));
        changes.extend(changed_for_others(&before.surface.also, &surface.also));
        changes
    });
    let worst = changes.iter().flatten().map(|finding| finding.severity).max();
    let accepted = match (request.accept, &changes) {
        (Some(accept), Some(_)) => worst.is_none_or(|worst| worst <= accept),
        (Some(accept), None) => accept == Severity::Critical,
        (None, _) => false,
    };
    // A limit that was given holds, also for a yes that was given.
    if let (Some(accept), false, true) = (request.accept, accepted, consent.has_answered()) {
        let worst = worst.unwrap_or(Severity::Critical).name();
        let name = name.to_owned();
        return Err(ServerError::AboveAccepted { name, worst, accepted: accept.name() }.into());
    }
    let decision = if accepted { Decision::Made } else { Decision::Ask(consent) };
    let name = name.to_owned();
    let candidate = Candidate { name, launch, source, surface, conduct, changes, grants };
    pin(project, candidate, &state, &decision)
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
fn look(
    target: &Target,
    locked: Option<&LockedServer>,
    options: CaptureOptions,
) -> Result<(Surface, Conduct), OpsError> {
    let Some(locked) = locked else { return look_all_around(target, options) };
    let pinned = CaptureOptions { era: EraChoice::Only(locked.era), ..options };
    look_all_around(target, pinned).or_else(|_| look_all_around(target, options))
}

/// How the manifest starts it, because that is what people edit; else how the lock does.
fn launch_of(name: &str, state: &State) -> Result<Launch, OpsError> {
    let declared = state.manifest.as_ref().and_then(|manifest| declared_launch(manifest, name));
    let locked = state.lock.server(name).map(|server| server.launch.clone());
    match (declared, locked) {
        (Some(declared), Some(locked)) if is_same_launch(&declared, &locked) => Ok(locked),
        (Some(declared), _) => Ok(declared),
        (None, Some(locked)) => Ok(locked),
        (None, None) => {
            let known = state.lock.servers().keys().cloned().collect();
            Err(ServerError::Unknown { name: name.to_owned(), known }.into())
        }
    }
}

/// Whoever decides, except that what this machine approved is started without a question.
struct Known<'k> {
    project: &'k Project,
    state: &'k State,
    name: &'k str,
    launch: &'k Launch,
    request: &'k ApproveRequest,
    consent: &'k dyn Consent,
}

impl Known<'_> {
    /// Whether this user has approved an entry, or trusts who wrote it.
    fn is_known(&self, server: &LockedServer) -> bool {
        self.request.trust == Trust::Lock || is_approved(server, self.project).unwrap_or(false)
    }
}

impl Consent for Known<'_> {
    fn is_there(&self) -> bool {
        self.consent.is_there()
    }

    fn has_answered(&self) -> bool {
        self.consent.has_answered()
    }

    fn may_start(&self, shown: &LaunchShown<'_>) -> Answer {
        let locked = self.state.lock.server(self.name);
        let locked = locked.filter(|server| server.launch == *self.launch);
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
