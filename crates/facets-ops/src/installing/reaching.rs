//! The way to the goal: everything is fetched and verified, and a plan is made.

use std::collections::BTreeMap;

use facets_lock::{LockedFacet, LockedFacetSource, LockedServer};
use facets_model::{ArtifactName, ArtifactSource, AssetScope, HttpUrl, Origin};
use facets_plan::{
    FacetQuery, Plan, PlanProblem, ResolvedFacet, ResolvedServer, ServerQuery, WantedServer,
    assets_in_the_way, facet_queries, find_problems, locked_facet, plan_facets, plan_servers,
    server_queries, wanted_servers,
};
use facets_project::LOCK;
use facets_registry_client::WantedVersion;

use super::goal::{Goal, facet_change, is_same_facet, is_shown};
use super::task::InstallTask;
use crate::acquiring::{AcquiredServer, Acquirer, ServerWish};
use crate::error::{InstallCheck, InstallError, OpsError, TaskError};
use crate::facet_entries::entry_difference;
use crate::install_page::InstallPage;

impl Goal {
    /// Fetches what is needed, and plans.
    pub(super) fn reach(task: &InstallTask, acquirer: &Acquirer<'_>) -> Result<Self, OpsError> {
        let lock = &task.before.lock;
        let facet_queries = facet_queries(&task.wanted, lock, &task.moves).map_err(refused)?;
        let facets = acquirer.facets(&facet_queries)?;
        let resolved: BTreeMap<ArtifactName, ResolvedFacet> =
            facets.iter().map(|(name, facet)| (name.clone(), facet.resolved.clone())).collect();
        none_of(find_problems(&task.wanted, &resolved))?;
        let servers = wanted_servers(&task.wanted, &resolved).map_err(refused)?;
        let queries = server_queries(&servers, lock, &task.moves).map_err(refused)?;
        let artifacts = acquirer.servers(&server_wishes(task, (&servers, &queries), &resolved))?;
        let locked = locked_facets(task, &resolved)?;
        require_intact_entries(&facet_queries, &locked)?;
        let clients = task.choose_clients(&locked)?;
        let files = task.wanted_files(&facets, &locked, &clients.clients)?;
        let assets = task.plan_files(&files)?;
        let plan = Plan {
            facets: plan_facets(lock, &locked),
            servers: plan_servers(lock, &servers, &queries, &resolved_servers(&artifacts)),
            assets,
        };
        none_of(assets_in_the_way(&task.wanted, &plan.assets))?;
        let goal = Self { facets, locked, servers, queries, artifacts, files, clients, plan };
        goal.require_locked(task)?;
        Ok(goal)
    }

    /// spec 10.1: what a frozen install would write into the lock is an error
    fn require_locked(&self, task: &InstallTask) -> Result<(), OpsError> {
        if !task.is_frozen() {
            return Ok(());
        }
        let changed =
            self.plan.facets.iter().filter(|facet| match (facet.step.from(), facet.step.to()) {
                // The reference does not lock the hash of the archive.
                (Some(from), Some(to)) => {
                    (&from.source, &from.version, from.integrity)
                        != (&to.source, &to.version, to.integrity)
                }
                _ => true,
            });
        let changed =
            changed.map(|facet| format!("facet \"{}\" differs from the lock", facet.name));
        let differences: Vec<String> = changed.collect();
        if differences.is_empty() {
            return Ok(());
        }
        Err(TaskError::LockOutOfDate { differences }.into())
    }

    /// What is shown before anything is written.
    pub(super) fn page(&self, task: &InstallTask) -> InstallPage {
        let facets = self.plan.facets.iter().filter(|facet| is_shown(&facet.step));
        let servers = self.plan.servers.iter().filter(|server| !server.step.is_keep());
        InstallPage {
            facets: facets.map(facet_change).collect(),
            assets: task.text_changes(self),
            servers: servers.map(|server| self.server_change(server)).collect(),
        }
    }
}

/// Which versions of a registry are needed: of what is locked exactly that, of the others the newest.
fn server_wishes(
    task: &InstallTask,
    (servers, queries): (&BTreeMap<String, WantedServer>, &BTreeMap<String, ServerQuery>),
    facets: &BTreeMap<ArtifactName, ResolvedFacet>,
) -> BTreeMap<String, ServerWish> {
    let mut wishes = BTreeMap::new();
    for (name, query) in queries {
        let wish = match query {
            ServerQuery::Resolve { artifact, floor, registry } => {
                let exact = task.exact.get(name).cloned().map(WantedVersion::Exact);
                Some(ServerWish::Resolve {
                    artifact: artifact.clone(),
                    wanted: exact.unwrap_or_else(|| WantedVersion::AtLeast(floor.clone())),
                    pinned: registry.clone(),
                    near: servers.get(name).and_then(|server| registry_near(server, facets)),
                })
            }
            ServerQuery::Locked => {
                let locked = task.before.lock.server(name);
                locked.filter(|server| is_of_registry(server)).map(|_| ServerWish::Locked)
            }
            ServerQuery::Capture(_) | ServerQuery::Uncaptured => None,
        };
        wishes.extend(wish.map(|wish| (name.clone(), wish)));
    }
    wishes
}

/// The registry of a facet that asks for a server.
fn registry_near(
    server: &WantedServer,
    facets: &BTreeMap<ArtifactName, ResolvedFacet>,
) -> Option<HttpUrl> {
    let facets = server.by.iter().filter_map(|by| facets.get(by.facet()?));
    let mut sources = facets.map(|facet| &facet.source);
    sources.find_map(|source| match source {
        LockedFacetSource::Registry { url } => Some(url.clone()),
        LockedFacetSource::Git { .. } | LockedFacetSource::Local { .. } => None,
    })
}

fn is_of_registry(server: &LockedServer) -> bool {
    match &server.origin {
        Origin::SourceMode(artifact) => matches!(artifact.source, ArtifactSource::Registry { .. }),
        Origin::Command(_) | Origin::Address(_) | Origin::Package(_) => false,
    }
}

fn resolved_servers(
    artifacts: &BTreeMap<String, AcquiredServer>,
) -> BTreeMap<String, ResolvedServer> {
    let resolved = artifacts.iter().map(|(name, server)| {
        let resolved = ResolvedServer {
            version: server.archive.manifest.version.clone(),
            integrity: server.archive.index.integrity,
            registry: server.registry.clone(),
        };
        (name.clone(), resolved)
    });
    resolved.collect()
}

fn locked_facets(
    task: &InstallTask,
    resolved: &BTreeMap<ArtifactName, ResolvedFacet>,
) -> Result<BTreeMap<ArtifactName, LockedFacet>, OpsError> {
    let mut locked = BTreeMap::new();
    for (name, facet) in resolved {
        let Some(wish) = task.wish_for(name) else { continue };
        let mut entry = locked_facet(name, facet, wish, task.scope()).map_err(refused)?;
        // What was accepted of just this facet stays accepted.
        let same = task.before.lock.facet(name.as_str()).filter(|old| is_same_facet(old, &entry));
        entry.accepted = same.map(|old| old.accepted.clone()).unwrap_or_default();
        locked.insert(name.clone(), entry);
    }
    Ok(locked)
}

impl InstallTask {
    /// For whom texts are installed.
    pub(super) fn scope(&self) -> AssetScope {
        if self.project.is_of_user() { AssetScope::User } else { AssetScope::Project }
    }
}

/// A lock entry that somebody edited is not repaired in passing: it says something else than was reviewed.
fn require_intact_entries(
    queries: &BTreeMap<ArtifactName, FacetQuery>,
    derived: &BTreeMap<ArtifactName, LockedFacet>,
) -> Result<(), OpsError> {
    for (name, query) in queries {
        let (FacetQuery::Locked(locked), Some(derived)) = (query, derived.get(name)) else {
            continue;
        };
        if let Some(difference) = entry_difference(locked, derived) {
            return Err(InstallError::Mismatch {
                check: InstallCheck::Lockfile,
                subject: format!("facet {name} {}", locked.version),
                expected: "the lock entry of its archive".to_owned(),
                actual: difference,
                source_of: LOCK.to_owned(),
            }
            .into());
        }
    }
    Ok(())
}

fn none_of(problems: Vec<PlanProblem>) -> Result<(), OpsError> {
    if problems.is_empty() { Ok(()) } else { Err(refused(problems)) }
}

fn refused(problems: Vec<PlanProblem>) -> OpsError {
    TaskError::Plan { problems }.into()
}
