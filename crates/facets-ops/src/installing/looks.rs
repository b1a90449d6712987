//! Servers are looked at: those of a registry started in a sandbox, others only after a yes (spec 10.3).

use facets_drift::{Finding, Severity};
use facets_lock::{LockedServer, Pin, Profile, StartSettings, UncapturedServer};
use facets_model::manifest::DeclaredServer;
use facets_model::{ArtifactSource, Origin};
use facets_plan::{ServerQuery, ServerStep, Step, WantedServer, WantedWhat};

use super::goal::{Goal, is_of_facet};
use super::options::InlineServers;
use super::task::InstallTask;
use crate::acquiring::{AcquiredServer, Acquirer};
use crate::approval::{Trust, UserDecision};
use crate::artifact_changes::compare_artifacts;
use crate::consent::{Consent, StartAccepted, StartAgreed};
use crate::error::OpsError;
use crate::facet_values::FacetValues;
use crate::install_page::ServerChange;
use crate::pinned::Pinned;
use crate::pinning::{NameUse, NewServer, PinProposal, look_at_new};
use crate::published_surface::{PublishedBytes, PublishedSurface};
use crate::repinning::{Accepted, LaunchChange, NewBytes, NewPin, closure_findings, look_again};
use crate::resolving::{resolve, resolve_stored};
use crate::source_changes::reach_since;

/// A server of the project, and what was seen of it.
pub(super) struct LookedServer {
    pub(super) change: ServerChange,
    pub(super) look: Look,
    /// Why nobody could look at it.
    pub(super) note: Option<String>,
}

/// What was seen of a server.
pub(super) enum Look {
    /// It stays as it is locked, and is approved on this machine, or is no server that facet starts.
    Kept,
    /// It stays as it is locked, and nobody was asked about it.
    NotApproved,
    /// Nobody has looked at it; the entry for the lock, if it has none.
    Uncaptured(Option<Box<UncapturedServer>>),
    /// It was started or called.
    Seen {
        proposal: Box<PinProposal>,
        /// What is locked if the answer is no.
        otherwise: Option<Box<UncapturedServer>>,
        /// Up to which severity it was accepted beforehand, where that is not what the user said for all.
        accepts: Option<Severity>,
    },
    /// Its files can reach more than was accepted: it was not started.
    TooBad(Vec<Finding>),
    /// Nothing wants it any longer.
    Removed,
}

impl InstallTask {
    /// Looks at every server that is new, that changes, or that this user has not approved yet.
    pub(super) fn look_at_servers(
        &self,
        goal: &Goal,
        acquirer: &Acquirer<'_>,
        consent: &dyn Consent,
    ) -> Result<Vec<LookedServer>, OpsError> {
        let count = goal.plan.servers.len();
        let mut looked = Vec::new();
        for (number, step) in goal.plan.servers.iter().enumerate() {
            consent.progress().on_server(number + 1, count);
            let (look, note) = match self.look_at((goal, acquirer), step, consent) {
                Ok(look) => (look, None),
                Err(error) => self.unseen(goal, step, error)?,
            };
            looked.push(LookedServer { change: goal.server_change(step), look, note });
        }
        Ok(looked)
    }

    fn look_at(
        &self,
        (goal, acquirer): (&Goal, &Acquirer<'_>),
        step: &ServerStep,
        consent: &dyn Consent,
    ) -> Result<Look, OpsError> {
        let name = step.name.as_str();
        if matches!(step.step, Step::Remove(_)) {
            return Ok(Look::Removed);
        }
        let (Some(query), Some(wanted)) = (goal.queries.get(name), goal.servers.get(name)) else {
            return Ok(Look::Kept);
        };
        match query {
            ServerQuery::Locked => self.look_at_locked(name, wanted, consent),
            ServerQuery::Resolve { .. } => match goal.artifacts.get(name) {
                Some(artifact) => {
                    self.look_at_published(name, wanted, (artifact, acquirer), consent)
                }
                None => Ok(Look::Kept),
            },
            ServerQuery::Capture(origin) => self.look_at_inline(name, wanted, origin, consent),
            ServerQuery::Uncaptured => match &wanted.what {
                WantedWhat::Inline { origin, .. } => {
                    self.look_at_inline(name, wanted, origin, consent)
                }
                _ => Ok(Look::Uncaptured(self.uncaptured(name, wanted))),
            },
        }
    }

    /// spec 8.5: what a repository locks is approved by nobody on this machine
    fn look_at_locked(
        &self,
        name: &str,
        wanted: &WantedServer,
        consent: &dyn Consent,
    ) -> Result<Look, OpsError> {
        let Some(locked) = self.before.lock.server(name) else { return Ok(Look::Kept) };
        let values = given_values(wanted);
        let decision = UserDecision::with_values(name, locked, &self.project, &values)?;
        if decision.approval.is_some() {
            return Ok(Look::Kept);
        }
        let is_allowed = match &locked.origin {
            Origin::SourceMode(_) | Origin::Package(_) => consent.can_answer(),
            Origin::Command(_) | Origin::Address(_) => self.may_start_inline(consent),
        };
        if !is_allowed || self.options.trust == Trust::Lock {
            return Ok(Look::NotApproved);
        }
        let closure = Pinned::of(name, &self.before).ok().and_then(|pinned| pinned.closure);
        let bytes = match locked.pin {
            Pin::AsWritten => NewBytes::Resolved,
            Pin::Artifact(_) | Pin::Package(_) => {
                NewBytes::Pinned(locked.pin.clone(), closure.map(Box::new))
            }
        };
        let start = (locked.origin.clone(), bytes, values);
        let accepted = StartAccepted(consent);
        let is_inline = matches!(wanted.what, WantedWhat::Inline { .. });
        let asks: &dyn Consent = match self.options.inline {
            InlineServers::Accepted if is_inline => &accepted,
            _ => consent,
        };
        let proposal = self.propose(name, locked, start, asks)?;
        Ok(Look::Seen { proposal, otherwise: None, accepts: self.accepts_inline(&locked.origin) })
    }

    /// Another version of a registry, verified and stored.
    fn look_at_published(
        &self,
        name: &str,
        wanted: &WantedServer,
        (artifact, acquirer): (&AcquiredServer, &Acquirer<'_>),
        consent: &dyn Consent,
    ) -> Result<Look, OpsError> {
        let bytes = published_bytes(artifact)?;
        let otherwise = self.uncaptured(name, wanted);
        let agreed = StartAgreed(consent);
        let Some(locked) = self.before.lock.server(name) else {
            let origin = bytes.resolved.origin.clone();
            let server = new_server(name, origin, Some(bytes), FacetValues::default());
            let proposal = Box::new(look_at_new(server, &agreed)?.into_proposal());
            return Ok(Look::Seen { proposal, otherwise, accepts: None });
        };
        // The same bytes, started the same way: nothing new would be seen.
        if locked.pin == bytes.resolved.pin && locked.origin == bytes.resolved.origin {
            return self.look_at_locked(name, wanted, consent);
        }
        // Nothing is started that can reach more than a yes beforehand covers.
        let reach = self.reach_of(name, &bytes);
        let worst = reach.iter().map(|finding| finding.severity).max();
        if consent.has_answered() && worst > Some(consent.accepts()) {
            return Ok(Look::TooBad(self.preview(name, artifact, acquirer)?));
        }
        let origin = bytes.resolved.origin.clone();
        let bytes = NewBytes::Published(Box::new(bytes));
        let start = (origin, bytes, FacetValues::default());
        let proposal = self.propose(name, locked, start, &agreed)?;
        Ok(Look::Seen { proposal, otherwise: None, accepts: None })
    }

    /// What the files of another version can reach that those of the pinned one could not.
    pub(super) fn reach_of(&self, name: &str, bytes: &PublishedBytes) -> Vec<Finding> {
        let pinned = Pinned::of(name, &self.before).ok();
        let artifact = bytes.resolved.artifact.as_ref();
        let both = pinned.zip(artifact);
        both.map(|(pinned, artifact)| reach_since(&pinned, &artifact.source)).unwrap_or_default()
    }

    /// A command, an address or a directory.
    fn look_at_inline(
        &self,
        name: &str,
        wanted: &WantedServer,
        origin: &Origin,
        consent: &dyn Consent,
    ) -> Result<Look, OpsError> {
        let otherwise = self.uncaptured(name, wanted);
        let is_package = matches!(origin, Origin::Package(_));
        let may_start =
            if is_package { consent.can_answer() } else { self.may_start_inline(consent) };
        if !may_start {
            return Ok(match otherwise {
                Some(_) => Look::Uncaptured(otherwise),
                None if is_of_facet(wanted) => Look::Uncaptured(None),
                None => Look::NotApproved,
            });
        }
        let (agreed, accepted) = (StartAgreed(consent), StartAccepted(consent));
        let asks: &dyn Consent = match self.options.inline {
            // The page of the install has shown it.
            _ if is_package => &agreed,
            InlineServers::Accepted => &accepted,
            InlineServers::Asked => consent,
        };
        let proposed = if let Some(locked) = self.before.lock.server(name) {
            let bytes = match self.new_bytes(name, origin, consent)? {
                Ok(bytes) => bytes,
                Err(findings) => return Ok(Look::TooBad(findings)),
            };
            self.propose(name, locked, (origin.clone(), bytes, given_values(wanted)), asks)
        } else {
            let mut server = new_server(name, origin.clone(), None, given_values(wanted));
            server.before.clone_from(&self.options.before);
            look_at_new(server, asks).map(|seen| Box::new(seen.into_proposal()))
        };
        match proposed {
            Ok(proposal) => {
                Ok(Look::Seen { proposal, otherwise, accepts: self.accepts_inline(origin) })
            }
            // Somebody read the command, and said no.
            Err(OpsError::NotApproved { asked: true }) => Ok(Look::Uncaptured(otherwise)),
            Err(error) => Err(error),
        }
    }

    /// The bytes of a server that is looked at again. Of a package they are resolved first: nothing is started that
    /// can reach more, or needs other packages, than a yes beforehand covers. Then, what was found.
    fn new_bytes(
        &self,
        name: &str,
        origin: &Origin,
        consent: &dyn Consent,
    ) -> Result<Result<NewBytes, Vec<Finding>>, OpsError> {
        if !matches!(origin, Origin::Package(_)) {
            return Ok(Ok(NewBytes::Resolved));
        }
        let before = self.options.before.as_deref();
        let resolved = resolve(origin, self.project.place(), before, consent.progress())?;
        let pinned = Pinned::of(name, &self.before).ok();
        let mut findings = Vec::new();
        if let (Some(pinned), Some(package)) = (&pinned, &resolved.package) {
            findings = compare_artifacts(&pinned.server.pin, &resolved.pin);
            findings.extend(closure_findings(pinned, Some(&package.closure)));
            findings.extend(reach_since(pinned, &package.source));
        }
        let worst = findings.iter().map(|finding| finding.severity).max();
        if consent.has_answered() && worst > Some(consent.accepts()) {
            return Ok(Err(findings));
        }
        Ok(Ok(NewBytes::Ready(Box::new(resolved))))
    }

    /// Whether commands and addresses that came with a repository or a facet are started at all.
    fn may_start_inline(&self, consent: &dyn Consent) -> bool {
        let asks = consent.can_answer() && !consent.has_answered();
        asks || self.options.inline == InlineServers::Accepted
    }

    /// Who accepts commands of facets beforehand accepts what they declare, up to what is moderate.
    fn accepts_inline(&self, origin: &Origin) -> Option<Severity> {
        let is_inline = matches!(origin, Origin::Command(_) | Origin::Address(_));
        let is_accepted = self.options.inline == InlineServers::Accepted;
        (is_inline && is_accepted).then_some(Severity::Moderate)
    }

    /// Starts a locked server as it shall be from now on.
    fn propose(
        &self,
        name: &str,
        locked: &LockedServer,
        (origin, bytes, values): (Origin, NewBytes, FacetValues),
        consent: &dyn Consent,
    ) -> Result<Box<PinProposal>, OpsError> {
        let grants = UserDecision::of(name, locked, &self.project)?.grants;
        let settings = StartSettings {
            profile: Profile::following(&grants),
            directory: locked.settings.directory.clone(),
            timeout: locked.settings.timeout,
        };
        let new = NewPin {
            name,
            origin,
            bytes,
            settings,
            grants: Some(grants),
            timeout: None,
            source: locked.source.clone(),
            launch_change: LaunchChange::Reported,
            before: self.options.before.as_deref(),
            values,
        };
        let decides = (Accepted::Asked, Trust::Approvals);
        let again = look_again(&self.project, &self.before, new, decides, consent)?;
        let proposal = PinProposal::of(&self.project, again.candidate)?;
        proposal.require_no_secret(&again.server)?;
        Ok(Box::new(proposal))
    }
}

/// What a registry published, as it is stored.
pub(super) fn published_bytes(acquired: &AcquiredServer) -> Result<PublishedBytes, OpsError> {
    let source = ArtifactSource::Registry { url: acquired.registry.clone() };
    let resolved = resolve_stored(&source, &acquired.archive)?;
    let stated = acquired.document.as_ref().and_then(|document| document.server.as_ref());
    let unknown =
        || OpsError::Internal { subject: "what a registry states of a server".to_owned() };
    let stated = stated.ok_or_else(unknown)?;
    let surface = PublishedSurface {
        api_surface: stated.api_surface,
        surface: stated.surface,
        stated_by: acquired.registry.to_string(),
    };
    Ok(PublishedBytes { resolved, surface })
}

/// The values that a facet gives the variables of its server.
fn given_values(wanted: &WantedServer) -> FacetValues {
    match &wanted.what {
        WantedWhat::Inline { declared: DeclaredServer::Origin { values, .. }, .. } => {
            if is_of_facet(wanted) {
                FacetValues::new(values)
            } else {
                FacetValues::of_project(values)
            }
        }
        _ => FacetValues::default(),
    }
}

fn new_server(
    name: &str,
    origin: Origin,
    published: Option<PublishedBytes>,
    values: FacetValues,
) -> NewServer {
    NewServer {
        name: name.to_owned(),
        origin,
        published,
        name_use: NameUse::AskedFor,
        directory: None,
        timeout: None,
        source: None,
        given: std::collections::BTreeMap::new(),
        values,
        before: None,
    }
}
