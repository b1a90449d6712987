//! How a server is to be started.

use std::collections::BTreeMap;
use std::path::PathBuf;

use facets_launch::{Environment, NetworkReach};
use facets_lock::{Extent, Grants, Profile, StartSettings};
use facets_project::{Homes, Project, ProjectError};

use crate::error::OpsError;

/// What a server is to be kept from while it is only looked at.
#[derive(Clone, Debug, Default)]
pub struct SandboxRequest {
    /// No network at all.
    pub network: bool,
    /// No files but the system's, the current directory's, and these.
    pub filesystem: Option<Vec<PathBuf>>,
}

/// How a server is to be prepared.
#[derive(Debug, Default)]
pub(crate) struct LaunchOptions<'o> {
    /// Values of variables that our own environment does not have.
    pub(crate) given: BTreeMap<String, String>,
    /// What it is kept from.
    pub(crate) sandbox: SandboxRequest,
    /// Which environment it gets.
    pub(crate) environment: EnvironmentChoice<'o>,
    /// Where it starts; none is the current directory.
    pub(crate) directory: Option<PathBuf>,
}

/// Which environment a server gets. A private home is made only once it is known that it starts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum EnvironmentChoice<'o> {
    #[default]
    Scratch,
    /// What an older facet pinned.
    Older,
    Native,
    Private {
        project: &'o Project,
        name: &'o str,
        reach: NetworkReach,
    },
}

impl EnvironmentChoice<'_> {
    pub(crate) fn make(self) -> Result<Environment, OpsError> {
        Ok(match self {
            Self::Scratch => Environment::Scratch,
            Self::Older => Environment::Older,
            Self::Native => Environment::Native,
            Self::Private { project, name, reach } => {
                let home = Homes::of(&project.user()?).home(project.place(), name)?;
                Environment::Private { home, reach }
            }
        })
    }
}

impl<'o> LaunchOptions<'o> {
    /// Those of a server of a project.
    pub(crate) fn of(
        project: &'o Project,
        name: &'o str,
        settings: &StartSettings,
        grants: &Grants,
    ) -> Result<Self, OpsError> {
        let environment = match settings.profile {
            Profile::Scratch => EnvironmentChoice::Older,
            Profile::Native => EnvironmentChoice::Native,
            Profile::Private => EnvironmentChoice::Private { project, name, reach: reach(grants) },
        };
        let directory = Some(start_directory(project, settings)?);
        Ok(Self { environment, directory, ..Self::default() })
    }
}

fn reach(grants: &Grants) -> NetworkReach {
    match &grants.network {
        Extent::All => NetworkReach::Open,
        Extent::Listed(hosts) if !hosts.is_empty() => NetworkReach::ThroughFacet,
        Extent::None | Extent::Listed(_) => NetworkReach::Closed,
    }
}

/// spec 5.2: the directory of the lock; of a user's own server `HOME`; or that of its entry
pub(crate) fn start_directory(
    project: &Project,
    settings: &StartSettings,
) -> Result<PathBuf, OpsError> {
    let directory = match &settings.directory {
        Some(directory) => project.place().join(directory),
        // An older facet started them beside their lock.
        None if project.is_of_user() && settings.profile != Profile::Scratch => {
            std::env::home_dir().ok_or(ProjectError::NoHome)?
        }
        None => project.place().to_owned(),
    };
    if !directory.is_dir() {
        return Err(OpsError::NotADirectory { path: directory });
    }
    // There lie the lock of the user's servers, and what was approved.
    if settings.profile != Profile::Scratch && project.user()?.holds(&directory) {
        let reason = "facet keeps its own files there, and starts no server among them";
        return Err(ProjectError::Untrusted { path: directory, reason }.into());
    }
    Ok(directory)
}
