//! A server whose answers are written byte by byte.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

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

    fn parse(head: &str) -> Option<Self> {
        let mut lines = head.lines();
        let path = lines.next()?.split(' ').nth(1)?.to_owned();
        let pairs = lines.filter_map(|line| line.split_once(':'));
        let pair = |(name, value): (&str, &str)| (name.to_lowercase(), value.trim().to_owned());
        Some(Self { path, headers: pairs.map(pair).collect(), nth: 0 })
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
    let Some(mut request) = read_head(stream).and_then(|head| Request::parse(&head)) else {
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

fn read_head(stream: &mut impl Read) -> Option<String> {
    let (mut head, mut byte) = (Vec::<u8>::new(), [0_u8; 1]);
    while !head.ends_with(b"\r\n\r\n") {
        let is_more = stream.read(&mut byte).is_ok_and(|count| count == 1);
        if !is_more || head.len() > 64 << 10 {
            return None;
        }
        head.push(byte[0]);
    }
    Some(String::from_utf8_lossy(&head).into_owned())
}

/// The beginning of an answer, after which the connection ends.
pub fn head(status: &str, headers: &[(&str, &str)]) -> String {
    let lines: String =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status}\r\nConnection: close\r\n{lines}\r\n")
}

/// Writes at once; whether the client is still there.
pub fn send(to: &mut dyn Write, bytes: impl AsRef<[u8]>) -> bool {
    to.write_all(bytes.as_ref()).and_then(|()| to.flush()).is_ok()
}

/// A complete answer.
pub fn answer(to: &mut dyn Write, status: &str, headers: &[(&str, &str)], body: &[u8]) {
    announce(to, status, headers, (body.len(), body));
}

/// An answer that announces so many bytes, whatever it has.
pub fn announce(
    to: &mut dyn Write,
    status: &str,
    headers: &[(&str, &str)],
    (length, body): (usize, &[u8]),
) {
    let length = length.to_string();
    let mut all = vec![("Content-Length", length.as_str())];
    all.extend_from_slice(headers);
    let mut bytes = head(status, &all).into_bytes();
    bytes.extend_from_slice(body);
    send(to, bytes);
}

/// An answer that is no file: a redirect.
pub fn redirect(to: &mut dyn Write, location: &str) {
    answer(to, "302 Found", &[("Location", location)], b"");
}

/// A part of a body in the coding `chunked`.
pub fn chunk(bytes: &[u8]) -> Vec<u8> {
    let mut all = format!("{:x}\r\n", bytes.len()).into_bytes();
    all.extend_from_slice(bytes);
    all.extend_from_slice(b"\r\n");
    all
}
