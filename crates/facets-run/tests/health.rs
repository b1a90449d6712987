//! spec 11.5: a server that says nothing is asked whether it is there.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::io::{BufRead as _, BufReader, PipeReader, PipeWriter, Write as _, pipe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use facets_guard::{Event, Guard, OnDrift, Pins, Rules};
use facets_launch::Ending;
use facets_run::{
    ClientEnds, Control, RecordDecisions, Recorder, RunningServer, ServerHandle, Session,
    SessionEnd, SilenceLimits, serve,
};
use facets_surface::{Also, Definition, Era, Kind, Listing, ServerIdentity, Source, Surface};
use serde_json::{Value, json};

const TOOL: &str = r#"{"name":"echo","inputSchema":{"type":"object"}}"#;
/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(30);

/// What a server does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deaf {
    Never,
    ToPings,
    /// It works on a call, and does nothing else.
    WhileCalled,
}

/// A server that ends when its streams do.
struct Thread;

impl ServerHandle for Thread {
    fn wait(&mut self, _: Duration) -> Option<Ending> {
        None
    }

    fn stop(self: Box<Self>) -> Ending {
        Ending::Unknown
    }
}

struct Forget;

impl RecordDecisions for Forget {
    fn on_decision(&mut self, _: &Event) {}
}

/// Starts a server that reports every method it hears.
fn server(deaf: Deaf, heard: Sender<String>) -> RunningServer {
    let (their_input, input) = pipe().unwrap();
    let (output, their_output) = pipe().unwrap();
    std::thread::spawn(move || speak(deaf, their_input, their_output, &heard));
    RunningServer::new(input.into(), output.into(), Box::new(Thread))
}

fn speak(deaf: Deaf, input: PipeReader, mut output: PipeWriter, heard: &Sender<String>) {
    let mut is_busy = false;
    for line in BufReader::new(input).lines() {
        let Ok(line) = line else { return };
        let message: Value = serde_json::from_str(&line).unwrap();
        let method = message["method"].as_str().unwrap();
        let _ = heard.send(method.to_owned());
        is_busy |= deaf == Deaf::WhileCalled && method == "tools/call";
        let result = match method {
            _ if is_busy => continue,
            "ping" if deaf == Deaf::ToPings => continue,
            "initialize" => json!({
                "protocolVersion": "2025-06-18",
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "s", "version": "1" },
            }),
            "tools/list" => json!({ "tools": [serde_json::from_str::<Value>(TOOL).unwrap()] }),
            "ping" => json!({}),
            "tools/call" => json!({ "content": [] }),
            _ => continue,
        };
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
        if writeln!(output, "{answer}").is_err() {
            return;
        }
    }
}

fn surface() -> Surface {
    let tool = Definition::parse(Kind::Tool, TOOL).unwrap();
    Surface {
        era: Era::Initialize,
        protocol: String::new(),
        server: ServerIdentity::default(),
        capabilities: "{}".to_owned(),
        instructions: None,
        tools: Some(Listing::new(vec![tool]).unwrap()),
        prompts: None,
        resources: None,
        resources_volatile: false,
        resource_templates: None,
        source: Source::default(),
        also: Also::default(),
    }
}

fn rules() -> Rules {
    Rules {
        server: "s".to_owned(),
        directory: None,
        on_drift: OnDrift::Block,
        sampling: true,
        elicitation: true,
        arguments: None,
        nonce: "facet-test".to_owned(),
        records_all: false,
        first_answer: Duration::ZERO,
    }
}

/// A client in a session, and what its servers hear.
struct Talk {
    say: PipeWriter,
    hear: BufReader<PipeReader>,
    heard: Receiver<String>,
    session: JoinHandle<SessionEnd>,
}

impl Talk {
    /// The first server is deaf in some way, each further one is not.
    fn begin(deaf: Deaf) -> Self {
        let (input, say) = pipe().unwrap();
        let (hear, output) = pipe().unwrap();
        let (send, heard) = channel();
        let (control, requests) = Control::new().unwrap();
        let first = server(deaf, send.clone());
        let starts = AtomicUsize::new(0);
        let session = Session {
            guard: Guard::new(Pins::of([&surface()]), rules()),
            client: ClientEnds { input: input.into(), output: output.into() },
            server: first,
            restart: Box::new(move || {
                let _ = send.send(format!("start {}", starts.fetch_add(1, Ordering::Relaxed)));
                Ok(server(Deaf::Never, send.clone()))
            }),
            most_restarts: 3,
            patience: SilenceLimits {
                silence: Duration::from_millis(100),
                unanswered: Duration::from_millis(200),
                ..SilenceLimits::default()
            },
            recorder: Recorder::new(Forget).unwrap(),
            control,
            requests,
        };
        let session = std::thread::spawn(move || serve(session));
        let mut talk = Self { say, hear: BufReader::new(hear), heard, session };
        let client = json!({ "name": "c", "version": "1" });
        talk.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client }),
        );
        talk.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        talk.ask("tools/list", &json!({}));
        talk
    }

    fn tell(&mut self, message: &Value) {
        writeln!(self.say, "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.tell(&json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert!(self.hear.read_line(&mut line).unwrap() > 0, "the session ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == method {
                return message;
            }
        }
    }

    /// What the servers hear up to something.
    fn until(&self, what: &str) -> Vec<String> {
        let mut all = Vec::new();
        while all.last().is_none_or(|last| last != what) {
            let next = self.heard.recv_timeout(LONG);
            assert!(next.is_ok(), "nobody heard {what}, but {all:?}");
            all.extend(next);
        }
        all
    }

    fn end(self) -> SessionEnd {
        drop(self.say);
        self.session.join().unwrap()
    }
}

#[test]
fn one_that_does_not_answer_is_started_again_and_goes_on() {
    let mut talk = Talk::begin(Deaf::ToPings);
    let before = talk.until("start 0");
    assert_eq!(before.iter().filter(|method| *method == "ping").count(), 1, "{before:?}");
    talk.until("initialize");
    let answer = talk.ask("tools/call", &json!({ "name": "echo", "arguments": {} }));
    assert_eq!(answer["result"], json!({ "content": [] }), "{answer}");
    assert!(matches!(talk.end(), SessionEnd::ClientLeft(_)));
}

#[test]
fn one_that_answers_is_left_alone() {
    let talk = Talk::begin(Deaf::Never);
    for _ in 0..3 {
        let heard = talk.until("ping");
        assert!(heard.iter().all(|what| !what.starts_with("start")), "{heard:?}");
    }
    assert!(matches!(talk.end(), SessionEnd::ClientLeft(_)));
}

#[test]
fn one_that_somebody_waits_for_is_left_alone() {
    let mut talk = Talk::begin(Deaf::WhileCalled);
    let params = json!({ "name": "echo", "arguments": {} });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    talk.tell(&call);
    talk.until("ping");
    // Several times as long as one may take to whom nobody has said anything.
    let next = talk.heard.recv_timeout(Duration::from_secs(3));
    assert!(next.is_err(), "{next:?}");
    talk.end();
}
