//! A hostile registry: between a user and the real one, it changes what a test wants.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use facets_testkit::raw_http::{RawHead, announce, answer, head, redirect, send};

/// What is sent for a request.
pub(crate) enum Reply {
    /// What the real registry says about this path.
    Of(String),
    /// What another registry says about this path.
    From(String, String),
    Json(String),
    Bytes(Vec<u8>),
    /// The first half, and then the connection ends.
    Half(Vec<u8>),
    /// Zeros for as long as somebody reads.
    Endless,
    /// Nothing, while the connection stays.
    Silent,
    /// The first half, and then nothing, while the connection stays.
    Stalled(Vec<u8>),
    /// Another address.
    Elsewhere(String),
    NotFound,
}

type Rule = Box<dyn Fn(&Upstream, &str) -> Option<Reply> + Send>;

/// The real registry.
pub(crate) struct Upstream(String);

impl Upstream {
    pub(crate) fn of(url: &str) -> Self {
        Self(url.to_owned())
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        get(&self.0, path).1
    }

    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).unwrap()
    }
}

struct Shared {
    upstream: Upstream,
    rule: Mutex<Option<Rule>>,
    is_stopping: AtomicBool,
}

pub(crate) struct Proxy {
    pub(crate) url: String,
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

impl Proxy {
    /// Honest until it gets a rule.
    pub(crate) fn to(upstream: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            upstream: Upstream(upstream.to_owned()),
            rule: Mutex::default(),
            is_stopping: AtomicBool::new(false),
        });
        let theirs = Arc::clone(&shared);
        let accepting = Some(std::thread::spawn(move || accept_all(&listener, &theirs)));
        Self { url: format!("http://{address}"), address, shared, accepting }
    }

    /// What it does from now on, by the path; what a rule does not answer stays honest.
    pub(crate) fn lie(&self, rule: impl Fn(&Upstream, &str) -> Option<Reply> + Send + 'static) {
        *self.shared.rule.lock().unwrap() = Some(Box::new(rule));
    }

    pub(crate) fn be_honest(&self) {
        *self.shared.rule.lock().unwrap() = None;
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.is_stopping.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            drop(accepting.join());
        }
    }
}

fn accept_all(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.is_stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok(mut stream) = stream else { continue };
        let shared = Arc::clone(shared);
        std::thread::spawn(move || {
            drop(stream.set_read_timeout(Some(Duration::from_secs(20))));
            if let Some(request) = RawHead::read(&mut stream) {
                let rule = shared.rule.lock().unwrap();
                let lie = rule.as_ref().and_then(|rule| rule(&shared.upstream, &request.path));
                drop(rule);
                let reply = lie.unwrap_or(Reply::Of(request.path));
                serve(&shared.upstream, &reply, &mut stream);
            }
        });
    }
}

fn serve(upstream: &Upstream, reply: &Reply, to: &mut TcpStream) {
    match reply {
        Reply::Of(path) => pass_on(&upstream.0, path, to),
        Reply::From(url, path) => pass_on(url, path, to),
        Reply::Json(text) => answer(to, "200 OK", &[], text.as_bytes()),
        Reply::Bytes(bytes) => answer(to, "200 OK", &[], bytes),
        Reply::Half(bytes) => {
            announce(to, "200 OK", &[], (bytes.len(), &bytes[..bytes.len() / 2]));
        }
        Reply::Endless => {
            send(to, head("200 OK", &[]));
            let zeros = vec![0; 64 << 10];
            while send(to, &zeros) {}
        }
        Reply::Silent => wait_for_end(to),
        Reply::Stalled(bytes) => {
            announce(to, "200 OK", &[], (bytes.len(), &bytes[..bytes.len() / 2]));
            wait_for_end(to);
        }
        Reply::Elsewhere(address) => redirect(to, address),
        Reply::NotFound => {
            answer(to, "404 Not Found", &[], br#"{"code":"E_NOT_FOUND","error":"none"}"#);
        }
    }
}

/// Until the client closes the connection, or for as long as is waited for a client.
fn wait_for_end(of: &mut TcpStream) {
    let _ = of.read(&mut [0]);
}

fn pass_on(url: &str, path: &str, to: &mut TcpStream) {
    let (status, body) = get(url, path);
    answer(to, &status, &[], &body);
}

/// Asks a registry: the status, and the body.
pub(crate) fn get(url: &str, path: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    // The older version has no chunks, and ends with the connection.
    write!(stream, "GET {path} HTTP/1.0\r\nHost: registry\r\n\r\n").unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|part| part == b"\r\n\r\n").unwrap();
    let first = String::from_utf8_lossy(&bytes[..end]);
    let status = first.lines().next().unwrap().split_once(' ').unwrap().1.to_owned();
    (status, bytes[end + 4..].to_vec())
}
