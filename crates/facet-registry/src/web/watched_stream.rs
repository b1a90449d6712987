//! A connection that knows what it waits for, so that clients that are too slow can be told apart from others, and
//! whose end does not take the answer away from a client that is still sending.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::lingering::Lingering;

const WAITING: u8 = 0;
const HEAD: u8 = 1;
const BUSY: u8 = 2;

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionPhase {
    /// Nothing of a request is there.
    Waiting,
    /// A part of the head of a request is there.
    Head,
    /// A request is being answered.
    Busy,
}

/// What both ends of a connection note about it.
#[derive(Debug)]
pub(crate) struct ConnectionState {
    opened: Instant,
    phase: AtomicU8,
    /// Milliseconds from the opening to the beginning of the phase.
    since: AtomicU64,
    written: AtomicU64,
    is_write_blocked: AtomicBool,
    /// Whether a part of the body of the latest request was not read.
    is_body_unread: AtomicBool,
}

impl ConnectionState {
    pub(crate) fn new() -> Self {
        Self {
            opened: Instant::now(),
            phase: AtomicU8::new(WAITING),
            since: AtomicU64::new(0),
            written: AtomicU64::new(0),
            is_write_blocked: AtomicBool::new(false),
            is_body_unread: AtomicBool::new(false),
        }
    }

    pub(crate) fn begin_request(&self) {
        self.enter(BUSY);
    }

    pub(crate) fn end_request(&self) {
        self.enter(WAITING);
    }

    /// Notes whether a part of the body of the latest request is still to be read.
    pub(crate) fn set_body_unread(&self, is_unread: bool) {
        self.is_body_unread.store(is_unread, Ordering::Relaxed);
    }

    pub(crate) fn is_body_unread(&self) -> bool {
        self.is_body_unread.load(Ordering::Relaxed)
    }

    fn enter(&self, phase: u8) {
        self.since.store(self.age(), Ordering::Relaxed);
        self.phase.store(phase, Ordering::Relaxed);
    }

    fn on_read(&self) {
        if self.phase.load(Ordering::Relaxed) == WAITING {
            self.enter(HEAD);
        }
    }

    fn on_write(&self, outcome: &Poll<io::Result<usize>>) {
        match outcome {
            Poll::Ready(Ok(bytes)) => {
                self.written.fetch_add(*bytes as u64, Ordering::Relaxed);
                self.is_write_blocked.store(false, Ordering::Relaxed);
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.is_write_blocked.store(true, Ordering::Relaxed),
        }
    }

    fn age(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// What the connection is doing, and for how long.
    pub(crate) fn phase(&self) -> (ConnectionPhase, Duration) {
        let phase = match self.phase.load(Ordering::Relaxed) {
            WAITING => ConnectionPhase::Waiting,
            HEAD => ConnectionPhase::Head,
            _ => ConnectionPhase::Busy,
        };
        let since = self.since.load(Ordering::Relaxed);
        (phase, Duration::from_millis(self.age().saturating_sub(since)))
    }

    /// Bytes that were taken by the client, if it does not take more at the moment.
    pub(crate) fn blocked_at(&self) -> Option<u64> {
        let is_blocked = self.is_write_blocked.load(Ordering::Relaxed);
        is_blocked.then(|| self.written.load(Ordering::Relaxed))
    }
}

/// A stream that notes what happens on it.
pub(crate) struct WatchedStream<S> {
    inner: S,
    state: Arc<ConnectionState>,
    /// From the moment on that nothing more is sent.
    lingering: Option<Lingering>,
}

impl<S> WatchedStream<S> {
    pub(crate) fn new(inner: S, state: Arc<ConnectionState>) -> Self {
        Self { inner, state, lingering: None }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WatchedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.inner).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.state.on_read();
        }
        outcome
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for WatchedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.state.on_write(&outcome);
        outcome
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.lingering.is_none() {
            ready!(Pin::new(&mut this.inner).poll_shutdown(context))?;
            if !this.state.is_body_unread() {
                return Poll::Ready(Ok(()));
            }
        }
        let lingering = this.lingering.get_or_insert_with(Lingering::new);
        lingering.poll(&mut this.inner, context).map(Ok)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write_vectored(context, slices);
        self.state.on_write(&outcome);
        outcome
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[test]
    fn phases_follow_bytes_and_requests() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (mut client, server) = tokio::io::duplex(16);
            let state = Arc::new(ConnectionState::new());
            let mut stream = WatchedStream::new(server, Arc::clone(&state));
            assert_eq!(state.phase().0, ConnectionPhase::Waiting);
            client.write_all(b"GET").await.unwrap();
            stream.read_exact(&mut [0; 3]).await.unwrap();
            assert_eq!(state.phase().0, ConnectionPhase::Head);
            state.begin_request();
            assert_eq!(state.phase().0, ConnectionPhase::Busy);
            client.write_all(b"body").await.unwrap();
            stream.read_exact(&mut [0; 4]).await.unwrap();
            assert_eq!(state.phase().0, ConnectionPhase::Busy);
            state.end_request();
            assert_eq!(state.phase().0, ConnectionPhase::Waiting);
        });
    }

    #[test]
    fn a_client_that_does_not_read_is_noticed() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (mut client, server) = tokio::io::duplex(4);
            let state = Arc::new(ConnectionState::new());
            let mut stream = WatchedStream::new(server, Arc::clone(&state));
            stream.write_all(b"1234").await.unwrap();
            assert_eq!(state.blocked_at(), None);
            let writing = tokio::spawn(async move { stream.write_all(b"5678").await });
            tokio::task::yield_now().await;
            assert_eq!(state.blocked_at(), Some(4));
            client.read_exact(&mut [0; 8]).await.unwrap();
            writing.await.unwrap().unwrap();
            assert_eq!(state.blocked_at(), None);
        });
    }
}
