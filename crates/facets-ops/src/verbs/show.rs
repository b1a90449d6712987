//! `facet show`: everything that is pinned of one server. Starts nothing.

use facets_digest::Digest;
use facets_lock::{AcceptedFindings, ArtifactPin, Grants, StartSettings};
use facets_model::{Origin, PlatformName};
use facets_project::Project;
use facets_runtime::this_platform;

use crate::approval::UserDecision;
use crate::error::OpsError;
use crate::moving::approved_elsewhere;
use crate::packages::{PackageShown, platform};
use crate::pinned::Pinned;
pub use crate::surface_report::InspectReport;
use crate::surface_report::report;

/// A server as it is pinned.
#[derive(Debug)]
pub struct ShowReport {
    /// Its name in this project.
    pub name: String,
    /// What is started or called.
    pub origin: Origin,
    /// Its bytes, if it is an artifact.
    pub artifact: Option<PinnedArtifact>,
    /// What exactly it is, if it is a package.
    pub package: Option<PackageShown>,
    /// How it starts.
    pub settings: StartSettings,
    /// Where its source lies, if that is scanned.
    pub source: Option<String>,
    /// What it may do: what the lock grants, and no more than was decided last.
    pub grants: Grants,
    /// Whether this user has approved it on this machine.
    pub approved: bool,
    /// Where else this user has approved it just so, if not here.
    pub approved_in: Option<String>,
    /// Critical findings that were accepted when it was pinned.
    pub accepted: AcceptedFindings,
    /// Everything that it declares.
    pub declared: InspectReport,
}

/// The bytes of a source-mode server, as they are pinned.
#[derive(Clone, Debug)]
pub struct PinnedArtifact {
    /// Its name, version, hashes and runtime.
    pub pin: ArtifactPin,
    /// This machine.
    pub platform: String,
    /// SHA-256 of the runtime's program for this machine, if one is pinned.
    pub runtime_digest: Option<Digest>,
}

impl PinnedArtifact {
    fn of(pin: &ArtifactPin) -> Self {
        let platform = this_platform();
        let name = platform.parse::<PlatformName>().ok();
        let runtime_digest = name.and_then(|name| pin.runtime.binaries.get(&name).copied());
        Self { pin: pin.clone(), platform, runtime_digest }
    }
}

/// Reads what is pinned of a server.
pub fn show(name: &str) -> Result<ShowReport, OpsError> {
    let project = Project::here()?;
    let state = project.read(&|other| other == name)?;
    let Pinned { server, surface, closure, .. } = Pinned::whole(name, &state)?;
    let package = server.pin.package().zip(closure.as_ref()).zip(platform().ok());
    let package =
        package.map(|((pin, closure), platform)| PackageShown::of(pin, closure, &platform));
    let decision = UserDecision::of(name, &server, &project)?;
    let elsewhere = approved_elsewhere(name, &server, &project)?;
    Ok(ShowReport {
        name: name.to_owned(),
        settings: decision.settings(&server),
        approved: decision.approval.is_some(),
        approved_in: elsewhere.map(|record| record.project),
        grants: decision.grants,
        artifact: server.pin.artifact().map(PinnedArtifact::of),
        package,
        origin: server.origin,
        source: server.source,
        accepted: server.accepted,
        declared: report(surface, None, None),
    })
}
