//! A redirect for the reference client of facets. It takes what an archive is answered with for JSON, unless that
//! is a redirect, and then reads the bytes without its token.

use facets_registry::ArtifactKind;
use http::header::{HOST, RANGE, USER_AGENT};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, Method};

use super::listener::UrlScheme;
use super::query::{QueryError, QueryPairs};
use crate::config::ProxyTrust;

/// The reference client names its runtime. A program that really is a script follows redirects.
const RUNTIME: &[u8] = b"Bun/";
/// In the query of every address that a redirect leads to.
const DIRECT: &str = "direct";
const FORWARDED_SCHEME: &str = "x-forwarded-proto";

/// How clients reach this process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReachedBy {
    pub(crate) scheme: UrlScheme,
    pub(crate) proxy: ProxyTrust,
}

/// How an archive is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ArchiveRoute {
    /// With its bytes, for every client.
    Bytes,
    /// With its bytes, to this client.
    BytesForThisClient,
    /// With this address.
    Redirect(String),
}

/// Decides about the archive of an exact version, which is at `path`.
pub(crate) fn decide_route(
    kind: ArtifactKind,
    path: &str,
    reached: ReachedBy,
    query: &QueryPairs<'_>,
    head: &Parts,
) -> Result<ArchiveRoute, QueryError> {
    // The reference client knows no servers.
    if kind != ArtifactKind::Facet || query.get(DIRECT)?.is_some() {
        return Ok(ArchiveRoute::Bytes);
    }
    let is_reference = head.method == Method::GET
        && !head.headers.contains_key(RANGE)
        && head.headers.get(USER_AGENT).is_some_and(|name| name.as_bytes().starts_with(RUNTIME));
    let address = if is_reference { address(path, reached, &head.headers) } else { None };
    Ok(address.map_or(ArchiveRoute::BytesForThisClient, ArchiveRoute::Redirect))
}

/// The address in full: the client does not complete it. Without a valid host there is none.
fn address(path: &str, reached: ReachedBy, headers: &HeaderMap) -> Option<String> {
    let host: Authority = headers.get(HOST)?.to_str().ok()?.parse().ok()?;
    if host.as_str().contains('@') {
        return None;
    }
    let scheme = scheme(reached, headers).as_str();
    Some(format!("{scheme}://{host}{path}?{DIRECT}=1"))
}

/// What the proxy says, if it is trusted; only its own entry, the last one, counts.
fn scheme(reached: ReachedBy, headers: &HeaderMap) -> UrlScheme {
    let forwarded = match reached.proxy {
        ProxyTrust::None => None,
        ProxyTrust::LastHop => headers.get_all(FORWARDED_SCHEME).iter().next_back(),
    };
    let last = forwarded.and_then(|value| value.to_str().ok()?.rsplit(',').next());
    match last.map(str::trim) {
        Some("https") => UrlScheme::Https,
        Some("http") => UrlScheme::Http,
        _ => reached.scheme,
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue, Request};

    use super::*;

    const PATH: &str = "/v0/facets/@acme/demo/1.0.0/archive";
    const DIRECTLY: ReachedBy = ReachedBy { scheme: UrlScheme::Http, proxy: ProxyTrust::None };

    fn route(
        reached: ReachedBy,
        query: &str,
        headers: &[(&'static str, &'static str)],
    ) -> ArchiveRoute {
        let (mut head, ()) = Request::new(()).into_parts();
        for &(name, value) in headers {
            let name = HeaderName::from_static(name);
            head.headers.append(name, HeaderValue::from_static(value));
        }
        let query = QueryPairs::parse(Some(query)).unwrap();
        decide_route(ArtifactKind::Facet, PATH, reached, &query, &head).unwrap()
    }

    fn redirect(origin: &str) -> ArchiveRoute {
        ArchiveRoute::Redirect(format!("{origin}{PATH}?direct=1"))
    }

    #[test]
    fn the_reference_client_is_sent_to_the_bytes_and_gets_them_there() {
        let headers = [("user-agent", "Bun/1.3.14"), ("host", "127.0.0.1:8080")];
        assert_eq!(route(DIRECTLY, "", &headers), redirect("http://127.0.0.1:8080"));
        assert_eq!(route(DIRECTLY, "direct=1", &headers), ArchiveRoute::Bytes);
        let tls = ReachedBy { scheme: UrlScheme::Https, ..DIRECTLY };
        let named = [("user-agent", "Bun/1.3.14"), ("host", "registry.example")];
        assert_eq!(route(tls, "", &named), redirect("https://registry.example"));
    }

    #[test]
    fn every_other_client_gets_the_bytes_at_once() {
        for headers in [
            &[("host", "registry.example")][..],
            &[("user-agent", "facet/0.1.0"), ("host", "registry.example")],
            &[("user-agent", "Bun/1.3.14")],
            &[("user-agent", "Bun/1.3.14"), ("host", "user@registry.example")],
            &[("user-agent", "Bun/1.3.14"), ("host", "a b")],
            &[("user-agent", "Bun/1.3.14"), ("host", "registry.example"), ("range", "bytes=0-1")],
        ] {
            assert_eq!(
                route(DIRECTLY, "", headers),
                ArchiveRoute::BytesForThisClient,
                "{headers:?}"
            );
        }
    }

    #[test]
    fn the_scheme_is_that_of_a_trusted_proxy() {
        let headers = [
            ("user-agent", "Bun/1.3.14"),
            ("host", "registry.example"),
            ("x-forwarded-proto", "http, https"),
        ];
        assert_eq!(route(DIRECTLY, "", &headers), redirect("http://registry.example"));
        let behind = ReachedBy { proxy: ProxyTrust::LastHop, ..DIRECTLY };
        assert_eq!(route(behind, "", &headers), redirect("https://registry.example"));
        assert_eq!(route(behind, "", &headers[..2]), redirect("http://registry.example"));
    }
}
