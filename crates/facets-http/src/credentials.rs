//! What is sent to one place, and to no other.

use std::fmt;

use base64::Engine as _;
use url::Url;

/// What a request says about who asks.
#[derive(Clone, PartialEq, Eq)]
pub enum Authorization {
    /// A token.
    Bearer(String),
    /// A name and a password.
    Basic {
        /// The name.
        user: String,
        /// The password.
        password: String,
    },
}

impl Authorization {
    /// The value of the header `Authorization`.
    #[must_use]
    pub fn header(&self) -> String {
        match self {
            Self::Bearer(token) => format!("Bearer {token}"),
            Self::Basic { user, password } => {
                let both = format!("{user}:{password}");
                format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(both))
            }
        }
    }
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bearer(_) => "Bearer(…)",
            Self::Basic { .. } => "Basic(…)",
        })
    }
}

/// A scheme, a host, a port, and the beginning of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CredentialPlace {
    scheme: String,
    host: String,
    port: Option<u16>,
    /// Begins and ends with a slash.
    path: String,
}

/// Which place is told what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Credentials {
    all: Vec<(CredentialPlace, Authorization)>,
}

impl Credentials {
    /// Has an authorization sent to everything below an address, over its scheme alone: what is meant for https
    /// never goes out in the clear.
    pub fn add(&mut self, below: &Url, authorization: Authorization) {
        let Some(host) = below.host_str() else { return };
        let path = format!("{}/", below.path().trim_end_matches('/'));
        let place = CredentialPlace {
            scheme: below.scheme().to_owned(),
            host: host.to_owned(),
            port: below.port_or_known_default(),
            path,
        };
        self.all.push((place, authorization));
    }

    /// What is sent with a request for this address: of several places the one with the longest path,
    /// of two the same the one that was added last.
    #[must_use]
    pub fn for_url(&self, url: &Url) -> Option<&Authorization> {
        let path = format!("{}/", url.path().trim_end_matches('/'));
        let fits = |place: &CredentialPlace| {
            url.scheme() == place.scheme
                && url.host_str() == Some(&place.host)
                && url.port_or_known_default() == place.port
                && path.starts_with(&place.path)
        };
        let fitting = self.all.iter().filter(|(place, _)| fits(place));
        fitting.max_by_key(|(place, _)| place.path.len()).map(|(_, authorization)| authorization)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn only_the_place_it_is_for_gets_an_authorization() {
        let mut credentials = Credentials::default();
        let url = |text: &str| text.parse::<Url>().unwrap();
        let token = |text: &str| Authorization::Bearer(text.to_owned());
        credentials.add(&url("https://a.example/npm/"), token("one"));
        credentials.add(&url("https://a.example/npm/inner"), token("two"));
        for (address, expected) in [
            ("https://a.example/npm/x", Some("one")),
            ("https://a.example/npm", Some("one")),
            ("https://a.example/npm/inner/x", Some("two")),
            ("https://a.example/npm/innermost", Some("one")),
            ("https://a.example/npmx", None),
            ("https://a.example/", None),
            ("https://a.example:8443/npm/", None),
            ("https://b.example/npm/", None),
            ("https://a.example.b.example/npm/", None),
            ("http://a.example/npm/", None),
            ("http://a.example:443/npm/", None),
        ] {
            let expected = expected.map(token);
            assert_eq!(credentials.for_url(&url(address)), expected.as_ref(), "{address}");
        }
        assert_eq!(format!("{credentials:?}").matches("one").count(), 0);
    }

    #[test]
    fn an_authorization_stays_with_its_scheme_on_the_same_port() {
        let mut credentials = Credentials::default();
        let url = |text: &str| text.parse::<Url>().unwrap();
        credentials.add(&url("https://a.example:8443/"), Authorization::Bearer("s".to_owned()));
        credentials.add(&url("http://b.example:8080/"), Authorization::Bearer("p".to_owned()));
        assert!(credentials.for_url(&url("https://a.example:8443/x")).is_some());
        assert_eq!(credentials.for_url(&url("http://a.example:8443/x")), None);
        assert!(credentials.for_url(&url("http://b.example:8080/x")).is_some());
        assert_eq!(credentials.for_url(&url("https://b.example:8080/x")), None);
    }
}
