//! `facet outdated`: which newer versions there are. Nothing is changed, fetched or started.

use std::collections::BTreeMap;

use facets_lock::{LockedFacetSource, LockedServer};
use facets_model::manifest::{DeclaredServer, FacetSource, VersionSpec};
use facets_model::{ArtifactName, ArtifactSource, Floor, HttpUrl, Origin, Version};
use facets_plan::effective_server_name;
use facets_project::{Project, State};
use facets_registry_client::{PublishedKind, RegistryClientError, VersionDocument, WantedVersion};

use crate::acquiring::{AcquireRequest, Acquirer, NoInstallProgress};
use crate::error::{OpsError, PublishError};
use crate::installing::{InstallOptions, NetworkUse, RegistryChange};
use crate::pinned::declared_server;
use crate::unknown_server::unknown_server;

/// What to ask for.
#[derive(Debug)]
pub struct OutdatedRequest {
    /// Facets and servers; none are all.
    pub names: Vec<String>,
    /// Which registry is asked, and how.
    pub options: InstallOptions,
}

/// One facet or server of a registry.
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
    /// Why nothing could be found out.
    pub error: Option<OpsError>,
}

/// What there is.
#[derive(Debug)]
pub struct OutdatedReport {
    /// Everything of a registry, by kind and name.
    pub items: Vec<OutdatedItem>,
}

/// Asks registries for newer versions of everything that is locked.
pub fn outdated(request: &OutdatedRequest) -> Result<OutdatedReport, OpsError> {
    let project = Project::here()?;
    let state = project.read(&|_| false)?;
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
    if let Some(name) =
        request.names.iter().find(|name| !locked.iter().any(|one| one.name == **name))
    {
        return Err(unknown_server(name, &state));
    }
    let is_meant = |one: &LockedItem| request.names.is_empty() || request.names.contains(&one.name);
    let mut unanswered = UnansweredRegistries::default();
    let items = locked.into_iter().filter(is_meant).map(|one| one.look(&acquirer, &mut unanswered));
    Ok(OutdatedReport { items: items.collect() })
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
        OutdatedItem { kind, name, locked, upgrade, latest, yanked, error }
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

fn locked_items(state: &State) -> Vec<LockedItem> {
    let facets = state.lock.facets().keys().filter_map(|name| locked_facet(name, state));
    let servers = state
        .lock
        .servers()
        .keys()
        .filter_map(|name| locked_server(name, state.lock.server(name)?, state));
    facets.chain(servers).collect()
}

fn locked_facet(name: &str, state: &State) -> Option<LockedItem> {
    let facet = state.lock.facet(name)?;
    let artifact: ArtifactName = name.parse().ok()?;
    let LockedFacetSource::Registry { url } = &facet.source else { return None };
    let declared = state.manifest.as_ref().and_then(|all| all.facets.get(&artifact));
    let spec = match declared.map(|facet| &facet.source) {
        Some(FacetSource::Registry(spec)) => spec.clone(),
        _ => VersionSpec::Exact(facet.version.clone()),
    };
    Some(LockedItem {
        kind: PublishedKind::Facet,
        name: name.to_owned(),
        artifact,
        registry: url.clone(),
        version: facet.version.to_string().parse().ok()?,
        wish: Wish::Facet(spec),
    })
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
