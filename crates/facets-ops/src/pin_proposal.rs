//! What would be pinned: the page that is read first, and what is written after a yes.

use std::path::PathBuf;

use facets_closure::Closure;
use facets_digest::Digest;
use facets_drift::Finding;
use facets_launch::Launchable;
use facets_lock::{Grants, Lock, LockedServer, Pin, StartSettings, surface_path};
use facets_mcp::Conduct;
use facets_model::Origin;
use facets_model::manifest::DeclaredServer;
use facets_project::{Change, LOCK, MANIFEST, Project, ProjectError, State, with_server};
use facets_surface::{Also, Surface};

use crate::confusable_names::look_among_others;
use crate::consent::{ApprovalPage, ArtifactShown, PackageShown, Replacement};
use crate::critical_findings::accepted_on;
use crate::error::{OpsError, ServerError};
use crate::facet_servers::facet_servers;
use crate::pinned::declared_server;
use crate::profile_varies::variations;
use crate::program_files::OpenedFiles;
use crate::secret_values::secret_in;
use crate::surface_report::surface_text;
use crate::surface_warnings::warnings;

/// What is about to be pinned.
pub(crate) struct Candidate {
    pub(crate) name: String,
    pub(crate) origin: Origin,
    pub(crate) pin: Pin,
    pub(crate) source: Option<String>,
    pub(crate) artifact: Option<ArtifactShown>,
    pub(crate) package: Option<PackageShown>,
    /// What a package needs.
    pub(crate) closure: Option<Closure>,
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
    /// The digest of the values that a facet gives it.
    pub(crate) values: Option<Digest>,
}

/// Whether this machine remembers the approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LedgerEntry {
    /// This user has decided.
    Written,
    /// Only the lock was trusted: whoever reviewed it decides nothing for this machine.
    NotWritten,
}

/// What would be written, and the page that is read first.
pub(crate) struct PinProposal {
    pub(crate) page: ApprovalPage,
    pub(crate) server: LockedServer,
    /// The surface file.
    pub(crate) text: String,
    /// The closure file of a package.
    pub(crate) closure: Option<String>,
    latest: Option<Grants>,
    variant: Also,
    ledger: LedgerEntry,
    values: Option<Digest>,
}

impl PinProposal {
    pub(crate) fn of(project: &Project, candidate: Candidate) -> Result<Self, OpsError> {
        let Candidate {
            name,
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
            values,
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
            package,
            grants,
            settings: (!server.origin.is_remote()).then_some(settings),
            varies,
            opened,
            replaces,
            notes,
        };
        let closure = closure.map(|closure| closure.to_text());
        Ok(Self { page, server, text, closure, latest, variant, ledger, values })
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

    pub(crate) fn write(self, project: &Project, before: &State) -> Result<ApprovalPage, OpsError> {
        self.approve(project)?;
        let server = self.locked_after(&before.lock);
        let Self { page, text, closure, .. } = self;
        project.change(|now| change((now, before), &page.name, &server, (text, closure)))?;
        Ok(page)
    }

    /// The approval comes first: without the lock it permits nothing.
    pub(crate) fn approve(&self, project: &Project) -> Result<(), OpsError> {
        match self.ledger {
            LedgerEntry::NotWritten => Ok(()),
            LedgerEntry::Written => {
                let (latest, variant) = (self.latest.as_ref(), self.variant.clone());
                let entry = (self.page.name.as_str(), &self.server, self.values);
                approve_entry(project, entry, latest, variant)
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
    (name, server, values): (&str, &LockedServer, Option<Digest>),
    latest: Option<&Grants>,
    variant: Also,
) -> Result<(), OpsError> {
    let ledger = project.ledger()?;
    if ledger.approve((name, server, values), latest, &server.grants, variant)? {
        return Ok(());
    }
    Err(ServerError::ChangedMeanwhile { name: name.to_owned() }.into())
}

/// What pinning changes, if nobody else has changed it meanwhile.
fn change(
    (now, before): (&State, &State),
    name: &str,
    server: &LockedServer,
    (surface, closure): (String, Option<String>),
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
    let closures = closure_changes(now, name, closure);
    Ok(Change { manifest, lock: Some(lock), surfaces, closures, ..Change::default() })
}

/// The closure file of a server that is pinned from now on: written, or removed with a package that it no longer is.
pub(crate) fn closure_changes(
    now: &State,
    name: &str,
    closure: Option<String>,
) -> Vec<(String, Option<String>)> {
    let was_package = now.lock.server(name).is_some_and(|server| server.pin.package().is_some());
    if closure.is_none() && !was_package {
        return Vec::new();
    }
    vec![(name.to_owned(), closure)]
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
