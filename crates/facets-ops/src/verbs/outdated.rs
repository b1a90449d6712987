//! `facet outdated`: which newer versions there are. Nothing of a project is changed, nothing is fetched or started.

use std::collections::BTreeMap;

use facets_lock::{LockedFacetSource, LockedServer};
use facets_model::manifest::{DeclaredServer, FacetSource, VersionSpec};
use facets_model::{ArtifactName, ArtifactSource, Floor, HttpUrl, Origin, Version};
use facets_plan::effective_server_name;
use facets_project::{Project, State};
use facets_registry_client::{PublishedKind, RegistryClientError, VersionDocument, WantedVersion};

use crate::acquiring::{AcquireRequest, Acquirer, NoInstallProgress, is_commit};
use crate::error::{OpsError, PublishError};
use crate::installing::{InstallOptions, NetworkUse, RegistryChange};
use crate::packages::{NewerPackages, newer_packages};
use crate::pinned::{Pinned, declared_server};
use crate::start_progress::NoStartProgress;
use crate::unknown_server::unknown_server;

/// What to ask for.
#[derive(Debug)]
pub struct OutdatedRequest {
    /// Facets and servers; none are all.
    pub names: Vec<String>,
    /// Which registry is asked, and how.
    pub options: InstallOptions,
}

/// One facet or server of a registry, or a facet of a git repository.
#[derive(Debug)]
pub struct OutdatedItem {
    /// What it is.
    pub kind: PublishedKind,
    /// Its name in this project.
    pub name: String,
    /// The version that is locked.
    pub locked: Version,
    /// The highest version that `facet upgrade` would take; none if that is the locked one.
    pub upgrade: Option<Version>,
    /// The highest version that there is, if it is neither.
    pub latest: Option<Version>,
    /// Why the locked version was yanked, if it was.
    pub yanked: Option<String>,
    /// Its commit, if it is of a git repository.
    pub git: Option<OutdatedCommit>,
    /// Why nothing could be found out.
    pub error: Option<OpsError>,
}

/// A facet of a git repository.
#[derive(Debug)]
pub struct OutdatedCommit {
    /// The branch, the tag or the commit that the project asks for; none is the default branch.
    pub reference: Option<String>,
    /// The commit that is locked.
    pub locked: String,
    /// What the branch or tag stands for by now; none if that is the locked commit, or a commit is asked for.
    pub newest: Option<String>,
    /// Whether it is a tag that has moved.
    pub is_tag: bool,
}

/// What there is.
#[derive(Debug)]
pub struct OutdatedReport {
    /// Everything of a registry or a repository, by kind and name.
    pub items: Vec<OutdatedItem>,
    /// Servers from npm and PyPI, by name.
    pub packages: Vec<OutdatedPackage>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
}

/// A server from npm or PyPI.
#[derive(Debug)]
pub struct OutdatedPackage {
    /// Its name in this project.
    pub name: String,
    /// The package that is locked, with its version.
    pub locked: String,
    /// The package that `facet upgrade` would take, if it is another version.
    pub upgrade: Option<String>,
    /// How many packages of its closure are others by now.
    pub changed: usize,
    /// Packages whose bytes changed under the same version.
    pub replaced: Vec<String>,
    /// Why nothing could be found out.
    pub error: Option<OpsError>,
}

/// Asks registries for newer versions of everything that is locked.
pub fn outdated(request: &OutdatedRequest) -> Result<OutdatedReport, OpsError> {
    let project = Project::here()?;
    let state = project.read(&|_| true)?;
    let options = &request.options;
    let acquirer = Acquirer::new(AcquireRequest {
        project: project.place(),
        lock: &state.lock,
        registry: options.registry.as_deref(),
        accepts_other_registry: options.registry_change == RegistryChange::Accepted,
        is_offline: options.network == NetworkUse::Offline,
        user: project.user()?,
        progress: &NoInstallProgress,
    })?;
    let locked = locked_items(&state);
    let is_package =
        |name: &str| state.lock.server(name).is_some_and(|server| server.pin.package().is_some());
    let is_known = |name: &str| is_package(name) || locked.iter().any(|one| one.name() == name);
    if let Some(name) = request.names.iter().find(|name| !is_known(name)) {
        return Err(unknown_server(name, &state));
    }
    let is_meant = |one: &LockedSource| {
        request.names.is_empty() || request.names.iter().any(|name| name == one.name())
    };
    let mut unanswered = UnansweredRegistries::default();
    let items = locked.into_iter().filter(is_meant).map(|one| one.look(&acquirer, &mut unanswered));
    let items = items.collect();
    // A later answer that is older is found out (10.10.4). Nobody gets less to know where it cannot be written down.
    let not_kept = acquirer.remember().err();
    let notes =
        not_kept.map(|error| format!("the versions that were seen are not remembered: {error}"));
    let packages = outdated_packages(request, &state);
    Ok(OutdatedReport { items, packages, notes: notes.into_iter().collect() })
}

/// Resolves each package anew, one after the other.
fn outdated_packages(request: &OutdatedRequest, state: &State) -> Vec<OutdatedPackage> {
    let is_meant = |name: &&String| request.names.is_empty() || request.names.contains(name);
    let names = state.lock.servers().keys().filter(is_meant);
    names.filter_map(|name| outdated_package(name, request, state)).collect()
}

fn outdated_package(
    name: &str,
    request: &OutdatedRequest,
    state: &State,
) -> Option<OutdatedPackage> {
    let server = state.lock.server(name)?;
    let (Origin::Package(origin), Some(pin)) = (&server.origin, server.pin.package()) else {
        return None;
    };
    let before = request.options.before.as_deref();
    let found = Pinned::whole(name, state).and_then(|pinned| match &pinned.closure {
        Some(closure) => newer_packages(origin, (pin, closure), before, &NoStartProgress),
        None => Ok(NewerPackages::default()),
    });
    let (found, error) = match found {
        Ok(found) => (found, None),
        Err(error) => (NewerPackages::default(), Some(error)),
    };
    let NewerPackages { resolved: upgrade, changed, replaced } = found;
    let (name, locked) = (name.to_owned(), pin.resolved.clone());
    Some(OutdatedPackage { name, locked, upgrade, changed, replaced, error })
}

/// Something that is locked, and may have a newer version.
enum LockedSource {
    Registry(LockedItem),
    Git(LockedCommit),
}

impl LockedSource {
    fn name(&self) -> &str {
        match self {
            Self::Registry(item) => &item.name,
            Self::Git(item) => &item.name,
        }
    }

    fn look(self, acquirer: &Acquirer<'_>, unanswered: &mut UnansweredRegistries) -> OutdatedItem {
        match self {
            Self::Registry(item) => item.look(acquirer, unanswered),
            Self::Git(item) => item.look(acquirer),
        }
    }
}

/// A facet of a git repository that is locked.
struct LockedCommit {
    name: String,
    version: Version,
    url: String,
    commit: String,
    /// What `facet upgrade` would ask for.
    wish: CommitWish,
}

enum CommitWish {
    /// A commit does not become another one.
    Exact(String),
    /// A branch, a tag, or the default branch.
    Reference(Option<String>),
}

impl LockedCommit {
    fn look(self, acquirer: &Acquirer<'_>) -> OutdatedItem {
        let Self { name, version: locked, url, commit, wish } = self;
        let (reference, found) = match wish {
            CommitWish::Exact(commit) => (Some(commit), Ok(None)),
            CommitWish::Reference(reference) => {
                let found = acquirer.newest_commit(&name, &url, reference.as_deref());
                (reference, found.map(Some))
            }
        };
        let (found, error) = match found {
            Ok(found) => (found, None),
            Err(error) => (None, Some(error)),
        };
        // The reference client writes the first digits alone.
        let newer = found.filter(|found| !found.commit.starts_with(&commit));
        let is_tag = newer.as_ref().is_some_and(|newer| newer.is_tag);
        let newest = newer.map(|newer| newer.commit);
        let git = Some(OutdatedCommit { reference, locked: commit, newest, is_tag });
        let (upgrade, latest, yanked) = (None, None, None);
        OutdatedItem {
            kind: PublishedKind::Facet,
            name,
            locked,
            upgrade,
            latest,
            yanked,
            git,
            error,
        }
    }
}

/// Registries that did not answer: nobody waits for them again and again.
#[derive(Default)]
struct UnansweredRegistries(BTreeMap<HttpUrl, RegistryClientError>);

impl UnansweredRegistries {
    fn require_answering(&self, registry: &HttpUrl) -> Result<(), OpsError> {
        let known = self.0.get(registry).and_then(RegistryClientError::unanswered);
        known.map_or(Ok(()), |error| Err(error.into()))
    }

    fn keep(&mut self, registry: &HttpUrl, error: &OpsError) {
        if let OpsError::Publish(PublishError::Client(error)) = error
            && let Some(error) = error.unanswered()
        {
            self.0.insert(registry.clone(), error);
        }
    }
}

/// Something of a registry that is locked.
struct LockedItem {
    kind: PublishedKind,
    name: String,
    artifact: ArtifactName,
    registry: HttpUrl,
    version: Version,
    /// What `facet upgrade` would ask for.
    wish: Wish,
}

enum Wish {
    Facet(VersionSpec),
    Server(Floor),
}

impl LockedItem {
    fn look(self, acquirer: &Acquirer<'_>, unanswered: &mut UnansweredRegistries) -> OutdatedItem {
        let answering = unanswered.require_answering(&self.registry);
        let found = answering.and_then(|()| self.versions(acquirer));
        if let Err(error) = &found {
            unanswered.keep(&self.registry, error);
        }
        let Self { kind, name, version: locked, .. } = self;
        let (versions, error) = match found {
            Ok(versions) => (Some(versions), None),
            Err(error) => (None, Some(error)),
        };
        let FoundVersions { upgrade, latest, yanked } = versions.unwrap_or_default();
        let upgrade = upgrade.filter(|version| *version > locked);
        let latest =
            latest.filter(|version| *version > locked && Some(version) != upgrade.as_ref());
        OutdatedItem { kind, name, locked, upgrade, latest, yanked, git: None, error }
    }

    fn versions(&self, acquirer: &Acquirer<'_>) -> Result<FoundVersions, OpsError> {
        let version = |found: Option<VersionDocument>| found.map(|document| document.version);
        let ask = |wish: &Wish| match wish {
            Wish::Facet(spec) => acquirer.latest_facet(&self.artifact, spec, Some(&self.registry)),
            Wish::Server(floor) => {
                let wanted = WantedVersion::AtLeast(floor.clone());
                acquirer.latest_server(&self.artifact, &wanted, Some(&self.registry))
            }
        };
        let upgrade = version(ask(&self.wish)?);
        let latest = match &self.wish {
            Wish::Facet(VersionSpec::Latest) => None,
            Wish::Facet(_) => version(ask(&Wish::Facet(VersionSpec::Latest))?),
            Wish::Server(_) => None,
        };
        Ok(FoundVersions { upgrade, latest, yanked: self.yanked(acquirer)? })
    }

    /// Why the locked version was taken back, if it was.
    fn yanked(&self, acquirer: &Acquirer<'_>) -> Result<Option<String>, OpsError> {
        let document = match self.kind {
            PublishedKind::Facet => {
                let exact = self.version.to_string().parse::<VersionSpec>().ok();
                let asked = exact
                    .map(|spec| acquirer.latest_facet(&self.artifact, &spec, Some(&self.registry)));
                asked.transpose()?.flatten()
            }
            PublishedKind::Server => {
                let exact = WantedVersion::Exact(self.version.clone());
                acquirer.latest_server(&self.artifact, &exact, Some(&self.registry))?
            }
        };
        Ok(document.and_then(|document| document.yanked).map(|yank| yank.reason))
    }
}

#[derive(Default)]
struct FoundVersions {
    upgrade: Option<Version>,
    latest: Option<Version>,
    yanked: Option<String>,
}

fn locked_items(state: &State) -> Vec<LockedSource> {
    let facets = state.lock.facets().keys().filter_map(|name| locked_facet(name, state));
    let servers = state
        .lock
        .servers()
        .keys()
        .filter_map(|name| locked_server(name, state.lock.server(name)?, state))
        .map(LockedSource::Registry);
    facets.chain(servers).collect()
}

fn locked_facet(name: &str, state: &State) -> Option<LockedSource> {
    let facet = state.lock.facet(name)?;
    let artifact: ArtifactName = name.parse().ok()?;
    let declared = state.manifest.as_ref().and_then(|all| all.facets.get(&artifact));
    let declared = declared.map(|facet| &facet.source);
    let version = facet.version.to_string().parse().ok()?;
    let name = name.to_owned();
    match &facet.source {
        LockedFacetSource::Registry { url } => {
            let spec = match declared {
                Some(FacetSource::Registry(spec)) => spec.clone(),
                _ => VersionSpec::Exact(facet.version.clone()),
            };
            let (kind, wish) = (PublishedKind::Facet, Wish::Facet(spec));
            let registry = url.clone();
            Some(LockedSource::Registry(LockedItem {
                kind,
                name,
                artifact,
                registry,
                version,
                wish,
            }))
        }
        LockedFacetSource::Git { url, commit } => {
            let wish = match declared {
                Some(FacetSource::Git { reference: Some(reference), .. })
                    if is_commit(reference) =>
                {
                    CommitWish::Exact(reference.clone())
                }
                Some(FacetSource::Git { reference, .. }) => {
                    CommitWish::Reference(reference.clone())
                }
                _ => CommitWish::Exact(commit.clone()),
            };
            let (url, commit) = (url.clone(), commit.clone());
            Some(LockedSource::Git(LockedCommit { name, version, url, commit, wish }))
        }
        // It is built anew by each install.
        LockedFacetSource::Local { .. } => None,
    }
}

fn locked_server(name: &str, server: &LockedServer, state: &State) -> Option<LockedItem> {
    let pin = server.pin.artifact()?;
    let Origin::SourceMode(artifact) = &server.origin else { return None };
    let ArtifactSource::Registry { url } = &artifact.source else { return None };
    let floor = floor_of(name, state).or_else(|| pin.version.to_string().parse().ok())?;
    Some(LockedItem {
        kind: PublishedKind::Server,
        name: name.to_owned(),
        artifact: pin.name.clone(),
        registry: url.clone(),
        version: pin.version.clone(),
        wish: Wish::Server(floor),
    })
}

/// spec 10.4: the higher of the floors at which the project and facets ask for a server
fn floor_of(name: &str, state: &State) -> Option<Floor> {
    let manifest = state.manifest.as_ref()?;
    let own = declared_server(manifest, name).map(|(_, declared)| declared);
    let of_facets = manifest.facets.iter().flat_map(|(facet, wanted)| {
        let servers = state.lock.facet(facet.as_str()).into_iter().flat_map(|one| &one.servers);
        let is_meant =
            |authored: &str| effective_server_name(wanted, authored).as_deref() == Some(name);
        servers.filter(move |(authored, _)| is_meant(authored)).map(|(_, declared)| declared)
    });
    let floors = own.into_iter().chain(of_facets).filter_map(|declared| match declared {
        DeclaredServer::Floor { floor, .. } => Some(floor),
        _ => None,
    });
    floors.max_by_key(|floor| floor.to_string().parse::<Version>().ok()).cloned()
}
