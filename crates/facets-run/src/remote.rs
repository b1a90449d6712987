//! A server that is called over HTTP, as if it had two streams like any other.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use facets_digest::json::Limits;
use facets_launch::Ending;
use facets_mcp::{PostReply, Poster, RequestHeaders};
use facets_wire::{
    Envelope, EventParser, Header, MessageFacts, MessageShape, error_reply, id_key,
    keep_on_one_line, member_at, trim_json_space,
};

use crate::running_server::{RunningServer, ServerHandle};

/// Requests that may be open at the same time; each has a connection of its own.
const MAX_OPEN: usize = 256;
/// Bytes of one message, either way.
const MAX_BYTES: usize = 256 << 20;
/// What is held of an answer before it keeps others waiting.
const HELD: usize = 4 << 20;

/// Makes a server out of an address.
#[derive(Debug)]
pub struct Remote;

impl Remote {
    /// Nothing is sent before the client says something.
    pub fn start(url: &str, headers: Vec<Header>) -> std::io::Result<RunningServer> {
        let (requests, input) = std::io::pipe()?;
        let (output, answers) = std::io::pipe()?;
        let bridge = Arc::new(Bridge {
            poster: Poster::new(url, headers),
            state: Mutex::default(),
            output: Mutex::new(File::from(OwnedFd::from(answers))),
            open: AtomicUsize::new(0),
        });
        thread::Builder::new().spawn(move || bridge.serve(BufReader::new(requests)))?;
        Ok(RunningServer::new(input.into(), output.into(), Box::new(RemoteHandle)))
    }
}

/// Nothing runs here; what runs elsewhere ends when nobody calls it.
struct RemoteHandle;

impl ServerHandle for RemoteHandle {
    fn wait(&mut self, _: Duration) -> Option<Ending> {
        Some(Ending::Exited(0))
    }

    fn stop(self: Box<Self>) -> Ending {
        Ending::Exited(0)
    }
}

#[derive(Debug, Default)]
struct RemoteState {
    session: Option<String>,
    revision: Option<String>,
}

struct Bridge {
    poster: Poster,
    state: Mutex<RemoteState>,
    output: Mutex<File>,
    open: AtomicUsize,
}

impl Bridge {
    /// Sends every line on, until there are no more.
    fn serve(self: &Arc<Self>, mut requests: impl std::io::BufRead) {
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = (&mut requests).take(MAX_BYTES as u64).read_until(b'\n', &mut line);
            if !matches!(read, Ok(1..)) {
                break;
            }
            self.send(line.trim_ascii_end());
        }
        if let Some(session) = self.state().session.take() {
            self.poster.goodbye(&session);
        }
    }

    fn state(&self) -> MutexGuard<'_, RemoteState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(self: &Arc<Self>, message: &[u8]) {
        let facts = Envelope::read(message).unwrap_or_else(|(facts, _)| facts);
        let is_request = facts.method.is_some() && facts.id.is_some();
        // The opening comes before everything else; the rest may overtake.
        let opens = ["initialize", "notifications/initialized"];
        if facts.method.as_deref().is_some_and(|method| opens.contains(&method)) {
            self.exchange(message, &facts);
            if !is_request {
                self.listen();
            }
            return;
        }
        if self.open.fetch_add(1, Ordering::Relaxed) >= MAX_OPEN {
            self.open.fetch_sub(1, Ordering::Relaxed);
            return self.fail(&facts, "too many requests are open");
        }
        let (bridge, message) = (Arc::clone(self), message.to_vec());
        let theirs = facts.clone();
        let thread = thread::Builder::new().spawn(move || {
            bridge.exchange(&message, &theirs);
            bridge.open.fetch_sub(1, Ordering::Relaxed);
        });
        if thread.is_err() {
            self.open.fetch_sub(1, Ordering::Relaxed);
            self.fail(&facts, "too many requests are open");
        }
    }

    fn exchange(&self, message: &[u8], facts: &MessageFacts) {
        match self.poster.post(message, &self.request_headers(message, facts)) {
            Err(error) => self.fail(facts, &error.to_string()),
            Ok((answer, session)) => {
                if session.is_some() {
                    self.state().session = session;
                }
                let is_answered = match answer {
                    PostReply::Nothing => facts.method.is_none() || facts.id.is_none(),
                    PostReply::Events(reader) => self.events(reader, facts),
                    PostReply::Message(reader, None) => self.message(reader, facts),
                    PostReply::Message(reader, Some(status)) => self.error(reader, status, facts),
                };
                if !is_answered {
                    self.fail(facts, "the server sent no valid answer");
                }
            }
        }
    }

    /// What goes along: newer clients say in every message which revision they speak.
    fn request_headers(&self, message: &[u8], facts: &MessageFacts) -> RequestHeaders {
        let state = self.state();
        let is_opening = facts.method.as_deref() == Some("initialize");
        let revision = stated_revision(message).or_else(|| state.revision.clone());
        RequestHeaders {
            session: state.session.clone().filter(|_| !is_opening),
            revision: revision.filter(|_| !is_opening),
            method: facts.method.clone(),
            name: match facts.method.as_deref() {
                Some("tools/call" | "prompts/get") => facts.name.clone(),
                Some("resources/read") => facts.uri.clone(),
                _ => None,
            },
        }
    }

    /// One message, on one line.
    fn message(&self, mut reader: Box<dyn Read + Send>, facts: &MessageFacts) -> bool {
        let mut bytes = Vec::new();
        let held = (&mut reader).take(HELD as u64).read_to_end(&mut bytes);
        if held.is_err() || bytes.is_empty() {
            return false;
        }
        // One that is held whole is known to answer, or not to.
        let begins_well = match Envelope::read(trim_json_space(&bytes)) {
            Ok(answer) if bytes.len() < HELD => {
                answer.method.is_none() && same_id(&answer, facts)
                    || answer.shape == MessageShape::Batch
            }
            Err(_) => bytes.len() >= HELD,
            Ok(_) => true,
        };
        if !begins_well {
            return false;
        }
        if facts.method.as_deref() == Some("initialize") {
            self.state().revision = agreed_revision(&bytes);
        }
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let mut left = MAX_BYTES;
        loop {
            keep_on_one_line(&mut bytes);
            if output.write_all(&bytes).is_err() {
                return true;
            }
            left = left.saturating_sub(bytes.len());
            bytes.resize(64 << 10, 0);
            match reader.read(&mut bytes) {
                Ok(count @ 1..) if left > 0 => bytes.truncate(count),
                outcome => {
                    let _ = output.write_all(b"\n");
                    return matches!(outcome, Ok(0));
                }
            }
        }
    }

    /// An error of HTTP may bring one of the protocol along.
    fn error(&self, reader: Box<dyn Read + Send>, status: u16, facts: &MessageFacts) -> bool {
        let mut bytes = Vec::new();
        let _ = reader.take(1 << 20).read_to_end(&mut bytes);
        let body = Envelope::read(trim_json_space(&bytes));
        if body.is_ok_and(|body| body.has_error && body.id == facts.id) {
            return self.message(Box::new(std::io::Cursor::new(bytes)), facts);
        }
        self.fail(facts, &format!("the server answered with HTTP status {status}"));
        true
    }

    /// Messages, one event each; whether the answer to a request was among them.
    fn events(&self, mut reader: Box<dyn Read + Send>, request: &MessageFacts) -> bool {
        let is_opening = request.method.as_deref() == Some("initialize");
        let mut is_answered = false;
        let mut parser = EventParser::new(MAX_BYTES);
        let mut buffer = [0; 16 << 10];
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            let Ok(events) = parser.push(&buffer[..count]) else { break };
            for event in events {
                if is_opening && let Some(revision) = agreed_revision(&event.data) {
                    self.state().revision = Some(revision);
                }
                if !matches!(&*event.kind, "" | "message") || event.data.is_empty() {
                    continue;
                }
                let facts = Envelope::read(&event.data).unwrap_or_else(|(facts, _)| facts);
                is_answered |= facts.method.is_none() && same_id(&facts, request);
                // What follows an opening on the same stream keeps everybody waiting.
                if self.write_line(event.data).is_err() || (is_answered && is_opening) {
                    return true;
                }
            }
        }
        is_answered
    }

    /// What the server says unasked.
    fn listen(self: &Arc<Self>) {
        let bridge = Arc::clone(self);
        let headers = {
            let state = self.state();
            let (session, revision) = (state.session.clone(), state.revision.clone());
            RequestHeaders { session, revision, ..RequestHeaders::default() }
        };
        // Without a thread it is not heard, and everything else works.
        let _ = thread::Builder::new().spawn(move || {
            if let Some(reader) = bridge.poster.listen(&headers) {
                bridge.events(reader, &MessageFacts::default());
            }
        });
    }

    fn write_line(&self, mut message: Vec<u8>) -> std::io::Result<()> {
        keep_on_one_line(&mut message);
        message.push(b'\n');
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        output.write_all(&message)
    }

    /// Whoever waits for an answer is told that none comes.
    fn fail(&self, facts: &MessageFacts, reason: &str) {
        let (Some(id), Some(_)) = (&facts.id, &facts.method) else { return };
        // The guard, which reads this, lets nothing pass that speaks as facet.
        let reply = error_reply(id, -32000, reason, "");
        let _ = self.write_line(reply.into_bytes());
    }
}

fn same_id(one: &MessageFacts, other: &MessageFacts) -> bool {
    one.id.as_deref().map(id_key) == other.id.as_deref().map(id_key)
}

const SMALL: Limits = Limits { bytes: HELD, depth: 200, values: 1_000_000 };

fn text_at(message: &[u8], path: &[&str]) -> Option<String> {
    let text = member_at(std::str::from_utf8(message).ok()?, path, SMALL)?;
    Some(text.trim_matches('"').to_owned())
}

fn stated_revision(message: &[u8]) -> Option<String> {
    text_at(message, &["params", "_meta", "io.modelcontextprotocol/protocolVersion"])
}

fn agreed_revision(answer: &[u8]) -> Option<String> {
    text_at(answer, &["result", "protocolVersion"])
}
