//! The contracts of a server's tools, from its surface file.

use facets_catalog::VersionRecord;
use facets_surface::{Surface, parse_surface_file};

use crate::blocking::blocking;
use crate::error::RegistryError;
use crate::json_text::JsonText;
use crate::reads::require_server;
use crate::registry::Registry;

impl Registry {
    /// The contract of every tool of a server and its digest, as JSON (spec 6.1, 6.2).
    pub async fn contract(&self, record: &VersionRecord) -> Result<String, RegistryError> {
        let behavior = require_server(record, "contract")?.behavior.to_string();
        let (name, version) = (record.name.to_string(), record.version.to_string());
        let slot = self.reader_slot().await?;
        let file = self.surface_file(record).await?;
        blocking(move || {
            let _slot = slot;
            let surface = stored_surface(&file)?;
            let mut out = JsonText::object();
            out.text("name", &name);
            out.text("version", &version);
            out.text("behavior", &behavior);
            out.raw("tools", &tools_json(&surface));
            Ok(out.finish())
        })
        .await
    }
}

/// A surface that was read strictly before it was stored.
pub(crate) fn stored_surface(file: &[u8]) -> Result<Surface, RegistryError> {
    let parsed = parse_surface_file(file);
    parsed.map_err(|error| RegistryError::internal(format!("a stored surface file: {error}")))
}

fn tools_json(surface: &Surface) -> String {
    let mut tools = JsonText::object();
    for contract in surface.contracts() {
        let parts = contract.to_json();
        let open = parts.strip_suffix('}').unwrap_or(&parts);
        let digest = contract.digest().digest;
        tools.raw(contract.name(), &format!("{open},\"digest\":\"{digest}\"}}"));
    }
    tools.finish()
}

#[cfg(test)]
mod tests {
    use facets_digest::json::{self, Limits, Provenance, Value};
    use facets_surface::{Also, Definition, Era, Kind, Listing, ServerIdentity, Source};

    use super::*;

    #[test]
    fn every_tool_has_four_parts_and_a_digest() {
        let tool = |name: &str| {
            Definition::parse(Kind::Tool, &format!("{{\"name\":\"{name}\"}}")).unwrap()
        };
        let surface = Surface {
            era: Era::Initialize,
            protocol: "2025-06-18".to_owned(),
            server: ServerIdentity::default(),
            capabilities: "{}".to_owned(),
            instructions: None,
            tools: Some(Listing::new(vec![tool("b"), tool("a")]).unwrap()),
            prompts: None,
            resources: None,
            resources_volatile: false,
            resource_templates: None,
            source: Source::default(),
            also: Also::default(),
        };
        let text = tools_json(&surface);
        let value = json::parse(text.as_bytes(), Provenance::Captured, Limits::DOCUMENT).unwrap();
        let digests = surface.server_contract();
        for name in ["a", "b"] {
            let Some(Value::Object(contract)) = value.member(name) else { panic!("{text}") };
            let members: Vec<&str> = contract.members().iter().map(|one| &*one.name).collect();
            let expected = ["behavior", "digest", "entitlements", "surface", "tokenEconomics"];
            assert_eq!(members, expected);
            let digest = digests.tool(name).unwrap().digest.to_string();
            assert_eq!(contract.get("digest"), Some(&Value::String(digest.into())));
        }
    }
}
