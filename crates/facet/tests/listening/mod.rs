//! `facet run --http`, and a client of few words.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::trusted::Trusted;

/// A facet that listens; it is ended with the test.
pub(crate) struct Listening {
    child: Child,
    pub(crate) port: u16,
}

impl Listening {
    pub(crate) fn start(trusted: &Trusted) -> Self {
        Self::start_at(trusted, 0)
    }

    pub(crate) fn start_at(trusted: &Trusted, port: u16) -> Self {
        let address = format!("127.0.0.1:{port}");
        Self::of(&mut trusted.command(&["run", "s", "--http", &address]))
    }

    /// What such a command starts.
    pub(crate) fn of(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let line = lines.find_map(|line| line.ok().filter(|line| line.contains("listening at")));
        let line = line.unwrap();
        let port = line.rsplit(':').next().unwrap().trim_end_matches("/mcp").parse().unwrap();
        // Else it would wait with the rest until that is read.
        std::thread::spawn(move || lines.count());
        Self { child, port }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    pub(crate) fn post(&self, headers: &str, message: &Value) -> Answer {
        let body = message.to_string();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n{headers}\r\n",
            self.port,
            body.len()
        );
        self.exchange(&(head + &body))
    }

    pub(crate) fn exchange(&self, text: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        let session = head.lines().find_map(|line| line.strip_prefix("Mcp-Session-Id: "));
        Answer { status, session: session.map(str::to_owned), body: body.to_owned() }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    pub(crate) body: String,
}

impl Answer {
    /// The messages, however they were sent.
    pub(crate) fn messages(&self) -> Vec<Value> {
        let events = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        let events: Vec<Value> = events.map(|text| serde_json::from_str(text).unwrap()).collect();
        if events.is_empty() {
            return serde_json::from_str(&self.body).into_iter().collect();
        }
        events
    }
}

pub(crate) fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    } })
}

pub(crate) const BOTH: &str = "Accept: application/json, text/event-stream\r\n";
