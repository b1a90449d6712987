//! Answers have the members that `/openapi.json` describes, and no others.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use serde_json::Value;
use support::{RegistryProcess, Reply, bearer, facet};

/// A schema of the description in which every object that names members has no others.
fn closed(description: &Value, reference: &str) -> Value {
    let mut components = description["components"].clone();
    close(&mut components["schemas"]);
    serde_json::json!({ "$ref": reference, "components": components })
}

fn close(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(close);
            if members.get("properties").is_some_and(Value::is_object) {
                members.entry("additionalProperties").or_insert(Value::Bool(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// Compares an answer with the schema of its route and status.
fn check(description: &Value, (method, template): (&str, &str), reply: &Reply) {
    let responses = &description["paths"][template][method]["responses"];
    let content = &responses[reply.status.to_string()]["content"];
    let media = reply.header("content-type").unwrap().split(';').next().unwrap();
    let reference = content[media]["schema"]["$ref"].as_str();
    let reference = reference.unwrap_or_else(|| panic!("{method} {template}: {reply:?}"));
    let schema = closed(description, reference);
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let answer = reply.json();
    let errors: Vec<String> = validator
        .iter_errors(&answer)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{method} {template}: {errors:?}: {answer:#}");
}

#[test]
fn answers_have_the_members_of_their_schemas() {
    let registry = RegistryProcess::start(&[]);
    let token = registry.token(&["publish:*"], "acme");
    let bearer = bearer(&token);
    let authorized = [bearer.as_pair()];
    let description = registry.get("/openapi.json");
    check(&description.json(), ("get", "/openapi.json"), &description);
    let description = description.json();
    for (name, version) in [("demo", "1.0.0"), ("demo", "1.1.0"), ("@acme/demo", "1.0.0")] {
        let published = registry.publish(name, &facet(name, version, version), &token);
        assert_eq!(published.status, 201, "{published:?}");
        check(&description, ("post", "/v0/facets/{name}/versions"), &published);
    }
    let yank = "/v0/facets/demo/1.0.0/yank";
    let yanked = registry.ask("POST", yank, &authorized, br#"{"reason":"leak"}"#);
    check(&description, ("post", "/v0/facets/{name}/{version}/yank"), &yanked);
    for (template, path) in [
        ("/v0/facets", "/v0/facets?limit=1"),
        ("/v0/source-servers", "/v0/source-servers"),
        ("/v0/facets/@{scope}", "/v0/facets/@acme"),
        ("/v0/facets/{name}/{version}", "/v0/facets/demo/1.0.0"),
        ("/v0/facets/{name}/{version}/contents", "/v0/facets/demo/1.0.0/contents"),
        ("/v0/facets/{name}/{version}/diff", "/v0/facets/demo/1.1.0/diff?from=1.0.0"),
        ("/v0/facets/{name}/latest-version", "/v0/facets/demo/latest-version"),
        ("/v0/facets/{name}/versions", "/v0/facets/demo/versions?limit=1"),
        ("/v0/facets/{name}/versions", "/v0/facets/demo/versions"),
        ("/v0/facets/{name}/versions/{version}", "/v0/facets/demo/versions/latest"),
        ("/v0/auth/me", "/v0/auth/me"),
        ("/health/live", "/health/live"),
        ("/health/ready", "/health/ready"),
        ("/health", "/health"),
        ("/v0/health", "/v0/health"),
    ] {
        let reply = registry.get_with(path, &authorized);
        assert_eq!(reply.status, 200, "{path}: {reply:?}");
        check(&description, ("get", template), &reply);
    }
    let absent = registry.get("/v0/facets/none/1.0.0");
    check(&description, ("get", "/v0/facets/{name}/{version}"), &absent);
}
