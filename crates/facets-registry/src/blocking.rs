//! Work that blocks: hashing, archives, files.

use crate::error::RegistryError;

/// Runs work on a thread for such work.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RegistryError> + Send + 'static,
) -> Result<T, RegistryError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(RegistryError::internal(format!("work was interrupted: {error}"))),
    }
}
