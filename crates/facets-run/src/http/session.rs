//! One guarded session behind HTTP: lines to the guard, and lines back to whoever waits.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use facets_digest::json::{self, Limits};
use facets_guard::{Envelope, Facts};

use crate::pipe::ClientEnds;

/// What the server says unasked is kept for whoever comes to listen; the oldest goes first.
const MOST_KEPT: usize = 1000;
const MESSAGE: Limits = Limits { bytes: 64 << 20, depth: 200, values: 8_000_000 };

/// Where messages for one request go.
type Outlet = Sender<Vec<u8>>;

#[derive(Debug, Default)]
struct Waiting {
    /// Requests by the key of their id, in the order in which they came.
    posts: BTreeMap<String, Post>,
    listener: Option<Outlet>,
    kept: VecDeque<Vec<u8>>,
    has_ended: bool,
}

#[derive(Debug)]
struct Post {
    outlet: Outlet,
    number: u64,
    /// The id that the client used, where the guard sees another.
    id: Option<String>,
}

/// A session.
#[derive(Debug)]
pub(super) struct HttpSession {
    input: Mutex<File>,
    waiting: Mutex<Waiting>,
    /// Whether several clients use it, whose ids may be the same.
    is_shared: bool,
    numbers: AtomicU64,
}

impl HttpSession {
    /// A session, and the ends that its guard speaks to.
    pub(super) fn new(is_shared: bool) -> std::io::Result<(Arc<Self>, ClientEnds, OwnedFd)> {
        let (input, to_guard) = std::io::pipe()?;
        let (from_guard, output) = std::io::pipe()?;
        let session = Self {
            input: Mutex::new(File::from(OwnedFd::from(to_guard))),
            waiting: Mutex::default(),
            is_shared,
            numbers: AtomicU64::new(1),
        };
        let ends = ClientEnds { input: input.into(), output: output.into() };
        Ok((Arc::new(session), ends, from_guard.into()))
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands lines of the guard to whoever waits for them, until there are no more lines, or
    /// nobody who could ask for any.
    pub(super) fn route_weakly(session: &Weak<Self>, lines: OwnedFd) {
        let mut reader = BufReader::new(File::from(lines));
        let mut line = Vec::new();
        while matches!(reader.read_until(b'\n', &mut line), Ok(1..)) {
            let message = std::mem::take(&mut line);
            let Some(session) = session.upgrade() else { return };
            session.deliver(message.trim_ascii());
        }
        // Whoever waits sees that nothing more comes.
        if let Some(session) = session.upgrade() {
            *session.waiting() = Waiting { has_ended: true, ..Waiting::default() };
        }
    }

    fn deliver(&self, message: &[u8]) {
        let facts = Envelope::read(message).unwrap_or_else(|(facts, _)| facts);
        let mut waiting = self.waiting();
        let id = facts.id.as_deref().filter(|_| facts.method.is_none());
        if let Some(post) = id.and_then(|id| waiting.posts.remove(id)) {
            let message = match post.id {
                Some(id) => with_id(message, &id).unwrap_or_else(|| message.to_vec()),
                None => message.to_vec(),
            };
            // If nobody waits any more, nobody does.
            let _ = post.outlet.send(message);
            return;
        }
        // Beside the answers: to the request that was made last, or to whoever listens.
        let last = waiting.posts.values().max_by_key(|post| post.number);
        let outlet = last.map(|post| &post.outlet).or(waiting.listener.as_ref());
        if outlet.is_none_or(|outlet| outlet.send(message.to_vec()).is_err()) {
            waiting.kept.push_back(message.to_vec());
            if waiting.kept.len() > MOST_KEPT {
                waiting.kept.pop_front();
            }
        }
    }

    /// Whether the server is gone.
    pub(super) fn has_ended(&self) -> bool {
        self.waiting().has_ended
    }

    /// Sends a message that nobody waits for.
    pub(super) fn tell(&self, message: &[u8]) -> std::io::Result<()> {
        let mut line: Vec<u8> = message.to_vec();
        for byte in line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')) {
            *byte = b' ';
        }
        line.push(b'\n');
        self.input.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line)
    }

    /// Sends a request; what comes to it is received until its answer.
    pub(super) fn ask(&self, message: &[u8], facts: &Facts) -> Option<Receiver<Vec<u8>>> {
        let id = facts.id.clone()?;
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let (outlet, answers) = channel();
        let (key, text, original) = if self.is_shared {
            let key = format!("\"http-{number}\"");
            (key.clone(), with_id(message, &key)?, Some(id))
        } else {
            (id, message.to_vec(), None)
        };
        {
            let mut waiting = self.waiting();
            if waiting.has_ended || waiting.posts.contains_key(&key) {
                return None;
            }
            waiting.posts.insert(key.clone(), Post { outlet, number, id: original });
        }
        if self.tell(&text).is_err() {
            self.waiting().posts.remove(&key);
            return None;
        }
        Some(answers)
    }

    /// Listens to what the server says unasked; one listener at a time.
    pub(super) fn listen(&self) -> Receiver<Vec<u8>> {
        let (outlet, messages) = channel();
        let mut waiting = self.waiting();
        for message in std::mem::take(&mut waiting.kept) {
            let _ = outlet.send(message);
        }
        if !waiting.has_ended {
            waiting.listener = Some(outlet);
        }
        messages
    }
}

/// A message with another id.
fn with_id(message: &[u8], id: &str) -> Option<Vec<u8>> {
    let members = json::split_object(message, MESSAGE).ok()??;
    let mut out = Vec::from(*b"{");
    for member in members {
        if out.len() > 1 {
            out.push(b',');
        }
        json::write_string(&member.name, &mut out);
        out.push(b':');
        out.extend_from_slice(if member.name == "id" {
            id.as_bytes()
        } else {
            member.value.as_bytes()
        });
    }
    out.push(b'}');
    Some(out)
}
