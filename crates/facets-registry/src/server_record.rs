//! From the surface file of a probe to what is stored of a server. Every hash is computed here, from the file.

use facets_catalog::ServerRecord;
use facets_digest::Digest;
use facets_digest::json::{compare_utf16, write_list, write_string};
use facets_surface::{
    Entitlements, Kind, ResourcesDigest, SurfaceFileError, SurfaceHashes, parse_surface_file,
};

/// Reads a surface file strictly, and computes what is stored of it.
pub(crate) fn server_record(text: &str, runtime: &str) -> Result<ServerRecord, SurfaceFileError> {
    let surface = parse_surface_file(text.as_bytes())?;
    let SurfaceHashes { api_surface, surface: digest, resources, behavior, .. } = surface.hashes();
    let entitlements = surface.source.entitlements.clone();
    Ok(ServerRecord {
        surface_file: Digest::of(text.as_bytes()),
        surface_size: text.len() as u64,
        api_surface,
        surface: digest,
        behavior: behavior.digest,
        resources: match resources {
            ResourcesDigest::Absent => None,
            ResourcesDigest::Volatile => Some("volatile".to_owned()),
            ResourcesDigest::Stable(digest) => Some(digest.to_string()),
        },
        entitlements: entitlements_json(&entitlements.unwrap_or_else(Entitlements::unknown)),
        runtime: runtime.to_owned(),
        tools: u32::try_from(surface.items(Kind::Tool).len()).unwrap_or(u32::MAX),
    })
}

/// As contracts have them: canonical JSON.
fn entitlements_json(entitlements: &Entitlements) -> String {
    let mut members: Vec<(&str, Option<&str>)> = Vec::from([("raw", None)]);
    let verdicts = entitlements.verdicts();
    members.extend(verdicts.iter().map(|(name, verdict)| (*name, Some(verdict.name()))));
    members.sort_unstable();
    let mut raw: Vec<&str> = entitlements.raw.iter().map(String::as_str).collect();
    raw.sort_unstable_by(|one, other| compare_utf16(one, other));
    raw.dedup();
    let mut out = Vec::new();
    write_list(['{', '}'], &members, &mut out, |(name, verdict), out| {
        write_string(name, out);
        out.push(b':');
        match verdict {
            Some(word) => write_string(word, out),
            None => write_list(['[', ']'], &raw, out, |text, out| write_string(text, out)),
        }
    });
    // Texts in, a text out: nothing is lost.
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use facets_surface::{
        Also, Definition, EntitlementVerdict, Era, Listing, Part, ServerIdentity, Source, Surface,
        write_surface_file,
    };

    use super::*;

    fn surface() -> Surface {
        let tool = r#"{"name":"add","description":"adds","inputSchema":{"type":"object"}}"#;
        let tool = Definition::parse(Kind::Tool, tool).unwrap();
        let entitlements = Entitlements {
            network: EntitlementVerdict::Yes,
            raw: vec!["fetch".to_owned(), "Bun.serve".to_owned(), "fetch".to_owned()],
            scanner: Some(1),
            ..Entitlements::unknown()
        };
        Surface {
            era: Era::Initialize,
            protocol: "2025-06-18".to_owned(),
            server: ServerIdentity::from_info(r#"{"name":"demo","version":"1.0.0"}"#),
            capabilities: r#"{"tools":{}}"#.to_owned(),
            instructions: None,
            tools: Some(Listing::new(vec![tool]).unwrap()),
            prompts: None,
            resources: None,
            resources_volatile: false,
            resource_templates: None,
            source: Source { contract: None, entitlements: Some(entitlements) },
            also: Also::default(),
        }
    }

    #[test]
    fn every_hash_comes_from_the_file() {
        let surface = surface();
        let (text, hashes) = (write_surface_file(&surface), surface.hashes());
        let record = server_record(&text, "bun 1.4.4").unwrap();
        assert_eq!(record.surface_file, Digest::of(text.as_bytes()));
        assert_eq!(record.surface_size, text.len() as u64);
        assert_eq!(record.api_surface, hashes.api_surface);
        assert_eq!(record.surface, hashes.surface);
        assert_eq!(record.behavior, hashes.behavior.digest);
        assert_eq!((record.resources, record.tools), (None, 1));
        assert_eq!(record.runtime, "bun 1.4.4");
    }

    #[test]
    fn entitlements_are_those_of_the_contracts() {
        let surface = surface();
        let record = server_record(&write_surface_file(&surface), "bun 1.4.4").unwrap();
        let contract = surface.contracts().next().unwrap();
        assert_eq!(record.entitlements.as_bytes(), contract.part(Part::Entitlements));
        assert!(record.entitlements.contains(r#""raw":["Bun.serve","fetch"]"#));
    }

    #[test]
    fn a_file_that_facet_did_not_write_is_refused() {
        let text = write_surface_file(&surface());
        for other in [text.replace("  ", " "), format!("{text}\n"), String::new()] {
            assert!(server_record(&other, "bun 1.4.4").is_err(), "{other}");
        }
    }
}
