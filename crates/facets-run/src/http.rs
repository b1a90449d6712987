//! A guarded server as streamable HTTP, for clients on this machine.
//!
//! Each client that opens a session gets a server of its own. Clients of the newer era have no
//! sessions: they share one, and do not see each other's ids.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use facets_wire::{Envelope, MessageFacts, MessageShape, id_key};

mod queue;
mod request;
mod session;

use queue::MessageReceiver;
use request::{Refusal, Request, answer, begin_events, event};
use session::HttpSession;

use crate::pipe::ClientEnds;
use crate::random::unguessable;
use crate::session::SessionError;

/// Connections at the same time.
const MAX_CONNECTIONS: usize = 256;
/// Sessions at the same time: each is a process.
const MAX_SESSIONS: usize = 32;
/// A session that nobody used for this long makes room for another.
const UNUSED: Duration = Duration::from_mins(1);
/// How long a connection may say nothing.
const IDLE: Duration = Duration::from_secs(30);
/// How often a stream that has nothing to say shows that it is there.
const BEAT: Duration = Duration::from_secs(15);

/// Starts a guarded session that speaks to these ends.
pub type OpenSession = Box<dyn Fn(ClientEnds) -> Result<(), SessionError> + Send + Sync>;

/// A server of HTTP.
pub struct HttpFront {
    listener: TcpListener,
    hub: Arc<Hub>,
}

impl std::fmt::Debug for HttpFront {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpFront").finish_non_exhaustive()
    }
}

struct Hub {
    open: OpenSession,
    address: SocketAddr,
    state: Mutex<FrontState>,
    /// One starts after the other, so that nobody takes the place of another.
    starting: Mutex<()>,
    connections: AtomicUsize,
}

#[derive(Default)]
struct FrontState {
    sessions: BTreeMap<String, Arc<HttpSession>>,
    shared: Option<Arc<HttpSession>>,
}

impl HttpFront {
    /// Listens. Nothing but this machine is let in: an address that others reach is refused.
    pub fn bind(address: SocketAddr, open: OpenSession) -> std::io::Result<Self> {
        if !address.ip().is_loopback() {
            let reason = "not an address of this machine; use 127.0.0.1 or [::1]";
            return Err(std::io::Error::new(std::io::ErrorKind::AddrNotAvailable, reason));
        }
        let listener = TcpListener::bind(address)?;
        let hub = Hub {
            open,
            address: listener.local_addr()?,
            state: Mutex::default(),
            starting: Mutex::default(),
            connections: AtomicUsize::new(0),
        };
        Ok(Self { listener, hub: Arc::new(hub) })
    }

    /// Where it listens.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves as long as the process lasts.
    pub fn serve(&self) {
        for stream in self.listener.incoming().flatten() {
            let hub = Arc::clone(&self.hub);
            if hub.connections.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
                hub.connections.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let serve = move || {
                // A connection that breaks is over, and the client sees that.
                let _ = hub.connection(stream);
                hub.connections.fetch_sub(1, Ordering::Relaxed);
            };
            if thread::Builder::new().spawn(serve).is_err() {
                self.hub.connections.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }
}

impl Hub {
    fn state(&self) -> MutexGuard<'_, FrontState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn connection(&self, stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(IDLE))?;
        stream.set_nodelay(true)?;
        let mut writer = stream.try_clone()?;
        let mut reader = BufReader::new(stream);
        while let Some(outcome) = Request::read(&mut reader, |request| self.check(request))? {
            match outcome {
                Ok(request) => {
                    let ends = self.respond(&request, &mut writer)? == Connection::Ends;
                    if ends || request.ends_connection() {
                        return Ok(());
                    }
                }
                Err(Refusal(status, reason)) => {
                    answer(&mut writer, status, &[("Connection", "close")], reason.as_bytes())?;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// A page in a browser can send requests to this machine; it cannot hide where it is from.
    fn check(&self, request: &Request) -> Result<(), Refusal> {
        let is_here = |authority: &str| {
            let (host, port) = match authority.rsplit_once(':') {
                Some((host, port)) if !port.contains(']') => (host, Some(port)),
                _ => (authority, None),
            };
            let is_ours = port.is_none_or(|port| port.parse() == Ok(self.address.port()));
            is_local_host(host) && is_ours
        };
        if !request.header("host").is_some_and(is_here) {
            return Err(Refusal(403, "the Host header does not name this machine"));
        }
        let origin = request.header("origin");
        let is_local =
            origin.and_then(|origin| origin.split_once("://")).is_some_and(|(_, rest)| {
                let host = rest.rsplit_once(':').filter(|(_, port)| !port.contains(']'));
                is_local_host(host.map_or(rest, |(host, _)| host))
            });
        if request.has("origin") && !is_local {
            return Err(Refusal(403, "the Origin header names another machine"));
        }
        Ok(())
    }

    fn respond(&self, request: &Request, writer: &mut TcpStream) -> std::io::Result<Connection> {
        match request.method.as_str() {
            "POST" => self.post(request, writer),
            "GET" => match self.known(request) {
                Some((_, session)) => {
                    begin_events(writer, &[])?;
                    stream_events(&session.listen(), writer, |_| false)?;
                    Ok(Connection::Ends)
                }
                None => refuse(writer, 404, "session not found"),
            },
            "DELETE" => match self.known(request) {
                Some((id, session)) => {
                    self.state().sessions.remove(&id);
                    session.close();
                    answer(writer, 200, &[], b"")?;
                    Ok(Connection::GoesOn)
                }
                None => refuse(writer, 404, "session not found"),
            },
            _ => refuse(writer, 405, "use POST, GET or DELETE"),
        }
    }

    fn known(&self, request: &Request) -> Option<(String, Arc<HttpSession>)> {
        let id = request.header("mcp-session-id")?;
        let session = self.state().sessions.get(id).cloned()?;
        Some((id.to_owned(), session))
    }

    fn post(&self, request: &Request, writer: &mut TcpStream) -> std::io::Result<Connection> {
        let Ok(facts) = Envelope::read(&request.body) else {
            return refuse(writer, 400, "the body is not a valid JSON-RPC message");
        };
        if facts.shape == MessageShape::Batch {
            return refuse(writer, 400, "batches are not supported: send one message at a time");
        }
        let is_shared = !request.has("mcp-session-id");
        if is_shared && facts.method.as_deref() == Some("subscriptions/listen") {
            return refuse(writer, 400, "subscriptions need a session");
        }
        let (id, session) = match self.session_for(request, &facts) {
            Ok(found) => found,
            Err(Refusal(status, reason)) => return refuse(writer, status, reason),
        };
        let headers: Vec<(&str, &str)> =
            id.iter().map(|id| ("Mcp-Session-Id", id.as_str())).collect();
        if facts.method.is_none() || facts.id.is_none() {
            // Whose request it would cancel, or answer, nobody can say where several share.
            if id.is_some() {
                session.tell(&request.body)?;
            }
            answer(writer, 202, &headers, b"")?;
            return Ok(Connection::GoesOn);
        }
        let Some(answers) = session.ask(&request.body, &facts) else {
            return refuse(
                writer,
                503,
                "the server has ended, or the request id is already in use",
            );
        };
        let is_last = |message: &[u8]| answers_to(message, &facts);
        if request.takes_events() {
            begin_events(writer, &headers)?;
            stream_events(&answers, writer, is_last)?;
            return Ok(Connection::Ends);
        }
        match answers.find(is_last) {
            Some(message) => {
                let json = [("Content-Type", "application/json")];
                answer(writer, 200, &[&headers[..], &json].concat(), &message)?;
                Ok(Connection::GoesOn)
            }
            None => refuse(writer, 503, "the server ended without an answer"),
        }
    }

    /// The session that a message belongs to; one is opened where that is what it asks for.
    fn session_for(
        &self,
        request: &Request,
        facts: &MessageFacts,
    ) -> Result<(Option<String>, Arc<HttpSession>), Refusal> {
        if request.has("mcp-session-id") {
            let (id, session) = self.known(request).ok_or(Refusal(404, "session not found"))?;
            if session.has_ended() {
                self.state().sessions.remove(&id);
                return Err(Refusal(404, "the session has ended"));
            }
            return Ok((Some(id), session));
        }
        if facts.method.as_deref() == Some("initialize") {
            return self.open_session().map(|(id, session)| (Some(id), session));
        }
        self.shared_session().map(|session| (None, session))
    }

    fn open_session(&self) -> Result<(String, Arc<HttpSession>), Refusal> {
        let _alone = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
        self.make_room()?;
        let id = unguessable().map_err(|_| NOT_STARTED)?;
        let session = self.start(false)?;
        self.state().sessions.insert(id.clone(), Arc::clone(&session));
        Ok((id, session))
    }

    /// Clients often leave without a word.
    fn make_room(&self) -> Result<(), Refusal> {
        let mut state = self.state();
        state.sessions.retain(|_, session| !session.has_ended());
        if state.sessions.len() < MAX_SESSIONS {
            return Ok(());
        }
        let idle = state.sessions.iter().map(|(id, session)| (session.unused(), id.clone()));
        match idle.max() {
            Some((unused, id)) if unused >= UNUSED => {
                if let Some(session) = state.sessions.remove(&id) {
                    session.close();
                }
                Ok(())
            }
            _ => Err(Refusal(429, "too many sessions are open")),
        }
    }

    fn shared_session(&self) -> Result<Arc<HttpSession>, Refusal> {
        let _alone = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.state().shared.clone();
        if let Some(session) = known.filter(|session| !session.has_ended()) {
            return Ok(session);
        }
        let session = self.start(true)?;
        self.state().shared = Some(Arc::clone(&session));
        Ok(session)
    }

    fn start(&self, is_shared: bool) -> Result<Arc<HttpSession>, Refusal> {
        let failed = |_| NOT_STARTED;
        let (session, ends, lines) = HttpSession::new(is_shared).map_err(failed)?;
        (self.open)(ends).map_err(|_| NOT_STARTED)?;
        // It holds no share of the session: without clients its streams close.
        let routed = Arc::downgrade(&session);
        let route = move || HttpSession::route_weakly(&routed, lines);
        thread::Builder::new().spawn(route).map_err(failed)?;
        Ok(session)
    }
}

const NOT_STARTED: Refusal = Refusal(503, "the server did not start; see facet logs");

/// Whether a name leads to this machine, whoever resolves it.
fn is_local_host(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether a connection takes more requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Connection {
    GoesOn,
    Ends,
}

fn refuse(writer: &mut TcpStream, status: u16, reason: &str) -> std::io::Result<Connection> {
    answer(writer, status, &[("Connection", "close")], reason.as_bytes())?;
    Ok(Connection::Ends)
}

fn answers_to(message: &[u8], request: &MessageFacts) -> bool {
    let key = |facts: &MessageFacts| facts.id.as_deref().map(id_key);
    Envelope::read(message).is_ok_and(|facts| facts.method.is_none() && key(&facts) == key(request))
}

/// Writes messages as events until the last, or the end.
fn stream_events(
    messages: &MessageReceiver,
    writer: &mut TcpStream,
    is_last: impl Fn(&[u8]) -> bool,
) -> std::io::Result<()> {
    use std::io::Write as _;
    loop {
        match messages.recv_timeout(BEAT) {
            Ok(message) => {
                event(writer, &message)?;
                if is_last(&message) {
                    return Ok(());
                }
            }
            // A comment: whoever has left is noticed.
            Err(RecvTimeoutError::Timeout) => writer.write_all(b": still here\n\n")?,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}
