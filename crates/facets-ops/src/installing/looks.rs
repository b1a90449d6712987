//! Servers are looked at: those of a registry started in a sandbox, others only after a yes (spec 10.3).

use std::collections::BTreeMap;

use facets_drift::{Finding, Severity};
use facets_lock::{LockedServer, Profile, StartSettings, UncapturedServer};
use facets_model::manifest::DeclaredServer;
use facets_model::{ArtifactSource, Origin};
use facets_plan::{ServerQuery, ServerStep, Step, WantedServer, WantedWhat};

use super::goal::{Goal, server_change};
use super::options::InlineServers;
use super::task::InstallTask;
use crate::acquiring::{AcquiredServer, Acquirer};
use crate::approval::{Trust, UserDecision, is_approved};
use crate::consent::{Consent, StartAgreed};
use crate::error::OpsError;
use crate::install_page::ServerChange;
use crate::pinned::Pinned;
use crate::pinning::{NameUse, NewServer, PinProposal, look_at_new};
use crate::published_surface::{PublishedBytes, PublishedSurface};
use crate::repinning::{Accepted, LaunchChange, NewBytes, NewPin, look_again};
use crate::resolving::resolve_stored;
use crate::source_changes::reach_since;

/// A server of the project, and what was seen of it.
pub(super) struct LookedServer {
    pub(super) change: ServerChange,
    pub(super) look: Look,
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
            let look = self.look_at((goal, acquirer), step, consent)?;
            looked.push(LookedServer { change: server_change(step), look });
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
            ServerQuery::Locked => self.look_at_locked(name, consent),
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
    fn look_at_locked(&self, name: &str, consent: &dyn Consent) -> Result<Look, OpsError> {
        let Some(locked) = self.before.lock.server(name) else { return Ok(Look::Kept) };
        if is_approved(name, locked, &self.project)? {
            return Ok(Look::Kept);
        }
        let is_allowed = match &locked.origin {
            Origin::SourceMode(_) => consent.can_answer(),
            Origin::Command(_) | Origin::Address(_) => self.may_start_inline(consent),
        };
        if !is_allowed || self.options.trust == Trust::Lock {
            return Ok(Look::NotApproved);
        }
        let bytes = match locked.pin.artifact() {
            Some(_) => NewBytes::Pinned(locked.pin.clone()),
            None => NewBytes::Resolved,
        };
        let proposal = self.propose(name, locked, (locked.origin.clone(), bytes), consent)?;
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
            let server = new_server(name, origin, Some(bytes), BTreeMap::new());
            let proposal = Box::new(look_at_new(server, &agreed)?.into_proposal());
            return Ok(Look::Seen { proposal, otherwise, accepts: None });
        };
        // The same bytes, started the same way: nothing new would be seen.
        if locked.pin == bytes.resolved.pin && locked.origin == bytes.resolved.origin {
            return self.look_at_locked(name, consent);
        }
        // Nothing is started that can reach more than a yes beforehand covers.
        let reach = self.reach_of(name, &bytes);
        let worst = reach.iter().map(|finding| finding.severity).max();
        if consent.has_answered() && worst > Some(consent.accepts()) {
            return Ok(Look::TooBad(self.preview(name, artifact, acquirer)?));
        }
        let origin = bytes.resolved.origin.clone();
        let bytes = NewBytes::Published(Box::new(bytes));
        let proposal = self.propose(name, locked, (origin, bytes), &agreed)?;
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
        if !self.may_start_inline(consent) {
            return Ok(match otherwise {
                Some(_) => Look::Uncaptured(otherwise),
                None if is_of_facet(wanted) => Look::Uncaptured(None),
                None => Look::NotApproved,
            });
        }
        let agreed = StartAgreed(consent);
        let asks: &dyn Consent = match self.options.inline {
            InlineServers::Accepted => &agreed,
            InlineServers::Asked => consent,
        };
        let proposed = if let Some(locked) = self.before.lock.server(name) {
            self.propose(name, locked, (origin.clone(), NewBytes::Resolved), asks)
        } else {
            let server = new_server(name, origin.clone(), None, given_values(wanted));
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

    /// Whether commands and addresses that came with a repository or a facet are started at all.
    fn may_start_inline(&self, consent: &dyn Consent) -> bool {
        let asks = consent.can_answer() && !consent.has_answered();
        asks || self.options.inline == InlineServers::Accepted
    }

    /// Who accepts commands of facets beforehand accepts what they declare, up to what is moderate.
    fn accepts_inline(&self, origin: &Origin) -> Option<Severity> {
        let is_inline = !matches!(origin, Origin::SourceMode(_));
        let is_accepted = self.options.inline == InlineServers::Accepted;
        (is_inline && is_accepted).then_some(Severity::Moderate)
    }

    /// The entry of a server that a facet declares and nobody has looked at; none if the lock has one.
    fn uncaptured(&self, name: &str, wanted: &WantedServer) -> Option<Box<UncapturedServer>> {
        if self.before.lock.servers().contains_key(name) {
            return None;
        }
        let facet = wanted.by.iter().find_map(|by| by.facet())?.to_string();
        let declared = match &wanted.what {
            WantedWhat::Registry { artifact, floor } => {
                DeclaredServer::Floor { artifact: Some(artifact.clone()), floor: floor.clone() }
            }
            WantedWhat::Inline { declared, .. } => declared.clone(),
            WantedWhat::Image(image) => DeclaredServer::Image(image.clone()),
            WantedWhat::Local(_) => return None,
        };
        Some(Box::new(UncapturedServer { declared, facet }))
    }

    /// Starts a locked server as it shall be from now on.
    fn propose(
        &self,
        name: &str,
        locked: &LockedServer,
        (origin, bytes): (Origin, NewBytes),
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

fn is_of_facet(wanted: &WantedServer) -> bool {
    wanted.by.iter().any(|by| by.facet().is_some())
}

/// The values that a facet gives the variables of its server.
fn given_values(wanted: &WantedServer) -> BTreeMap<String, String> {
    let WantedWhat::Inline { declared: DeclaredServer::Origin { values, .. }, .. } = &wanted.what
    else {
        return BTreeMap::new();
    };
    values.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
}

fn new_server(
    name: &str,
    origin: Origin,
    published: Option<PublishedBytes>,
    given: BTreeMap<String, String>,
) -> NewServer {
    NewServer {
        name: name.to_owned(),
        origin,
        published,
        name_use: NameUse::AskedFor,
        directory: None,
        timeout: None,
        source: None,
        given,
    }
}
