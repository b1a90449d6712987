//! Whether a registry answers as it did before (spec 10.5).

use facets_model::Version;
use facets_model::manifest::VersionSpec;
use facets_project::{SeenVersion, SeenVersions};
use facets_registry_client::{RegistryClient, ReleaseRange, VersionDocument, WantedVersion};

use crate::error::{AcquireError, OpsError};

/// What a project asks a registry for.
pub(super) fn wanted_version(spec: &VersionSpec) -> Result<WantedVersion, OpsError> {
    let unknown = |text: String| OpsError::Internal { subject: format!("the version {text}") };
    Ok(match spec {
        VersionSpec::Exact(version) => {
            let text = version.to_string();
            WantedVersion::Exact(text.parse().map_err(|_| unknown(text))?)
        }
        VersionSpec::Prefix(numbers) => {
            let range = ReleaseRange::of_numbers(numbers);
            WantedVersion::Within(range.ok_or_else(|| unknown(format!("{numbers:?}")))?)
        }
        VersionSpec::Latest => WantedVersion::Latest,
    })
}

/// Whether a version could be the answer to a question that leaves a choice.
fn could_be(wanted: &WantedVersion, version: &Version) -> bool {
    match wanted {
        WantedVersion::Exact(_) => false,
        WantedVersion::Latest => !version.is_prerelease(),
        WantedVersion::AtLeast(floor) => floor.admits(version),
        WantedVersion::Within(range) => range.has(version),
    }
}

/// The hashes of a document, as they are remembered.
pub(super) fn seen_of(document: &VersionDocument) -> SeenVersion {
    SeenVersion { integrity: document.integrity, content_hash: Some(document.content_hash) }
}

/// Refuses other bytes for a version that was seen, and an answer below one that was seen and is not yanked.
pub(super) fn require_fresh(
    client: &RegistryClient,
    document: &VersionDocument,
    wanted: &WantedVersion,
    seen: &SeenVersions,
) -> Result<(), OpsError> {
    require_same_content(client, document, seen)?;
    let above = seen.versions.keys().rev().take_while(|version| **version > document.version);
    for version in above.filter(|version| could_be(wanted, version)) {
        let exactly = WantedVersion::Exact(version.clone());
        let current = match client.version(document.kind, &document.name, &exactly) {
            // Nothing is deleted silently: it is hidden.
            Err(error) if error.is_not_found() => None,
            other => Some(other?),
        };
        if let Some(current) = &current {
            require_same_content(client, current, seen)?;
        }
        if current.is_none_or(|current| current.yanked.is_none()) {
            return Err(AcquireError::Rollback {
                subject: format!("{} {}", document.kind.word(), document.name),
                seen: version.to_string(),
                offered: document.version.to_string(),
                registry: client.address().to_string(),
            }
            .into());
        }
    }
    Ok(())
}

fn require_same_content(
    client: &RegistryClient,
    document: &VersionDocument,
    seen: &SeenVersions,
) -> Result<(), OpsError> {
    let Some(known) = seen.versions.get(&document.version) else { return Ok(()) };
    let stated = seen_of(document);
    if known.agrees_with(&stated) {
        return Ok(());
    }
    let (seen, stated) = match known.content_hash {
        Some(hash) if known.integrity == document.integrity => {
            (format!("content hash {hash}"), format!("content hash {}", document.content_hash))
        }
        _ => {
            (format!("integrity {}", known.integrity), format!("integrity {}", document.integrity))
        }
    };
    let subject = format!("{} {} {}", document.kind.word(), document.name, document.version);
    let registry = client.address().to_string();
    Err(AcquireError::ContentChanged { subject, seen, stated, registry }.into())
}
