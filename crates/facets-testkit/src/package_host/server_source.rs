//! MCP servers as source text, for packages of both ecosystems.

use serde_json::{Value, json};

const JAVASCRIPT: &str = include_str!("server_source/server.js");
const PYTHON: &str = include_str!("server_source/server.py");

/// What stands in a source text in place of the tools.
const TOOLS: &str = "\"TOOLS\"";

/// An MCP server on standard streams for node and bun, without dependencies, with tools by name and
/// description. The tool `env` answers with its environment, `echo` with its arguments.
#[must_use]
pub fn npm_server_source(tools: &[(&str, &str)]) -> String {
    npm_server_source_with_prelude(tools, "")
}

/// The same, with source text that runs first.
#[must_use]
pub fn npm_server_source_with_prelude(tools: &[(&str, &str)], prelude: &str) -> String {
    let body = JAVASCRIPT.replace(TOOLS, &listed(tools).to_string());
    format!("#!/usr/bin/env node\n{prelude}\n{body}")
}

/// The same server in Python, as a module whose function `main` serves.
#[must_use]
pub fn python_server_source(tools: &[(&str, &str)]) -> String {
    python_server_source_with_prelude(tools, "")
}

/// The same, with source text that runs first, when the module is imported.
#[must_use]
pub fn python_server_source_with_prelude(tools: &[(&str, &str)], prelude: &str) -> String {
    // The text of a JSON string is also that of a Python string.
    let text = json!(listed(tools).to_string()).to_string();
    format!("{prelude}\n{}", PYTHON.replace(TOOLS, &text))
}

fn listed(tools: &[(&str, &str)]) -> Value {
    let tool = |(name, description): &(&str, &str)| {
        let schema = json!({ "type": "object", "properties": {} });
        json!({ "name": name, "description": description, "inputSchema": schema })
    };
    tools.iter().map(tool).collect()
}
