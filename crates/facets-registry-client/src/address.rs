//! Where a registry is, and whether it may be asked there.

use std::fmt;
use std::str::FromStr;

use facets_model::{ArtifactName, HttpUrl, Version};
use url::{Host, Url};

use crate::error::RegistryClientError;
use crate::wanted::{PublishedKind, name_path};

/// The address of a registry: https, or http on this machine. Two that are the same place are the same value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegistryAddress {
    /// Its path ends with a slash.
    base: Url,
}

impl RegistryAddress {
    /// A URL that may be the address of a registry.
    pub fn new(url: &HttpUrl) -> Result<Self, RegistryClientError> {
        let refused = |problem: &str| RegistryClientError::Address {
            url: url.to_string(),
            problem: problem.to_owned(),
        };
        let mut base: Url = url.as_str().parse().map_err(|_| refused("it is no URL"))?;
        if base.query().is_some() {
            return Err(refused("it has a query"));
        }
        if !url.is_https() && !is_loopback(&base) {
            return Err(refused("http sends the token in the clear; use https"));
        }
        if !base.path().ends_with('/') {
            let path = format!("{}/", base.path());
            base.set_path(&path);
        }
        Ok(Self { base })
    }

    /// Whether it is on this machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        is_loopback(&self.base)
    }

    /// The address of a version, for people and programs.
    pub fn version_url(
        &self,
        kind: PublishedKind,
        name: &ArtifactName,
        version: &Version,
    ) -> Result<String, RegistryClientError> {
        Ok(self.join(&format!("{}/{version}", name_path(kind, name)))?.into())
    }

    /// Everything of the registry lies below it.
    pub(crate) fn base(&self) -> &Url {
        &self.base
    }

    /// The address of something, by a relative path that is safe in a URL.
    pub(crate) fn join(&self, path: &str) -> Result<Url, RegistryClientError> {
        self.base.join(path).map_err(|error| RegistryClientError::Address {
            url: self.to_string(),
            problem: error.to_string(),
        })
    }
}

impl FromStr for RegistryAddress {
    type Err = RegistryClientError;

    fn from_str(text: &str) -> Result<Self, RegistryClientError> {
        let refused =
            |problem: String| RegistryClientError::Address { url: text.to_owned(), problem };
        let url: HttpUrl =
            text.parse().map_err(|error: facets_model::UrlError| refused(error.to_string()))?;
        Self::new(&url)
    }
}

/// Without the slash at its end.
impl fmt::Display for RegistryAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.base.as_str().trim_end_matches('/'))
    }
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.trim_end_matches('.') == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The host, and the port where it is not the usual one.
pub(crate) fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// An address for people: without credentials, and without a query.
pub(crate) fn shown(url: &Url) -> String {
    let query = if url.query().is_some() { "?…" } else { "" };
    format!("{}://{}{}{query}", url.scheme(), host(url), url.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, String> {
        let address = text.parse::<RegistryAddress>();
        address.map(|address| address.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn http_is_for_this_machine_alone() {
        for (text, shown) in [
            ("https://r.example", "https://r.example"),
            ("https://r.example:443/", "https://r.example"),
            ("https://R.example/facets/", "https://r.example/facets"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://127.9.9.9/", "http://127.9.9.9"),
            ("http://[::1]:8080/", "http://[::1]:8080"),
            ("http://localhost:8080", "http://localhost:8080"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(shown), "{text}");
        }
        for text in [
            "http://r.example",
            "http://10.0.0.1",
            "http://localhost.r.example",
            "http://127.0.0.1.r.example",
            "http://[::ffff:10.0.0.1]/",
            "https://u:p@r.example",
            "https://r.example/?a=b",
            "ftp://r.example",
            "r.example",
            "",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn everything_is_below_the_address() {
        let address: RegistryAddress = "https://r.example/facets".parse().unwrap();
        let url = address.join("v0/facets/%40acme/demo/1.0.0").unwrap();
        assert_eq!(url.as_str(), "https://r.example/facets/v0/facets/%40acme/demo/1.0.0");
        assert_eq!(shown(&url), "https://r.example/facets/v0/facets/%40acme/demo/1.0.0");
    }
}
