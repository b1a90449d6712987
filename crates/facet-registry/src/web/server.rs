//! The server: accepts connections until a signal ends it, and then finishes what is in flight.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use super::address_share::{AddressShare, AddressShares};
use super::app::App;
use super::connection::Connections;
use super::handlers::router;
use super::listener::{Bound, raise_descriptor_limit};
use super::refusal::Refusal;
use crate::config::ProxyTrust;

/// Pause after the system had no descriptor for a connection.
const EXHAUSTED: Duration = Duration::from_millis(100);

/// How the server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// After everything in flight was answered.
    Finished,
    /// The time for that ran out.
    TimedOut,
    /// A second signal ended it.
    Killed,
}

/// The signals that end a server.
pub(crate) struct EndSignals {
    terminate: Signal,
    interrupt: Signal,
    /// The terminal is gone. None if that is to be ignored.
    hangup: Option<Signal>,
}

impl EndSignals {
    /// From now on they no longer end the process by themselves.
    pub(crate) fn listen() -> io::Result<Self> {
        let terminate = signal(SignalKind::terminate())?;
        let interrupt = signal(SignalKind::interrupt())?;
        // A handler would undo what `nohup` did.
        let hangup = if ignores_hangup() { None } else { Some(signal(SignalKind::hangup())?) };
        Ok(Self { terminate, interrupt, hangup })
    }

    async fn next(&mut self) {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = hangup => {}
        }
    }
}

/// Whether this process was started so that it outlives its terminal.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The lowest bit is signal 1, the hangup.
    mask.is_some_and(|mask| mask & 1 == 1)
}

/// Serves until a signal comes, then finishes for at most `wait`.
pub(crate) async fn serve(
    app: Arc<App>,
    bound: Bound,
    mut signals: EndSignals,
    wait: Duration,
) -> Ending {
    raise_descriptor_limit();
    if let Err(error) = app.registry.remove_leftovers().await {
        app.log.event("warn", "leftovers-kept", &error.to_string());
    }
    let (stop, stopping) = watch::channel(false);
    let probers = app.registry.start_probers(stopping.clone());
    let most = app.connections.most as usize;
    // Behind a proxy every connection comes from the same address.
    let per_address = match app.reached.proxy {
        ProxyTrust::None => app.connections.per_address as usize,
        ProxyTrust::LastHop => 0,
    };
    let acceptor = Acceptor {
        addresses: AddressShares::new(per_address),
        slots: Arc::new(Semaphore::new(most)),
        most,
        tls: bound.tls.clone(),
        full: Refusal::too_many_connections().into_bytes(),
        connections: Connections {
            router: router(Arc::clone(&app)),
            app: Arc::clone(&app),
            stop: stopping,
        },
    };
    tokio::select! {
        () = acceptor.accept_all(&bound) => {}
        () = signals.next() => {}
    }
    app.log.event("info", "stopping", "finishing what is in flight");
    app.stop();
    // New connections are refused from here on.
    drop(bound);
    let _ = stop.send(true);
    let ending = tokio::select! {
        () = acceptor.finish(probers) => Ending::Finished,
        () = tokio::time::sleep(wait) => Ending::TimedOut,
        () = signals.next() => Ending::Killed,
    };
    app.log.event("info", "stopped", ending.word());
    ending
}

impl Ending {
    fn word(self) -> &'static str {
        match self {
            Self::Finished => "everything was finished",
            Self::TimedOut => "the time to finish ran out",
            Self::Killed => "a second signal",
        }
    }
}

/// Accepts connections.
struct Acceptor {
    addresses: AddressShares,
    /// One for each connection that may be open.
    slots: Arc<Semaphore>,
    most: usize,
    tls: Option<TlsAcceptor>,
    /// What a client is answered that comes when all connections are taken.
    full: Vec<u8>,
    connections: Connections,
}

impl Acceptor {
    /// Never ends by itself.
    async fn accept_all(&self, bound: &Bound) {
        loop {
            match bound.listener.accept().await {
                Ok((stream, peer)) => self.accept(stream, peer),
                // The client went away again, or descriptors are used up.
                Err(error) if is_of_client(&error) => {}
                Err(error) => {
                    let log = &self.connections.app.log;
                    log.event("error", "accept-failed", &error.to_string());
                    tokio::time::sleep(EXHAUSTED).await;
                }
            }
        }
    }

    fn accept(&self, stream: TcpStream, peer: SocketAddr) {
        let metrics = &self.connections.app.metrics;
        let share = self.addresses.take(peer.ip());
        let slot = Arc::clone(&self.slots).try_acquire_owned();
        let (Some(share), Ok(slot)) = (share, slot) else {
            metrics.connections_refused.fetch_add(1, Ordering::Relaxed);
            // As much as the system takes at once; there is no place to wait.
            if self.tls.is_none() {
                let _ = stream.try_write(&self.full);
            }
            return;
        };
        // Answers are written whole; waiting for more bytes would only delay them.
        let _ = stream.set_nodelay(true);
        metrics.connections.fetch_add(1, Ordering::Relaxed);
        let app = Arc::clone(&self.connections.app);
        let open = OpenConnection { app, _slot: slot, _share: share };
        let (connections, tls) = (self.connections.clone(), self.tls.clone());
        let (slots, few) = (Arc::clone(&self.slots), self.most / 4);
        let is_scarce = move || slots.available_permits() < few;
        tokio::spawn(async move {
            let _open = open;
            match tls {
                None => connections.serve(stream, peer.ip(), is_scarce).await,
                Some(tls) => {
                    let limit = connections.app.connections.header_timeout;
                    let handshake = tokio::time::timeout(limit, tls.accept(stream)).await;
                    if let Ok(Ok(stream)) = handshake {
                        connections.serve(stream, peer.ip(), is_scarce).await;
                    }
                }
            }
        });
    }

    /// Waits until no connection is open and no server is being looked at.
    async fn finish(&self, probers: JoinHandle<()>) {
        let all = u32::try_from(self.most).unwrap_or(u32::MAX);
        let closed = self.slots.acquire_many(all);
        let (_closed, _ended) = tokio::join!(closed, probers);
    }
}

fn is_of_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

/// A connection that counts.
struct OpenConnection {
    app: Arc<App>,
    _slot: OwnedSemaphorePermit,
    _share: AddressShare,
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.app.metrics.connections.fetch_sub(1, Ordering::Relaxed);
    }
}
