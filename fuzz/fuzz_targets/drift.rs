//! Two definitions: equal ones have no findings, different ones do; markers and risks come to an
//! end for any text.

#![no_main]

use facets_markers::{Context, ToolNames, markers, new_markers};
use facets_drift::{Side, classify, compare_surfaces, first_look};
use facets_surface::{Also, Definition, Era, Kind, Listing, ServerIdentity, Source, Surface};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (one, other) = text.split_once('\n').unwrap_or((text, text));
    let tools = ToolNames::new(&["read_file", "send_email"]);
    let context = Context { own: "read_file", tools: &tools };
    let found = markers(one, &context);
    assert!(new_markers(&[one], one, &context).is_empty(), "{found:?}");
    if one != other {
        let _ = classify(one, other);
    }
    let (Some(before), Some(after)) = (surface(one), surface(other)) else { return };
    let hashes = (before.hashes(), after.hashes());
    let findings = compare_surfaces(
        Side { surface: &before, hashes: &hashes.0 },
        Side { surface: &after, hashes: &hashes.1 },
        &facets_validator::JsonSchema::default(),
    );
    assert_eq!(findings.is_empty(), hashes.0.surface == hashes.1.surface, "{findings:?}");
    let _ = first_look(&after);
});

fn surface(text: &str) -> Option<Surface> {
    let tool = Definition::parse(Kind::Tool, text).ok()?;
    Some(Surface {
        era: Era::Initialize,
        protocol: String::new(),
        server: ServerIdentity::default(),
        capabilities: "{}".to_owned(),
        instructions: None,
        tools: Some(Listing::new(vec![tool]).ok()?),
        prompts: None,
        resources: None,
        resources_volatile: false,
        resource_templates: None,
        source: Source::default(),
        also: Also::default(),
    })
}
