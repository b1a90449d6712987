//! `facet install`: facets and servers of a registry, or everything that the lock has.

use facets_registry_client::PublishedKind;

use crate::client_files::Client;
use crate::consent::Consent;
use crate::error::OpsError;
pub use crate::install_page::{
    AssetChangeShown, FacetChange, InstallPage, ServerChange, ServerLook,
};
pub use crate::install_report::{
    AssetFileStatus, InstallOutcome, InstallReport, InstalledFileShown, ItemStatus, PinnedHashes,
    ServerOutcome, ServerStatus, YankedVersion,
};
pub use crate::installing::{
    InlineServers, InstallMode, InstallOptions, InstallProgress, NetworkUse, NoInstallProgress,
    RegistryChange,
};
use crate::installing::{InstallTask, TypedNames};
pub use crate::wished_name::{WishedName, WishedNameError};

/// What to install.
#[derive(Debug)]
pub struct InstallRequest {
    /// Facets and servers to add; none installs what the project asks for, as it is locked.
    pub names: Vec<WishedName>,
    /// What the names are, where a registry has both.
    pub kind: Option<PublishedKind>,
    /// The name that a server gets in this project, if it is another one than in the registry.
    pub own_name: Option<String>,
    /// The clients whose folders get texts; none are those of the manifest, or those that are found.
    pub clients: Vec<Client>,
    /// How.
    pub options: InstallOptions,
}

/// Fetches, verifies and shows what is asked for, and writes it if the answer is yes.
pub fn install(
    request: &InstallRequest,
    consent: &dyn Consent,
    progress: &dyn InstallProgress,
) -> Result<InstallReport, OpsError> {
    let InstallRequest { names, kind, own_name, clients, options } = request;
    let typed = TypedNames { names, kind: *kind, own_name: own_name.as_deref() };
    InstallTask::of_install(&typed, clients, options)?.carry_out(consent, progress)
}
