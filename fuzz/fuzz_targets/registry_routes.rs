//! The head of a request to a registry: path, query and headers.
//!
//! What is accepted of a path is printed as one that asks for the same. Nothing that a client sends chooses bytes
//! outside of an archive, another path to be sent to, or more than the limits allow.

#![no_main]

use std::net::{IpAddr, Ipv4Addr};

use facet_registry::{ArtifactRoute, Representation, RequestHead, VersionPart};
use facets_catalog::{Cursor, Wanted};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, Request};
use libfuzzer_sys::fuzz_target;

const ARCHIVE: Representation<'static> = Representation {
    path: "/v0/facets/demo/1.0.0/archive",
    etag: "\"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"",
    size: 1000,
};
const METHODS: [Method; 6] =
    [Method::GET, Method::HEAD, Method::POST, Method::DELETE, Method::OPTIONS, Method::PUT];

// The first byte chooses the method. The first line is the path behind that of the kind, the second the query, each
// other line a header.
fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let mut lines = rest.split(|byte| *byte == b'\n');
    let line = lines.next().and_then(|line| std::str::from_utf8(line).ok());
    let query = lines.next().and_then(|line| std::str::from_utf8(line).ok());
    let Some(path) = line else { return };
    let head = head(*first, lines);
    let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let read = || RequestHead::read((path, query), &head, peer, ARCHIVE);
    let found = read();
    assert_eq!(found, read(), "the same bytes are read the same way");
    check(&found, &head);
    for text in found.parameters.iter().flatten().map(|(_, value)| value) {
        if let Ok(cursor) = text.parse::<Cursor>() {
            assert_eq!(cursor.to_string().parse::<Cursor>().ok(), Some(cursor));
        }
    }
});

fn head<'l>(method: u8, lines: impl Iterator<Item = &'l [u8]>) -> Parts {
    let (mut head, ()) = Request::new(()).into_parts();
    head.method = METHODS[usize::from(method) % METHODS.len()].clone();
    for line in lines {
        let Some(end) = line.iter().position(|byte| *byte == b':') else { continue };
        let name = HeaderName::from_bytes(&line[..end]);
        let value = HeaderValue::from_bytes(line[end + 1..].trim_ascii());
        if let (Ok(name), Ok(value)) = (name, value) {
            head.headers.append(name, value);
        }
    }
    head
}

fn check(found: &RequestHead, head: &Parts) {
    if let Ok(route) = &found.route
        && let Some(printed) = printed(route)
    {
        let again = ArtifactRoute::parse(&head.method, &printed);
        assert_eq!(again.as_ref(), Ok(route), "{printed}");
    }
    if let Some(bytes) = &found.bytes {
        assert!(bytes.start < bytes.end && bytes.end <= ARCHIVE.size, "{bytes:?}");
    }
    if let IpAddr::V6(client) = found.client {
        assert_eq!(client.to_bits() & u128::from(u64::MAX), 0, "a network, not an address");
    }
    assert!(found.token.as_ref().is_none_or(|token| token.len() <= 512));
    if let Some(address) = &found.redirect {
        let end = format!("{}?direct=1", ARCHIVE.path);
        let origin = address.strip_suffix(&end).expect("the path of the archive");
        let host = ["http://", "https://"].iter().find_map(|scheme| origin.strip_prefix(scheme));
        let is_host = |byte: u8| byte.is_ascii_graphic() && !b"/?#@".contains(&byte);
        assert!(host.is_some_and(|host| host.bytes().all(is_host)), "{address}");
    }
    for (_, value) in found.parameters.iter().flatten() {
        assert!(value.len() <= 4096 && !value.contains(char::is_control), "{value:?}");
    }
}

/// The shortest path for a route; `OPTIONS` forgets which one it was asked about.
fn printed(route: &ArtifactRoute) -> Option<String> {
    Some(match route {
        ArtifactRoute::Options { .. } => return None,
        ArtifactRoute::Scope { scope } => format!("@{scope}"),
        ArtifactRoute::Version { name, wanted, part } => {
            format!("{name}/{}{}", version(wanted)?, part_path(*part))
        }
        ArtifactRoute::LatestVersion { name } => format!("{name}/latest-version"),
        ArtifactRoute::Versions { name } | ArtifactRoute::Publish { name } => {
            format!("{name}/versions")
        }
        ArtifactRoute::VersionsOf { name, wanted } => {
            format!("{name}/versions/{}", version(wanted)?)
        }
        ArtifactRoute::Yank { name, version } | ArtifactRoute::Unyank { name, version } => {
            format!("{name}/{version}/yank")
        }
    })
}

/// A path has no floor.
fn version(wanted: &Wanted) -> Option<String> {
    match wanted {
        Wanted::Exact(version) => Some(version.to_string()),
        Wanted::Latest => Some("latest".to_owned()),
        Wanted::Range(range) => Some(range.to_string()),
        Wanted::AtLeast(_) => None,
    }
}

fn part_path(part: VersionPart) -> &'static str {
    match part {
        VersionPart::Document => "",
        VersionPart::Archive => "/archive",
        VersionPart::Contents => "/contents",
        VersionPart::Surface => "/surface",
        VersionPart::Contract => "/contract",
        VersionPart::Diff => "/diff",
    }
}
