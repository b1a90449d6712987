//! `facet run`: what was verified is what runs, and it stays so during the session.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use facets_failure::shell_word;
pub use facets_guard::{Decision, OnDrift};
use facets_guard::{Guard, Pins, Rules};
use facets_launch::{Launchable, Launcher, Tail};
use facets_lock::{Arguments, Grants, LockedServer};
use facets_project::{Project, RunEntry, RunRecord, Runs, State, seconds_now};
use facets_run::{
    ClientEnds, Control, HttpFront, Recorder, RunningServer, Session, SessionError, SilenceLimits,
    serve, start_server,
};
pub use facets_run::{SessionEnd, Status};
use facets_surface::Also;

pub use crate::approval::Trust;
use crate::approval::UserDecision;
pub use crate::attestation::{AttestationError, Attestations, NoAttestations};
use crate::audit::AuditLog;
use crate::capturing::first_answer;
use crate::client_values::ClientValues;
use crate::confinement::{apply_grants, describe_cap, describe_confinement};
use crate::consent::AlreadyApproved;
use crate::error::{OpsError, ServerError};
use crate::launch_options::{LaunchOptions, StartPurpose};
use crate::launching::prepare;
use crate::moving::not_approved;
use crate::pinned::{Pinned, against_manifest};
use crate::pinned_arguments::PinnedArguments;
pub use crate::session_end::SessionEnding;
use crate::session_log::SessionLog;
use crate::session_record::{DecisionRecord, StderrSinks};
pub use crate::session_record::{RunListener, decision_line};
use crate::session_status::{Controls, answer_status_requests};
use crate::start_attempt::{AskedBy, StartAttempt, explain_end};
use crate::supervisor_failure::supervisor_failed;

/// How to run it.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// The name of the server.
    pub name: String,
    /// Who decides what may be started.
    pub trust: Trust,
    /// What happens when something is not what was approved.
    pub on_drift: OnDrift,
    /// Where every decision is written down.
    pub log: Option<PathBuf>,
    /// How often it is started again in a row when it fails.
    pub restarts: u32,
    /// Whether the grants are enforced.
    pub is_confined: bool,
}

/// Everything that was checked before anything is started.
struct VerifiedServer {
    pinned: Pinned,
    decision: UserDecision,
    server: Launchable,
    project: Project,
    /// Which files of clients values are read from.
    notes: Vec<String>,
}

/// Starts what is pinned, and stands between it and the client until one of them leaves.
pub fn run(
    request: &RunRequest,
    client: ClientEnds,
    attestations: &dyn Attestations,
    listener: &Arc<dyn RunListener>,
) -> Result<SessionEnd, OpsError> {
    let setup = RunSetup::new(request, attestations, listener)?;
    let end = serve(setup.session(client)?);
    setup.on_end(&end);
    Ok(end)
}

/// The same for any number of clients over HTTP, until somebody stops it.
pub fn run_http(
    request: &RunRequest,
    address: std::net::SocketAddr,
    attestations: &dyn Attestations,
    listener: &Arc<dyn RunListener>,
) -> Result<SessionEnd, OpsError> {
    let setup = Arc::new(RunSetup::new(request, attestations, listener)?);
    let opener = Arc::clone(&setup);
    let open = move |client: ClientEnds| -> Result<(), SessionError> {
        let session = opener.session(client)?;
        let setup = Arc::clone(&opener);
        let serve = move || setup.on_end(&serve(session));
        Ok(std::thread::Builder::new().spawn(serve).map(drop)?)
    };
    let unusable = |source: std::io::Error| {
        let (name, address) = (request.name.clone(), address.to_string());
        ServerError::Unservable { name, address, reason: source.to_string() }
    };
    let http = HttpFront::bind(address, Box::new(open)).map_err(unusable)?;
    listener.on_listen(&request.name, http.address().map_err(unusable)?);
    // It serves until the process ends, and whoever asks for that ends the process here.
    std::thread::Builder::new().spawn(move || http.serve()).map_err(supervisor_failed)?;
    setup.wait_for_stop();
    Ok(SessionEnd::Stopped)
}

/// spec 8.5, 11.1: exactly what the lock pins and this machine approved
fn verify_startable(
    request: &RunRequest,
    attestations: &dyn Attestations,
) -> Result<VerifiedServer, OpsError> {
    let name = &request.name;
    let project = Project::here()?;
    let state = project.read(&|other| other == name)?;
    let pinned = Pinned::whole(name, &state)?;
    let decision = verify_approved(name, &pinned, &project, &state, request.trust)?;
    verify_attested(name, &pinned.server, attestations)?;
    let settings = decision.settings(&pinned.server);
    let options = LaunchOptions::of(&project, name, &settings, &decision.grants)?;
    let options = options.for_purpose(StartPurpose::Use);
    // What only the lock vouches for gets no value that a client keeps.
    let values = decision.approval.as_ref();
    let values = values.map(|_| ClientValues::of(&project, name, &pinned.server));
    let values = values.unwrap_or_default();
    let notes = values.origins();
    let options = options.with_client_values(values);
    options.require_values(&pinned.server.origin)?;
    let server = prepare(pinned.start(), &options, &AlreadyApproved)?;
    // What only the lock vouches for was reviewed as it is everywhere, so that is what starts.
    let server = if decision.approval.is_some() { server } else { server.normalised() };
    Ok(VerifiedServer { pinned, decision, server, project, notes })
}

fn verify_approved(
    name: &str,
    pinned: &Pinned,
    project: &Project,
    state: &State,
    trust: Trust,
) -> Result<UserDecision, OpsError> {
    if !against_manifest(name, pinned, state).is_empty() {
        return Err(ServerError::OtherLaunch { name: name.to_owned() }.into());
    }
    let decision = UserDecision::of(name, &pinned.server, project)?;
    if decision.is_trusted(trust) {
        return Ok(decision);
    }
    Err(not_approved(name, &pinned.server, project))
}

/// If the lock pins a signer, an artifact without a valid statement does not start.
fn verify_attested(
    name: &str,
    server: &LockedServer,
    attestations: &dyn Attestations,
) -> Result<(), OpsError> {
    let Some(signer) = &server.signer else { return Ok(()) };
    let refused = |reason| {
        let (name, signer) = (name.to_owned(), signer.to_string());
        ServerError::NotAttested { name, signer, reason }
    };
    attestations.verify(server, signer).map_err(|reason| refused(reason).into())
}

/// What all sessions of one process have in common.
struct RunSetup {
    request: RunRequest,
    pinned: Pinned,
    server: Launchable,
    project: Project,
    audit: Option<Arc<Mutex<AuditLog>>>,
    log: Arc<Mutex<SessionLog>>,
    /// What the server wrote to standard error.
    stderr: Tail,
    listener: Arc<dyn RunListener>,
    controls: Controls,
    /// Its place among the sessions of this user.
    _entry: Arc<RunEntry>,
}

impl RunSetup {
    fn new(
        request: &RunRequest,
        attestations: &dyn Attestations,
        listener: &Arc<dyn RunListener>,
    ) -> Result<Self, OpsError> {
        let VerifiedServer { pinned, decision, server, project, notes } =
            verify_startable(request, attestations)?;
        let audit = request.log.as_deref().map(AuditLog::open).transpose()?;
        let (entry, log) = register(&request.name, &pinned, project.place())?;
        let grants = &decision.grants;
        let shown = confine(&server, request.is_confined.then_some(grants))?;
        let mut enforced = describe_confinement(&shown, grants);
        enforced.extend(describe_cap(&request.name, &pinned.server.grants, grants));
        enforced.extend(notes);
        listener.on_start(&request.name, &enforced);
        let controls = Controls::default();
        answer_status_requests(&entry, &controls)?;
        Ok(Self {
            request: request.clone(),
            pinned,
            server,
            project,
            audit: audit.map(|audit| Arc::new(Mutex::new(audit))),
            log: Arc::new(Mutex::new(log)),
            stderr: Tail::default(),
            listener: Arc::clone(listener),
            controls,
            _entry: entry,
        })
    }

    /// Starts the server for one client, and writes that down.
    fn session(&self, client: ClientEnds) -> Result<Session<'static>, OpsError> {
        self.log(&format!("session started: {}", self.pinned.server.origin));
        let started = self.started_session(client);
        started.inspect_err(|error| self.log(&format!("cannot start a session: {error}")))
    }

    /// With what is decided now: a session over HTTP may come long after the first.
    fn started_session(&self, client: ClientEnds) -> Result<Session<'static>, OpsError> {
        let gate = DecisionGate::of(self);
        let decision = gate.decide()?;
        let (control, requests) = Control::new().map_err(supervisor_failed)?;
        let stderr = StderrSinks {
            log: Arc::clone(&self.log),
            kept: self.stderr.clone(),
            listener: Arc::clone(&self.listener),
        };
        let mut restart = starter(self.server.clone(), gate, stderr);
        let server = restart()?;
        let record = DecisionRecord {
            name: self.request.name.clone(),
            audit: self.audit.clone(),
            log: Arc::clone(&self.log),
            listener: Arc::clone(&self.listener),
        };
        let recorder = Recorder::new(record).map_err(supervisor_failed)?;
        let pins = Pins::of([&self.pinned.surface]);
        // What this user saw and approved on this machine is as good as what is pinned.
        let variant = decision.approval.as_ref().map(|approval| &approval.variant);
        let pins = match variant {
            Some(variant) => pins.with_variant(variant),
            None => pins,
        };
        let guard = Guard::new(pins, self.rules(&decision.grants, variant)?);
        self.controls.add(control.clone());
        Ok(Session {
            guard,
            client,
            server,
            restart: Box::new(move || Ok(restart()?)),
            most_restarts: self.request.restarts,
            patience: SilenceLimits { opening: self.first_answer(), ..SilenceLimits::default() },
            recorder,
            control,
            requests,
        })
    }

    fn rules(&self, grants: &Grants, variant: Option<&Also>) -> Result<Rules, OpsError> {
        // A server for every project is pinned where its clients do not begin.
        let directory = self.project.is_of_user().then(|| self.project.place());
        Ok(Rules {
            server: self.request.name.clone(),
            directory: directory.map(shell_word),
            on_drift: self.request.on_drift,
            sampling: grants.sampling,
            elicitation: grants.elicitation,
            arguments: match grants.arguments {
                Arguments::Any => None,
                Arguments::Pinned => {
                    Some(Box::new(PinnedArguments::of(&self.pinned.surface, variant)))
                }
            },
            nonce: nonce()?,
            records_all: self.request.log.is_some(),
            first_answer: self.first_answer(),
        })
    }

    /// A session has ended: why it may have failed, and with which exit code.
    fn on_end(&self, end: &SessionEnd) {
        if matches!(end, SessionEnd::NeverSpoke(_)) {
            self.explain_end();
        }
        let SessionEnding { words, exit_code, .. } = SessionEnding::of(end);
        self.log(&format!("session ended: {words}; exit code {exit_code}"));
    }

    /// Says what may have kept the server from starting.
    fn explain_end(&self) {
        let Ok(decision) = DecisionGate::of(self).decide() else { return };
        let is_confined = self.request.is_confined;
        let grants = if is_confined { &decision.grants } else { &Grants::ALL };
        let Ok(server) = confine(&self.server, is_confined.then_some(grants)) else { return };
        let reasons = explain_end(&self.request.name, &server, grants, &self.stderr.stderr());
        for reason in &reasons {
            self.log(reason);
        }
        self.listener.on_failed_start(&self.request.name, &reasons);
    }

    /// How long the server may take for its first answer.
    fn first_answer(&self) -> Duration {
        first_answer(&self.server, None, self.pinned.server.settings.timeout)
    }

    fn log(&self, text: &str) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.say(text);
    }

    fn wait_for_stop(&self) {
        while !self.controls.is_stopped() {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        self.controls.wait_for_end();
    }
}

fn register(
    name: &str,
    pinned: &Pinned,
    project: &Path,
) -> Result<(Arc<RunEntry>, SessionLog), OpsError> {
    let record = RunRecord {
        name: name.to_owned(),
        project: project.display().to_string(),
        pid: std::process::id(),
        started: seconds_now(),
        launch: pinned.server.origin.to_string(),
    };
    let entry = Runs::of_this_user()?.enter(&record)?;
    let log = SessionLog::new(entry.log()?);
    Ok((Arc::new(entry), log))
}

/// Nobody else's ids begin like this.
fn nonce() -> Result<String, OpsError> {
    facets_run::unguessable().map(|random| format!("facet-{random}")).map_err(supervisor_failed)
}

type Starter = Box<dyn FnMut() -> Result<RunningServer, OpsError> + Send>;

/// Asks for every start anew what this user has decided: it may have been taken back.
struct DecisionGate {
    name: String,
    pinned: Pinned,
    project: Project,
    trust: Trust,
    is_confined: bool,
}

impl DecisionGate {
    fn of(setup: &RunSetup) -> Self {
        Self {
            name: setup.request.name.clone(),
            pinned: setup.pinned.clone(),
            project: setup.project.clone(),
            trust: setup.request.trust,
            is_confined: setup.request.is_confined,
        }
    }

    fn decide(&self) -> Result<UserDecision, OpsError> {
        let decision = UserDecision::of(&self.name, &self.pinned.server, &self.project)?;
        if decision.is_trusted(self.trust) {
            return Ok(decision);
        }
        Err(not_approved(&self.name, &self.pinned.server, &self.project))
    }
}

/// What a path leads to is looked at anew for every start: a server may have moved it.
fn starter(server: Launchable, gate: DecisionGate, stderr: StderrSinks) -> Starter {
    Box::new(move || {
        let decision = gate.decide()?;
        let server = confine(&server, gate.is_confined.then_some(&decision.grants))?;
        let launcher = Launcher::from_current_executable().map_err(supervisor_failed)?;
        let mut stderr = stderr.clone();
        let started = start_server(&server, &launcher, move |bytes| stderr.write(bytes));
        let attempt = StartAttempt {
            server: &server,
            origin: &gate.pinned.server.origin,
            grants: &decision.grants,
            asked: AskedBy::Pinned { name: &gate.name },
        };
        started.map_err(|error| attempt.explain(facets_probe::ObserveError::from(error).into()))
    })
}

fn confine(server: &Launchable, grants: Option<&Grants>) -> Result<Launchable, OpsError> {
    match grants {
        Some(grants) => apply_grants(server.clone(), grants),
        None => Ok(server.clone()),
    }
}
