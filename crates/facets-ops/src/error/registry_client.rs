//! Errors that are part of another one: those of the registry client of publishing, those of acquiring of installing.

use facets_registry_client::RegistryClientError;

use super::OpsError;
use super::acquire::AcquireError;
use super::install::InstallError;
use super::publish::PublishError;
use super::task::TaskError;

impl From<RegistryClientError> for OpsError {
    fn from(error: RegistryClientError) -> Self {
        PublishError::Client(error).into()
    }
}

impl From<AcquireError> for OpsError {
    fn from(error: AcquireError) -> Self {
        InstallError::from(error).into()
    }
}

impl From<TaskError> for OpsError {
    fn from(error: TaskError) -> Self {
        InstallError::from(error).into()
    }
}
