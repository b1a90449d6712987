//! Every route × {no token, wrong scope, revoked token, right token}, and the description against the routes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use serde_json::Value;
use support::{RegistryProcess, Reply, bearer, facet};

struct Tokens {
    right: String,
    wrong: String,
    revoked: String,
}

fn tokens(registry: &RegistryProcess) -> Tokens {
    Tokens {
        right: registry.token(&["publish:*"], "acme"),
        wrong: registry.token(&["publish:some-other", "read"], "acme"),
        revoked: registry.revoked_token(&["publish:*"], "acme"),
    }
}

fn ask(registry: &RegistryProcess, call: (&str, &str), body: &[u8], token: Option<&str>) -> Reply {
    let bearer = token.map(bearer);
    let headers: Vec<(&str, &str)> = bearer.iter().map(support::Bearer::as_pair).collect();
    registry.ask(call.0, call.1, &headers, body)
}

#[test]
fn every_change_needs_the_right_token() {
    let registry = RegistryProcess::start(&[]);
    let tokens = tokens(&registry);
    let archive = facet("demo", "1.0.0", "text");
    let reason = br#"{"reason":"leak"}"#;
    let calls: [((&str, &str), &[u8], u16); 6] = [
        (("POST", "/v0/facets/demo/versions"), &archive, 201),
        (("POST", "/v0/facets/demo/1.0.0/yank"), reason, 200),
        (("DELETE", "/v0/facets/demo/1.0.0/yank"), b"", 200),
        (("POST", "/v0/source-servers/demo/versions"), b"no archive", 422),
        (("POST", "/v0/source-servers/demo/1.0.0/yank"), reason, 404),
        (("DELETE", "/v0/source-servers/demo/1.0.0/yank"), b"", 404),
    ];
    for (call, body, expected) in calls {
        let none = ask(&registry, call, body, None);
        assert_eq!((none.status, &*none.code()), (401, "E_UNAUTHORIZED"), "{call:?}");
        assert!(none.header("www-authenticate").is_some(), "{call:?}");
        let unknown = format!("fct_pub_{}", "A".repeat(43));
        for token in ["x", &*unknown, &*tokens.revoked] {
            let refused = ask(&registry, call, body, Some(token));
            assert_eq!((refused.status, &*refused.code()), (401, "E_UNAUTHORIZED"), "{call:?}");
        }
        let wrong = ask(&registry, call, body, Some(&tokens.wrong));
        assert_eq!((wrong.status, &*wrong.code()), (403, "E_FORBIDDEN"), "{call:?}");
        let right = ask(&registry, call, body, Some(&tokens.right));
        assert_eq!(right.status, expected, "{call:?}: {right:?}");
    }
    let other = registry.token(&["publish:*"], "other");
    let foreign = registry.publish("demo", &facet("demo", "2.0.0", "text"), &other);
    assert_eq!((foreign.status, &*foreign.code()), (403, "E_NOT_OWNER"));
}

#[test]
fn what_is_about_a_token_needs_one() {
    let registry = RegistryProcess::start(&[]);
    let tokens = tokens(&registry);
    for (path, with_token) in [("/v0/auth/me", 200), ("/v0/publishes/abcdef", 404)] {
        assert_eq!(ask(&registry, ("GET", path), b"", None).status, 401, "{path}");
        assert_eq!(ask(&registry, ("GET", path), b"", Some(&tokens.revoked)).status, 401, "{path}");
        for token in [&tokens.right, &tokens.wrong] {
            assert_eq!(
                ask(&registry, ("GET", path), b"", Some(token)).status,
                with_token,
                "{path}"
            );
        }
    }
}

/// The operations of the description, with parameters filled in.
fn operations(description: &Value) -> Vec<(String, String, Vec<u16>)> {
    let mut found = Vec::new();
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let statuses = operation["responses"].as_object().unwrap().keys();
            let statuses = statuses.map(|status| status.parse().unwrap()).collect();
            let mut path = path.replace("{name}", "demo").replace("{version}", "1.0.0");
            path = path.replace("{scope}", "acme").replace("{id}", "abcdef");
            if path.ends_with("/diff") {
                path.push_str("?from=1.0.0");
            }
            found.push((method.to_uppercase(), path, statuses));
        }
    }
    found
}

#[test]
fn routes_answer_what_the_description_says() {
    let registry = RegistryProcess::start(&[]);
    let tokens = tokens(&registry);
    for name in ["demo", "@acme/demo"] {
        let published = registry.publish(name, &facet(name, "1.0.0", "text"), &tokens.right);
        assert_eq!(published.status, 201, "{published:?}");
    }
    let description = registry.get("/openapi.json").json();
    let operations = operations(&description);
    assert!(operations.len() > 40, "{}", operations.len());
    for (method, path, statuses) in &operations {
        for token in [None, Some(&*tokens.wrong), Some(&*tokens.revoked), Some(&*tokens.right)] {
            let reply = ask(&registry, (method, path), b"", token);
            assert!(statuses.contains(&reply.status), "{method} {path}: {reply:?}");
            assert_ne!(reply.status, 500, "{method} {path}: {reply:?}");
            if reply.status >= 400 {
                reply.code();
            }
        }
        let put = ask(&registry, ("PUT", path), b"", Some(&tokens.right));
        assert_eq!((put.status, &*put.code()), (405, "E_METHOD"), "{path}");
        assert!(put.header("allow").is_some(), "{path}");
    }
}

#[test]
fn a_private_registry_is_read_with_a_token_only() {
    let registry = RegistryProcess::start(&["--private"]);
    let tokens = tokens(&registry);
    let reader = registry.token(&["read"], "reader");
    let published = registry.publish("demo", &facet("demo", "1.0.0", "text"), &tokens.right);
    assert_eq!(published.status, 201, "{published:?}");
    let paths = [
        "/v0/facets",
        "/v0/facets?q=demo",
        "/v0/facets/@acme",
        "/v0/facets/demo/1.0.0",
        "/v0/facets/demo/latest",
        "/v0/facets/demo/1.0.0/archive",
        "/v0/facets/demo/1.0.0/contents",
        "/v0/facets/demo/versions",
        "/v0/facets/demo/latest-version",
        "/v0/source-servers",
        "/metrics",
    ];
    for path in paths {
        assert_eq!(ask(&registry, ("GET", path), b"", None).code(), "E_UNAUTHORIZED", "{path}");
        assert_eq!(ask(&registry, ("GET", path), b"", Some(&tokens.revoked)).status, 401, "{path}");
        for token in [&reader, &tokens.right, &tokens.wrong] {
            assert_eq!(ask(&registry, ("GET", path), b"", Some(token)).status, 200, "{path}");
        }
    }
    let archive = ask(&registry, ("GET", paths[5]), b"", Some(&reader));
    assert!(archive.header("cache-control").unwrap().starts_with("private"), "{archive:?}");
    let unread = ask(&registry, ("POST", "/v0/facets/demo/versions"), b"x", Some(&reader));
    assert_eq!(unread.code(), "E_FORBIDDEN");
    for path in ["/health", "/health/live", "/openapi.json"] {
        assert_eq!(ask(&registry, ("GET", path), b"", None).status, 200, "{path}");
    }
}

#[test]
fn senders_that_ask_too_often_are_told_to_wait() {
    let flags =
        ["--read-rate", "60", "--read-burst", "5", "--write-rate", "1", "--write-burst", "1"];
    let registry = RegistryProcess::start_with_rates(&flags);
    let statuses: Vec<u16> = (0..7).map(|_| registry.get("/v0/facets").status).collect();
    assert_eq!(&statuses[..5], [200; 5]);
    assert!(statuses.contains(&429), "{statuses:?}");
    let refused = registry.get("/v0/facets");
    assert_eq!((refused.status, &*refused.code()), (429, "E_RATE_LIMITED"));
    assert!(refused.header("retry-after").unwrap().parse::<u32>().unwrap() >= 1);
    assert_eq!(registry.get("/health/live").status, 200, "probes of the operator are not counted");

    let writing = ["--read-rate", "0", "--write-rate", "1", "--write-burst", "1"];
    let registry = RegistryProcess::start_with_rates(&writing);
    let (one, other) =
        (registry.token(&["publish:*"], "acme"), registry.token(&["publish:*"], "acme"));
    let publish =
        |token: &str| registry.publish("demo", &facet("demo", "1.0.0", "text"), token).status;
    assert_eq!((publish(&one), publish(&one), publish(&other)), (201, 429, 200));
}

#[test]
fn bodies_and_their_limits() {
    let registry = RegistryProcess::start(&["--facet-size", "2000"]);
    let token = registry.token(&["publish:*"], "acme");
    let large = registry.publish("demo", &vec![b'x'; 100_000], &token);
    assert_eq!((large.status, &*large.code()), (413, "E_TOO_LARGE"));
    let garbage = registry.publish("demo", b"no archive", &token);
    assert_eq!((garbage.status, &*garbage.code()), (422, "E_INVALID_ARCHIVE"));
    let other = registry.publish("other", &facet("demo", "1.0.0", "t")[..], &token);
    assert!(["E_NAME_MISMATCH", "E_TOO_LARGE"].contains(&&*other.code()), "{other:?}");
    let bearer = bearer(&token);
    let encoded = [bearer.as_pair(), ("Content-Encoding", "gzip")];
    let encoded = registry.ask("POST", "/v0/facets/demo/versions", &encoded, b"x");
    assert_eq!(encoded.code(), "E_BAD_REQUEST");
    let long = registry.ask(
        "POST",
        "/v0/facets/demo/1.0.0/yank",
        &[bearer.as_pair()],
        &vec![b' '; 20_000],
    );
    assert_eq!(long.code(), "E_TOO_LARGE");
}
