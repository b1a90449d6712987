//! Pinning a server anew: what changed since it was approved, and what else it shall be from now on.

use std::collections::BTreeMap;

use facets_closure::Closure;
use facets_drift::{Compat, Finding, FindingType, Severity, Side, SubjectKind, sort_findings};
use facets_launch::Launchable;
use facets_lock::{Grants, LockedServer, Pin, Profile, StartSettings};
use facets_mcp::{CaptureOptions, EraChoice};
use facets_model::Origin;
use facets_project::{Project, State};
use facets_surface::{Also, Definition, Surface};

use crate::approval::{Trust, UserDecision};
use crate::capturing::capture_options;
use crate::confinement::{apply_grants, opened_by};
use crate::confusable_names::like_others;
use crate::consent::{Answer, ApprovalPage, Consent, LaunchShown, Replacement};
use crate::content_changes::compare_with_source;
use crate::critical_findings::require_findings_at_most;
use crate::error::OpsError;
use crate::facet_values::FacetValues;
use crate::launch_options::LaunchOptions;
use crate::launching::prepare;
use crate::observing::{Observed, observe_for_all_clients};
use crate::packages::{ResolvedClosure, findings_of};
use crate::pin_changes::{compare_origins, compare_settings};
use crate::pinned::{Pinned, differences};
use crate::pinning::{
    Candidate, LedgerEntry, PinApproval, first_grants, needs_build, pin_candidate, with_artifact,
    with_package, with_source,
};
use crate::profile_varies::variations;
use crate::published_surface::{PublishedBytes, PublishedSurface};
use crate::resolving::{Resolved, ResolvedArtifact, resolve, resolve_pinned};
use crate::source_changes::reach_since;
use crate::start_attempt::StartAttempt;
use crate::start_progress::{StartProgress, WatchedStart};

/// What a server of a project shall be from now on.
pub(crate) struct NewPin<'n> {
    pub(crate) name: &'n str,
    pub(crate) origin: Origin,
    pub(crate) bytes: NewBytes,
    pub(crate) settings: StartSettings,
    /// What it may do; none is what a new server starts with, and the profile follows from that.
    pub(crate) grants: Option<Grants>,
    /// Seconds to wait for an answer, this time.
    pub(crate) timeout: Option<u64>,
    /// Where its source lies.
    pub(crate) source: Option<String>,
    pub(crate) launch_change: LaunchChange,
    /// Packages that were published later are left out: a date.
    pub(crate) before: Option<&'n str>,
    /// What a facet gives its variables.
    pub(crate) values: FacetValues,
}

/// Which bytes a server shall be.
pub(crate) enum NewBytes {
    /// Those that its origin gives now.
    Resolved,
    /// Those that are pinned; of a package with its closure.
    Pinned(Pin, Option<Box<Closure>>),
    /// Those that were just resolved.
    Ready(Box<Resolved>),
    /// Those that a registry published: fetched and verified.
    Published(Box<PublishedBytes>),
}

/// What another launch than the pinned one means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LaunchChange {
    /// It is a change like any other.
    Reported,
    /// The user has just typed it: it is shown, and no drift.
    Typed,
}

/// How far a yes that was given beforehand goes.
#[derive(Clone, Copy)]
pub(crate) enum Accepted {
    /// No further than the one who is asked.
    Asked,
    /// Up to this.
    UpTo(Severity),
    /// Without a question if nothing changed.
    Unchanged,
}

/// Starts a server as it shall be from now on, shows what changed, and pins it if the answer is yes.
pub(crate) fn repin(
    project: &Project,
    state: &State,
    new: NewPin<'_>,
    (accepted, trust): (Accepted, Trust),
    consent: &dyn Consent,
) -> Result<ApprovalPage, OpsError> {
    let looked = look_again(project, state, new, (accepted, trust), consent)?;
    pin_candidate(project, looked.candidate, state, (&looked.approval, &looked.server))
}

/// A server that was looked at again. Nothing is written yet.
pub(crate) struct LookedAgain<'c> {
    pub(crate) candidate: Candidate,
    /// Whether somebody has to be asked.
    pub(crate) approval: PinApproval<'c>,
    pub(crate) server: Launchable,
}

/// Starts a server as it shall be from now on, and takes down what changed.
pub(crate) fn look_again<'c>(
    project: &Project,
    state: &State,
    new: NewPin<'_>,
    (accepted, trust): (Accepted, Trust),
    consent: &'c dyn Consent,
) -> Result<LookedAgain<'c>, OpsError> {
    let is_typed = new.launch_change == LaunchChange::Typed;
    let values = new.values.clone();
    let wanted = WantedPin::of(project, new, consent.progress())?;
    let known = Known::of(project, state, (wanted.name, trust), &values)?;
    require_reach_accepted(&wanted, known.before.as_ref(), accepted, consent)?;
    let how = StartAgain { is_typed, trust, values: &values };
    let (server, observed, notes) = how.start(project, &wanted, &known, consent)?;
    let Observed { mut surface, conduct, variant } = observed;
    let WantedPin {
        name, origin, pin, artifact, package, stated, settings, grants, source, ..
    } = wanted;
    let Known { locked, latest, decision, before } = known;
    let ledger = ledger_entry(has_approval(decision.as_ref()), accepted, trust);
    stated.map_or(Ok(()), |stated| stated.require_same(name, &surface))?;
    let artifact = with_artifact(&mut surface, artifact);
    let (package, closure) = with_package(&mut surface, package);
    with_source(&mut surface, project.place(), source.as_deref())?;
    let seen = SeenNow {
        start: (&origin, &pin),
        closure: closure.as_ref(),
        surface: &surface,
        new_variant: new_variations(&surface, &variant, &approved_variant(decision)),
        settings: &settings,
        is_typed,
        is_asked_for: is_typed || matches!(accepted, Accepted::Unchanged),
    };
    let changes = before.as_ref().map(|before| seen.changes_since((project, name), before));
    let approval = decide(changes.as_deref(), accepted, consent);
    let replaces = locked.filter(|_| is_typed).map(|server| replacement(server, &origin));
    let (opened, notes) = (opened_by(&server, &grants), with_ledger_note(notes, name, ledger));
    let candidate = Candidate {
        name: name.to_owned(),
        origin,
        pin,
        source,
        artifact,
        package,
        closure,
        surface,
        conduct,
        changes,
        grants,
        latest,
        settings,
        variant,
        opened,
        replaces,
        notes,
        ledger,
        values: values.digest,
    };
    Ok(LookedAgain { candidate, approval, server })
}

/// How a server is started again.
struct StartAgain<'a> {
    is_typed: bool,
    trust: Trust,
    values: &'a FacetValues,
}

impl StartAgain<'_> {
    /// Starts it; gives back what it declares, and what is to be said about its variables.
    fn start(
        &self,
        project: &Project,
        wanted: &WantedPin<'_>,
        known: &Known<'_>,
        consent: &dyn Consent,
    ) -> Result<(Launchable, Observed, Vec<String>), OpsError> {
        let WantedPin { name, origin, pin, settings, grants, package, .. } = wanted;
        let is_same = known.locked.is_some_and(|server| is_same_start(server, origin, pin));
        let is_approved = has_approval(known.decision.as_ref());
        let approved = known.locked.filter(|_| is_same && is_approved);
        let launch = LaunchOptions::of(project, name, settings, grants)?;
        let (launch, notes) =
            launch.with_values_for(project, (name, origin), approved, self.values)?;
        let decision = known.decision.as_ref();
        let is_trusted = decision.is_some_and(|decision| decision.is_trusted(self.trust));
        let asks = ApprovedOrAsk { is_approved: is_trusted && is_same, consent };
        let server = apply_grants(prepare((origin, pin), &launch, &asks)?, grants)?;
        let options = capture_options(&server, wanted.timeout, settings.timeout);
        let watched = WatchedStart::new(name, consent.progress());
        let attempt = StartAttempt::of_pinned(name, &server, origin, grants);
        let locked = known.locked.filter(|_| !self.is_typed);
        let observed = observe(&attempt, locked, options, watched)
            .map_err(|error| needs_build(error, package.as_ref()))?;
        Ok((server, observed, notes))
    }
}

/// A server as it is now, to be compared with what was approved.
struct SeenNow<'s> {
    start: (&'s Origin, &'s Pin),
    closure: Option<&'s Closure>,
    surface: &'s Surface,
    /// What it declares otherwise on this machine, and did not before.
    new_variant: Vec<Finding>,
    settings: &'s StartSettings,
    is_typed: bool,
    is_asked_for: bool,
}

impl SeenNow<'_> {
    fn changes_since(self, of: (&Project, &str), before: &Pinned) -> Vec<Finding> {
        let launch = if self.is_typed { before.start() } else { self.start };
        let mut changes = changes_since(of, before, launch, self.surface);
        changes.extend(closure_findings(before, self.closure));
        changes.extend(self.new_variant);
        changes.extend(settings_changes(before, self.settings, self.is_asked_for));
        sorted(changes)
    }
}

/// What is known of a name before it is pinned anew.
struct Known<'s> {
    locked: Option<&'s LockedServer>,
    latest: Option<Grants>,
    decision: Option<UserDecision>,
    /// What was approved; what this user has not approved is new, even if a colleague pinned it.
    before: Option<Pinned>,
}

impl<'s> Known<'s> {
    fn of(
        project: &Project,
        state: &'s State,
        (name, trust): (&str, Trust),
        values: &FacetValues,
    ) -> Result<Self, OpsError> {
        let locked = state.lock.server(name);
        let latest = project.ledger()?.grants(name)?;
        let decision = locked
            .map(|server| UserDecision::with_values(name, server, project, values))
            .transpose()?;
        let is_known = decision.as_ref().is_some_and(|decision| decision.is_trusted(trust));
        let before = Pinned::of(name, state).ok().filter(|_| is_known);
        Ok(Self { locked, latest, decision, before })
    }
}

/// What a server shall be from now on, with everything that its bytes say.
struct WantedPin<'n> {
    name: &'n str,
    origin: Origin,
    pin: Pin,
    artifact: Option<ResolvedArtifact>,
    package: Option<ResolvedClosure>,
    /// What a registry says that it declares.
    stated: Option<PublishedSurface>,
    settings: StartSettings,
    grants: Grants,
    timeout: Option<u64>,
    source: Option<String>,
}

impl<'n> WantedPin<'n> {
    fn of(
        project: &Project,
        new: NewPin<'n>,
        progress: &dyn StartProgress,
    ) -> Result<Self, OpsError> {
        let NewPin { name, origin, bytes, settings, grants, timeout, source, before, .. } = new;
        let (resolved, stated) = match bytes {
            NewBytes::Resolved => (resolve(&origin, project.place(), before, progress)?, None),
            NewBytes::Pinned(pin, closure) => {
                (resolve_pinned(origin, pin, closure.map(|closure| *closure), progress)?, None)
            }
            NewBytes::Ready(resolved) => (*resolved, None),
            NewBytes::Published(bytes) => (bytes.resolved, Some(bytes.surface)),
        };
        let Resolved { origin, pin, artifact, package } = resolved;
        let (grants, settings) = if let Some(grants) = grants {
            (grants, settings)
        } else {
            let grants = first_grants(project, artifact.as_ref());
            let profile = Profile::following(&grants);
            (grants, StartSettings { profile, ..settings })
        };
        Ok(Self { name, origin, pin, artifact, package, stated, settings, grants, timeout, source })
    }
}

/// Files that can reach more than those that were approved are not even started, unless that is accepted by
/// name or asked for.
fn require_reach_accepted(
    wanted: &WantedPin<'_>,
    before: Option<&Pinned>,
    accepted: Accepted,
    consent: &dyn Consent,
) -> Result<(), OpsError> {
    let (artifact, package) = (wanted.artifact.as_ref(), wanted.package.as_ref());
    let of_artifact = artifact.map(|artifact| &artifact.source);
    let source = of_artifact.or_else(|| package.map(|package| &package.source));
    let Some((before, source)) = before.zip(source) else { return Ok(()) };
    let limit = match accepted {
        Accepted::UpTo(limit) => limit,
        Accepted::Asked | Accepted::Unchanged => consent.accepts(),
    };
    // With a terminal, the page is read before anything is trusted.
    if !consent.has_answered() || !consent.can_answer() {
        return Ok(());
    }
    let mut findings = reach_since(before, source);
    findings.extend(closure_findings(before, package.map(|package| &package.closure)));
    require_findings_at_most(wanted.name, &findings, limit)
}

/// Which packages changed since a package was approved.
pub(crate) fn closure_findings(before: &Pinned, closure: Option<&Closure>) -> Vec<Finding> {
    let both = before.closure.as_ref().zip(closure);
    both.map(|(before, after)| findings_of(before, after)).unwrap_or_default()
}

/// Whether an entry starts the same bytes the same way. What is known of other platforms does not count.
fn is_same_start(server: &LockedServer, origin: &Origin, pin: &Pin) -> bool {
    let is_same_pin = match (&server.pin, pin) {
        (Pin::Package(locked), Pin::Package(now)) => locked.is_same_start(now),
        (locked, now) => locked == now,
    };
    server.origin == *origin && is_same_pin
}

/// spec 8.5: approval is local. Trust in a reviewed lock is none of this user's decisions, unless critical
/// findings are accepted by name.
fn ledger_entry(is_approved: bool, accepted: Accepted, trust: Trust) -> LedgerEntry {
    let is_decided = is_approved
        || trust == Trust::Approvals
        || matches!(accepted, Accepted::UpTo(Severity::Critical));
    if is_decided { LedgerEntry::Written } else { LedgerEntry::NotWritten }
}

/// A profile that the user asked for is no drift.
fn settings_changes(before: &Pinned, now: &StartSettings, is_asked_for: bool) -> Vec<Finding> {
    if is_asked_for { Vec::new() } else { compare_settings(&before.server.settings, now) }
}

fn sorted(mut changes: Vec<Finding>) -> Vec<Finding> {
    sort_findings(&mut changes);
    changes
}

fn with_ledger_note(mut notes: Vec<String>, name: &str, ledger: LedgerEntry) -> Vec<String> {
    if ledger == LedgerEntry::NotWritten {
        notes.push(format!(
            "not approved on this machine: --trust-lock trusts the lock for this command only; to \
             approve it here: facet approve {name}"
        ));
    }
    notes
}

fn replacement(locked: &LockedServer, new: &Origin) -> Replacement {
    Replacement { old: locked.origin.clone(), new: new.clone() }
}

/// What this user has not approved just so gets no value that a client keeps for it.
fn has_approval(decision: Option<&UserDecision>) -> bool {
    decision.is_some_and(|decision| decision.approval.is_some())
}

/// What was approved of what a server declares otherwise on this machine.
fn approved_variant(decision: Option<UserDecision>) -> Also {
    let approval = decision.and_then(|decision| decision.approval);
    approval.map(|known| known.variant).unwrap_or_default()
}

/// What a server declares otherwise on this machine, and did not when it was approved.
fn new_variations(surface: &Surface, variant: &Also, known: &Also) -> Vec<Finding> {
    let mut new = variant.clone();
    new.remove(known);
    variations(surface, &new)
}

/// What changed since a server was approved, for us and for other clients.
fn changes_since(
    (project, name): (&Project, &str),
    before: &Pinned,
    (origin, pin): (&Origin, &Pin),
    surface: &Surface,
) -> Vec<Finding> {
    let hashes = surface.hashes();
    let mut changes = compare_origins(&before.server.origin, origin);
    changes.extend(compare_with_source(&before.server.pin, (origin, pin)));
    changes.extend(differences(before.side(), Side { surface, hashes: &hashes }));
    changes.extend(changed_for_others(&before.surface.also, &surface.also));
    changes.extend(like_others(project, name, surface, Some(&before.surface)));
    changes
}

/// Whether the yes that was given beforehand is enough, or somebody has to be asked.
fn decide<'c>(
    changes: Option<&[Finding]>,
    accepted: Accepted,
    consent: &'c dyn Consent,
) -> PinApproval<'c> {
    match (accepted, changes) {
        // Nothing changed, so there is nothing to say yes to.
        (Accepted::Asked | Accepted::Unchanged, Some([])) => PinApproval::Given,
        (Accepted::Asked | Accepted::Unchanged, _) => PinApproval::Ask(consent),
        (Accepted::UpTo(Severity::Critical), _) => PinApproval::Given,
        (Accepted::UpTo(limit), Some(_)) => PinApproval::UpTo(limit, consent),
        // What is new takes a yes, as with `add`; the limit holds for that, too.
        (Accepted::UpTo(_), None) => PinApproval::Ask(consent),
    }
}

/// What a server declares to other clients is in no hash of its own.
fn changed_for_others(before: &Also, after: &Also) -> Option<Finding> {
    let key = |item: &Definition| (item.kind(), item.name().to_owned(), item.digest());
    let is_new = |item: &&Definition| !before.items.iter().any(|old| key(old) == key(item));
    let mut names: Vec<&str> = after.items.iter().filter(is_new).map(Definition::name).collect();
    if after.instructions.iter().any(|text| !before.instructions.contains(text)) {
        names.push("instructions");
    }
    let sentence = format!("declarations to other clients changed: {}", names.join(", "));
    let grade = (Severity::Critical, Compat::Risky);
    let subject = (SubjectKind::Server, "");
    (!names.is_empty()).then(|| Finding::new(FindingType::SurfaceVaries, subject, grade, sentence))
}

/// In the era that was pinned; in another only if the server does not speak that any more.
fn observe(
    attempt: &StartAttempt<'_>,
    locked: Option<&LockedServer>,
    options: CaptureOptions,
    watched: WatchedStart<'_>,
) -> Result<Observed, OpsError> {
    let look = |options| observe_for_all_clients(attempt.server, options, watched);
    let pinned = |locked: &LockedServer| {
        let era = EraChoice::Only(locked.era);
        look(CaptureOptions { era, ..options }).ok()
    };
    let observed = locked.and_then(pinned).map_or_else(|| look(options), Ok);
    observed.map_err(|error| attempt.explain(error))
}

/// Whoever decides, except that what this user approved is started without a question.
struct ApprovedOrAsk<'k> {
    is_approved: bool,
    consent: &'k dyn Consent,
}

impl Consent for ApprovedOrAsk<'_> {
    fn can_answer(&self) -> bool {
        self.consent.can_answer()
    }

    fn has_answered(&self) -> bool {
        self.consent.has_answered()
    }

    fn accepts(&self) -> Severity {
        self.consent.accepts()
    }

    fn may_start(&self, shown: &LaunchShown<'_>) -> Answer {
        if self.is_approved { Answer::Yes } else { self.consent.may_start(shown) }
    }

    fn may_start_with(&self, shown: &LaunchShown<'_>, values: &BTreeMap<String, String>) -> Answer {
        if self.is_approved { Answer::Yes } else { self.consent.may_start_with(shown, values) }
    }

    fn may_pin(&self, page: &ApprovalPage) -> Answer {
        self.consent.may_pin(page)
    }

    fn progress(&self) -> &dyn StartProgress {
        self.consent.progress()
    }
}
