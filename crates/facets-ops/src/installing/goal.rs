//! What the project shall be, and how that is told.

use std::collections::BTreeMap;

use facets_lock::{LockedFacet, LockedFacetSource};
use facets_model::ArtifactName;
use facets_plan::{
    AssetAction, FacetStep, InstalledFileView, Plan, Requirer, ServerQuery, ServerStep, Step,
    WantedServer, WantedWhat,
};

use crate::acquiring::{AcquiredFacet, AcquiredServer};
use crate::client_files::Client;
use crate::install_page::{FacetChange, ServerChange, ServerLook};

/// What the project shall be. Every byte of it was verified, and nothing was written.
pub(super) struct Goal {
    pub(super) facets: BTreeMap<ArtifactName, AcquiredFacet>,
    pub(super) locked: BTreeMap<ArtifactName, LockedFacet>,
    pub(super) servers: BTreeMap<String, WantedServer>,
    pub(super) queries: BTreeMap<String, ServerQuery>,
    pub(super) artifacts: BTreeMap<String, AcquiredServer>,
    pub(super) files: Vec<WantedFile>,
    /// The clients whose folders get texts.
    pub(super) clients: ClientChoice,
    pub(super) plan: Plan,
}

impl Goal {
    /// Whether facets are just as the lock has them, so that a repository could have brought the files along.
    pub(super) fn is_reproduction(&self) -> bool {
        self.plan.facets.iter().all(|facet| !is_shown(&facet.step))
    }

    /// Whether a file has to be written or removed.
    pub(super) fn changes_files(&self) -> bool {
        let is_change = |action: AssetAction| {
            matches!(
                action,
                AssetAction::Write(_)
                    | AssetAction::Remove
                    | AssetAction::Forget
                    | AssetAction::KeptOnRemove
            )
        };
        self.plan.assets.iter().any(|step| is_change(step.action))
    }
}

/// Whether a step changes what a facet is, and not only what the lock has beside that.
pub(super) fn is_shown(step: &Step<LockedFacet>) -> bool {
    match (step.from(), step.to()) {
        (Some(from), Some(to)) => !is_same_facet(from, to),
        _ => true,
    }
}

/// Whether two entries are of the same bytes of the same source, installed the same way.
pub(super) fn is_same_facet(one: &LockedFacet, other: &LockedFacet) -> bool {
    (&one.source, &one.version, one.integrity, &one.assets)
        == (&other.source, &other.version, other.integrity, &other.assets)
}

pub(super) fn facet_change(facet: &FacetStep) -> FacetChange {
    let state = facet.step.to().or(facet.step.from());
    FacetChange {
        name: facet.name.clone(),
        from: facet.step.from().map(|state| state.version.clone()),
        to: facet.step.to().map(|state| state.version.clone()),
        source: state.map(|state| shown_source(&state.source)).unwrap_or_default(),
        integrity: state.map(|state| state.integrity),
        content_hash: state.and_then(|state| state.content_hash),
    }
}

impl Goal {
    pub(super) fn server_change(&self, server: &ServerStep) -> ServerChange {
        let state = server.step.to().or(server.step.from());
        let facets = server.by.iter().filter_map(Requirer::facet).cloned();
        let look = match self.servers.get(&server.name).map(|server| &server.what) {
            None => ServerLook::Removed,
            Some(WantedWhat::Registry { .. } | WantedWhat::Local(_)) => ServerLook::Sandboxed,
            Some(WantedWhat::Inline { .. }) => ServerLook::Open,
            Some(WantedWhat::Image(_)) => ServerLook::Never,
        };
        ServerChange {
            name: server.name.clone(),
            what: state.map(|state| state.what.clone()).unwrap_or_default(),
            from: server.step.from().and_then(|state| state.version.clone()),
            to: server.step.to().and_then(|state| state.version.clone()),
            facets: facets.collect(),
            look,
        }
    }
}

/// Whether a facet asks for a server.
pub(super) fn is_of_facet(wanted: &WantedServer) -> bool {
    wanted.by.iter().any(|by| by.facet().is_some())
}

pub(crate) fn shown_source(source: &LockedFacetSource) -> String {
    match source {
        LockedFacetSource::Registry { url } => url.to_string(),
        LockedFacetSource::Git { url, commit } => format!("{url}#{commit}"),
        LockedFacetSource::Local { path } => path.clone(),
    }
}

/// A file that a client gets.
#[derive(Clone, Debug)]
pub(super) struct WantedFile {
    pub(super) view: InstalledFileView,
    pub(super) content: Vec<u8>,
}

/// The clients whose folders get texts, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ClientChoice {
    pub(super) clients: Vec<Client>,
    /// Whether the manifest names them from now on.
    pub(super) is_new: bool,
    /// Whether there are texts, and no client for them.
    pub(super) is_missing: bool,
}
