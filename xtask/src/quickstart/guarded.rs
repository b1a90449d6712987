//! The end of the quickstart: a configuration that people have, adopted, run, and the rug pulled.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::finish;
use crate::{Outcome, run};

/// Goes through it; gives what there is to see.
pub(super) fn perform(facet: &Path, folder: &Path) -> Outcome<Vec<String>> {
    let project = folder.join("assistant");
    fs::create_dir_all(&project).map_err(|error| error.to_string())?;
    let mut shown = Vec::new();
    let mut show = |text: &str| shown.push(text.to_owned());
    configure(facet, &project)?;
    let file = project.join(".mcp.json");
    let original = fs::read(&file).map_err(|error| error.to_string())?;
    show("An assistant's configuration names a server (.mcp.json). Adopt it:");
    show("$ facet adopt claude-code --yes");
    let said = in_project(facet, &project, &["adopt", "claude-code", "--yes"])?;
    said.lines().rev().take(1).for_each(&mut show);
    show("=> it is pinned, and the assistant now starts `facet run files`");
    let mut session = Session::start(facet, &project)?;
    let before = session.tools()?;
    show(&format!("The assistant asks for the tools: {}", before.join(", ")));
    let answer = session.call("echo", &json!({ "text": "hello" }))?;
    show(&format!("It calls one: {}", answer["result"]["content"][0]["text"]));
    drop(session);
    turn(&project, "at-once")?;
    show("The publisher poisons the description of read_file. The assistant starts it again:");
    let mut session = Session::start(facet, &project)?;
    let after = session.tools()?;
    show(&format!("The assistant asks for the tools: {}", after.join(", ")));
    let answer = session.call("read_file", &json!({ "path": "x" }))?;
    let refusal = answer["error"]["message"].as_str().unwrap_or_default().to_owned();
    show(&format!("It calls read_file: {refusal}"));
    drop(session);
    in_project(facet, &project, &["disconnect", "--yes"])?;
    show("=> withheld; the rest works; `facet disconnect` restores the file to the byte");
    let is_restored = fs::read(&file).is_ok_and(|bytes| bytes == original);
    let is_shown = is_restored
        && before.len() == 3
        && after.len() == 2
        && refusal.contains("until a person decides");
    if is_shown { Ok(shown) } else { Err(format!("the guard did not hold: {shown:#?}")) }
}

/// Everything of this user lies in the example.
fn in_project(facet: &Path, project: &Path, arguments: &[&str]) -> Outcome<String> {
    finish(facet, project, arguments, 0)
}

fn configure(facet: &Path, project: &Path) -> Outcome {
    turn(project, "plain")?;
    let server = facet.with_file_name("acting-server");
    let entry = json!({ "command": server, "args": [project.join("server.json")] });
    let text = format!("{:#}\n", json!({ "mcpServers": { "files": entry } }));
    fs::write(project.join(".mcp.json"), text).map_err(|error| error.to_string())
}

/// How the server behaves from its next start on.
fn turn(project: &Path, mode: &str) -> Outcome {
    let text = json!({ "mode": mode }).to_string();
    fs::write(project.join("server.json"), text).map_err(|error| error.to_string())
}

/// A session of an assistant.
pub(super) struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    id: u64,
}

impl Session {
    /// With the server that the configuration of the assistant names.
    fn start(facet: &Path, project: &Path) -> Outcome<Self> {
        let text = fs::read_to_string(project.join(".mcp.json")).map_err(|e| e.to_string())?;
        let document: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        let entry = &document["mcpServers"]["files"];
        let args = entry["args"].as_array().cloned().unwrap_or_default();
        if entry["command"].as_str().is_none_or(|command| !command.contains("facet")) {
            return Err(format!("the entry does not start facet: {entry}"));
        }
        let mut command = Command::new(facet);
        command.args(args.iter().filter_map(Value::as_str)).current_dir(project);
        Self::open(command.env("FACET_DIR", run::user_folder("quickstart")))
    }

    /// With a server that is started by this command.
    pub(super) fn open(command: &mut Command) -> Outcome<Self> {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = spawned.spawn().map_err(|error| error.to_string())?;
        let pipes = child.stdin.take().zip(child.stdout.take()).ok_or("no pipes")?;
        let output = BufReader::new(pipes.1);
        let mut session = Self { child, input: pipes.0, output, id: 0 };
        session.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "assistant", "version": "1" },
            }),
        )?;
        let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        session.send(&told)?;
        Ok(session)
    }

    fn send(&mut self, message: &Value) -> Outcome {
        writeln!(self.input, "{message}").map_err(|error| error.to_string())
    }

    fn ask(&mut self, method: &str, params: &Value) -> Outcome<Value> {
        self.id += 1;
        let id = self.id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut line = String::new();
            if !matches!(self.output.read_line(&mut line), Ok(1..)) {
                return Err(format!("the session ended before it answered {method}"));
            }
            let message: Value = serde_json::from_str(&line).map_err(|error| error.to_string())?;
            if message["id"] == id {
                return Ok(message);
            }
        }
    }

    pub(super) fn tools(&mut self) -> Outcome<Vec<String>> {
        let page = self.ask("tools/list", &json!({}))?;
        let tools = page["result"]["tools"].as_array().cloned().unwrap_or_default();
        Ok(tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect())
    }

    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Outcome<Value> {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
