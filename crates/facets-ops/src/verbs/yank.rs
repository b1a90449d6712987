//! `facet yank`: a published version is taken back, or that is undone.

use facets_model::{ArtifactName, Version};
pub use facets_registry_client::VersionYank;
use facets_registry_client::{PublishedKind, RegistryClient, VersionDocument, WantedVersion};

pub use crate::building::ArtifactKind;

use crate::error::{OpsError, PublishError};
use crate::outside_servers::refuse_inside_server;
use crate::published_kind::{kind_of, published_kind};
use crate::registry_choice::RegistryChoice;

/// What happens to a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum YankChange {
    /// It is no longer chosen, for this reason. Installed copies stay.
    Yank {
        /// In the words of its author.
        reason: String,
    },
    /// It is chosen again.
    Undo,
}

/// Which version, and what happens to it.
#[derive(Debug)]
pub struct YankRequest {
    /// The registry; none is that of the environment.
    pub registry: Option<String>,
    /// What it is; none is whatever the registry has.
    pub kind: Option<ArtifactKind>,
    /// Its name.
    pub name: ArtifactName,
    /// The version.
    pub version: Version,
    /// What happens to it.
    pub change: YankChange,
}

/// What it is now.
#[derive(Debug)]
pub struct YankReport {
    /// The registry.
    pub registry: String,
    /// What it is.
    pub kind: ArtifactKind,
    /// Its name.
    pub name: ArtifactName,
    /// The version.
    pub version: Version,
    /// Why it is taken back, if it is.
    pub yanked: Option<VersionYank>,
}

/// Takes a version back, or undoes that.
pub fn yank(request: &YankRequest) -> Result<YankReport, OpsError> {
    refuse_inside_server()?;
    let choice = RegistryChoice::require(request.registry.as_deref())?;
    let client = choice.client(&choice.require_token()?.token)?;
    let kind = match request.kind {
        Some(kind) => published_kind(kind),
        None => find_kind(&client, &request.name, &request.version)?,
    };
    let (name, version) = (&request.name, &request.version);
    let document = match &request.change {
        YankChange::Yank { reason } => client.yank(kind, name, version, reason)?,
        YankChange::Undo => client.unyank(kind, name, version)?,
    };
    let VersionDocument { kind, name, version, yanked, .. } = document;
    Ok(YankReport {
        registry: choice.address.to_string(),
        kind: kind_of(kind),
        name,
        version,
        yanked,
    })
}

/// Which kind a version is: a registry may have one of each under the same name.
fn find_kind(
    client: &RegistryClient,
    name: &ArtifactName,
    version: &Version,
) -> Result<PublishedKind, OpsError> {
    let wanted = WantedVersion::Exact(version.clone());
    let mut found = Vec::new();
    for kind in PublishedKind::ALL {
        match client.version(kind, name, &wanted) {
            Ok(_) => found.push(kind),
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(error.into()),
        }
    }
    let (what, registry) = (format!("{name} {version}"), client.address().to_string());
    match found[..] {
        [kind] => Ok(kind),
        [] => Err(PublishError::NotPublished { what, registry }.into()),
        _ => Err(PublishError::KindAmbiguous { what, registry }.into()),
    }
}
