//! Whom a registry asks on behalf of others: public addresses over https, and whom its operator allows.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use facets_fetch::Reach;
use support::certificates::Authority;
use support::fetching::{Fetching, limits};
use support::packages::{PAD, TARBALL, content, dist, packument, send_json};
use support::server::{Server, answer, redirect};

/// Ways to write the address of this machine.
const LOOPBACK: [&str; 14] = [
    "127.0.0.1",
    "127.1",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "localhost",
];

/// Private networks, and the addresses where clouds keep their secrets.
const PRIVATE: [&str; 12] = [
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "0xa9fea9fe",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[fc00::1]",
    "[::ffff:169.254.169.254]",
    "[2002:a00:1::]",
    "192.0.0.192",
];

fn public(allowed: &[&str]) -> Reach {
    Reach::Public { allowed: allowed.iter().map(|&host| host.to_owned()).collect() }
}

/// The code of asking a registry of npm and an index of PyPI at an address.
fn codes(url: &str) -> [&'static str; 2] {
    let variables = [("npm_config_registry", url), ("PIP_INDEX_URL", url)];
    let fetching = Fetching::with(&variables, public(&[]), limits());
    [fetching.code(PAD), fetching.code("pypi:pad==1.0")]
}

#[test]
fn addresses_of_this_machine_are_refused_in_every_spelling() {
    let server = Server::start(|_, to| answer(to, "200 OK", &[], b"secret"));
    for host in LOOPBACK {
        let url = format!("https://{host}:{}/", server.port());
        assert_eq!(codes(&url), ["fetch-address-refused"; 2], "{host}");
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn private_addresses_are_refused() {
    for host in PRIVATE {
        assert_eq!(codes(&format!("https://{host}/")), ["fetch-address-refused"; 2], "{host}");
    }
}

#[test]
fn http_is_refused_wherever_it_leads() {
    let server = Server::start(|_, to| answer(to, "200 OK", &[], b"secret"));
    assert_eq!(codes(&server.url()), ["fetch-address-refused"; 2]);
    assert_eq!(codes("http://a.example/"), ["fetch-address-refused"; 2]);
    let url = server.url();
    let allowed = public(&["127.0.0.1"]);
    let fetching = Fetching::with(&[("npm_config_registry", url.as_str())], allowed, limits());
    assert_eq!(fetching.code(PAD), "fetch-address-refused");
    assert_eq!(server.connections(), 0);
}

#[test]
fn an_identifier_that_is_an_address_is_refused_as_well() {
    let server = Server::start(|_, to| answer(to, "200 OK", &[], b"secret"));
    let fetching = Fetching::with(&[], public(&[]), limits());
    for host in ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost"] {
        let identifier = format!("https://{host}:{}/x.mcpb", server.port());
        assert_eq!(fetching.code(&identifier), "fetch-address-refused", "{host}");
    }
    assert_eq!(fetching.code("https://169.254.169.254/x.mcpb"), "fetch-address-refused");
    assert_eq!(server.connections(), 0);
}

/// A registry that is allowed, and a fetcher that may reach it by one name alone.
fn allowed_registry(
    authority: &Authority,
    location: impl Fn() -> Option<String> + Send + Sync + 'static,
) -> (Server, Fetching) {
    let server = Server::start_tls(authority.good(), move |request, to| {
        match (request.path.as_str(), location()) {
            ("/pad", _) => send_json(to, "application/json", &packument(&dist(&content()))),
            (_, Some(location)) => redirect(to, &location),
            (_, None) => answer(to, "200 OK", &[], &content()),
        }
    });
    let (url, file) = (server.url_of("localhost"), authority.file());
    let variables =
        [("npm_config_registry", url.as_str()), ("npm_config_cafile", file.to_str().unwrap())];
    let fetching = Fetching::with(&variables, public(&["localhost"]), limits());
    (server, fetching)
}

#[test]
fn a_host_that_the_operator_allows_is_reached() {
    let Some(authority) = Authority::new() else { return };
    let (server, fetching) = allowed_registry(&authority, || None);
    assert_eq!(fetching.one(PAD).unwrap(), content());
    assert_eq!(server.paths(), ["/pad", TARBALL]);
}

#[test]
fn redirects_to_refused_addresses_are_not_followed() {
    let Some(authority) = Authority::new() else { return };
    let inside = Server::start(|_, to| answer(to, "200 OK", &[], &content()));
    let port = inside.port();
    // `localhost` itself is allowed here.
    let names = LOOPBACK.iter().filter(|host| **host != "localhost");
    let https = names.map(|host| format!("https://{host}:{port}/"));
    let private = PRIVATE.iter().map(|host| format!("https://{host}/"));
    let http = ["127.0.0.1", "localhost", "a.example"].map(|host| format!("http://{host}:{port}/"));
    let cases = https.chain(private).map(|url| (url, "fetch-address-refused"));
    for (url, code) in cases.chain(http.into_iter().map(|url| (url, "fetch-redirect"))) {
        let there = url.clone();
        let (server, fetching) = allowed_registry(&authority, move || Some(there.clone()));
        assert_eq!(fetching.code(PAD), code, "{url}");
        assert_eq!(server.paths(), ["/pad", TARBALL], "{url}");
    }
    assert_eq!(inside.connections(), 0);
}

#[test]
fn the_proxy_of_the_configuration_is_not_asked_for_what_others_name() {
    let proxy = Server::start(|_, to| answer(to, "200 OK", &[], b"secret"));
    let proxy_url = proxy.url();
    let variables = [
        ("npm_config_registry", "https://10.0.0.1/"),
        ("npm_config_https_proxy", proxy_url.as_str()),
        ("HTTPS_PROXY", proxy_url.as_str()),
    ];
    let fetching = Fetching::with(&variables, public(&[]), limits());
    assert_eq!(fetching.code(PAD), "fetch-address-refused");
    assert_eq!(proxy.connections(), 0);
}

#[test]
fn the_user_may_reach_what_the_public_may_not() {
    let server = Server::start(|request, to| match request.path.as_str() {
        "/pad" => send_json(to, "application/json", &packument(&dist(&content()))),
        _ => answer(to, "200 OK", &[], &content()),
    });
    assert_eq!(Fetching::npm(&server).one(PAD).unwrap(), content());
}
