//! A server whose answers are written byte by byte.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use facets_testkit::raw_http::RawHead;
pub use facets_testkit::raw_http::{announce, answer, head, redirect, send};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// What a server was asked.
#[derive(Clone, Debug)]
pub struct Request {
    /// With its query.
    pub path: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    /// How often the same was asked before.
    pub nth: usize,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    fn of(head: RawHead) -> Self {
        Self { path: head.path, headers: head.headers, nth: 0 }
    }
}

/// Writes an answer. What it leaves out is missing, and then the connection is closed.
type Handler = dyn Fn(&Request, &mut dyn Write) + Send + Sync;

struct Shared {
    handler: Box<Handler>,
    tls: Option<Arc<ServerConfig>>,
    connections: AtomicUsize,
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
        Self::start_with(Box::new(handler), None)
    }

    pub fn start_tls(
        config: Arc<ServerConfig>,
        handler: impl Fn(&Request, &mut dyn Write) + Send + Sync + 'static,
    ) -> Self {
        Self::start_with(Box::new(handler), Some(config))
    }

    fn start_with(handler: Box<Handler>, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            handler,
            tls,
            connections: AtomicUsize::new(0),
            requests: Mutex::new(Vec::new()),
            is_stopping: AtomicBool::new(false),
        });
        let theirs = Arc::clone(&shared);
        let accepting = Some(std::thread::spawn(move || accept_all(&listener, &theirs)));
        Self { address, shared, accepting }
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Such as `http://127.0.0.1:1234`.
    pub fn url(&self) -> String {
        self.url_of("127.0.0.1")
    }

    /// The same place by another name.
    pub fn url_of(&self, host: &str) -> String {
        let scheme = if self.shared.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{host}:{}", self.port())
    }

    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// The paths that were asked for.
    pub fn paths(&self) -> Vec<String> {
        self.requests().into_iter().map(|request| request.path).collect()
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
        let Ok(stream) = stream else { continue };
        shared.connections.fetch_add(1, Ordering::SeqCst);
        let shared = Arc::clone(shared);
        std::thread::spawn(move || serve(stream, &shared));
    }
}

fn serve(stream: TcpStream, shared: &Shared) {
    // A silent client is not waited for.
    drop(stream.set_read_timeout(Some(Duration::from_secs(20))));
    let Some(config) = &shared.tls else {
        let mut stream = stream;
        exchange(&mut stream, shared);
        return;
    };
    let connection = ServerConnection::new(Arc::clone(config)).unwrap();
    let mut stream = StreamOwned::new(connection, stream);
    exchange(&mut stream, shared);
    stream.conn.send_close_notify();
    drop(stream.flush());
}

/// One request and one answer.
fn exchange(stream: &mut (impl Read + Write), shared: &Shared) {
    let Some(mut request) = RawHead::read(stream).map(Request::of) else {
        return;
    };
    {
        let mut requests = shared.requests.lock().unwrap();
        request.nth = requests.iter().filter(|earlier| earlier.path == request.path).count();
        requests.push(request.clone());
    }
    (shared.handler)(&request, stream);
    drop(stream.flush());
}

/// A part of a body in the coding `chunked`.
pub fn chunk(bytes: &[u8]) -> Vec<u8> {
    let mut all = format!("{:x}\r\n", bytes.len()).into_bytes();
    all.extend_from_slice(bytes);
    all.extend_from_slice(b"\r\n");
    all
}
