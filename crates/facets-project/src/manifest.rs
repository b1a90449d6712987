//! The part of `facets.json` that names servers.

use std::collections::BTreeMap;

use facets_lock::{EditError, Launch, Order, remove_member, set_member};
use facets_model::manifest::{Environment, ProjectManifest, ServerSource};
use serde_json::json;

/// A manifest without anything.
const EMPTY: &str = "{\n  \"manifestVersion\": 0.2,\n  \"facets\": {}\n}\n";

/// How the manifest starts a server, if it names it as a command or an address. Values of
/// variables are no part of how a server starts.
#[must_use]
pub fn declared_launch(manifest: &ProjectManifest, server: &str) -> Option<Launch> {
    match manifest.servers.get(server)? {
        ServerSource::Stdio { command, args, env } => {
            let names = match env {
                Environment::Names(names) => names.iter().map(ToString::to_string).collect(),
                Environment::Values(values) => values.keys().map(ToString::to_string).collect(),
            };
            Some(Launch::command(command.clone(), args.clone(), names))
        }
        ServerSource::Http { url } => {
            Some(Launch::Url { url: url.to_string(), headers: BTreeMap::new() })
        }
        ServerSource::Floor(_) | ServerSource::Image(_) => None,
    }
}

/// The manifest with a server.
pub fn with_server(text: Option<&str>, name: &str, launch: &Launch) -> Result<String, EditError> {
    let text = text.unwrap_or(EMPTY);
    let entry = match launch {
        Launch::Command { command, args, env } => {
            json!({ "type": "stdio", "command": command, "args": args, "env": env })
        }
        Launch::Url { url, .. } => json!({ "type": "http", "url": url }),
    };
    let order = ["type", "command", "args", "env", "url"];
    let members: Vec<String> = order
        .iter()
        .filter_map(|member| entry.get(member).map(|value| format!("      \"{member}\": {value}")))
        .collect();
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
