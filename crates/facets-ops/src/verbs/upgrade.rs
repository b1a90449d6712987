//! `facet upgrade`: newer versions, with what changed shown before anything is trusted.

use crate::consent::Consent;
use crate::error::OpsError;
pub use crate::install_report::InstallReport;
use crate::installing::InstallTask;
pub use crate::installing::{InstallOptions, InstallProgress};

/// What to upgrade.
#[derive(Debug)]
pub struct UpgradeRequest {
    /// Facets and servers; none are all.
    pub names: Vec<String>,
    /// Whether versions that the manifest excludes count.
    pub reach: VersionReach,
    /// How.
    pub options: InstallOptions,
}

/// Which versions of a facet count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionReach {
    /// Those that the manifest asks for.
    AsWritten,
    /// All: the manifest is rewritten.
    Latest,
}

/// Asks for newer versions, verifies them, shows what changed, and pins what is accepted, all at once.
pub fn upgrade(
    request: &UpgradeRequest,
    consent: &dyn Consent,
    progress: &dyn InstallProgress,
) -> Result<InstallReport, OpsError> {
    let is_latest = request.reach == VersionReach::Latest;
    let task = InstallTask::of_upgrade(&request.names, is_latest, &request.options)?;
    task.carry_out(consent, progress)
}
