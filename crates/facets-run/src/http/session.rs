//! One guarded session behind HTTP: lines to the guard, and lines back to whoever waits.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use facets_digest::json::{self, Limits, quoted};
use facets_guard::{Envelope, Facts, id_key};

use super::outlet::{Inlet, Outlet, outlet};
use crate::pipe::ClientEnds;

/// What the server says unasked is kept for whoever comes to listen; the oldest goes first.
const MOST_KEPT: usize = 1000;
const MOST_KEPT_BYTES: usize = 4 << 20;
/// Bytes of a message of the server: here it has to be held.
const LONGEST: u64 = 256 << 20;
const MESSAGE: Limits = Limits { bytes: 256 << 20, depth: 200, values: 8_000_000 };

#[derive(Debug)]
struct Waiting {
    /// Requests by the key of their id.
    posts: BTreeMap<String, Post>,
    listener: Option<Outlet>,
    kept: VecDeque<Vec<u8>>,
    /// When somebody last wanted something.
    used: Instant,
    has_ended: bool,
}

impl Waiting {
    fn new(has_ended: bool) -> Self {
        let (posts, kept) = (BTreeMap::new(), VecDeque::new());
        Self { posts, listener: None, kept, used: Instant::now(), has_ended }
    }

    /// Beside the answers: to the request that was made last, or to whoever listens.
    fn tell(&self, message: &[u8]) -> bool {
        let posts = self.posts.values().filter(|post| post.outlet.is_open());
        let last = posts.max_by_key(|post| post.number).map(|post| &post.outlet);
        let mut outlets = last.into_iter().chain(&self.listener);
        outlets.any(|outlet| outlet.send(message.to_vec()))
    }

    /// Where several share, progress finds whoever asked for it, and the rest whoever is alone.
    fn tell_one_of_many(&self, facts: &Facts, message: &[u8]) {
        let is_progress = facts.method.as_deref() == Some("notifications/progress");
        if is_progress && let Some((key, message)) = with_own_token(message, &self.posts) {
            self.posts.get(&key).map(|post| post.outlet.send(message));
        } else if let (false, 1) = (is_progress, self.posts.len()) {
            self.tell(message);
        }
    }

    fn keep(&mut self, message: &[u8]) {
        self.kept.push_back(message.to_vec());
        let size = |kept: &VecDeque<Vec<u8>>| kept.iter().map(Vec::len).sum::<usize>();
        while self.kept.len() > MOST_KEPT || size(&self.kept) > MOST_KEPT_BYTES {
            self.kept.pop_front();
        }
    }
}

#[derive(Debug)]
struct Post {
    outlet: Outlet,
    number: u64,
    /// The id that the client used, where the guard sees another.
    id: Option<String>,
    /// And the token for its progress.
    token: Option<String>,
}

/// A session.
#[derive(Debug)]
pub(super) struct HttpSession {
    /// None once it was closed.
    input: Mutex<Option<File>>,
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
            input: Mutex::new(Some(File::from(OwnedFd::from(to_guard)))),
            waiting: Mutex::new(Waiting::new(false)),
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
        while matches!((&mut reader).take(LONGEST).read_until(b'\n', &mut line), Ok(1..)) {
            if !line.ends_with(b"\n") {
                break;
            }
            let message = std::mem::take(&mut line);
            let Some(session) = session.upgrade() else { return };
            session.deliver(message.trim_ascii());
        }
        // Whoever waits sees that nothing more comes.
        if let Some(session) = session.upgrade() {
            session.close();
        }
    }

    /// Ends it: the guard sees that its client has left, and whoever waits that nothing comes.
    pub(super) fn close(&self) {
        *self.waiting() = Waiting::new(true);
        // Whoever is just writing closes it afterwards; a server that does not read must not
        // hold up anybody else.
        if let Ok(mut input) = self.input.try_lock() {
            *input = None;
        }
    }

    /// How long nobody has used it.
    pub(super) fn unused(&self) -> Duration {
        let waiting = self.waiting();
        let mut outlets = waiting.posts.values().map(|post| &post.outlet).chain(&waiting.listener);
        let is_in_use = outlets.any(Outlet::is_open);
        if is_in_use { Duration::ZERO } else { waiting.used.elapsed() }
    }

    fn deliver(&self, message: &[u8]) {
        let facts = Envelope::read(message).unwrap_or_else(|(facts, _)| facts);
        let mut waiting = self.waiting();
        let id = facts.id.as_deref().filter(|_| facts.method.is_none());
        waiting.used = Instant::now();
        if let Some(post) = id.and_then(|id| waiting.posts.remove(&id_key(id))) {
            let message = match post.id {
                Some(id) => with_id(message, &id).unwrap_or_else(|| unusable(&id)),
                None => message.to_vec(),
            };
            post.outlet.answer(message);
            return;
        }
        match self.is_shared {
            true => waiting.tell_one_of_many(&facts, message),
            false if waiting.tell(message) => {}
            false => waiting.keep(message),
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
        self.waiting().used = Instant::now();
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        let written = match &mut *input {
            Some(input) => input.write_all(&line),
            None => Err(std::io::ErrorKind::BrokenPipe.into()),
        };
        if self.has_ended() {
            *input = None;
        }
        written
    }

    /// Sends a request; what comes to it is received until its answer.
    pub(super) fn ask(&self, message: &[u8], facts: &Facts) -> Option<Inlet> {
        let id = facts.id.clone()?;
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let (outlet, answers) = outlet();
        let (key, text, original, token) = if self.is_shared {
            let key = format!("\"http-{number}\"");
            let text = with_id(message, &key)?;
            let (text, token) = match with_token(&text, &key) {
                Some((text, token)) => (text, Some(token)),
                None => (text, None),
            };
            (key, text, Some(id), token)
        } else {
            (id_key(&id), message.to_vec(), None, None)
        };
        {
            let mut waiting = self.waiting();
            if waiting.has_ended || waiting.posts.contains_key(&key) {
                return None;
            }
            waiting.used = Instant::now();
            waiting.posts.insert(key.clone(), Post { outlet, number, id: original, token });
        }
        if self.tell(&text).is_err() {
            self.waiting().posts.remove(&key);
            return None;
        }
        Some(answers)
    }

    /// Listens to what the server says unasked; one listener at a time.
    pub(super) fn listen(&self) -> Inlet {
        let (outlet, messages) = outlet();
        let mut waiting = self.waiting();
        for message in std::mem::take(&mut waiting.kept) {
            outlet.send(message);
        }
        if !waiting.has_ended {
            waiting.listener = Some(outlet);
        }
        messages
    }
}

/// Instead of an answer that cannot be given another id.
fn unusable(id: &str) -> Vec<u8> {
    let reason = "facet: the answer is too large, or cannot be read";
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32000,\"message\":\"{reason}\"}}}}"
    )
    .into_bytes()
}

/// An object with another value for a member that it has.
fn with(object: &str, name: &str, value: &str) -> Option<String> {
    let members = json::split_object(object.as_bytes(), MESSAGE).ok()??;
    let written: Vec<String> = members
        .iter()
        .map(|member| {
            let value = if member.name == name { value } else { member.value };
            format!("{}:{value}", quoted(&member.name))
        })
        .collect();
    Some(format!("{{{}}}", written.join(",")))
}

fn member<'t>(object: &'t str, name: &str) -> Option<&'t str> {
    let members = json::split_object(object.as_bytes(), MESSAGE).ok()??;
    members.into_iter().find(|member| member.name == name).map(|member| member.value)
}

/// A message with another id.
fn with_id(message: &[u8], id: &str) -> Option<Vec<u8>> {
    with(std::str::from_utf8(message).ok()?, "id", id).map(String::into_bytes)
}

/// A request that asks for progress under another token, and the token that it had.
fn with_token(message: &[u8], token: &str) -> Option<(Vec<u8>, String)> {
    let message = std::str::from_utf8(message).ok()?;
    let params = member(message, "params")?;
    let meta = member(params, "_meta")?;
    let had = member(meta, "progressToken")?;
    let params = with(params, "_meta", &with(meta, "progressToken", token)?)?;
    Some((with(message, "params", &params)?.into_bytes(), had.to_owned()))
}

/// Progress as it was asked for, and the key of the request that did.
fn with_own_token(message: &[u8], posts: &BTreeMap<String, Post>) -> Option<(String, Vec<u8>)> {
    let message = std::str::from_utf8(message).ok()?;
    let params = member(message, "params")?;
    let key = id_key(member(params, "progressToken")?);
    let token = posts.get(&key)?.token.as_deref()?;
    let message = with(message, "params", &with(params, "progressToken", token)?)?;
    Some((key, message.into_bytes()))
}
