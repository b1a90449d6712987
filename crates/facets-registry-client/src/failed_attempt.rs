//! One attempt that failed, and whether another may succeed.

use std::time::Duration;

use url::Url;

use crate::address::shown;
use crate::error::RegistryClientError;

/// Why one attempt failed, and whether another may succeed.
pub(crate) enum FailedAttempt {
    Final(RegistryClientError),
    /// Nothing came in the time that is waited.
    Silent(RegistryClientError),
    /// So much later, if the registry says when.
    Retryable(RegistryClientError, Option<Duration>),
}

impl From<RegistryClientError> for FailedAttempt {
    fn from(error: RegistryClientError) -> Self {
        Self::Final(error)
    }
}

impl From<FailedAttempt> for RegistryClientError {
    fn from(failed: FailedAttempt) -> Self {
        match failed {
            FailedAttempt::Final(error)
            | FailedAttempt::Silent(error)
            | FailedAttempt::Retryable(error, _) => error,
        }
    }
}

/// What a status means of a host that is no registry: neither that a version does not exist, nor that a token is wrong.
pub(crate) fn refused_elsewhere(asked: &Url, there: &Url, status: u16) -> FailedAttempt {
    let problem =
        format!("HTTP status {status} (the registry redirects to it from {})", shown(asked));
    let error = RegistryClientError::Answer { url: shown(there), problem };
    match status {
        429 | 500 | 502..=504 => retryable(error),
        _ => FailedAttempt::Final(error),
    }
}

/// Another attempt may succeed, whenever it is made.
pub(crate) fn retryable(error: RegistryClientError) -> FailedAttempt {
    FailedAttempt::Retryable(error, None)
}
