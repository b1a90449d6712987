//! From an origin to a pin: what exactly a person asked for.

use std::fs::File;
use std::path::{Path, PathBuf};

use facets_archive::ServerArchive;
use facets_closure::Closure;
use facets_lock::{ArtifactPin, Pin, RuntimePin};
use facets_model::{ArtifactSource, Origin, PackageOrigin, RuntimeName, SourceModeOrigin};
use facets_surface::Source;

use crate::cache_directory::require_cache_outside;
use crate::consent::ArtifactShown;
use crate::error::{ArtifactError, OpsError, ServerError, SourceLook};
use crate::packages::{LockedPackage, ResolvedClosure, resolve_package, resolve_pinned_package};
use crate::refused_variables::require_deliverable;
use crate::source_artifact::local_archive;
use crate::source_scan::source_of;
use crate::start_progress::{NoStartProgress, StartProgress};
use crate::stored_artifact::{StoredArtifact, get_artifact, open_store, put_artifact};

/// What exactly an origin is now.
pub(crate) struct Resolved {
    /// The origin, with everything that only its bytes say.
    pub(crate) origin: Origin,
    pub(crate) pin: Pin,
    /// What an artifact has in it.
    pub(crate) artifact: Option<ResolvedArtifact>,
    /// What a package needs.
    pub(crate) package: Option<ResolvedClosure>,
}

/// What an artifact has in it.
pub(crate) struct ResolvedArtifact {
    pub(crate) shown: ArtifactShown,
    /// What its files can reach, and declare.
    pub(crate) source: Source,
}

/// What exactly an origin is now, seen from `root`. Commands and addresses name no bytes, so nothing is
/// looked up; an artifact is built or read, and stored; a package is resolved and fetched, without what was published
/// after `before`.
pub(crate) fn resolve(
    origin: &Origin,
    root: &Path,
    before: Option<&str>,
    progress: &dyn StartProgress,
) -> Result<Resolved, OpsError> {
    match origin {
        Origin::Command(_) | Origin::Address(_) => {
            let (origin, pin) = (origin.clone(), Pin::AsWritten);
            Ok(Resolved { origin, pin, artifact: None, package: None })
        }
        Origin::SourceMode(artifact) => resolve_artifact(artifact, root, progress),
        Origin::Package(package) => {
            require_cache_outside(root)?;
            Ok(of_package(package, resolve_package(package, before, progress)?))
        }
    }
}

/// A package that was resolved.
fn of_package(origin: &PackageOrigin, LockedPackage { pin, needs }: LockedPackage) -> Resolved {
    Resolved {
        origin: origin.clone().into(),
        pin: Pin::Package(Box::new(pin)),
        artifact: None,
        package: Some(needs),
    }
}

/// What is shown of a pinned artifact, as it is stored.
pub(crate) fn stored_artifact_shown(pin: &Pin) -> Option<ArtifactShown> {
    let pin = pin.artifact()?;
    let stored = get_artifact(&open_store().ok()?, pin).ok()??;
    Some(ArtifactShown::of(&stored.server, pin))
}

/// What a pinned artifact has in it, as it is stored; nothing is built.
pub(crate) fn resolve_pinned(
    origin: Origin,
    pin: Pin,
    closure: Option<Closure>,
    progress: &dyn StartProgress,
) -> Result<Resolved, OpsError> {
    if let (Origin::Package(package), Some(pin), Some(closure)) = (&origin, pin.package(), closure)
    {
        let locked = resolve_pinned_package(pin.clone(), closure, progress)?;
        return Ok(of_package(package, locked));
    }
    let artifact = pin.artifact().map(|pin| match get_artifact(&open_store()?, pin)? {
        Some(StoredArtifact { server, tree }) => {
            let (shown, source) = (ArtifactShown::of(&server, pin), source_of(tree.path())?);
            Ok::<_, OpsError>(ResolvedArtifact { shown, source })
        }
        None => Err(ArtifactError::ArtifactAbsent {
            artifact: format!("{} {}", pin.name, pin.version),
            content_hash: pin.content_hash,
            source_look: SourceLook::NotBuilt,
        }
        .into()),
    });
    let artifact = artifact.transpose()?;
    Ok(Resolved { origin, pin, artifact, package: None })
}

fn resolve_artifact(
    artifact: &SourceModeOrigin,
    root: &Path,
    progress: &dyn StartProgress,
) -> Result<Resolved, OpsError> {
    let ArtifactSource::Local { path } = &artifact.source else {
        // Nothing fetches artifacts from a registry yet.
        return Err(ServerError::NotInline { name: artifact.to_string() }.into());
    };
    require_cache_outside(root)?;
    let full = as_seen_from_here(&root.join(path.as_str()));
    let mut archive = local_archive(&full, progress)?;
    resolve_archive(&artifact.source, &mut archive).map_err(|error| match error {
        // Of a directory the files were named.
        OpsError::Archive(source) if full.is_file() => {
            OpsError::ArchiveFile { path: full, source: Box::new(source) }
        }
        other => other,
    })
}

/// The same path, as a person in the current directory would type it.
fn as_seen_from_here(path: &Path) -> PathBuf {
    let path: PathBuf = path.components().collect();
    let here = std::env::current_dir().unwrap_or_default();
    match path.strip_prefix(here) {
        Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Ok(below) => below.to_owned(),
        Err(_) => path,
    }
}

/// What exactly an archive is that was built or read: it is stored.
pub(crate) fn resolve_archive(
    source: &ArtifactSource,
    archive: &mut File,
) -> Result<Resolved, OpsError> {
    let StoredArtifact { server, tree } = put_artifact(&open_store()?, archive)?;
    require_deliverable(&server.manifest)?;
    let reach = source_of(tree.path())?;
    let pin = pin_of(&server)?;
    let names = server.manifest.env.iter().map(|variable| variable.name.to_string());
    let origin = SourceModeOrigin::new(source.clone(), names.collect());
    let shown = ArtifactShown::of(&server, &pin);
    Ok(Resolved {
        origin: origin.into(),
        pin: Pin::Artifact(Box::new(pin)),
        artifact: Some(ResolvedArtifact { shown, source: reach }),
        package: None,
    })
}

/// What an archive is that was verified and is stored, with its files.
pub(crate) fn resolve_stored(
    source: &ArtifactSource,
    server: &ServerArchive,
) -> Result<Resolved, OpsError> {
    require_deliverable(&server.manifest)?;
    let pin = pin_of(server)?;
    let names = server.manifest.env.iter().map(|variable| variable.name.to_string());
    let origin = SourceModeOrigin::new(source.clone(), names.collect());
    resolve_pinned(origin.into(), Pin::Artifact(Box::new(pin)), None, &NoStartProgress)
}

/// The pin of an archive that was just read, with the runtime that this facet starts it with.
fn pin_of(server: &ServerArchive) -> Result<ArtifactPin, OpsError> {
    let manifest = &server.manifest;
    let unknown = || OpsError::Internal { subject: format!("the runtime {}", manifest.runtime) };
    let runtime = facets_runtime::current(RuntimeName::of(&manifest.runtime).ok_or_else(unknown)?);
    let runtime = RuntimePin {
        name: runtime.name,
        version: runtime.version.parse().map_err(|_| unknown())?,
        binaries: runtime.digests(),
        abi: None,
    };
    Ok(ArtifactPin {
        name: manifest.name.clone(),
        version: manifest.version.clone(),
        integrity: server.index.integrity,
        content_hash: server.index.content_hash,
        runtime,
    })
}
