//! How an ecosystem's own client would reach its registry.

use crate::credentials::Credentials;
use crate::proxy_choice::ProxyChoice;

/// Credentials, certificates and proxies, as configured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// Who is told what.
    pub credentials: Credentials,
    /// The certificates that are trusted instead of those of the system, as PEM.
    pub authorities: Option<Vec<u8>>,
    /// The proxy.
    pub proxy: ProxyChoice,
    /// What the configuration asks for and facet does not do, or what it changes unexpectedly, in words for
    /// its user.
    pub ignored: Vec<String>,
}
