//! Connections of clients, each in a thread, all of which end with the host.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _, copy, sink};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::host_state::{AnswerFault, HostState};
use super::http_answer::HttpAnswer;
use super::npm_answers::answer_npm;
use super::pypi_answers::answer_pypi;
use crate::raw_http::{self, RawHead};

/// More than npm and uv open together.
const MOST_CONNECTIONS: usize = 256;

/// A larger body of a request is not read.
const LONGEST_BODY: u64 = 16 << 20;

/// Where an endless answer stops growing: a client without a limit must not exhaust the machine.
const LONGEST_ANSWER: usize = 1 << 30;

/// What an endless answer sends at a time, about a thousand times a second.
const SPACES: &[u8] = &[b' '; 64 << 10];

/// What all threads of a host share.
#[derive(Debug, Default)]
pub(super) struct SharedHost {
    /// Its address, without a slash at the end.
    pub(super) base: String,
    state: Mutex<HostState>,
    open: Mutex<BTreeMap<u64, TcpStream>>,
    is_stopped: AtomicBool,
}

impl SharedHost {
    pub(super) fn new(base: String) -> Self {
        Self { base, ..Self::default() }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, HostState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, TcpStream>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// No connection is accepted from the next on, which may be made for just that.
    pub(super) fn stop_accepting(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
    }

    pub(super) fn close_connections(&self) {
        for stream in self.open().values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// Accepts until the host stops.
pub(super) fn accept(listener: &TcpListener, host: &Arc<SharedHost>) {
    for (id, stream) in (0..).zip(listener.incoming()) {
        if host.is_stopped.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let Ok(handle) = stream.try_clone() else { continue };
        let mut open = host.open();
        if open.len() >= MOST_CONNECTIONS {
            continue;
        }
        open.insert(id, handle);
        drop(open);
        let host = Arc::clone(host);
        std::thread::spawn(move || {
            serve(&stream, &host);
            host.open().remove(&id);
        });
    }
}

/// One request for each connection.
fn serve(mut stream: &TcpStream, host: &SharedHost) {
    let Some(head) = RawHead::read(&mut stream) else { return };
    let length = head.headers.get("content-length").and_then(|length| length.parse().ok());
    // A body that nobody reads would reset the connection before the answer is read.
    let _ = copy(&mut stream.take(length.unwrap_or(0).min(LONGEST_BODY)), &mut sink());
    let (answer, fault) = {
        let mut state = host.state();
        state.requests.push(head.path.clone());
        (answer(&state, &host.base, &head), state.fault(&head.path))
    };
    match fault {
        Some(AnswerFault::Silent) => wait_for_end(stream),
        _ if head.method == "HEAD" => send(stream, &answer, 0),
        Some(AnswerFault::Truncate) => send(stream, &answer, answer.body.len() / 2),
        Some(AnswerFault::Endless) => send_endless(stream, &answer),
        None => send(stream, &answer, answer.body.len()),
    }
}

fn answer(state: &HostState, base: &str, head: &RawHead) -> HttpAnswer {
    let path = head.path.split('?').next().unwrap_or_default();
    if !matches!(&*head.method, "GET" | "HEAD") {
        HttpAnswer::not_found()
    } else if let Some(path) = path.strip_prefix("/npm/") {
        answer_npm(&state.served, &format!("{base}/npm/"), path, head)
    } else if let Some(path) = path.strip_prefix("/pypi/") {
        answer_pypi(state, base, path, head)
    } else {
        HttpAnswer::not_found()
    }
}

fn shown_headers(answer: &HttpAnswer) -> Vec<(&str, &str)> {
    answer.headers.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

/// Announces the whole body and sends so much of it.
fn send(mut stream: &TcpStream, answer: &HttpAnswer, sent: usize) {
    let body = (answer.body.len(), &answer.body[..sent]);
    raw_http::announce(&mut stream, answer.status, &shown_headers(answer), body);
}

fn send_endless(mut stream: &TcpStream, answer: &HttpAnswer) {
    let head = raw_http::head(answer.status, &shown_headers(answer));
    let mut is_there = raw_http::send(&mut stream, [head.as_bytes(), &answer.body].concat());
    for _ in 0..LONGEST_ANSWER / SPACES.len() {
        is_there = is_there && stream.write_all(SPACES).is_ok();
        if !is_there {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    wait_for_end(stream);
}

/// Until the client closes the connection or the host stops.
fn wait_for_end(mut stream: &TcpStream) {
    let _ = copy(&mut stream, &mut sink());
}
