//! A server whose answers are written byte by byte.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use facets_testkit::raw_http::RawHead;
pub use facets_testkit::raw_http::{announce, answer, head, redirect, send};

/// What a server was asked.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    /// With its query.
    pub path: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    /// What was sent along.
    pub body: Vec<u8>,
    /// How often the same was asked before.
    pub nth: usize,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// The method and the path.
    pub fn line(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    fn of(head: RawHead) -> Self {
        let RawHead { method, path, headers } = head;
        Self { method, path, headers, body: Vec::new(), nth: 0 }
    }
}

/// Writes an answer. What it leaves out is missing, and then the connection is closed.
type Handler = dyn Fn(&Request, &mut dyn Write) + Send + Sync;

/// Whether what is sent along is read before the answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bodies {
    Read,
    Left,
}

struct Shared {
    handler: Box<Handler>,
    bodies: Bodies,
    requests: Mutex<Vec<Request>>,
    is_stopping: AtomicBool,
}

/// A server of this machine; gone when it is dropped.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

impl Server {
    pub fn start(handler: impl Fn(&Request, &mut dyn Write) + Send + Sync + 'static) -> Self {
        Self::start_with(Box::new(handler), Bodies::Read)
    }

    /// One that answers before anything is sent along.
    pub fn start_hasty(handler: impl Fn(&Request, &mut dyn Write) + Send + Sync + 'static) -> Self {
        Self::start_with(Box::new(handler), Bodies::Left)
    }

    fn start_with(handler: Box<Handler>, bodies: Bodies) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            handler,
            bodies,
            requests: Mutex::new(Vec::new()),
            is_stopping: AtomicBool::new(false),
        });
        let theirs = Arc::clone(&shared);
        let accepting = Some(std::thread::spawn(move || accept_all(&listener, &theirs)));
        Self { address, shared, accepting }
    }

    /// Such as `http://127.0.0.1:1234`.
    pub fn url(&self) -> String {
        self.url_of("127.0.0.1")
    }

    /// The same place by another name.
    pub fn url_of(&self, host: &str) -> String {
        format!("http://{host}:{}", self.address.port())
    }

    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// What was asked for.
    pub fn lines(&self) -> Vec<String> {
        self.requests().iter().map(Request::line).collect()
    }

    /// What each request said about who asks.
    pub fn authorizations(&self) -> Vec<Option<String>> {
        let said = |request: Request| request.header("authorization").map(str::to_owned);
        self.requests().into_iter().map(said).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_stopping.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for the next connection.
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
            // A silent client is not waited for.
            drop(stream.set_read_timeout(Some(Duration::from_secs(20))));
            exchange(&mut stream, &shared);
        });
    }
}

/// One request and one answer.
fn exchange(stream: &mut (impl Read + Write), shared: &Shared) {
    let Some(mut request) = RawHead::read(stream).map(Request::of) else {
        return;
    };
    if shared.bodies == Bodies::Read {
        request.body = read_body(stream, &request);
    }
    {
        let mut requests = shared.requests.lock().unwrap();
        request.nth = requests.iter().filter(|earlier| earlier.line() == request.line()).count();
        requests.push(request.clone());
    }
    (shared.handler)(&request, stream);
    drop(stream.flush());
}

/// As much as was announced, or as came.
fn read_body(stream: &mut (impl Read + Write), request: &Request) -> Vec<u8> {
    let length = request.header("content-length").and_then(|length| length.parse::<u64>().ok());
    let Some(length) = length.filter(|length| *length > 0) else { return Vec::new() };
    if request.header("expect").is_some() {
        send(stream, "HTTP/1.1 100 Continue\r\n\r\n");
    }
    let mut body = Vec::new();
    drop(stream.take(length).read_to_end(&mut body));
    body
}

/// An answer that is a document.
pub fn json(to: &mut dyn Write, status: &str, text: &str) {
    answer(to, status, &[("Content-Type", "application/json")], text.as_bytes());
}
