//! Redirects that lead in circles, down, or to a host that must not learn a secret.

use facets_failure::Describe as _;
use facets_fetch::Reach;

use crate::support::certificates::Authority;
use crate::support::fetching::{Fetching, limits};
use crate::support::packages::{
    ASSET, PAD, TARBALL, WHEEL, WHEEL_NAME, content, dist, index_file, index_page, packument,
    send_json,
};
use crate::support::packages::{SIMPLE_JSON, npm_server};
use crate::support::server::{Server, answer, redirect};

#[test]
fn a_circle_ends() {
    let server = Server::start(|request, to| redirect(to, &request.path));
    let fetching = Fetching::github(&server, limits());
    assert_eq!(fetching.code(ASSET), "fetch-redirect");
    assert_eq!(server.requests().len(), 1 + limits().redirects);
    assert_eq!(Fetching::npm(&server).code(PAD), "fetch-redirect");
}

#[test]
fn a_few_redirects_are_followed() {
    for status in ["301 a", "302 b", "303 c", "307 d", "308 e"] {
        let server = Server::start(move |request, to| match request.path.as_str() {
            "/end" => answer(to, "200 OK", &[], b"done"),
            "/two" => answer(to, status, &[("Location", "end")], b"moved"),
            "/one" => answer(to, status, &[("Location", "./two#part")], b"moved"),
            _ => answer(to, status, &[("Location", "/one")], b"moved"),
        });
        let fetching = Fetching::github(&server, limits());
        assert_eq!(fetching.one(ASSET).unwrap(), b"done", "{status}");
        assert_eq!(server.requests().len(), 4, "{status}");
    }
}

#[test]
fn a_redirect_that_leads_nowhere_is_not_followed() {
    let elsewhere = Server::start(|_, to| answer(to, "200 OK", &[], b"done"));
    let with_password = elsewhere.url().replace("://", "://u:hunter2@");
    let with_name = elsewhere.url().replace("://", "://hunter2@");
    for location in [
        "",
        "http://",
        "file:///etc/passwd",
        "ftp://127.0.0.1/x",
        "data:,x",
        with_password.as_str(),
        with_name.as_str(),
    ] {
        let to_there = location.to_owned();
        let server = Server::start(move |_, to| redirect(to, &to_there));
        let error = Fetching::github(&server, limits()).one(ASSET).unwrap_err();
        assert_eq!(error.code(), "fetch-redirect", "{location}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
        assert_eq!(server.requests().len(), 1, "{location}");
    }
    let server = Server::start(|_, to| answer(to, "302 Found", &[], b""));
    assert_eq!(Fetching::github(&server, limits()).code(ASSET), "fetch-redirect");
    assert_eq!(server.requests().len(), 1);
    assert_eq!(elsewhere.connections(), 0);
}

/// A server that has everything, here or at another place.
fn moved(place: &str) -> Server {
    let place = place.to_owned();
    Server::start(move |request, to| match request.path.as_str() {
        "/pad" => send_json(to, "application/json", &packument(&dist(&content()))),
        "/simple/pad/" => {
            let files = [index_file(WHEEL_NAME, &content())];
            send_json(to, SIMPLE_JSON, &index_page(&files));
        }
        "/moved" => answer(to, "200 OK", &[], &content()),
        _ => redirect(to, &format!("{place}/moved")),
    })
}

/// A fetcher with credentials of each kind for one server.
fn known_to(server: &Server) -> Fetching {
    let url = server.url();
    let token = format!("npm_config_//127.0.0.1:{}/:_authToken", server.port());
    let index = format!("{}/simple/", url.replace("://", "://u:hunter2@"));
    Fetching::new(&[
        ("npm_config_registry", url.as_str()),
        (token.as_str(), "hunter2"),
        ("PIP_INDEX_URL", index.as_str()),
        ("FACET_GITHUB_URL", url.as_str()),
        ("GH_TOKEN", "hunter2"),
    ])
}

const SENT: [(&str, &str, usize); 3] =
    [(PAD, "Bearer hunter2", 2), (WHEEL, "Basic dTpodW50ZXIy", 2), (ASSET, "Bearer hunter2", 1)];

#[test]
fn another_host_does_not_learn_a_secret() {
    let elsewhere = Server::start(|_, to| answer(to, "200 OK", &[], &content()));
    // Another port is another origin, and so is another name for the same place.
    for place in [elsewhere.url(), elsewhere.url_of("localhost")] {
        for (identifier, authorization, requests) in SENT {
            let before = elsewhere.requests().len();
            let server = moved(&place);
            assert_eq!(known_to(&server).one(identifier).unwrap(), content(), "{identifier}");
            let expected = vec![Some(authorization.to_owned()); requests];
            assert_eq!(server.authorizations(), expected, "{identifier}");
            assert_eq!(elsewhere.requests().len(), before + 1, "{identifier}");
        }
    }
    for request in elsewhere.requests() {
        assert_eq!(request.path, "/moved");
        let secrets = ["authorization", "cookie", "proxy-authorization", "referer"];
        assert!(secrets.iter().all(|name| request.header(name).is_none()), "{request:?}");
        assert!(!format!("{request:?}").contains("hunter2"), "{request:?}");
    }
}

#[test]
fn the_same_host_is_told_at_every_redirect() {
    for (identifier, authorization, requests) in SENT {
        let server = moved("");
        assert_eq!(known_to(&server).one(identifier).unwrap(), content(), "{identifier}");
        let expected = vec![Some(authorization.to_owned()); requests + 1];
        assert_eq!(server.authorizations(), expected, "{identifier}");
    }
}

#[test]
fn a_tarball_elsewhere_is_fetched_without_the_token_of_the_registry() {
    let elsewhere = Server::start(|_, to| answer(to, "200 OK", &[], &content()));
    let mut dist = dist(&content());
    dist["tarball"] = format!("{}{TARBALL}", elsewhere.url()).into();
    let server = npm_server(dist, |_, to| answer(to, "404 Not Found", &[], b""));
    assert_eq!(known_to(&server).one(PAD).unwrap(), content());
    assert_eq!(server.authorizations(), [Some("Bearer hunter2".to_owned())]);
    assert_eq!(elsewhere.authorizations(), [None::<String>]);
}

#[test]
fn a_redirect_from_https_to_http_is_not_followed() {
    let Some(authority) = Authority::new() else { return };
    let plain = Server::start(|_, to| answer(to, "200 OK", &[], &content()));
    let place = plain.url();
    let server =
        Server::start_tls(authority.good(), move |request, to| match request.path.as_str() {
            "/pad" => send_json(to, "application/json", &packument(&dist(&content()))),
            _ => redirect(to, &place),
        });
    let (url, file) = (server.url_of("localhost"), authority.file());
    let variables =
        [("npm_config_registry", url.as_str()), ("npm_config_cafile", file.to_str().unwrap())];
    let fetching = Fetching::with(&variables, Reach::AsUser, limits());
    assert_eq!(fetching.code(PAD), "fetch-redirect");
    assert_eq!(server.paths(), ["/pad", TARBALL]);
    assert_eq!(plain.connections(), 0);
}

/// A registry and index of https with a token of its own, whose documents link to files in the clear.
fn links_to_plain(authority: &Authority) -> (Server, Fetching) {
    let server = Server::start_tls(authority.good(), |request, to| {
        let there = format!("http://{}", request.header("host").unwrap());
        let (mut dist, mut file) = (dist(&content()), index_file(WHEEL_NAME, &content()));
        dist["tarball"] = format!("{there}/x.tgz").into();
        file["url"] = format!("{there}/x.whl").into();
        match request.path.as_str() {
            "/pad" => send_json(to, "application/json", &packument(&dist)),
            _ => send_json(to, SIMPLE_JSON, &index_page(&[file])),
        }
    });
    let (url, file) = (server.url_of("localhost"), authority.file());
    let token = format!("npm_config_//localhost:{}/:_authToken", server.port());
    let index = format!("{}/simple/", url.replace("://", "://u:hunter2@"));
    let variables = [
        ("npm_config_registry", url.as_str()),
        ("npm_config_cafile", file.to_str().unwrap()),
        (token.as_str(), "hunter2"),
        ("PIP_INDEX_URL", index.as_str()),
        ("PIP_CERT", file.to_str().unwrap()),
    ];
    let fetching = Fetching::with(&variables, Reach::AsUser, limits());
    (server, fetching)
}

#[test]
fn a_link_from_https_to_http_is_not_followed_and_no_token_goes_out() {
    let Some(authority) = Authority::new() else { return };
    let (server, fetching) = links_to_plain(&authority);
    for (identifier, path) in [(PAD, "/x.tgz"), (WHEEL, "/x.whl")] {
        let error = fetching.one(identifier).unwrap_err();
        assert_eq!(error.code(), "fetch-redirect", "{identifier}");
        let link = format!("links to http://localhost:{}{path}: ", server.port());
        assert!(error.to_string().contains(&link), "{error}");
    }
    // One for each document, and none to the same port in the clear.
    assert_eq!(server.connections(), 2);
    assert_eq!(server.paths(), ["/pad", "/simple/pad/"]);
    assert!(server.authorizations().iter().all(Option::is_some));
}
