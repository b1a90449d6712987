//! An MCP server that does next to nothing, for measurements: `echo-server`.
//!
//! Its one tool says its argument again, or a text of `size` bytes.

#![allow(clippy::unwrap_used, reason = "a test program")]

use std::io::{BufRead as _, Write as _};

use serde_json::{Value, json};

fn main() {
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    let mut line = String::new();
    while matches!(input.read_line(&mut line), Ok(1..)) {
        let message: Value = serde_json::from_str(&line).unwrap();
        line.clear();
        let Some(id) = message.get("id") else { continue };
        let answer = match answer(&message) {
            Ok(result) => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n"),
            Err(error) => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}\n"),
        };
        output.write_all(answer.as_bytes()).unwrap();
        output.flush().unwrap();
    }
}

fn answer(message: &Value) -> Result<String, String> {
    let params = &message["params"];
    Ok(match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "echo", "version": "1" },
        })
        .to_string(),
        "tools/list" => {
            let schema =
                json!({ "type": "object", "properties": { "text": { "type": "string" } } });
            json!({ "tools": [{ "name": "echo", "inputSchema": schema }] }).to_string()
        }
        "tools/call" => {
            let arguments = &params["arguments"];
            let size = arguments["size"].as_u64().and_then(|size| usize::try_from(size).ok());
            let text = size.map_or_else(
                || arguments["text"].to_string(),
                |size| format!("\"{}\"", "x".repeat(size)),
            );
            format!("{{\"content\":[{{\"type\":\"text\",\"text\":{text}}}]}}")
        }
        _ => return Err(json!({ "code": -32601, "message": "no" }).to_string()),
    })
}
