//! A client that says what a test wants it to say.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// How long an answer may take: longer than any that comes, also of a server that is fetched first.
const PATIENCE: Duration = Duration::from_mins(2);

/// A process that speaks the protocol on its standard streams.
#[derive(Debug)]
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// What came beside the answers that were waited for.
    pub others: Vec<Value>,
    /// What every request of the newer era carries along; none in the older.
    meta: Option<Value>,
    next_id: u64,
}

impl Client {
    /// Starts it. Its standard error goes where `stderr` says.
    ///
    /// # Panics
    /// If it cannot be started.
    #[must_use]
    pub fn start(command: &mut Command, stderr: Stdio) -> Self {
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr).spawn();
        let mut child = child.unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap_or_else(|| panic!("a pipe")));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.split(b'\n').map_while(Result::ok) {
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    break;
                }
            }
        });
        Self { child, input, lines, others: Vec::new(), meta: None, next_id: 1000 }
    }

    /// Its process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends bytes as they are.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(bytes).and_then(|()| input.flush());
        }
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.send_raw(format!("{message}\n").as_bytes());
    }

    /// The next line, if one comes in time.
    #[must_use]
    pub fn line(&self, patience: Duration) -> Option<String> {
        self.lines.recv_timeout(patience).ok()
    }

    /// The answer with this id.
    ///
    /// # Panics
    /// If none comes.
    pub fn answer(&mut self, id: &Value) -> Value {
        let is_meant = |m: &Value| m.get("method").is_none() && m.get("id") == Some(id);
        if let Some(at) = self.others.iter().position(is_meant) {
            return self.others.remove(at);
        }
        loop {
            let Some(line) = self.line(PATIENCE) else {
                panic!("no answer to {id}; others: {:?}", self.others);
            };
            let Ok(message) = serde_json::from_str::<Value>(&line) else {
                self.others.push(Value::String(line));
                continue;
            };
            if let Value::Array(batch) = &message
                && let Some(found) = batch.iter().find(|item| item["id"] == *id)
            {
                return found.clone();
            }
            if is_meant(&message) {
                return message;
            }
            self.others.push(message);
        }
    }

    /// Asks and waits.
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next_id += 1;
        let id = json!(self.next_id);
        let params = self.params(params);
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.answer(&id)
    }

    /// Parameters with what the era wants along.
    #[must_use]
    pub fn params(&self, params: &Value) -> Value {
        let mut params = params.clone();
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        params
    }

    /// The opening of the newer era, which is none.
    pub fn discover(&mut self, name: &str, capabilities: &Value) -> Value {
        self.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": name, "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        }));
        self.ask("server/discover", &json!({}))
    }

    /// The opening of the older era.
    pub fn initialize(&mut self, name: &str, capabilities: &Value) -> Value {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "clientInfo": { "name": name, "version": "1" },
            "capabilities": capabilities,
        });
        let answer = self.ask("initialize", &params);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    /// Calls a tool.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// The names of the tools that are listed, over all pages.
    pub fn tools(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        let mut params = json!({});
        loop {
            let page = self.ask("tools/list", &params);
            let tools = page["result"]["tools"].as_array().cloned().unwrap_or_default();
            names.extend(tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)));
            match page["result"].get("nextCursor") {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return names,
            }
        }
    }

    /// Says that nothing more comes.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// Closes and waits for the end; its code.
    ///
    /// # Panics
    /// If it does not end.
    pub fn finish(mut self) -> Option<i32> {
        self.input = None;
        self.wait()
    }

    /// Waits for the end; its code.
    ///
    /// # Panics
    /// If it does not end.
    pub fn wait(&mut self) -> Option<i32> {
        for _ in 0..3000 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("process {} does not end", self.child.id());
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
