//! A registry that lies as a test wants.

use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use facets_model::{Floor, Version};
use facets_registry_client::ReleaseRange;
use facets_testkit::raw_http::{RawHead, announce, answer, head, send};

use super::world::Made;

/// What is sent for an archive.
#[derive(Clone)]
pub(super) enum Served {
    Bytes(Vec<u8>),
    /// The first half, and then the connection ends.
    Half(Vec<u8>),
    /// Zeros for as long as somebody reads.
    Endless,
    /// A byte now and then, for as long as somebody reads.
    Dripping,
    /// The first half, and then nothing.
    Stalled(Vec<u8>),
}

/// A version of the registry.
#[derive(Clone)]
pub(super) struct FakeVersion {
    /// What it states.
    pub(super) made: Made,
    pub(super) is_server: bool,
    pub(super) is_yanked: bool,
    /// Found by its number alone, if at all.
    pub(super) is_hidden: bool,
    pub(super) served: Served,
}

#[derive(Default)]
struct Shared {
    entries: Mutex<Vec<FakeVersion>>,
    requests: Mutex<Vec<RawHead>>,
    is_stopping: AtomicBool,
}

pub(super) struct FakeRegistry {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

impl FakeRegistry {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let accepting = Some(std::thread::spawn(move || accept_all(&listener, &theirs)));
        Self { address, shared, accepting }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn publish(&self, made: &Made) {
        self.add(FakeVersion {
            made: made.clone(),
            is_server: made.archive.starts_with(&[0x1f, 0x8b]),
            is_yanked: false,
            is_hidden: false,
            served: Served::Bytes(made.archive.clone()),
        });
    }

    pub(super) fn add(&self, entry: FakeVersion) {
        self.shared.entries.lock().unwrap().push(entry);
    }

    /// Changes what it has of a version.
    pub(super) fn change(&self, version: &str, change: impl Fn(&mut FakeVersion)) {
        let mut entries = self.shared.entries.lock().unwrap();
        let changed = entries.iter_mut().filter(|entry| entry.made.version == version);
        changed.for_each(change);
    }

    /// What was asked for.
    pub(super) fn requests(&self) -> Vec<RawHead> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// How many archives were asked for.
    pub(super) fn downloads(&self) -> usize {
        self.requests().iter().filter(|request| request.path.ends_with("/archive")).count()
    }
}

impl Drop for FakeRegistry {
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
                shared.requests.lock().unwrap().push(request.clone());
                reply(&shared.entries.lock().unwrap().clone(), &request.path, &mut stream);
            }
        });
    }
}

fn reply(entries: &[FakeVersion], path: &str, to: &mut dyn Write) {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let path = path.replace("%40", "@");
    let is_server = path.starts_with("/v0/source-servers/");
    let rest = path.trim_start_matches("/v0/source-servers/").trim_start_matches("/v0/facets/");
    let (rest, is_archive) = match rest.strip_suffix("/archive") {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let (name, wanted) = rest.rsplit_once('/').unwrap_or((rest, ""));
    let of_name = entries.iter().filter(|one| one.is_server == is_server && one.made.name == name);
    let found = choose(&of_name.cloned().collect::<Vec<_>>(), wanted, query);
    match found {
        None => answer(to, "404 Not Found", &[], br#"{"code":"E_NOT_FOUND","error":"none"}"#),
        Some(entry) if is_archive => serve(&entry.served, to),
        Some(entry) => answer(to, "200 OK", &[], document(&entry).as_bytes()),
    }
}

fn choose(entries: &[FakeVersion], wanted: &str, query: &str) -> Option<FakeVersion> {
    let version = |entry: &FakeVersion| entry.made.version.parse::<Version>().unwrap();
    if let Some(exact) = entries.iter().find(|entry| entry.made.version == wanted) {
        return Some(exact.clone());
    }
    let floor = query.strip_prefix("floor=").map(|floor| floor.parse::<Floor>().unwrap());
    let range: ReleaseRange = wanted.replace("latest", "*").parse().ok()?;
    let fits = |entry: &&FakeVersion| match &floor {
        Some(floor) => floor.admits(&version(entry)),
        None => range.has(&version(entry)),
    };
    let open = entries.iter().filter(|entry| !entry.is_yanked && !entry.is_hidden);
    open.filter(fits).max_by_key(|entry| version(entry)).cloned()
}

fn document(entry: &FakeVersion) -> String {
    let Made { name, version, integrity, content_hash, .. } = &entry.made;
    let hash = content_hash;
    let yanked = if entry.is_yanked { r#","yanked":{"reason":"broken"}"# } else { "" };
    let server = format!(r#","api_surface":"{hash}","surface":"{hash}","behavior":"{hash}""#);
    let server = if entry.is_server { server } else { String::new() };
    format!(
        r#"{{"name":"{name}","version":"{version}","content_hash":"{hash}","integrity":"{integrity}"{yanked}{server}}}"#
    )
}

fn serve(served: &Served, to: &mut dyn Write) {
    match served {
        Served::Bytes(bytes) => answer(to, "200 OK", &[], bytes),
        Served::Half(bytes) => {
            announce(to, "200 OK", &[], (bytes.len(), &bytes[..bytes.len() / 2]));
        }
        Served::Endless => {
            send(to, head("200 OK", &[]));
            let zeros = vec![0; 64 << 10];
            while send(to, &zeros) {}
        }
        Served::Dripping => {
            send(to, head("200 OK", &[]));
            while send(to, [0]) {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        Served::Stalled(bytes) => {
            announce(to, "200 OK", &[], (bytes.len(), &bytes[..bytes.len() / 2]));
            std::thread::sleep(Duration::from_secs(10));
        }
    }
}
