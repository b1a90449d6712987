//! Whether what is started was signed by who has to have signed it.

use facets_lock::{LockedServer, Signer};

/// Why there is no valid statement of a signer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttestationError {
    /// Commands and addresses have no artifact.
    #[error("no signature: a command or URL has no artifact to sign")]
    NoArtifact,
}

/// Verifies that what is started was signed.
pub trait Attestations {
    /// Finds a valid statement of a signer about what a lock entry starts; or says why not.
    fn verify(&self, server: &LockedServer, signer: &Signer) -> Result<(), AttestationError>;
}

/// Commands and addresses have no artifact that could have been signed.
#[derive(Debug)]
pub struct NoAttestations;

impl Attestations for NoAttestations {
    fn verify(&self, _: &LockedServer, _: &Signer) -> Result<(), AttestationError> {
        Err(AttestationError::NoArtifact)
    }
}
