//! Surfaces out of JSON.

use facets_drift::{Finding, Side, compare_surfaces};
use facets_surface::{Also, Definition, Era, Kind, Listing, ServerIdentity, Source, Surface};
use serde_json::Value;

/// A surface as a server would declare it: `serverInfo`, `instructions`, and the four lists.
pub(crate) fn surface(json: &Value) -> Surface {
    let list = |kind: Kind| {
        let items = json[kind.list()].as_array()?;
        let parse = |item: &Value| Definition::parse(kind, &item.to_string()).unwrap();
        Some(Listing::new(items.iter().map(parse).collect()).unwrap())
    };
    Surface {
        era: Era::Initialize,
        protocol: "2025-11-25".to_owned(),
        server: ServerIdentity::from_info(&json["serverInfo"].to_string()),
        capabilities: json.get("capabilities").map_or("{}".to_owned(), Value::to_string),
        instructions: json["instructions"].as_str().map(str::to_owned),
        tools: list(Kind::Tool),
        prompts: list(Kind::Prompt),
        resources: list(Kind::Resource),
        resources_volatile: json["resourcesVolatile"] == true,
        resource_templates: list(Kind::ResourceTemplate),
        source: Source { contract: json.get("contract").map(Value::to_string), entitlements: None },
        also: Also::default(),
    }
}

pub(crate) fn compare(before: &Value, after: &Value) -> Vec<Finding> {
    let (before, after) = (surface(before), surface(after));
    let hashes = (before.hashes(), after.hashes());
    compare_surfaces(
        Side { surface: &before, hashes: &hashes.0 },
        Side { surface: &after, hashes: &hashes.1 },
        &facets_validator::JsonSchema::default(),
    )
}
