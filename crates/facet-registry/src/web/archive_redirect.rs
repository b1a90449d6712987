//! A redirect for the reference client of facets. It takes what an archive is answered with for JSON, unless that
//! is a redirect, and then reads the bytes without its token.

use facets_registry::ArtifactKind;
use http::Method;
use http::header::{RANGE, USER_AGENT};
use http::request::Parts;

use super::origin::RequestOrigin;
use super::query::{QueryError, QueryPairs};

/// The reference client names its runtime. A program that really is a script follows redirects.
const RUNTIME: &[u8] = b"Bun/";
/// In the query of every address that a redirect leads to.
const DIRECT: &str = "direct";

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
    origin: &RequestOrigin,
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
    // In full: the client does not complete it.
    let address = is_reference.then(|| origin.url(&format!("{path}?{DIRECT}=1"))).flatten();
    Ok(address.map_or(ArchiveRoute::BytesForThisClient, ArchiveRoute::Redirect))
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue, Request};

    use super::*;
    use crate::config::ProxyTrust;
    use crate::web::listener::UrlScheme;
    use crate::web::origin::ReachedBy;

    const PATH: &str = "/v0/facets/@acme/demo/1.0.0/archive";

    fn route(query: &str, headers: &[(&'static str, &'static str)]) -> ArchiveRoute {
        let (mut head, ()) = Request::new(()).into_parts();
        for &(name, value) in headers {
            let name = HeaderName::from_static(name);
            head.headers.append(name, HeaderValue::from_static(value));
        }
        let query = QueryPairs::parse(Some(query)).unwrap();
        let reached = ReachedBy { scheme: UrlScheme::Http, proxy: ProxyTrust::None, public: None };
        let origin = reached.origin(&head.headers);
        decide_route(ArtifactKind::Facet, PATH, &origin, &query, &head).unwrap()
    }

    #[test]
    fn the_reference_client_is_sent_to_the_bytes_and_gets_them_there() {
        let headers = [("user-agent", "Bun/1.3.14"), ("host", "127.0.0.1:8080")];
        let redirect = ArchiveRoute::Redirect(format!("http://127.0.0.1:8080{PATH}?direct=1"));
        assert_eq!(route("", &headers), redirect);
        assert_eq!(route("direct=1", &headers), ArchiveRoute::Bytes);
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
            assert_eq!(route("", headers), ArchiveRoute::BytesForThisClient, "{headers:?}");
        }
    }
}
