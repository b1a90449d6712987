//! What is asked for: by the manifest, and by what was typed.

use std::collections::{BTreeMap, BTreeSet};

use facets_model::manifest::{FacetSource, ProjectFacet, VersionSpec};
use facets_model::{ArtifactName, Version};
use facets_plan::{Move, Wanted, source_text};
use facets_project::{
    MANIFEST, Project, ProjectError, valid_manifest, with_facet, with_registry_server,
};
use facets_registry_client::{PublishedKind, WantedVersion};

use super::options::{InstallMode, InstallOptions};
use super::task::{InstallTask, TypedWish};
use crate::acquiring::{Acquirer, InstallProgress};
use crate::client_files::Client;
use crate::error::{OpsError, PublishError, ServerError, TaskError};
use crate::registry_choice::RegistryChoice;
use crate::wished_name::WishedName;

/// What was typed after `facet install` or `facet add`.
pub(crate) struct TypedNames<'t> {
    pub(crate) names: &'t [WishedName],
    pub(crate) kind: Option<PublishedKind>,
    /// The name that a server gets in this project, if it is another one.
    pub(crate) own_name: Option<&'t str>,
}

impl InstallTask {
    /// What was typed, beside what the manifest asks for; what is locked stays.
    pub(crate) fn of_install(
        typed: &TypedNames<'_>,
        clients: &[Client],
        options: &InstallOptions,
    ) -> Result<Self, OpsError> {
        let mut task = Self::of_project(Move::Keep, options)?;
        if task.before.manifest.is_none() && !task.before.has_lock && typed.names.is_empty() {
            return Err(TaskError::NothingToInstall.into());
        }
        let wish = |name: &WishedName| TypedWish {
            name: name.clone(),
            kind: typed.kind,
            own_name: typed.own_name.map(str::to_owned),
        };
        task.typed = typed.names.iter().map(wish).collect();
        task.clients = clients.to_vec();
        Ok(task)
    }

    /// Newer versions of what the manifest asks for.
    pub(crate) fn of_upgrade(
        names: &[String],
        is_latest: bool,
        options: &InstallOptions,
    ) -> Result<Self, OpsError> {
        let moves = match names {
            [] => Move::All,
            names => Move::Named(names.iter().cloned().collect::<BTreeSet<_>>()),
        };
        let mut task = Self::of_project(moves, options)?;
        if task.wanted.facets.is_empty() && task.wanted.servers.is_empty() {
            return Err(TaskError::NothingToInstall.into());
        }
        if is_latest {
            task.reach_latest();
        }
        Ok(task)
    }

    fn of_project(moves: Move, options: &InstallOptions) -> Result<Self, OpsError> {
        let project = Project::here()?;
        let before = project.read(&|_| true)?;
        let wanted = before.manifest.as_ref().map(Wanted::of).unwrap_or_default();
        Ok(Self {
            project,
            before,
            wanted,
            manifest: None,
            typed: Vec::new(),
            moves,
            exact: BTreeMap::new(),
            clients: Vec::new(),
            options: options.clone(),
            yanked: BTreeSet::new(),
        })
    }

    /// Versions that the manifest excludes count, too: it is written anew when they are known.
    fn reach_latest(&mut self) {
        for (name, facet) in &mut self.wanted.facets {
            if let (true, FacetSource::Registry(spec)) =
                (self.moves.includes(name.as_str()), &mut facet.source)
            {
                *spec = VersionSpec::Latest;
            }
        }
    }

    /// Finds what was typed, and adds it to what is asked for.
    pub(super) fn add_typed(&mut self, progress: &dyn InstallProgress) -> Result<(), OpsError> {
        for wish in std::mem::take(&mut self.typed) {
            let acquirer = self.acquirer(progress)?;
            let found = self.find(&wish, &acquirer)?;
            let yanked = acquirer.yanked();
            drop(acquirer);
            self.yanked.extend(yanked);
            let text = self.manifest.as_deref().or(self.before.manifest_text.as_deref());
            let text = match found {
                Found::Facet { source } => with_facet(text, wish.name.name.as_str(), &source),
                Found::Server { name, floor } => {
                    self.require_free(&name, &wish.name.name)?;
                    self.exact.insert(name.clone(), floor.clone());
                    with_registry_server(text, &name, &wish.name.name, &floor)
                }
            };
            let text =
                text.map_err(|source| ProjectError::Edit { path: MANIFEST.into(), source })?;
            self.wanted = wanted_by(&text)?;
            self.manifest = Some(text);
        }
        self.require_known_names()?;
        // A version that was typed is installed also where another one is locked.
        let mut moved: BTreeSet<String> = self.exact.keys().cloned().collect();
        moved.extend(self.other_references());
        if self.moves == Move::Keep && !moved.is_empty() {
            self.moves = Move::Named(moved);
        }
        Ok(())
    }

    /// Facets of git repositories with another branch or tag than the manifest had: the lock has only a commit.
    fn other_references(&self) -> Vec<String> {
        let before = |name: &ArtifactName| {
            let manifest = self.before.manifest.as_ref()?;
            manifest.facets.get(name).map(|facet| &facet.source)
        };
        let is_other = |(name, facet): &(&ArtifactName, &ProjectFacet)| {
            let is_git = matches!(facet.source, FacetSource::Git { .. });
            is_git && before(name).is_some_and(|before| *before != facet.source)
        };
        let others = self.wanted.facets.iter().filter(is_other);
        others.map(|(name, _)| name.to_string()).collect()
    }

    /// A name that means something else is not taken over.
    fn require_free(&self, name: &str, artifact: &ArtifactName) -> Result<(), OpsError> {
        let locked = self.before.lock.servers().get(name);
        let is_same =
            self.before.lock.server(name).is_some_and(|server| {
                server.pin.artifact().is_some_and(|pin| pin.name == *artifact)
            });
        match locked {
            Some(_) if !is_same => Err(ServerError::Exists { name: name.to_owned() }.into()),
            _ => Ok(()),
        }
    }

    fn require_known_names(&self) -> Result<(), OpsError> {
        let Move::Named(names) = &self.moves else { return Ok(()) };
        let is_facet = |name: &str| self.wanted.facets.keys().any(|facet| facet.as_str() == name);
        let is_server = |name: &str| self.before.lock.servers().contains_key(name);
        match names.iter().find(|name| !is_facet(name) && !is_server(name)) {
            None => Ok(()),
            Some(name) => {
                let facets = self.wanted.facets.keys().map(ToString::to_string);
                let known = facets.chain(self.before.lock.servers().keys().cloned()).collect();
                Err(ServerError::Unknown { name: name.clone(), known, of_user: None }.into())
            }
        }
    }

    /// The manifest with the versions that were found for facets whose spec was widened.
    pub(super) fn manifest_with_versions(
        &self,
        versions: impl Iterator<Item = (ArtifactName, String)>,
    ) -> Result<Option<String>, OpsError> {
        let mut text = self.manifest.clone();
        let Some(manifest) = &self.before.manifest else { return Ok(text) };
        for (name, version) in versions {
            let written = manifest.facets.get(&name).map(|facet| &facet.source);
            let Some(FacetSource::Registry(spec)) = written else { continue };
            let is_widened = self.wanted.facets.get(&name).map(|facet| &facet.source) != written;
            let source = spec_like(spec, &version);
            if is_widened && source != source_text(&FacetSource::Registry(spec.clone())) {
                let before = text.as_deref().or(self.before.manifest_text.as_deref());
                let edited = with_facet(before, name.as_str(), &source);
                let failed = |source| ProjectError::Edit { path: MANIFEST.into(), source };
                text = Some(edited.map_err(failed)?);
            }
        }
        Ok(text)
    }

    /// Facets that were named to be upgraded, and that the manifest keeps at one version.
    pub(super) fn exact_pins(&self) -> Vec<String> {
        let Move::Named(names) = &self.moves else { return Vec::new() };
        let is_named = |name: &str| self.exact.is_empty() && names.contains(name);
        let facets = self.wanted.facets.iter().filter(|(name, _)| is_named(name.as_str()));
        let pins = facets.filter_map(|(name, facet)| match &facet.source {
            FacetSource::Registry(VersionSpec::Exact(version)) => Some(format!(
                "facets.json asks for exactly {name} {version}; to take a newer version: facet upgrade {name} --latest"
            )),
            _ => None,
        });
        pins.collect()
    }

    /// Whether manifest and lock stay as they are.
    pub(super) fn is_frozen(&self) -> bool {
        self.options.mode == InstallMode::Frozen
    }

    /// Whether newer versions are asked for.
    pub(super) fn is_upgrade(&self) -> bool {
        self.moves != Move::Keep
    }

    /// What the manifest says about a facet.
    pub(super) fn wish_for(&self, name: &ArtifactName) -> Option<&ProjectFacet> {
        self.wanted.facets.get(name)
    }
}

/// The same form of a spec for a newer version: `1.*` becomes `2.*`.
fn spec_like(spec: &VersionSpec, version: &str) -> String {
    let numbers: Vec<&str> = version.split('.').collect();
    match spec {
        VersionSpec::Exact(_) => version.to_owned(),
        VersionSpec::Prefix(prefix) => {
            format!(
                "{}.*",
                numbers.iter().take(prefix.len()).copied().collect::<Vec<_>>().join(".")
            )
        }
        VersionSpec::Latest => "*".to_owned(),
    }
}

/// What a manifest of this text asks for.
fn wanted_by(text: &str) -> Result<Wanted, OpsError> {
    Ok(Wanted::of(&valid_manifest(MANIFEST.as_ref(), text.as_bytes())?))
}

/// What something that was typed is.
enum Found {
    Facet { source: String },
    Server { name: String, floor: Version },
}

impl InstallTask {
    /// Asks the registry what a name is, and which version is meant.
    fn find(&self, wish: &TypedWish, acquirer: &Acquirer<'_>) -> Result<Found, OpsError> {
        if let Some(source) = &wish.name.source {
            return Ok(Found::Facet { source: source.clone() });
        }
        let TypedWish { name: WishedName { name, version, .. }, kind, own_name } = wish;
        let kind = if own_name.is_some() { Some(PublishedKind::Server) } else { *kind };
        let is_asked = |one: PublishedKind| kind.is_none_or(|kind| kind == one);
        let spec = version.as_deref().unwrap_or("latest").parse::<VersionSpec>().ok();
        let facet = match spec.filter(|_| is_asked(PublishedKind::Facet)) {
            Some(spec) => acquirer.latest_facet(name, &spec, None)?,
            None => None,
        };
        let server_version = server_version(version.as_deref());
        let server = match server_version.filter(|_| is_asked(PublishedKind::Server)) {
            Some(version) => acquirer.latest_server(name, &version, None)?,
            None => None,
        };
        let shown = || wish.name.to_string();
        match (facet, server) {
            (Some(_), Some(_)) => {
                Err(TaskError::KindAmbiguous { name: shown(), verb: "install" }.into())
            }
            (Some(found), None) => {
                // spec 3.4 of the reference: a name alone asks for exactly this version, a range is kept.
                let is_range = version.as_deref().is_some_and(|version| version.contains('*'));
                let typed = version.clone().filter(|_| is_range);
                Ok(Found::Facet { source: typed.unwrap_or_else(|| found.version.to_string()) })
            }
            (None, Some(found)) => {
                let last = name.as_str().rsplit('/').next().unwrap_or(name.as_str());
                let name = own_name.clone().unwrap_or_else(|| last.to_owned());
                Ok(Found::Server { name, floor: found.version })
            }
            (None, None) => {
                let choice = RegistryChoice::find(self.options.registry.as_deref())?;
                let registry = choice.map(|choice| choice.address.to_string());
                let registry = registry.unwrap_or_else(|| "the registry of the lock".to_owned());
                Err(PublishError::NotPublished { what: shown(), registry }.into())
            }
        }
    }
}

/// A version of a server: one, or the latest. A range means facets alone.
fn server_version(typed: Option<&str>) -> Option<WantedVersion> {
    match typed {
        None | Some("latest" | "*") => Some(WantedVersion::Latest),
        Some(version) => version.parse().ok().map(WantedVersion::Exact),
    }
}
