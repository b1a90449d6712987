//! An MCP server that declares what a file says: `listed-server FILE [TRACE]`.
//!
//! FILE is JSON with `serverInfo`, `instructions`, `capabilities`, `tools`, `prompts`,
//! `resources` and `resourceTemplates`, all optional. `second` has lists for the second asking.
//! With `pageSize`, lists come in pages. FILE is read when the server starts. Each start appends a line to TRACE, and `fails` in FILE
//! makes the server end itself. It reads nothing for the first `slow` milliseconds.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test program"
)]

use std::collections::BTreeMap;
use std::io::{BufRead as _, Write as _};

use serde_json::{Value, json};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(trace) = arguments.get(1) {
        let mut file = std::fs::File::options().append(true).create(true).open(trace).unwrap();
        writeln!(file, "{}", std::process::id()).unwrap();
    }
    let document: Value = serde_json::from_slice(&std::fs::read(&arguments[0]).unwrap()).unwrap();
    if let Some(words) = document["fails"].as_str() {
        eprintln!("{words}");
        std::process::exit(3);
    }
    if let Some(slow) = document["slow"].as_u64() {
        std::thread::sleep(std::time::Duration::from_millis(slow));
    }
    let mut asked = BTreeMap::new();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        if message.get("id").is_none() {
            continue;
        }
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let count = asked.entry(method.clone()).or_insert(0);
        *count += 1;
        if message["params"].get("cursor").is_some() {
            *count -= 1;
        }
        let answer = match answer(&document, &method, *count) {
            Ok(result) => {
                let result = page(&document, result, &message["params"]["cursor"]);
                json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })
            }
            Err(code) => json!({
                "jsonrpc": "2.0",
                "id": message["id"],
                "error": { "code": code, "message": "no" },
            }),
        };
        println!("{answer}");
    }
}

fn answer(document: &Value, method: &str, count: usize) -> Result<Value, i64> {
    let list = |name: &str| {
        let second = document["second"].get(name).filter(|_| count > 1);
        second.or_else(|| document.get(name)).cloned()
    };
    let name = match method {
        "initialize" => return Ok(initialize(document)),
        "tools/list" => "tools",
        "prompts/list" => "prompts",
        "resources/list" => "resources",
        "resources/templates/list" => "resourceTemplates",
        _ => return Err(-32601),
    };
    match list(name) {
        Some(Value::Number(code)) => Err(code.as_i64().unwrap()),
        Some(items) => Ok(json!({ name: items })),
        None => Ok(json!({ name: [] })),
    }
}

/// One page of a list; the cursor is the number of the first entry.
fn page(document: &Value, mut result: Value, cursor: &Value) -> Value {
    let Some(size) = document["pageSize"].as_u64() else { return result };
    let Some(size) = usize::try_from(size).ok() else { return result };
    let start: usize = cursor.as_str().and_then(|text| text.parse().ok()).unwrap_or(0);
    let Some(object) = result.as_object_mut() else { return result };
    let Some(items) = object.values_mut().find_map(Value::as_array_mut) else { return result };
    let end = (start + size).min(items.len());
    let more = end < items.len();
    *items = items[start.min(end)..end].to_vec();
    if more {
        object.insert("nextCursor".to_owned(), json!(end.to_string()));
    }
    result
}

fn initialize(document: &Value) -> Value {
    let announced = |name: &str| document.get(name).is_some();
    let mut capabilities = json!({});
    if announced("tools") {
        capabilities["tools"] = json!({});
    }
    if announced("prompts") {
        capabilities["prompts"] = json!({});
    }
    if announced("resources") || announced("resourceTemplates") {
        capabilities["resources"] = json!({});
    }
    let capabilities = document.get("capabilities").cloned().unwrap_or(capabilities);
    let info = json!({ "name": "listed", "version": "1.0.0" });
    let mut result = json!({
        "protocolVersion": "2025-11-25",
        "serverInfo": document.get("serverInfo").cloned().unwrap_or(info),
        "capabilities": capabilities,
    });
    if let Some(instructions) = document.get("instructions") {
        result["instructions"] = instructions.clone();
    }
    result
}
