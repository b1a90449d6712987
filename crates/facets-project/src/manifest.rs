//! The part of `facets.json` that names servers.

use facets_jsonc::{EditError, Order, remove_member, set_member};
use facets_model::manifest::ProjectManifest;
use facets_model::{AddressOrigin, CommandOrigin, Origin};
use serde_json::{Value, json};

/// A manifest without anything.
const EMPTY: &str = "{\n  \"manifestVersion\": 0.2,\n  \"facets\": {}\n}\n";

/// Where the manifest says that a server comes from, if it names one that facet can start. Values
/// of variables are no part of that.
#[must_use]
pub fn declared_origin<'m>(manifest: &'m ProjectManifest, server: &str) -> Option<&'m Origin> {
    manifest.servers.get(server)?.origin()
}

/// The manifest with a server.
pub fn with_server(text: Option<&str>, name: &str, origin: &Origin) -> Result<String, EditError> {
    let text = text.unwrap_or(EMPTY);
    let members = match origin {
        Origin::Command(CommandOrigin { command, args, env }) => vec![
            ("type", json!("stdio")),
            ("command", json!(command)),
            ("args", json!(args)),
            ("env", json!(env)),
        ],
        Origin::Address(AddressOrigin { url, .. }) => {
            vec![("type", json!("http")), ("url", json!(url.as_str()))]
        }
    };
    let line = |(member, value): &(&str, Value)| format!("      \"{member}\": {value}");
    let members: Vec<String> = members.iter().map(line).collect();
    let entry = format!("{{\n{}\n    }}", members.join(",\n"));
    set_member(text, &["servers", name], &entry, Order::AtEnd)
}

/// The manifest without a server; the last takes the list along.
pub fn without_server(text: &str, name: &str, is_last: bool) -> Result<String, EditError> {
    let text = remove_member(text, &["servers", name])?;
    if !is_last {
        return Ok(text);
    }
    let without = remove_member(&text, &["servers"])?;
    // Somebody's comment is worth an empty list.
    Ok(if comments(&without) < comments(&text) { text } else { without })
}

/// How many bytes of a text are comments.
fn comments(text: &str) -> usize {
    let plain = facets_model::tree::blank_comments(text);
    text.bytes().zip(plain.bytes()).filter(|(written, plain)| written != plain).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use facets_model::manifest::parse_project;

    fn command() -> Origin {
        Origin::Command(CommandOrigin {
            command: "node".to_owned(),
            args: vec!["server.js".to_owned(), "say \"hi\"".to_owned()],
            env: vec!["KEY".to_owned()],
        })
    }

    fn address() -> Origin {
        let url = "https://example.com/mcp".parse().unwrap();
        Origin::Address(AddressOrigin { url, headers: [].into() })
    }

    #[test]
    fn a_server_that_is_written_is_declared_so() {
        let text = with_server(None, "local", &command()).unwrap();
        let text = with_server(Some(&text), "far", &address()).unwrap();
        let manifest = parse_project(text.as_bytes()).manifest.unwrap();
        assert_eq!(declared_origin(&manifest, "local"), Some(&command()));
        assert_eq!(declared_origin(&manifest, "far"), Some(&address()));
        assert_eq!(declared_origin(&manifest, "other"), None);
    }

    #[test]
    fn the_last_server_takes_the_list_along_and_others_do_not() {
        let one = with_server(None, "one", &command()).unwrap();
        let both = with_server(Some(&one), "two", &address()).unwrap();
        assert_eq!(without_server(&both, "two", false).unwrap(), one);
        assert_eq!(without_server(&one, "one", true).unwrap(), EMPTY);
    }

    #[test]
    fn a_comment_in_the_list_is_worth_an_empty_list() {
        let text = with_server(None, "one", &command()).unwrap();
        let inside = text.replace("\"servers\": {", "\"servers\": { // ours\n");
        let left = without_server(&inside, "one", true).unwrap();
        assert!(left.contains("servers") && left.contains("// ours"), "{left}");
        let outside = text.replacen('{', "{ // ours\n", 1);
        let left = without_server(&outside, "one", true).unwrap();
        assert!(!left.contains("servers") && left.contains("// ours"), "{left}");
    }
}
