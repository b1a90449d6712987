//! The head of a request, read as the handlers read it, but without a registry: for the fuzzer.

use std::net::IpAddr;
use std::ops::Range;

use facets_registry::ArtifactKind;
use http::request::Parts;

use super::archive_redirect::{ArchiveRoute, decide_route};
use super::artifact_route::{ArtifactRoute, RouteRefusal};
use super::authorization::bearer;
use super::client_address::ClientAddress;
use super::conditional::{Precondition, judge};
use super::listener::UrlScheme;
use super::origin::ReachedBy;
use super::query::{QueryError, QueryPairs};
use super::range::{RangeRequest, requested_range};
use crate::config::ProxyTrust;

/// Every parameter that a route knows.
const PARAMETERS: &[&str] = &["q", "scope", "cursor", "limit", "floor", "from", "direct"];

/// An archive that a request may ask for.
#[derive(Clone, Copy, Debug)]
pub struct Representation<'r> {
    /// Its path.
    pub path: &'r str,
    /// Its entity tag, with the quotes.
    pub etag: &'r str,
    /// Its bytes.
    pub size: u64,
}

/// How the head of a request is understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestHead {
    /// What the path asks for.
    pub route: Result<ArtifactRoute, RouteRefusal>,
    /// The parameters that are there; none if the query is refused.
    pub parameters: Option<Vec<(&'static str, String)>>,
    /// Which bytes of the representation would be sent.
    pub bytes: Option<Range<u64>>,
    /// The address that the request is counted for, behind a trusted proxy.
    pub client: IpAddr,
    /// The token.
    pub token: Option<String>,
    /// The address that the client would be sent to for the representation.
    pub redirect: Option<String>,
}

impl RequestHead {
    /// Reads a head whose path behind that of the kind, and whose query, are these.
    #[must_use]
    pub fn read(
        (rest, query): (&str, Option<&str>),
        head: &Parts,
        peer: IpAddr,
        of: Representation<'_>,
    ) -> Self {
        let query = QueryPairs::parse(query);
        let redirect = query.as_ref().ok().and_then(|query| redirect(query, head, of));
        Self {
            route: ArtifactRoute::parse(&head.method, rest),
            parameters: query.and_then(|query| parameters(&query)).ok(),
            bytes: bytes(head, of),
            client: ClientAddress::of(peer, &head.headers, ProxyTrust::LastHop).ip(),
            token: bearer(&head.headers).ok().map(str::to_owned),
            redirect,
        }
    }
}

fn parameters(query: &QueryPairs<'_>) -> Result<Vec<(&'static str, String)>, QueryError> {
    let mut found = Vec::new();
    for name in PARAMETERS {
        if let Some(value) = query.get(name)? {
            found.push((*name, value.to_owned()));
        }
    }
    Ok(found)
}

fn bytes(head: &Parts, of: Representation<'_>) -> Option<Range<u64>> {
    if judge(&head.headers, of.etag) != Precondition::Holds {
        return None;
    }
    match requested_range(&head.headers, of.etag, of.size) {
        RangeRequest::Whole => Some(0..of.size),
        RangeRequest::Part(range) => Some(range),
        RangeRequest::Unsatisfiable => None,
    }
}

fn redirect(query: &QueryPairs<'_>, head: &Parts, of: Representation<'_>) -> Option<String> {
    let reached = ReachedBy { scheme: UrlScheme::Http, proxy: ProxyTrust::LastHop, public: None };
    let origin = reached.origin(&head.headers);
    match decide_route(ArtifactKind::Facet, of.path, &origin, query, head) {
        Ok(ArchiveRoute::Redirect(address)) => Some(address),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use http::header::{AUTHORIZATION, RANGE};
    use http::{HeaderValue, Request};

    use super::*;

    #[test]
    fn a_head_is_read_as_a_whole() {
        let (mut head, ()) = Request::new(()).into_parts();
        head.headers.insert(RANGE, HeaderValue::from_static("bytes=2-5"));
        head.headers.insert(AUTHORIZATION, HeaderValue::from_static("Bearer abc"));
        head.headers.insert("x-forwarded-for", HeaderValue::from_static("9.9.9.9, 1.2.3.4"));
        let of = Representation { path: "/archive", etag: "\"a\"", size: 10 };
        let peer = IpAddr::from([127, 0, 0, 1]);
        let read = RequestHead::read(("demo/1.0.0", Some("q=a+b&x=1")), &head, peer, of);
        assert!(matches!(read.route, Ok(ArtifactRoute::Version { .. })));
        assert_eq!(read.parameters, Some(vec![("q", "a b".to_owned())]));
        assert_eq!(read.bytes, Some(2..6));
        assert_eq!(read.client, IpAddr::from([1, 2, 3, 4]));
        assert_eq!((read.token.as_deref(), read.redirect), (Some("abc"), None));
        let twice = RequestHead::read(("", Some("q=1&q=2")), &head, peer, of);
        assert!(twice.route.is_err() && twice.parameters.is_none());
    }
}
