//! The description of the interface (OpenAPI 3.1), made from the table of routes.

use facets_digest::json::write_string;
use facets_registry::{ArtifactKind, PROBLEM_CODES};
use http::StatusCode;

use super::documents::base_path;
use super::object_writer::ObjectWriter;
use super::openapi_schemas::SCHEMAS;
use super::route_table::{Endpoint, ROUTES, RouteAccess, RouteRow};

const ABOUT: &str = "A registry for facets and MCP servers. Names are `slug` or `@scope/slug`; the slash is part of \
the path, `@` may be escaped. Versions in paths are exact, `latest`, `*`, `1.*` or `1.2.*`. Every refusal is \
`application/problem+json`. Ids of requests are sent and answered as `X-Request-Id`.";

/// The whole description.
pub(crate) fn description() -> Vec<u8> {
    let mut out = Vec::with_capacity(64 << 10);
    let mut object = ObjectWriter::begin(&mut out);
    object.text("openapi", "3.1.0");
    let mut info = object.object("info");
    info.text("title", "facet-registry");
    info.text("version", env!("CARGO_PKG_VERSION"));
    info.text("description", ABOUT);
    info.end();
    let mut paths = object.object("paths");
    for (path, rows) in paths_of_table() {
        let mut item = paths.object(&path);
        for row in rows {
            write_operation(&mut item, row, &path);
        }
        item.end();
    }
    paths.end();
    write_components(&mut object);
    object.end();
    out
}

/// Every path with its routes, in the order of the table. A name with a scope has one segment more, so it is a
/// path of its own.
fn paths_of_table() -> Vec<(String, Vec<&'static RouteRow>)> {
    let mut paths: Vec<(String, Vec<&'static RouteRow>)> = Vec::new();
    for row in ROUTES {
        for path in row.kind.kinds().iter().flat_map(|kind| paths_of(row, *kind)) {
            match paths.iter_mut().find(|(known, _)| *known == path) {
                Some((_, rows)) => rows.push(row),
                None => paths.push((path, vec![row])),
            }
        }
    }
    paths
}

fn paths_of(row: &RouteRow, kind: Option<ArtifactKind>) -> Vec<String> {
    let base = kind.map_or("", base_path);
    let plain = format!("{base}{}", row.template);
    let scoped = plain.contains("/{name}").then(|| plain.replace("/{name}", "/@{scope}/{name}"));
    std::iter::once(plain).chain(scoped).collect()
}

fn write_operation(item: &mut ObjectWriter<'_>, row: &RouteRow, path: &str) {
    let mut operation = item.object(row.method);
    operation.text("summary", row.summary);
    operation.text("operationId", &operation_id(row, path));
    write_parameters(&mut operation, row, path);
    write_request_body(&mut operation, row.endpoint);
    let security: &[u8] = match row.access {
        RouteAccess::Open => b"[]",
        RouteAccess::Read => b"[{},{\"token\":[]}]",
        RouteAccess::Token | RouteAccess::Write => b"[{\"token\":[]}]",
    };
    operation.raw("security", security);
    let mut responses = operation.object("responses");
    for status in row.statuses.iter().copied().chain([500]) {
        write_response(&mut responses, row, path, status);
    }
    responses.end();
    operation.end();
}

/// The path, as a word.
fn operation_id(row: &RouteRow, path: &str) -> String {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    std::iter::once(row.method).chain(words).collect::<Vec<_>>().join("_")
}

fn write_parameters(operation: &mut ObjectWriter<'_>, row: &RouteRow, path: &str) {
    let in_path = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let names: Vec<(&str, &str)> = in_path
        .map(|name| (name, "path"))
        .chain(row.query.iter().map(|name| (*name, "query")))
        .collect();
    if names.is_empty() {
        return;
    }
    operation.list("parameters", names, |(name, place), out| {
        let mut parameter = ObjectWriter::begin(out);
        parameter.text("name", name);
        parameter.text("in", place);
        parameter.switch("required", place == "path" || name == "from");
        parameter.raw("schema", schema_of(name).as_bytes());
        parameter.end();
    });
}

fn schema_of(parameter: &str) -> &'static str {
    match parameter {
        "limit" => r#"{"type":"integer","minimum":1,"maximum":100,"default":30}"#,
        "name" | "scope" => r#"{"type":"string","pattern":"^[a-z][a-z0-9-]*[a-z0-9]$"}"#,
        _ => r#"{"type":"string"}"#,
    }
}

fn write_request_body(operation: &mut ObjectWriter<'_>, endpoint: Endpoint) {
    let content = match endpoint {
        Endpoint::Publish => {
            r#"{"required":true,"content":{"application/octet-stream":{},"application/gzip":{}}}"#
        }
        Endpoint::Yank => concat!(
            r#"{"required":true,"content":{"application/json":{"schema":{"type":"object","#,
            r#""required":["reason"],"properties":{"reason":{"type":"string","maxLength":500}}}}}}"#
        ),
        _ => return,
    };
    operation.raw("requestBody", content.as_bytes());
}

fn write_response(responses: &mut ObjectWriter<'_>, row: &RouteRow, path: &str, status: u16) {
    let mut response = responses.object(&status.to_string());
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    response.text("description", reason.unwrap_or("Answer"));
    let content = match (status, row.endpoint) {
        (302 | 304, _) => None,
        (503, Endpoint::Ready | Endpoint::Health | Endpoint::HealthOfReference) => {
            Some(json_content("Health"))
        }
        (400.., _) => Some(content_of("application/problem+json", "Problem")),
        (_, Endpoint::Archive) => Some(r#"{"application/octet-stream":{}}"#.to_owned()),
        (_, Endpoint::Metrics) => Some(r#"{"text/plain":{}}"#.to_owned()),
        (202, _) => Some(json_content("Accepted")),
        (_, endpoint) => Some(json_content(document_schema(endpoint, path))),
    };
    if let Some(content) = content {
        response.raw("content", content.as_bytes());
    }
    response.end();
}

fn json_content(schema: &str) -> String {
    content_of("application/json", schema)
}

fn content_of(media: &str, schema: &str) -> String {
    format!(r##"{{"{media}":{{"schema":{{"$ref":"#/components/schemas/{schema}"}}}}}}"##)
}

/// The schema of a document.
fn document_schema(endpoint: Endpoint, path: &str) -> &'static str {
    match endpoint {
        Endpoint::List | Endpoint::Scope => {
            let is_of_facets = path.starts_with(base_path(ArtifactKind::Facet));
            if is_of_facets { "FacetList" } else { "ServerList" }
        }
        Endpoint::Version | Endpoint::Publish | Endpoint::Yank | Endpoint::Unyank => "Version",
        Endpoint::Contents => "Contents",
        Endpoint::Surface => "Surface",
        Endpoint::Contract => "Contract",
        Endpoint::Diff => "Diff",
        Endpoint::LatestVersion => "LatestVersion",
        Endpoint::Versions => "VersionList",
        Endpoint::VersionsOf => "VersionAmong",
        Endpoint::PublishStatus => "PublishStatus",
        Endpoint::Me => "Account",
        Endpoint::Live => "Live",
        Endpoint::Ready | Endpoint::Health | Endpoint::HealthOfReference => "Health",
        // Those that are not JSON are written before this is asked.
        Endpoint::OpenApi | Endpoint::Archive | Endpoint::Metrics | Endpoint::Unmatched => {
            "Description"
        }
    }
}

fn write_components(object: &mut ObjectWriter<'_>) {
    let mut components = object.object("components");
    components.raw("securitySchemes", br#"{"token":{"type":"http","scheme":"bearer"}}"#);
    let mut schemas = components.object("schemas");
    write_problem(&mut schemas);
    for (name, schema) in SCHEMAS {
        schemas.raw(name, schema.as_bytes());
    }
    schemas.end();
    components.end();
}

fn write_problem(schemas: &mut ObjectWriter<'_>) {
    const REQUIRED: &[&str] =
        &["type", "title", "status", "detail", "code", "error", "fix", "request_id"];
    let mut problem = schemas.object("Problem");
    problem.text("type", "object");
    problem.list("required", REQUIRED, |name, out| write_string(name, out));
    let mut properties = problem.object("properties");
    for name in REQUIRED.iter().filter(|name| !matches!(**name, "status" | "code")) {
        properties.raw(name, br#"{"type":"string"}"#);
    }
    properties.raw("status", br#"{"type":"integer"}"#);
    properties.raw("docs_url", br#"{"type":"string","format":"uri"}"#);
    properties.raw("details", br#"{"type":"object"}"#);
    let mut code = properties.object("code");
    code.list("enum", PROBLEM_CODES, |(code, _), out| write_string(code, out));
    code.end();
    properties.end();
    problem.end();
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    fn parsed() -> Value {
        serde_json::from_slice(&description()).unwrap()
    }

    fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
        let paths = document["paths"].as_object().unwrap();
        let mut found = Vec::new();
        for (path, item) in paths {
            for (method, operation) in item.as_object().unwrap() {
                found.push((path.as_str(), method.as_str(), operation));
            }
        }
        found
    }

    #[test]
    fn every_route_is_described_once() {
        let document = parsed();
        assert_eq!(document["openapi"], "3.1.0");
        let all = operations(&document);
        let ids: BTreeSet<&str> =
            all.iter().map(|(_, _, one)| one["operationId"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), all.len());
        for path in ["/v0/facets", "/v0/facets/@{scope}/{name}/versions", "/v0/publishes/{id}"] {
            assert!(document["paths"].get(path).is_some(), "{path}");
        }
        assert!(document["paths"]["/v0/facets/{name}/versions"].get("post").is_some());
        assert!(document["paths"].get("/v0/facets/{name}/{version}/surface").is_none());
    }

    #[test]
    fn every_parameter_of_a_path_is_declared() {
        for (path, method, operation) in operations(&parsed()) {
            let empty = Vec::new();
            let declared = operation["parameters"].as_array().unwrap_or(&empty);
            let in_path: BTreeSet<&str> = declared
                .iter()
                .filter(|one| one["in"] == "path")
                .map(|one| one["name"].as_str().unwrap())
                .collect();
            let named: BTreeSet<&str> =
                path.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect();
            assert_eq!(in_path, named, "{method} {path}");
        }
    }

    #[test]
    fn every_answer_has_a_description_and_every_reference_leads_somewhere() {
        let document = parsed();
        for (path, method, operation) in operations(&document) {
            let responses = operation["responses"].as_object().unwrap();
            assert!(responses.contains_key("200"), "{method} {path}");
            for (status, response) in responses {
                assert!(response["description"].is_string(), "{method} {path} {status}");
                for (media, content) in response["content"].as_object().into_iter().flatten() {
                    if media.contains("json") {
                        let reference = content["schema"]["$ref"].as_str().unwrap();
                        let schema = document.pointer(reference.strip_prefix('#').unwrap());
                        assert!(schema.unwrap()["properties"].is_object(), "{reference}");
                    }
                }
            }
        }
    }
}
