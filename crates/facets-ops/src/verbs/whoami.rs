//! `facet whoami`: who a registry knows the token by.

pub use crate::registry_choice::TokenSource;

use crate::error::OpsError;
use crate::registry_choice::{FoundToken, RegistryChoice};

/// Which registry to ask.
#[derive(Debug)]
pub struct WhoamiRequest {
    /// The registry; none is that of the environment.
    pub registry: Option<String>,
}

/// What it says.
#[derive(Debug)]
pub struct WhoamiReport {
    /// The registry.
    pub registry: String,
    /// Who the token belongs to.
    pub username: String,
    /// What it may do.
    pub scopes: Vec<String>,
    /// Where the token is from.
    pub source: TokenSource,
}

/// Asks a registry whom the token belongs to.
pub fn whoami(request: &WhoamiRequest) -> Result<WhoamiReport, OpsError> {
    let choice = RegistryChoice::require(request.registry.as_deref())?;
    let FoundToken { token, source } = choice.require_token()?;
    let identity = choice.client(&token)?.whoami()?;
    Ok(WhoamiReport {
        registry: choice.address.to_string(),
        username: identity.username,
        scopes: identity.scopes,
        source,
    })
}
