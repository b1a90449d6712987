//! Pinning a server: looked at, shown on a page, and written down if the answer is yes.

use std::collections::BTreeMap;
use std::path::Path;

use facets_closure::Closure;
use facets_digest::NoProgress;
use facets_drift::{Finding, Severity};
use facets_launch::Launchable;
use facets_lock::{Grants, Profile, StartSettings};
use facets_model::{InlineServerName, Origin};
use facets_project::{Project, State};
use facets_surface::{Entitlements, Surface};

use crate::artifact_grants::{StartPlace, observed_grants};
use crate::capturing::capture_options;
use crate::confinement::{apply_grants, opened_by};
use crate::consent::{Answer, ApprovalPage, ArtifactShown, Consent, PackageShown, TypedAddress};
use crate::critical_findings::{require_accepted, require_at_most};
use crate::error::{OpsError, PackageStartError, ServerError};
use crate::facet_values::FacetValues;
use crate::launch_options::LaunchOptions;
use crate::launching::prepare;
use crate::observing::{Observed, observe_for_all_clients};
use crate::outside_servers::refuse_inside_server;
use crate::packages::ResolvedClosure;
pub(crate) use crate::pin_proposal::{
    Candidate, LedgerEntry, PinProposal, approve_entry, closure_changes,
};
use crate::published_surface::{PublishedBytes, PublishedSurface};
use crate::resolving::{Resolved, ResolvedArtifact, resolve};
use crate::source_scan::{ScanRequest, scan};
use crate::start_attempt::{AskedBy, StartAttempt};
use crate::start_progress::WatchedStart;

/// Who says yes.
pub(crate) enum PinApproval<'c> {
    /// It was said beforehand.
    Given,
    /// Whoever is there.
    Ask(&'c dyn Consent),
    /// Whoever is there, unless nothing is worse than this.
    UpTo(Severity, &'c dyn Consent),
}

impl PinApproval<'_> {
    fn answer(&self, page: &ApprovalPage) -> Result<Answer, OpsError> {
        match self {
            Self::Given => Ok(Answer::Yes),
            Self::Ask(consent) => {
                require_accepted(page, *consent).inspect_err(|_| consent.show_refused(page))?;
                Ok(consent.may_pin(page))
            }
            Self::UpTo(limit, consent) => match require_at_most(page, *limit) {
                Ok(()) => Ok(Answer::Yes),
                // A limit that was given holds, also for a yes that was given.
                Err(error) if consent.has_answered() => {
                    consent.show_refused(page);
                    Err(error)
                }
                Err(_) => Ok(consent.may_pin(page)),
            },
        }
    }

    /// Anything but a yes ends it.
    pub(crate) fn require(&self, page: &ApprovalPage) -> Result<(), OpsError> {
        match self.answer(page)? {
            Answer::Yes => Ok(()),
            other => {
                let (name, asked) = (page.name.clone(), other == Answer::No);
                let is_pinned = page.changes.is_some();
                Err(ServerError::NotPinned { name, is_pinned, asked }.into())
            }
        }
    }
}

/// A server that nobody has pinned here yet.
pub(crate) struct NewServer {
    pub(crate) name: String,
    pub(crate) origin: Origin,
    /// Its artifact, if a registry published it: fetched and verified.
    pub(crate) published: Option<PublishedBytes>,
    pub(crate) name_use: NameUse,
    /// Where it starts, from the project on; none is the usual place.
    pub(crate) directory: Option<String>,
    /// Seconds to wait for an answer, if other than usual.
    pub(crate) timeout: Option<u64>,
    /// Where its source lies.
    pub(crate) source: Option<String>,
    /// Values of variables that our own environment does not have.
    pub(crate) given: BTreeMap<String, String>,
    /// What a facet gives its variables.
    pub(crate) values: FacetValues,
    /// Packages that were published later are left out: a date.
    pub(crate) before: Option<String>,
}

/// Whether a name may be taken by what manifest and lock have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameUse {
    /// Neither has it.
    MustBeFree,
    /// Something asks for exactly this server under it.
    AskedFor,
}

/// Starts or calls a new server, shows what it declares, and pins it if the answer is yes.
pub(crate) fn pin_new(server: NewServer, consent: &dyn Consent) -> Result<ApprovalPage, OpsError> {
    let looked = look_at_new(server, &TypedAddress(consent))?;
    PinApproval::Ask(consent).require(&looked.proposal.page)?;
    looked.pin()
}

/// A new server that was looked at. Nothing is written yet.
pub(crate) struct LookedAt {
    project: Project,
    before: State,
    proposal: PinProposal,
}

impl LookedAt {
    /// What it declares, as somebody reads it before trusting it.
    pub(crate) fn page(&self) -> &ApprovalPage {
        &self.proposal.page
    }

    /// The same, of one that is not pinned.
    pub(crate) fn into_page(self) -> ApprovalPage {
        self.proposal.page
    }

    /// Adds what was found beside other servers that are new, too.
    pub(crate) fn add_names(&mut self, found: Vec<Finding>) {
        self.proposal.page.look.names.extend(found);
    }

    /// Pins it. Somebody said yes.
    pub(crate) fn pin(self) -> Result<ApprovalPage, OpsError> {
        self.proposal.write(&self.project, &self.before)
    }

    /// What would be written, to be written together with others.
    pub(crate) fn into_proposal(self) -> PinProposal {
        self.proposal
    }
}

/// Starts or calls a new server, and takes down what it declares.
pub(crate) fn look_at_new(server: NewServer, consent: &dyn Consent) -> Result<LookedAt, OpsError> {
    refuse_inside_server()?;
    let project = Project::here()?;
    let state = project.read(&|_| false)?;
    require_usable(&server.name, server.name_use, &state)?;
    project.check_writable()?;
    // Nobody will say yes in the end, so nothing begins.
    if !consent.can_answer() {
        return Err(OpsError::NotApproved { asked: false });
    }
    let (candidate, launchable) = observe_new(&project, server, consent)?;
    let proposal = PinProposal::of(&project, candidate)?;
    proposal.require_no_secret(&launchable)?;
    Ok(LookedAt { project, before: state, proposal })
}

/// Resolves and starts a new server, with what was decided about its name before.
fn observe_new(
    project: &Project,
    server: NewServer,
    consent: &dyn Consent,
) -> Result<(Candidate, Launchable), OpsError> {
    let NewServer { name, directory, timeout, source, given, values, .. } = server;
    let what = (&server.origin, server.before.as_deref());
    let (resolved, stated) = resolved_or_published(what, server.published, project, consent)?;
    let Resolved { origin, pin, artifact, package } = resolved;
    // One that was there before begins with what was decided then.
    let latest = project.ledger()?.grants(&name)?;
    let grants = latest.clone().unwrap_or_else(|| first_grants(project, artifact.as_ref()));
    let profile = Profile::following(&grants);
    let settings = StartSettings { profile, directory, timeout };
    let launch = LaunchOptions::of(project, &name, &settings, &grants)?.for_new(given, &values);
    launch.require_values(&origin)?;
    let launchable = apply_grants(prepare((&origin, &pin), &launch, consent)?, &grants)?;
    let typed = typed_options(&settings, source.as_deref());
    let asked = AskedBy::Add { name: &name, options: &typed };
    let attempt = StartAttempt { server: &launchable, origin: &origin, grants: &grants, asked };
    let options = capture_options(&launchable, timeout, None);
    let watched = WatchedStart::new(&name, consent.progress());
    let Observed { mut surface, conduct, variant } =
        observe_for_all_clients(&launchable, options, watched)
            .map_err(|error| needs_build(attempt.explain(error), package.as_ref()))?;
    stated.map_or(Ok(()), |stated| stated.require_same(&name, &surface))?;
    let artifact = with_artifact(&mut surface, artifact);
    let (package, closure) = with_package(&mut surface, package);
    with_source(&mut surface, project.place(), source.as_deref())?;
    let opened = opened_by(&launchable, &grants);
    let candidate = Candidate {
        name,
        origin,
        pin,
        source,
        artifact,
        package,
        closure,
        surface,
        conduct,
        changes: None,
        grants,
        latest,
        settings,
        variant,
        opened,
        replaces: None,
        notes: Vec::new(),
        ledger: LedgerEntry::Written,
        values: values.digest,
    };
    Ok((candidate, launchable))
}

/// What exactly a new server is; of one that a registry published, also what the registry saw.
fn resolved_or_published(
    (origin, before): (&Origin, Option<&str>),
    published: Option<PublishedBytes>,
    project: &Project,
    consent: &dyn Consent,
) -> Result<(Resolved, Option<PublishedSurface>), OpsError> {
    match published {
        Some(PublishedBytes { resolved, surface }) => Ok((resolved, Some(surface))),
        None => Ok((resolve(origin, project.place(), before, consent.progress())?, None)),
    }
}

/// A name that is one, and that nothing else has.
fn require_usable(name: &str, name_use: NameUse, state: &State) -> Result<(), OpsError> {
    let owned = || name.to_owned();
    if let Err(source) = name.parse::<InlineServerName>() {
        return Err(ServerError::BadName { name: owned(), source }.into());
    }
    if name_use == NameUse::MustBeFree && is_taken(name, state) {
        return Err(ServerError::Exists { name: owned() }.into());
    }
    Ok(())
}

/// Whether manifest or lock have a server of this name.
fn is_taken(name: &str, state: &State) -> bool {
    let is_declared = state.manifest.as_ref().is_some_and(|all| all.servers.contains_key(name));
    is_declared || state.lock.servers().contains_key(name)
}

/// spec 11.4: an artifact starts from what was observed, anything else from all
pub(crate) fn first_grants(project: &Project, artifact: Option<&ResolvedArtifact>) -> Grants {
    let Some(artifact) = artifact else { return Grants::ALL };
    let place = if project.is_of_user() { StartPlace::Home } else { StartPlace::Project };
    let unknown = Entitlements::unknown();
    observed_grants(artifact.source.entitlements.as_ref().unwrap_or(&unknown), place)
}

/// Adds what the files of an artifact can reach, and gives back what is shown of it.
pub(crate) fn with_artifact(
    surface: &mut Surface,
    artifact: Option<ResolvedArtifact>,
) -> Option<ArtifactShown> {
    let ResolvedArtifact { shown, source } = artifact?;
    surface.source = source;
    Some(shown)
}

/// The same of a package; also what it needs.
pub(crate) fn with_package(
    surface: &mut Surface,
    package: Option<ResolvedClosure>,
) -> (Option<PackageShown>, Option<Closure>) {
    let Some(ResolvedClosure { shown, closure, source }) = package else { return (None, None) };
    surface.source = source;
    (Some(shown), Some(closure))
}

/// A package that does not start although an installer would have built something of it.
pub(crate) fn needs_build(error: OpsError, package: Option<&ResolvedClosure>) -> OpsError {
    let builds = package.map(|package| package.shown.scripts.clone()).unwrap_or_default();
    match (error, package) {
        (OpsError::Start(source), Some(package)) if !builds.is_empty() => {
            PackageStartError::NeedsBuild {
                package: package.shown.pin.resolved.clone(),
                builds,
                source,
            }
            .into()
        }
        (error, _) => error,
    }
}

/// What was typed beside the command, as it has to be typed again.
fn typed_options(settings: &StartSettings, source: Option<&str>) -> Vec<String> {
    let options = [("--cwd", settings.directory.as_deref()), ("--source", source)];
    let given = options.into_iter().filter_map(|(option, value)| Some([option, value?]));
    given.flatten().map(str::to_owned).collect()
}

/// Adds what the source of a server can reach.
pub(crate) fn with_source(
    surface: &mut Surface,
    root: &Path,
    source: Option<&str>,
) -> Result<(), OpsError> {
    let Some(source) = source else { return Ok(()) };
    let path = root.join(source);
    let scanned = scan(&ScanRequest { path }, &NoProgress)?;
    surface.source = scanned.into_source();
    Ok(())
}

/// Shows the page, and pins if the answer is yes.
pub(crate) fn pin_candidate(
    project: &Project,
    candidate: Candidate,
    before: &State,
    (decision, server): (&PinApproval<'_>, &Launchable),
) -> Result<ApprovalPage, OpsError> {
    let proposal = PinProposal::of(project, candidate)?;
    proposal.require_no_secret(server)?;
    decision.require(&proposal.page)?;
    proposal.write(project, before)
}
