//! An error of the registry client is one of publishing.

use facets_registry_client::RegistryClientError;

use super::OpsError;
use super::publish::PublishError;

impl From<RegistryClientError> for OpsError {
    fn from(error: RegistryClientError) -> Self {
        PublishError::Client(error).into()
    }
}
