//! Pinning a server: looked at, shown on a page, and written down if the answer is yes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use facets_digest::{Digest, NoProgress};
use facets_drift::{Finding, Severity};
use facets_launch::Launchable;
use facets_lock::{Grants, Lock, LockedServer, Pin, Profile, StartSettings, surface_path};
use facets_mcp::Conduct;
use facets_model::manifest::DeclaredServer;
use facets_model::{InlineServerName, Origin};
use facets_project::{Change, LOCK, MANIFEST, Project, ProjectError, State, with_server};
use facets_surface::{Also, Entitlements, Surface};

use crate::artifact_grants::{StartPlace, observed_grants};
use crate::capturing::capture_options;
use crate::confinement::{apply_grants, opened_by};
use crate::confusable_names::look_among_others;
use crate::consent::{Answer, ApprovalPage, ArtifactShown, Consent, Replacement, TypedAddress};
use crate::critical_findings::{accepted_on, require_accepted, require_at_most};
use crate::error::{OpsError, ServerError};
use crate::facet_servers::facet_servers;
use crate::launch_options::LaunchOptions;
use crate::launching::prepare;
use crate::observing::{Observed, observe_for_all_clients};
use crate::outside_servers::refuse_inside_server;
use crate::pinned::declared_server;
use crate::profile_varies::variations;
use crate::program_files::OpenedFiles;
use crate::published_surface::{PublishedBytes, PublishedSurface};
use crate::resolving::{Resolved, ResolvedArtifact, resolve};
use crate::secret_values::secret_in;
use crate::source_scan::{ScanRequest, scan};
use crate::start_attempt::{AskedBy, StartAttempt};
use crate::start_progress::WatchedStart;
use crate::surface_report::surface_text;
use crate::surface_warnings::warnings;

/// What is about to be pinned.
pub(crate) struct Candidate {
    pub(crate) name: String,
    pub(crate) origin: Origin,
    pub(crate) pin: Pin,
    pub(crate) source: Option<String>,
    pub(crate) artifact: Option<ArtifactShown>,
    pub(crate) surface: Surface,
    pub(crate) conduct: Conduct,
    /// What changed since it was approved; none if it never was.
    pub(crate) changes: Option<Vec<Finding>>,
    pub(crate) grants: Grants,
    /// What was decided last about that, when this began.
    pub(crate) latest: Option<Grants>,
    pub(crate) settings: StartSettings,
    /// What it declares otherwise on this machine.
    pub(crate) variant: Also,
    /// The files that its grants open to it.
    pub(crate) opened: Option<OpenedFiles>,
    /// What was pinned under its name, if that is replaced.
    pub(crate) replaces: Option<Replacement>,
    /// What else is said before it is trusted.
    pub(crate) notes: Vec<String>,
    pub(crate) ledger: LedgerEntry,
}

/// Whether this machine remembers the approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LedgerEntry {
    /// This user has decided.
    Written,
    /// Only the lock was trusted: whoever reviewed it decides nothing for this machine.
    NotWritten,
}

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
    let NewServer { name, origin, published, name_use, directory, timeout, source, given } = server;
    let project = Project::here()?;
    let state = project.read(&|_| false)?;
    require_usable(&name, name_use, &state)?;
    project.check_writable()?;
    // Nobody will say yes in the end, so nothing begins.
    if !consent.can_answer() {
        return Err(OpsError::NotApproved { asked: false });
    }
    let (resolved, stated) = resolved_or_published(&origin, published, &project, consent)?;
    let Resolved { origin, pin, artifact } = resolved;
    // One that was there before begins with what was decided then.
    let latest = project.ledger()?.grants(&name)?;
    let grants = latest.clone().unwrap_or_else(|| first_grants(&project, artifact.as_ref()));
    let profile = Profile::following(&grants);
    let settings = StartSettings { profile, directory, timeout };
    let launch = LaunchOptions::of(&project, &name, &settings, &grants)?.for_new(given);
    launch.require_values(&origin)?;
    let launchable = prepare((&origin, &pin), &launch, consent)?;
    let launchable = apply_grants(launchable, &grants)?;
    let opened = opened_by(&launchable, &grants);
    let options = capture_options(&launchable, timeout, None);
    let typed = typed_options(&settings, source.as_deref());
    let asked = AskedBy::Add { name: &name, options: &typed };
    let attempt = StartAttempt { server: &launchable, origin: &origin, grants: &grants, asked };
    let watched = WatchedStart::new(&name, consent.progress());
    let Observed { mut surface, conduct, variant } =
        observe_for_all_clients(&launchable, options, watched)
            .map_err(|error| attempt.explain(error))?;
    stated.map_or(Ok(()), |stated| stated.require_same(&name, &surface))?;
    let artifact = with_artifact(&mut surface, artifact);
    with_source(&mut surface, project.place(), source.as_deref())?;
    let candidate = Candidate {
        name,
        origin,
        pin,
        source,
        artifact,
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
    };
    let proposal = PinProposal::of(&project, candidate)?;
    proposal.require_no_secret(&launchable)?;
    Ok(LookedAt { project, before: state, proposal })
}

/// What exactly a new server is; of one that a registry published, also what the registry saw.
fn resolved_or_published(
    origin: &Origin,
    published: Option<PublishedBytes>,
    project: &Project,
    consent: &dyn Consent,
) -> Result<(Resolved, Option<PublishedSurface>), OpsError> {
    match published {
        Some(PublishedBytes { resolved, surface }) => Ok((resolved, Some(surface))),
        None => Ok((resolve(origin, project.place(), consent.progress())?, None)),
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

/// What would be written, and the page that is read first.
pub(crate) struct PinProposal {
    pub(crate) page: ApprovalPage,
    pub(crate) server: LockedServer,
    /// The surface file.
    pub(crate) text: String,
    latest: Option<Grants>,
    variant: Also,
    ledger: LedgerEntry,
}

impl PinProposal {
    pub(crate) fn of(project: &Project, candidate: Candidate) -> Result<Self, OpsError> {
        let Candidate {
            name,
            origin,
            pin,
            source,
            artifact,
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
        } = candidate;
        let hashes = surface.hashes();
        let text = surface_text(&surface, &PathBuf::from(surface_path(&name)))?;
        let file = Digest::of(text.as_bytes());
        let server = LockedServer {
            source,
            grants: grants.clone(),
            ..LockedServer::new(&name, (origin, pin), settings.clone(), surface.era, &hashes, file)
        };
        let look = look_among_others(project, &name, &surface);
        let warnings = warnings(&surface, Some(&conduct));
        let source = server.source.clone();
        let varies = variations(&surface, &variant);
        let page = ApprovalPage {
            name,
            surface,
            hashes,
            look,
            warnings,
            changes,
            source,
            artifact,
            grants,
            settings: (!server.origin.is_remote()).then_some(settings),
            varies,
            opened,
            replaces,
            notes,
        };
        Ok(Self { page, server, text, latest, variant, ledger })
    }

    /// The surface file is committed: it must not have what only this user knows.
    pub(crate) fn require_no_secret(&self, server: &Launchable) -> Result<(), OpsError> {
        match secret_in(server, &self.text) {
            Some(variable) => {
                let name = self.page.name.clone();
                Err(ServerError::SecretDeclared { name, variable }.into())
            }
            None => Ok(()),
        }
    }

    fn write(self, project: &Project, before: &State) -> Result<ApprovalPage, OpsError> {
        self.approve(project)?;
        let server = self.locked_after(&before.lock);
        let Self { page, text, .. } = self;
        project.change(|now| change(now, before, &page.name, &server, text))?;
        Ok(page)
    }

    /// The approval comes first: without the lock it permits nothing.
    pub(crate) fn approve(&self, project: &Project) -> Result<(), OpsError> {
        match self.ledger {
            LedgerEntry::NotWritten => Ok(()),
            LedgerEntry::Written => {
                let (latest, variant) = (self.latest.as_ref(), self.variant.clone());
                approve_entry(project, (&self.page.name, &self.server), latest, variant)
            }
        }
    }

    /// A lock with the server, and its surface file.
    pub(crate) fn lock_with(&self, lock: &Lock) -> Result<Lock, OpsError> {
        lock_with(lock, &self.page.name, &self.locked_after(lock))
    }

    /// spec 8.8: the entry with what was accepted: now, and before of the very same
    fn locked_after(&self, lock: &Lock) -> LockedServer {
        let what = |server: &LockedServer| {
            (server.origin.clone(), server.pin.clone(), server.surface.clone())
        };
        let same = lock.server(&self.page.name).filter(|old| what(old) == what(&self.server));
        let now = accepted_on(&self.page);
        let accepted = same.map(|old| now.with(&old.accepted)).unwrap_or(now);
        LockedServer { accepted, ..self.server.clone() }
    }
}

/// Approves an entry with its grants, unless another facet has changed the decision meanwhile.
pub(crate) fn approve_entry(
    project: &Project,
    (name, server): (&str, &LockedServer),
    latest: Option<&Grants>,
    variant: Also,
) -> Result<(), OpsError> {
    let ledger = project.ledger()?;
    if ledger.approve((name, server), latest, &server.grants, variant)? {
        return Ok(());
    }
    Err(ServerError::ChangedMeanwhile { name: name.to_owned() }.into())
}

/// What pinning changes, if nobody else has changed it meanwhile.
fn change(
    now: &State,
    before: &State,
    name: &str,
    server: &LockedServer,
    surface: String,
) -> Result<Change, OpsError> {
    let named = |state: &State| {
        state.manifest.as_ref().and_then(|manifest| manifest.servers.get(name).cloned())
    };
    if now.lock.servers().get(name) != before.lock.servers().get(name)
        || named(now) != named(before)
    {
        return Err(ServerError::ChangedMeanwhile { name: name.to_owned() }.into());
    }
    let lock = lock_with(&now.lock, name, server)?;
    let manifest = if is_declared(name, server, now) {
        None
    } else {
        let declared = (&server.origin, &server.pin);
        let edited = with_server(now.manifest_text.as_deref(), name, declared);
        Some(edited.map_err(|source| {
            OpsError::Project(ProjectError::Edit { path: MANIFEST.into(), source })
        })?)
    };
    let surfaces = vec![(name.to_owned(), Some(surface))];
    Ok(Change { manifest, lock: Some(lock), surfaces, ..Change::default() })
}

/// Whether the manifest, or a facet, asks for what is pinned, so that the manifest stays as it is.
fn is_declared(name: &str, server: &LockedServer, state: &State) -> bool {
    let manifest = state.manifest.as_ref();
    match manifest.and_then(|manifest| declared_server(manifest, name)) {
        Some((_, DeclaredServer::Origin { origin, .. })) => server.origin.is_declared_as(origin),
        Some((_, DeclaredServer::Floor { floor, .. })) => {
            server.pin.artifact().is_some_and(|pin| floor.admits(&pin.version))
        }
        Some((_, DeclaredServer::Image(_))) => false,
        None => facet_servers(state).contains_key(name),
    }
}

fn lock_with(lock: &Lock, name: &str, server: &LockedServer) -> Result<Lock, OpsError> {
    lock.with_server(name, server)
        .map_err(|source| OpsError::Project(ProjectError::Lock { path: LOCK.into(), source }))
}
