//! The parts of `facets.json` that an install changes: facets, servers of registries, clients.

use facets_digest::json::quoted;
use facets_jsonc::{EditError, Order, remove_member, set_member};
use facets_model::{ArtifactName, Version};

use crate::manifest::EMPTY;

/// The manifest with a facet from this source. What it says of the names of its assets stays.
pub fn with_facet(text: Option<&str>, name: &str, source: &str) -> Result<String, EditError> {
    let text = stamped(text.unwrap_or(EMPTY))?;
    let source = quoted(source);
    // An entry that is an object has the source as a member; that of a string cannot be entered.
    let inside = remove_member(&text, &["facets", name, "source"]);
    match inside {
        Ok(without) if without != text => {
            set_member(&text, &["facets", name, "source"], &source, Order::AtEnd)
        }
        _ => set_member(&text, &["facets", name], &source, Order::AtEnd),
    }
}

/// The manifest without a facet.
pub fn without_facet(text: &str, name: &str) -> Result<String, EditError> {
    remove_member(text, &["facets", name])
}

/// The manifest with a server of a registry, at this version or above.
pub fn with_registry_server(
    text: Option<&str>,
    name: &str,
    artifact: &ArtifactName,
    floor: &Version,
) -> Result<String, EditError> {
    let text = stamped(text.unwrap_or(EMPTY))?;
    let artifact = artifact.to_string();
    let entry = if artifact == name { floor.to_string() } else { format!("{artifact}@{floor}") };
    set_member(&text, &["servers", name], &quoted(&entry), Order::AtEnd)
}

/// The manifest with the clients whose folders get text assets.
pub fn with_clients(text: Option<&str>, clients: &[&str]) -> Result<String, EditError> {
    let text = stamped(text.unwrap_or(EMPTY))?;
    let clients: Vec<String> = clients.iter().map(|client| quoted(client)).collect();
    set_member(&text, &["clients"], &format!("[{}]", clients.join(", ")), Order::AtEnd)
}

/// What an install writes is of the current version.
fn stamped(text: &str) -> Result<String, EditError> {
    set_member(text, &["manifestVersion"], "0.2", Order::AtEnd)
}

#[cfg(test)]
mod tests {
    use facets_model::manifest::{FacetSource, VersionSpec, parse_project};

    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn a_facet_that_is_written_is_asked_for_and_goes_again() {
        let text = with_facet(None, "@acme/demo", "1.2.0").unwrap();
        let both = with_facet(Some(&text), "viper", "github:acme/viper#main").unwrap();
        let manifest = parse_project(both.as_bytes()).manifest.unwrap();
        let demo = &manifest.facets[&"@acme/demo".parse().unwrap()];
        let exact = VersionSpec::Exact("1.2.0".parse().unwrap());
        assert_eq!(demo.source, FacetSource::Registry(exact));
        assert_eq!(manifest.facets.len(), 2);
        assert_eq!(without_facet(&both, "viper").unwrap(), text);
        assert_eq!(without_facet(&text, "@acme/demo").unwrap(), EMPTY);
        assert_eq!(without_facet(EMPTY, "other").unwrap(), EMPTY);
    }

    #[test]
    fn names_of_assets_comments_and_unknown_members_stay() {
        let text = r#"{
  // top comment
  "x-top": {"a": 1},
  "manifestVersion": 0.1,
  "facets": {
    "team-tools": { // ours
      "source": "0.1.*", "materialization": { "skills": { "planning": { "kind": "omitted" } } }
    },
    "last": "1.0.0" // the last
  }
}
"#;
        let moved = with_facet(Some(text), "team-tools", "0.2.0").unwrap();
        assert_eq!(
            moved,
            text.replace("0.1.*", "0.2.0").replace("Version\": 0.1", "Version\": 0.2")
        );
        let moved = with_facet(Some(&moved), "last", "2.*").unwrap();
        assert!(moved.contains("\"last\": \"2.*\" // the last"), "{moved}");
        let left = without_facet(&moved, "team-tools").unwrap();
        assert!(left.contains("// top comment") && left.contains("x-top"), "{left}");
        assert!(!left.contains("planning"), "{left}");
    }

    /// As the reference does: at the end when absent.
    #[test]
    fn an_install_writes_the_version_of_the_manifest() {
        let text = with_facet(Some("{\n  \"facets\": {}\n}\n"), "demo", "1.0.0").unwrap();
        let end = "\n  },\n  \"manifestVersion\": 0.2\n}\n";
        assert!(text.ends_with(end), "{text}");
        for edited in [
            with_clients(Some("{}"), &["codex"]).unwrap(),
            with_registry_server(Some("{}"), "a", &"jira".parse().unwrap(), &version("1.0.0"))
                .unwrap(),
        ] {
            assert!(edited.contains("\"manifestVersion\": 0.2"), "{edited}");
        }
    }

    #[test]
    fn a_server_of_a_registry_is_named_by_its_floor_and_under_another_name_by_both() {
        let write = |name: &str, artifact: &str, floor: &str| {
            with_registry_server(None, name, &artifact.parse().unwrap(), &version(floor)).unwrap()
        };
        assert!(write("jira", "jira", "1.0.0-rc.1").contains("\"jira\": \"1.0.0-rc.1\""));
        assert!(write("jira-prod", "jira", "1.0.0").contains("\"jira-prod\": \"jira@1.0.0\""));
        assert!(write("jira", "@acme/jira", "1.0.0").contains("\"jira\": \"@acme/jira@1.0.0\""));
    }

    #[test]
    fn clients_take_the_place_of_others() {
        let text = with_clients(None, &["claude-code", "codex"]).unwrap();
        assert!(text.contains("\"clients\": [\"claude-code\", \"codex\"]"), "{text}");
        let text = with_clients(Some(&text), &["opencode"]).unwrap();
        assert!(text.contains("\"clients\": [\"opencode\"]"), "{text}");
    }

    #[test]
    fn a_text_that_is_no_manifest_is_not_edited() {
        for text in ["[]", "{", "{ \"facets\": [] }"] {
            assert!(with_facet(Some(text), "demo", "1.0.0").is_err(), "{text}");
        }
    }
}
