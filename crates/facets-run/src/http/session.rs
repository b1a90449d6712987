//! One guarded session behind HTTP: lines to the guard, and lines back to whoever waits.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use facets_digest::json::{self, Limits};
use facets_wire::{
    Envelope, MessageFacts, MessageShape, error_reply, id_key, member, push_line, with_member,
};

use super::queue::{MessageReceiver, MessageSender, message_queue};
use crate::pipe::ClientEnds;

/// What the server says unasked is kept for whoever comes to listen; the oldest goes first.
const MAX_KEPT: usize = 1000;
const MAX_KEPT_BYTES: usize = 4 << 20;
/// Bytes of a message of the server: here it has to be held.
const LONGEST: u64 = 256 << 20;
const MESSAGE: Limits = Limits { bytes: 256 << 20, depth: 200, values: 8_000_000 };

/// Who waits for what.
#[derive(Debug)]
struct SessionState {
    /// Requests by the key of their id.
    posts: BTreeMap<String, PendingPost>,
    listener: Option<MessageSender>,
    kept: VecDeque<Vec<u8>>,
    /// When somebody last wanted something.
    used: Instant,
    has_ended: bool,
}

impl SessionState {
    fn new(has_ended: bool) -> Self {
        let (posts, kept) = (BTreeMap::new(), VecDeque::new());
        Self { posts, listener: None, kept, used: Instant::now(), has_ended }
    }

    /// Beside the replies: to the request that was made last, or to whoever listens.
    fn send(&self, message: &[u8]) -> bool {
        let posts = self.posts.values().filter(|post| post.sender.is_open());
        let last = posts.max_by_key(|post| post.number).map(|post| &post.sender);
        let mut senders = last.into_iter().chain(&self.listener);
        senders.any(|sender| sender.send(message.to_vec()))
    }

    /// Where several share, progress finds whoever asked for it, and the rest whoever is alone.
    fn send_to_one_of_many(&self, facts: &MessageFacts, message: &[u8]) {
        let is_progress = facts.method.as_deref() == Some("notifications/progress");
        if is_progress && let Some((key, message)) = with_own_token(message, &self.posts) {
            self.posts.get(&key).map(|post| post.sender.send(message));
        } else if let (false, 1) = (is_progress, self.posts.len()) {
            self.send(message);
        }
    }

    fn keep(&mut self, message: &[u8]) {
        self.kept.push_back(message.to_vec());
        let size = |kept: &VecDeque<Vec<u8>>| kept.iter().map(Vec::len).sum::<usize>();
        while self.kept.len() > MAX_KEPT || size(&self.kept) > MAX_KEPT_BYTES {
            self.kept.pop_front();
        }
    }
}

#[derive(Debug)]
struct PendingPost {
    sender: MessageSender,
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
    state: Mutex<SessionState>,
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
            state: Mutex::new(SessionState::new(false)),
            is_shared,
            numbers: AtomicU64::new(1),
        };
        let ends = ClientEnds { input: input.into(), output: output.into() };
        Ok((Arc::new(session), ends, from_guard.into()))
    }

    fn state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
        *self.state() = SessionState::new(true);
        // Whoever is just writing closes it afterwards; a server that does not read must not
        // hold up anybody else.
        if let Ok(mut input) = self.input.try_lock() {
            *input = None;
        }
    }

    /// How long nobody has used it.
    pub(super) fn unused(&self) -> Duration {
        let state = self.state();
        let mut senders = state.posts.values().map(|post| &post.sender).chain(&state.listener);
        let is_in_use = senders.any(MessageSender::is_open);
        if is_in_use { Duration::ZERO } else { state.used.elapsed() }
    }

    fn deliver(&self, message: &[u8]) {
        // A line that was broken off is no message; the error that takes its place follows.
        let Ok(facts) = Envelope::read(message) else { return };
        if facts.shape == MessageShape::Batch {
            let items = json::split_array(message, MESSAGE).ok().flatten().unwrap_or_default();
            return items.iter().for_each(|item| self.deliver(item.as_bytes()));
        }
        let mut state = self.state();
        let id = facts.id.as_deref().filter(|_| facts.method.is_none());
        state.used = Instant::now();
        if let Some(post) = id.and_then(|id| state.posts.remove(&id_key(id))) {
            let message = match post.id {
                Some(id) => with_id(message, &id).unwrap_or_else(|| unusable(&id)),
                None => message.to_vec(),
            };
            post.sender.answer(message);
            return;
        }
        match self.is_shared {
            true => state.send_to_one_of_many(&facts, message),
            false if state.send(message) => {}
            false => state.keep(message),
        }
    }

    /// Whether the server is gone.
    pub(super) fn has_ended(&self) -> bool {
        self.state().has_ended
    }

    /// Sends a message that nobody waits for.
    pub(super) fn tell(&self, message: &[u8]) -> std::io::Result<()> {
        let mut line = Vec::with_capacity(message.len() + 1);
        push_line(message, &mut line);
        self.state().used = Instant::now();
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
    pub(super) fn ask(&self, message: &[u8], facts: &MessageFacts) -> Option<MessageReceiver> {
        let id = facts.id.clone()?;
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let (sender, answers) = message_queue();
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
            let mut state = self.state();
            if state.has_ended || state.posts.contains_key(&key) {
                return None;
            }
            state.used = Instant::now();
            state.posts.insert(key.clone(), PendingPost { sender, number, id: original, token });
        }
        if self.tell(&text).is_err() {
            self.state().posts.remove(&key);
            return None;
        }
        Some(answers)
    }

    /// Listens to what the server says unasked; one listener at a time.
    pub(super) fn listen(&self) -> MessageReceiver {
        let (sender, messages) = message_queue();
        let mut state = self.state();
        for message in std::mem::take(&mut state.kept) {
            sender.send(message);
        }
        if !state.has_ended {
            state.listener = Some(sender);
        }
        messages
    }
}

/// Instead of an answer that cannot be given another id.
fn unusable(id: &str) -> Vec<u8> {
    let reason = "facet: the answer is too large or invalid";
    error_reply(id, -32000, reason, "").into_bytes()
}

/// A message with another id.
fn with_id(message: &[u8], id: &str) -> Option<Vec<u8>> {
    with_member(std::str::from_utf8(message).ok()?, "id", id, MESSAGE).map(String::into_bytes)
}

/// A request that asks for progress under another token, and the token that it had.
fn with_token(message: &[u8], token: &str) -> Option<(Vec<u8>, String)> {
    let message = std::str::from_utf8(message).ok()?;
    let params = member(message, "params", MESSAGE)?;
    let meta = member(params, "_meta", MESSAGE)?;
    let had = member(meta, "progressToken", MESSAGE)?;
    let meta = with_member(meta, "progressToken", token, MESSAGE)?;
    let params = with_member(params, "_meta", &meta, MESSAGE)?;
    Some((with_member(message, "params", &params, MESSAGE)?.into_bytes(), had.to_owned()))
}

/// Progress as it was asked for, and the key of the request that did.
fn with_own_token(
    message: &[u8],
    posts: &BTreeMap<String, PendingPost>,
) -> Option<(String, Vec<u8>)> {
    let message = std::str::from_utf8(message).ok()?;
    let params = member(message, "params", MESSAGE)?;
    let key = id_key(member(params, "progressToken", MESSAGE)?);
    let token = posts.get(&key)?.token.as_deref()?;
    let params = with_member(params, "progressToken", token, MESSAGE)?;
    let message = with_member(message, "params", &params, MESSAGE)?;
    Some((key, message.into_bytes()))
}
