//! Pinning a server anew: what changed since it was approved, and what else it shall be from now on.

use facets_drift::{Compat, Finding, FindingType, Severity, Side, SubjectKind, sort_findings};
use facets_lock::{Grants, LockedServer, Pin, StartSettings};
use facets_mcp::{CaptureOptions, EraChoice};
use facets_model::Origin;
use facets_project::{Project, State};
use facets_surface::{Also, Definition, Surface};

use crate::approval::{Trust, UserDecision};
use crate::artifact_changes::compare_artifacts;
use crate::capturing::capture_options;
use crate::confinement::{apply_grants, opened_by};
use crate::confusable_names::like_others;
use crate::consent::{Answer, ApprovalPage, Consent, LaunchShown, Replacement};
use crate::error::OpsError;
use crate::launch_options::LaunchOptions;
use crate::launching::prepare;
use crate::observing::{Observed, observe_for_all_clients};
use crate::pin_changes::{compare_origins, compare_settings};
use crate::pinned::{Pinned, differences};
use crate::pinning::{Candidate, LedgerEntry, PinApproval, pin_candidate, with_source};
use crate::profile_varies::variations;
use crate::resolving::resolve;
use crate::start_attempt::StartAttempt;
use crate::start_progress::{StartProgress, WatchedStart};

/// What a server of a project shall be from now on.
pub(crate) struct NewPin<'n> {
    pub(crate) name: &'n str,
    pub(crate) origin: Origin,
    pub(crate) settings: StartSettings,
    pub(crate) grants: Grants,
    /// Seconds to wait for an answer, this time.
    pub(crate) timeout: Option<u64>,
    /// Where its source lies.
    pub(crate) source: Option<String>,
    pub(crate) launch_change: LaunchChange,
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
    let is_typed = new.launch_change == LaunchChange::Typed;
    let NewPin { name, origin, settings, grants, timeout, source, .. } = new;
    let locked = state.lock.server(name);
    let latest = project.ledger()?.grants(name)?;
    let decision = locked.map(|server| UserDecision::of(name, server, project)).transpose()?;
    // What this user has not approved is new, whoever pinned it.
    let is_known = decision.as_ref().is_some_and(|decision| decision.is_trusted(trust));
    let pin = resolve(&origin)?;
    let is_same = locked.is_some_and(|server| (&server.origin, &server.pin) == (&origin, &pin));
    let before = Pinned::of(name, state).ok().filter(|_| is_known);
    let launch = LaunchOptions::of(project, name, &settings, &grants)?;
    let approved = locked.filter(|_| is_same && has_approval(decision.as_ref()));
    let ledger = ledger_entry(has_approval(decision.as_ref()), accepted, trust);
    let (launch, notes) = launch.with_values_for(project, (name, &origin), approved)?;
    let asks = ApprovedOrAsk { is_approved: is_known && is_same, consent };
    let server = apply_grants(prepare((&origin, &pin), &launch, &asks)?, &grants)?;
    let options = capture_options(&server, timeout, settings.timeout);
    let watched = WatchedStart::new(name, consent.progress());
    let attempt = StartAttempt::of_pinned(name, &server, &origin, &grants);
    let Observed { mut surface, conduct, variant } =
        observe(&attempt, locked.filter(|_| !is_typed), options, watched)?;
    with_source(&mut surface, project.place(), source.as_deref())?;
    let known_variant = approved_variant(decision);
    let changes = before.as_ref().map(|before| {
        let launch = if is_typed { before.start() } else { (&origin, &pin) };
        let mut changes = changes_since((project, name), before, launch, &surface);
        changes.extend(new_variations(&surface, &variant, &known_variant));
        // A profile that the user asked for is no drift.
        if !is_typed && !matches!(accepted, Accepted::Unchanged) {
            changes.extend(compare_settings(&before.server.settings, &settings));
        }
        sorted(changes)
    });
    let decision = decide(changes.as_deref(), accepted, consent);
    let candidate = Candidate {
        name: name.to_owned(),
        replaces: locked.filter(|_| is_typed).map(|server| replacement(server, &origin)),
        origin,
        pin,
        source,
        surface,
        conduct,
        changes,
        latest,
        settings,
        variant,
        opened: opened_by(&server, &grants),
        grants,
        notes: with_ledger_note(notes, name, ledger),
        ledger,
    };
    pin_candidate(project, candidate, state, (&decision, &server))
}

/// spec 8.5: approval is local. Trust in a reviewed lock is none of this user's decisions, unless critical
/// findings are accepted by name.
fn ledger_entry(is_approved: bool, accepted: Accepted, trust: Trust) -> LedgerEntry {
    let is_decided = is_approved
        || trust == Trust::Approvals
        || matches!(accepted, Accepted::UpTo(Severity::Critical));
    if is_decided { LedgerEntry::Written } else { LedgerEntry::NotWritten }
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
    changes.extend(compare_artifacts(&before.server.pin, pin));
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

    fn may_pin(&self, page: &ApprovalPage) -> Answer {
        self.consent.may_pin(page)
    }

    fn progress(&self) -> &dyn StartProgress {
        self.consent.progress()
    }
}
