//! One question after the other, while the server may say and ask what it likes.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use facets_wire::{
    Incoming, MessageError, RpcError, error_reply, notification, parse_messages, request,
    result_reply,
};

use crate::{CaptureError, CaptureLimits, Transport, TransportError};

/// What happened beside the answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interleaved {
    /// Methods that the server asked of us, in order, up to a limit.
    pub(crate) requests: Vec<String>,
    /// How many notifications came.
    pub(crate) notifications: usize,
    /// How many replies came under ids that we did not use.
    pub(crate) strays: usize,
    /// How many lines were JSON, but no messages.
    pub(crate) noise: usize,
    /// How the first of these begins.
    pub(crate) first_noise: Option<String>,
}

/// What is quoted of a line that cannot be read.
const QUOTED: usize = 200;

const KEPT_REQUESTS: usize = 50;

pub(crate) struct Session<'t> {
    pub(crate) transport: &'t mut dyn Transport,
    pub(crate) limits: CaptureLimits,
    pub(crate) interleaved: Interleaved,
    end: Instant,
    deadline: Instant,
    next_id: u64,
    /// Requests of ours that were not waited for any longer: their replies may come late.
    unanswered: BTreeSet<u64>,
}

impl<'t> Session<'t> {
    pub(crate) fn new(transport: &'t mut dyn Transport, limits: CaptureLimits) -> Self {
        let end = Instant::now() + limits.total;
        let end = limits.until.map_or(end, |until| end.min(until));
        Self {
            transport,
            limits,
            interleaved: Interleaved::default(),
            end,
            deadline: end,
            next_id: 1,
            unanswered: BTreeSet::new(),
        }
    }

    /// Sends a request and waits for its reply: the result as written, or the error.
    pub(crate) fn ask(
        &mut self,
        method: &'static str,
        params: &str,
    ) -> Result<Result<String, RpcError>, CaptureError> {
        self.ask_within(method, params, self.limits.answer)
    }

    pub(crate) fn ask_within(
        &mut self,
        method: &'static str,
        params: &str,
        patience: Duration,
    ) -> Result<Result<String, RpcError>, CaptureError> {
        let id = self.next_id;
        self.next_id += 1;
        let deadline = (Instant::now() + patience).min(self.end);
        self.deadline = deadline;
        let sent =
            self.transport.send(&request(&id.to_string(), method, params), Some(method), deadline);
        sent.map_err(|source| self.late(method, patience, source))?;
        self.unanswered.insert(id);
        loop {
            let received = self.transport.receive(deadline);
            let bytes = received.map_err(|source| self.late(method, patience, source))?;
            if let Some(reply) = self.take(method, id, &bytes)? {
                return Ok(reply);
            }
            // A server that talks without end does not get more time for it.
            if Instant::now() >= deadline {
                return Err(self.late(method, patience, TransportError::Timeout));
            }
        }
    }

    /// Whether it was this answer that took too long, or everything together.
    fn late(
        &self,
        method: &'static str,
        patience: Duration,
        source: TransportError,
    ) -> CaptureError {
        match source {
            TransportError::Timeout if Instant::now() >= self.end => {
                CaptureError::TooSlow { limit: self.limits.total }
            }
            TransportError::Timeout => {
                CaptureError::NoAnswer { method, after: patience, noise: self.first_noise() }
            }
            source => CaptureError::Transport { method, source },
        }
    }

    /// The first line that was no message: what loggers print to the wrong stream.
    fn first_noise(&self) -> Option<String> {
        let line = self.transport.noise().first();
        line.or(self.interleaved.first_noise.as_ref()).cloned()
    }

    /// Looks at what came; the reply that was waited for is given back.
    fn take(
        &mut self,
        method: &'static str,
        id: u64,
        bytes: &[u8],
    ) -> Result<Option<Result<String, RpcError>>, CaptureError> {
        let messages = match parse_messages(bytes, self.limits.message) {
            Ok(messages) => messages,
            // JSON that is no message is what loggers print.
            Err(MessageError::NotRpc { .. }) => {
                self.interleaved.noise += 1;
                self.interleaved.first_noise.get_or_insert_with(|| start_of(bytes));
                return Ok(None);
            }
            Err(source) => {
                return Err(CaptureError::InvalidMessage { method, source, line: start_of(bytes) });
            }
        };
        let mut answer = None;
        for message in messages {
            match message {
                Incoming::Reply { id: theirs, result } => {
                    // Only our own id, written as we wrote it, counts; and only once.
                    let known = self.unanswered.iter().find(|ours| theirs == ours.to_string());
                    match known.copied() {
                        Some(ours) => {
                            self.unanswered.remove(&ours);
                            if ours == id {
                                answer = Some(result.map(str::to_owned));
                            }
                        }
                        None => self.interleaved.strays += 1,
                    }
                }
                Incoming::Notification { .. } => self.interleaved.notifications += 1,
                Incoming::Request { id: theirs, method: asked } => {
                    let reply = match asked.as_str() {
                        "ping" => result_reply(theirs, "{}"),
                        "roots/list" => result_reply(theirs, "{\"roots\":[]}"),
                        _ => error_reply(
                            theirs,
                            -32601,
                            "facet is only reading declarations and handles no requests",
                            "",
                        ),
                    };
                    self.send(method, &reply, None)?;
                    if self.interleaved.requests.len() < KEPT_REQUESTS {
                        self.interleaved.requests.push(asked);
                    }
                }
            }
        }
        Ok(answer)
    }

    /// Tells something that wants no answer.
    pub(crate) fn tell(&mut self, method: &'static str) -> Result<(), CaptureError> {
        self.send(method, &notification(method, ""), None)
    }

    fn send(
        &mut self,
        method: &'static str,
        message: &str,
        request: Option<&str>,
    ) -> Result<(), CaptureError> {
        self.transport
            .send(message, request, self.deadline)
            .map_err(|source| CaptureError::Transport { method, source })
    }
}

/// Enough of a line to recognise it.
fn start_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(QUOTED)]).into_owned()
}
