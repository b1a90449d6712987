//! What the lock says about servers, checked against itself.

use facets_closure::Closure;
use facets_digest::Digest;
use facets_drift::{Compat, Finding, FindingType, Severity, Side, SubjectKind, compare_surfaces};
use facets_lock::{ArtifactPin, LockedEntry, LockedServer, Pin, UncapturedServer, surface_path};
use facets_model::manifest::{DeclaredServer, ProjectManifest};
use facets_model::{ArtifactName, Floor, Origin};
use facets_project::{State, SurfaceOnDisk, declared_origin};
use facets_surface::{Surface, SurfaceHashes};
use facets_validator::JsonSchema;

use crate::broken_pin::BrokenPin;
use crate::error::{OpsError, ServerError};
use crate::facet_servers::facet_servers;
use crate::packages::closure_of;
use crate::pin_changes::compare_origins;
use crate::unknown_server::unknown_server;

/// What changed from one surface to another, with examples that somebody else's validator has
/// confirmed.
pub(crate) fn differences(before: Side<'_>, after: Side<'_>) -> Vec<Finding> {
    compare_surfaces(before, after, &JsonSchema::default())
}

/// A locked server, and the surface file that belongs to it.
#[derive(Clone, Debug)]
pub(crate) struct Pinned {
    pub(crate) server: LockedServer,
    pub(crate) surface: Surface,
    pub(crate) hashes: SurfaceHashes,
    /// What a package needs.
    pub(crate) closure: Option<Closure>,
}

impl Pinned {
    /// The pair of a name, or what was edited.
    pub(crate) fn of(name: &str, state: &State) -> Result<Self, BrokenPin> {
        if let Some(LockedEntry::Broken(problem)) = state.lock.servers().get(name) {
            let place = state.lock.place(name);
            let declared = |manifest: &ProjectManifest| declared_origin(manifest, name).is_some();
            let is_declared = state.manifest.as_ref().is_some_and(declared);
            return Err(BrokenPin::Entry { place, problem: problem.clone(), is_declared });
        }
        let server = state.lock.server(name).ok_or(BrokenPin::NoEntry)?;
        let file = surface_path(name);
        let (surface, digest) = match state.surfaces.get(name) {
            None | Some(SurfaceOnDisk::Missing) => {
                return Err(BrokenPin::NoSurfaceFile { file });
            }
            Some(SurfaceOnDisk::Refused(error)) => {
                return Err(BrokenPin::SurfaceFile { file, source: error.clone() });
            }
            Some(SurfaceOnDisk::Whole(surface, digest)) => ((**surface).clone(), *digest),
        };
        let closure = closure_of(name, server, state)?;
        let pair = Self::pair(name, server.clone(), surface, digest)?;
        Ok(Self { closure, ..pair })
    }

    /// Whether a lock entry and a surface belong together.
    pub(crate) fn pair(
        name: &str,
        server: LockedServer,
        surface: Surface,
        file: Digest,
    ) -> Result<Self, BrokenPin> {
        if server.surface.file != surface_path(name) {
            return Err(BrokenPin::OtherSurfaceFile { file: surface_path(name) });
        }
        let hashes = surface.hashes();
        match server.first_difference(surface.era, &hashes, file) {
            Some(member) => Err(BrokenPin::Differs { member, file: surface_path(name) }),
            None => Ok(Self { server, surface, hashes, closure: None }),
        }
    }

    /// What was pinned of a server that has to be there, and whole.
    pub(crate) fn whole(name: &str, state: &State) -> Result<Self, OpsError> {
        chosen(&[name.to_owned()], state)?;
        let edited = |problem| ServerError::Edited { name: name.to_owned(), problem };
        Self::of(name, state).map_err(|problem| edited(problem).into())
    }

    /// What is started: where it comes from, and what exactly that is.
    pub(crate) fn start(&self) -> (&Origin, &Pin) {
        (&self.server.origin, &self.server.pin)
    }

    pub(crate) fn side(&self) -> Side<'_> {
        Side { surface: &self.surface, hashes: &self.hashes }
    }
}

/// The names that are meant: those given, each of which must be locked; or all.
pub(crate) fn chosen(names: &[String], state: &State) -> Result<Vec<String>, OpsError> {
    if names.is_empty() {
        return Ok(state.lock.servers().keys().cloned().collect());
    }
    let mut chosen = Vec::new();
    for name in names {
        match state.lock.servers().get(name) {
            None => return Err(unknown_server(name, state)),
            Some(LockedEntry::Uncaptured(server)) if is_others(name, state) => {
                return Err(uncaptured(name, server));
            }
            Some(LockedEntry::Other) if is_others(name, state) => {
                return Err(ServerError::NotInline { name: name.clone() }.into());
            }
            Some(_) => chosen.push(name.clone()),
        }
    }
    chosen.sort();
    chosen.dedup();
    Ok(chosen)
}

/// Nobody has looked at a server.
pub(crate) fn uncaptured(name: &str, server: &UncapturedServer) -> OpsError {
    let is_published = matches!(server.declared, DeclaredServer::Floor { .. });
    let (name, image) = (name.to_owned(), image_of(server));
    ServerError::Uncaptured { name, image, is_published }.into()
}

/// The image of a server that nobody has looked at, if it is one.
pub(crate) fn image_of(server: &UncapturedServer) -> Option<String> {
    match &server.declared {
        DeclaredServer::Image(image) => Some(image.as_written().to_owned()),
        DeclaredServer::Origin { .. } | DeclaredServer::Floor { .. } => None,
    }
}

/// Whether an entry is somebody else's, and not one of ours that lost what makes it one.
pub(crate) fn is_others(name: &str, state: &State) -> bool {
    let entry = state.lock.servers().get(name);
    let other = matches!(entry, Some(LockedEntry::Other | LockedEntry::Uncaptured(_)));
    let declared = state.manifest.as_ref().and_then(|manifest| declared_origin(manifest, name));
    other && declared.is_none()
}

/// What the manifest says of a server otherwise than the lock.
pub(crate) fn against_manifest(name: &str, pinned: &Pinned, state: &State) -> Vec<Finding> {
    let Some(manifest) = &state.manifest else { return Vec::new() };
    match declared_server(manifest, name) {
        Some((_, DeclaredServer::Origin { origin: declared, .. })) => {
            if pinned.server.origin.is_declared_as(declared) {
                return Vec::new();
            }
            compare_origins(&pinned.server.origin, declared)
        }
        Some((authored, DeclaredServer::Floor { artifact, floor })) => {
            against_floor(pinned, artifact.as_ref().map_or(authored, ArtifactName::as_str), floor)
        }
        Some((_, DeclaredServer::Image(_))) => vec![not_declared()],
        None if is_of_facet(name, state) => Vec::new(),
        None => vec![not_declared()],
    }
}

fn not_declared() -> Finding {
    let sentence =
        "no longer declared in facets.json as a command, URL, path or version, nor by a facet";
    let grade = (Severity::Moderate, Compat::Risky);
    Finding::new(FindingType::LaunchChanged, (SubjectKind::Server, ""), grade, sentence)
}

/// What a manifest has for the server of a name, and the member that has it: a server of a registry with a scope
/// has the last part of its name.
pub(crate) fn declared_server<'m>(
    manifest: &'m ProjectManifest,
    name: &str,
) -> Option<(&'m str, &'m DeclaredServer)> {
    let exact = manifest.servers.get_key_value(name);
    let scoped = || {
        let is_floor = |declared: &DeclaredServer| matches!(declared, DeclaredServer::Floor { .. });
        manifest.servers.iter().find(|(authored, declared)| {
            is_floor(declared) && authored.rsplit('/').next() == Some(name)
        })
    };
    exact.or_else(scoped).map(|(authored, declared)| (authored.as_str(), declared))
}

/// Whether a facet of the lock brings a server of this name along.
fn is_of_facet(name: &str, state: &State) -> bool {
    facet_servers(state).contains_key(name)
}

/// spec 2.2: the pinned version is at or above the floor
fn against_floor(pinned: &Pinned, artifact: &str, floor: &Floor) -> Vec<Finding> {
    let is_admitted =
        |pin: &ArtifactPin| pin.name.as_str() == artifact && floor.admits(&pin.version);
    if pinned.server.pin.artifact().is_some_and(is_admitted) {
        return Vec::new();
    }
    let pin = pinned.server.pin.artifact();
    let locked = pin.map(|pin| format!("{} {}", pin.name, pin.version));
    let grade = (Severity::Critical, Compat::Risky);
    let sentence = "launch changed: facets.json asks for another server or version";
    let found =
        Finding::new(FindingType::LaunchChanged, (SubjectKind::Server, ""), grade, sentence);
    vec![found.of_member("artifact", locked, Some(format!("{artifact} {floor} or later")))]
}
