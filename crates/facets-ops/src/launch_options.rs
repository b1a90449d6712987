//! How a server is to be started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use facets_files::FileError;
use facets_launch::{Environment, NetworkReach, value_of};
use facets_lock::{Extent, Grants, LockedServer, Profile, StartSettings};
use facets_model::Origin;
use facets_project::{Homes, Project, ProjectError};

use crate::client_values::ClientValues;
use crate::error::OpsError;
use crate::facet_values::FacetValues;

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
    /// Those among them that a facet publishes: no secrets, so they are shown.
    pub(crate) published: BTreeMap<String, String>,
    /// Files of clients in which values were looked for.
    pub(crate) looked: Vec<String>,
    /// What it is kept from.
    pub(crate) sandbox: SandboxRequest,
    /// Which environment it gets.
    pub(crate) environment: EnvironmentChoice<'o>,
    /// Where it starts; none is the current directory.
    pub(crate) directory: Option<PathBuf>,
    /// What it is started for.
    pub(crate) purpose: StartPurpose,
    /// What it will be confined to, where that is known before it is asked for.
    pub(crate) grants: Option<Grants>,
    /// The project that it belongs to.
    pub(crate) project: Option<&'o Project>,
    /// The name by which it can be granted more or less; none before it is pinned.
    pub(crate) name: Option<&'o str>,
    /// The name that it has, or will have, in the project.
    pub(crate) own_name: Option<&'o str>,
}

/// What a server is started for. Only artifacts differ by it: what they are given, and what is built or
/// fetched for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum StartPurpose {
    /// It is not started: only how it would be is told. Nothing is built or fetched.
    #[default]
    Describe,
    /// To see what it declares, with the probe values of its manifest.
    Capture,
    /// For a client, with the values of the user. Nothing is built or fetched.
    Use,
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
        let (purpose, grants) = (StartPurpose::Capture, Some(grants.clone()));
        let (project, name, own_name) = (Some(project), Some(name), Some(name));
        let given = Self { name, own_name, ..Self::default() };
        Ok(Self { environment, directory, purpose, grants, project, ..given })
    }

    /// The same for a server that is not pinned yet, with values of its variables.
    pub(crate) fn for_new(self, given: BTreeMap<String, String>, values: &FacetValues) -> Self {
        Self { given, name: None, ..self }.with_facet_values(values)
    }

    /// With the values that a facet gives.
    fn with_facet_values(mut self, values: &FacetValues) -> Self {
        self.published = values.missing();
        self.given.extend(self.published.clone());
        self
    }

    /// The same for another purpose.
    pub(crate) fn for_purpose(self, purpose: StartPurpose) -> Self {
        Self { purpose, ..self }
    }

    /// Where the server starts.
    pub(crate) fn start_directory(&self) -> Result<PathBuf, OpsError> {
        let directory = self.directory.clone().map_or_else(std::env::current_dir, Ok);
        directory
            .map_err(|source| OpsError::File(FileError::Unreadable { path: ".".into(), source }))
    }

    /// The directory of the project that the server belongs to.
    pub(crate) fn project_place(&self) -> Option<&Path> {
        self.project.map(Project::place)
    }

    /// With the values that clients have for a server that this user approved.
    pub(crate) fn with_client_values(self, values: ClientValues) -> Self {
        let ClientValues { given, looked, .. } = values;
        Self { given, looked, ..self }
    }

    /// With a value for every variable that an origin names, and what is to be said about those. What only
    /// the lock vouches for, or what was edited, is not `approved`, and gets none that a client keeps.
    pub(crate) fn with_values_for(
        self,
        project: &Project,
        (name, origin): (&str, &Origin),
        approved: Option<&LockedServer>,
        published: &FacetValues,
    ) -> Result<(Self, Vec<String>), OpsError> {
        let values = approved.map(|server| ClientValues::of(project, name, server));
        let values = values.unwrap_or_default();
        let notes = values.notes.clone();
        let options = self.with_client_values(values).with_facet_values(published);
        options.require_values(origin)?;
        Ok((options, notes))
    }

    /// Before anything is asked or started: every variable that an origin names has a value.
    pub(crate) fn require_values(&self, origin: &Origin) -> Result<(), OpsError> {
        // Which variables an artifact cannot do without, its manifest says when it is prepared.
        if matches!(origin, Origin::SourceMode(_)) {
            return Ok(());
        }
        let mut names = origin.variables().into_iter();
        match names.find(|name| value_of(name, &self.given).is_none()) {
            Some(name) => Err(self.missing(name)),
            None => Ok(()),
        }
    }

    /// A variable without a value, and where one was looked for.
    pub(crate) fn missing(&self, name: &str) -> OpsError {
        OpsError::NoVariable { name: name.to_owned(), looked: self.looked.clone() }
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
        let reason = "facet keeps its own files there and starts no server in it";
        return Err(ProjectError::Untrusted { path: directory, reason }.into());
    }
    Ok(directory)
}
