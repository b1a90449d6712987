//! Redirects: with the same origin, and nowhere else.

use facets_registry_client::PublishedKind;

use crate::support::asking::{
    TOKEN, ask_version, client, code, document, limits, name, publish, version,
};
use crate::support::server::{Server, answer, json, redirect};

#[test]
fn a_token_does_not_follow_a_redirect_to_another_host() {
    let elsewhere = Server::start(|_, to| json(to, "200 OK", &document()));
    // Another port is another origin, and so is another name for the same place.
    for there in [elsewhere.url(), elsewhere.url_of("localhost"), "//127.0.0.2/".to_owned()] {
        let server = Server::start(move |_, to| redirect(to, &there));
        let client = client(&server);
        assert_eq!(code(ask_version(&client)), "registry-redirect");
        assert_eq!(code(client.whoami()), "registry-redirect");
        assert_eq!(server.requests().len(), 2);
    }
    assert!(elsewhere.requests().is_empty(), "{:?}", elsewhere.requests());
}

#[test]
fn the_same_name_on_the_same_port_is_the_same_host() {
    let server = Server::start(|request, to| match request.path.as_str() {
        "/moved" => json(to, "200 OK", &document()),
        _ => redirect(to, "/moved"),
    });
    assert!(ask_version(&client(&server)).is_ok());
    let bearer = Some(format!("Bearer {TOKEN}"));
    assert_eq!(server.authorizations(), [bearer.clone(), bearer]);
}

#[test]
fn a_token_stays_below_the_address_of_its_registry() {
    let server = Server::start(|request, to| match request.path.as_str() {
        "/elsewhere" => json(to, "200 OK", &document()),
        _ => redirect(to, "/elsewhere"),
    });
    let address = format!("{}/facets", server.url()).parse().unwrap();
    let token = TOKEN.parse().unwrap();
    let client = facets_registry_client::RegistryClient::new(address, Some(&token), limits());
    assert!(ask_version(&client.unwrap()).is_ok());
    assert_eq!(server.authorizations(), [Some(format!("Bearer {TOKEN}")), None]);
}

#[test]
fn a_circle_ends_and_nonsense_is_not_followed() {
    let server = Server::start(|request, to| redirect(to, &request.path));
    assert_eq!(code(ask_version(&client(&server))), "registry-redirect");
    assert_eq!(server.requests().len(), 1 + limits().redirects);
    for location in ["", "http://", "file:///etc/passwd", "data:,x", "http://u:hunter2@127.0.0.1/"]
    {
        let server = Server::start(move |_, to| redirect(to, location));
        let error = ask_version(&client(&server)).unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
        assert_eq!(code::<()>(Err(error)), "registry-redirect", "{location}");
        assert_eq!(server.requests().len(), 1, "{location}");
    }
}

#[test]
fn a_change_follows_no_redirect_at_all() {
    let server = Server::start(|_, to| answer(to, "307 x", &[("Location", "/here")], b""));
    let client = client(&server);
    assert_eq!(code(publish(&client)), "registry-redirect");
    let yanked = client.yank(PublishedKind::Server, &name(), &version(), "x");
    assert_eq!(code(yanked), "registry-redirect");
    assert_eq!(server.requests().len(), 2);
}
