//! Under which address clients reach this registry: what is configured, or what the request itself says.

use std::sync::Arc;

use http::header::HOST;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue};

use super::listener::UrlScheme;
use crate::config::ProxyTrust;

const FORWARDED_SCHEME: &str = "x-forwarded-proto";

/// How clients reach this process.
#[derive(Clone, Debug)]
pub(crate) struct ReachedBy {
    pub(crate) scheme: UrlScheme,
    pub(crate) proxy: ProxyTrust,
    /// What the operator says, without a slash at its end.
    pub(crate) public: Option<Arc<str>>,
}

/// The address under which one request reached this process. It is written only where it is needed.
#[derive(Clone, Debug)]
pub(crate) enum RequestOrigin {
    /// What the operator says.
    Configured(Arc<str>),
    /// What the client says. It is told to this client alone.
    Asked(UrlScheme, HeaderValue),
    /// The request names no host.
    Unknown,
}

impl ReachedBy {
    /// The address for the sender of these headers.
    pub(crate) fn origin(&self, headers: &HeaderMap) -> RequestOrigin {
        match (&self.public, headers.get(HOST)) {
            (Some(public), _) => RequestOrigin::Configured(Arc::clone(public)),
            (None, Some(host)) => RequestOrigin::Asked(self.scheme_of(headers), host.clone()),
            (None, None) => RequestOrigin::Unknown,
        }
    }

    /// What the proxy says, if it is trusted; only its own entry, the last one, counts.
    fn scheme_of(&self, headers: &HeaderMap) -> UrlScheme {
        let forwarded = match self.proxy {
            ProxyTrust::None => None,
            ProxyTrust::LastHop => headers.get_all(FORWARDED_SCHEME).iter().next_back(),
        };
        let last = forwarded.and_then(|value| value.to_str().ok()?.rsplit(',').next());
        match last.map(str::trim) {
            Some("https") => UrlScheme::Https,
            Some("http") => UrlScheme::Http,
            _ => self.scheme,
        }
    }
}

impl RequestOrigin {
    /// The complete address of a path of this registry. Without a valid host there is none.
    pub(crate) fn url(&self, path: &str) -> Option<String> {
        match self {
            Self::Configured(base) => Some(format!("{base}{path}")),
            Self::Asked(scheme, host) => {
                let host: Authority = host.to_str().ok()?.parse().ok()?;
                let is_plain = !host.as_str().contains('@');
                is_plain.then(|| format!("{}://{host}{path}", scheme.as_str()))
            }
            Self::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderName;

    use super::*;

    fn url(reached: &ReachedBy, headers: &[(&'static str, &'static str)]) -> Option<String> {
        let mut map = HeaderMap::new();
        for &(name, value) in headers {
            map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        reached.origin(&map).url("/path")
    }

    fn directly() -> ReachedBy {
        ReachedBy { scheme: UrlScheme::Http, proxy: ProxyTrust::None, public: None }
    }

    #[test]
    fn an_address_is_what_the_operator_says_else_what_the_client_asked() {
        let host = [("host", "127.0.0.1:8080")];
        assert_eq!(url(&directly(), &host).as_deref(), Some("http://127.0.0.1:8080/path"));
        let tls = ReachedBy { scheme: UrlScheme::Https, ..directly() };
        assert_eq!(url(&tls, &host).as_deref(), Some("https://127.0.0.1:8080/path"));
        let public = Some(Arc::from("https://r.example/facets"));
        let configured = ReachedBy { public, ..directly() };
        for headers in [&host[..], &[]] {
            let found = url(&configured, headers);
            assert_eq!(found.as_deref(), Some("https://r.example/facets/path"));
        }
    }

    #[test]
    fn without_a_valid_host_there_is_no_address() {
        for headers in [&[][..], &[("host", "user@r.example")], &[("host", "a b")]] {
            assert_eq!(url(&directly(), headers), None, "{headers:?}");
        }
    }

    #[test]
    fn the_scheme_is_that_of_a_trusted_proxy() {
        let headers = [("host", "r.example"), ("x-forwarded-proto", "http, https")];
        assert_eq!(url(&directly(), &headers).as_deref(), Some("http://r.example/path"));
        let behind = ReachedBy { proxy: ProxyTrust::LastHop, ..directly() };
        assert_eq!(url(&behind, &headers).as_deref(), Some("https://r.example/path"));
        assert_eq!(url(&behind, &headers[..1]).as_deref(), Some("http://r.example/path"));
    }
}
