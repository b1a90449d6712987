//! What all requests share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use facets_registry::{Caller, Readiness, Registry};
use tokio::sync::Mutex;

use super::client_address::ClientAddress;
use super::limiter::{BucketRate, RateLimiter};
use super::log::RequestLog;
use super::metrics::Metrics;
use super::openapi;
use super::origin::ReachedBy;
use super::refusal::Refusal;
use super::request_id::RequestIds;
use crate::config::{ConnectionSettings, Rates, ReadAccess};

/// For how long an answer about the health is repeated: probes come often, and each costs two requests.
const READY_KEPT: Duration = Duration::from_secs(1);

/// What an [`App`] is made of.
pub(crate) struct AppSetup {
    pub(crate) registry: Registry,
    pub(crate) log: RequestLog,
    pub(crate) access: ReadAccess,
    pub(crate) reached: ReachedBy,
    pub(crate) rates: Rates,
    pub(crate) connections: ConnectionSettings,
}

/// What all requests share.
pub(crate) struct App {
    pub(crate) registry: Registry,
    pub(crate) log: RequestLog,
    pub(crate) metrics: Metrics,
    pub(crate) access: ReadAccess,
    pub(crate) reached: ReachedBy,
    pub(crate) connections: ConnectionSettings,
    pub(crate) ids: RequestIds,
    pub(crate) description: Bytes,
    started: Instant,
    readers: RateLimiter<ClientAddress>,
    writers: RateLimiter<String>,
    ready: Mutex<Option<(Instant, Readiness)>>,
    is_stopping: AtomicBool,
}

impl App {
    pub(crate) fn new(setup: AppSetup) -> Self {
        let AppSetup { registry, log, access, reached, rates, connections } = setup;
        Self {
            registry,
            log,
            metrics: Metrics::new(),
            access,
            reached,
            connections,
            ids: RequestIds::new(),
            description: Bytes::from(openapi::description()),
            started: Instant::now(),
            readers: RateLimiter::new(BucketRate::per_minute(rates.read, rates.read_burst)),
            writers: RateLimiter::new(BucketRate::per_minute(rates.write, rates.write_burst)),
            ready: Mutex::new(None),
            is_stopping: AtomicBool::new(false),
        }
    }

    /// Counts a request of an address.
    pub(crate) fn admit_request(&self, client: ClientAddress) -> Result<(), Refusal> {
        self.readers.take(&client, self.started.elapsed()).map_err(|wait| self.refuse_for(wait))
    }

    /// Counts a change of a token.
    pub(crate) fn admit_change(&self, caller: &Caller) -> Result<(), Refusal> {
        let taken = self.writers.take(&caller.token_id, self.started.elapsed());
        taken.map_err(|wait| self.refuse_for(wait))
    }

    fn refuse_for(&self, wait: Duration) -> Refusal {
        self.metrics.rate_limited.fetch_add(1, Ordering::Relaxed);
        Refusal::rate_limited(wait.as_secs().saturating_add(1))
    }

    /// Whether catalog and blobs answer, as of a moment ago.
    pub(crate) async fn readiness(&self) -> Readiness {
        let mut kept = self.ready.lock().await;
        if let Some((at, ready)) = &*kept
            && at.elapsed() < READY_KEPT
        {
            return ready.clone();
        }
        let ready = self.registry.ready().await;
        for (part, trouble) in [("catalog", &ready.catalog), ("blobs", &ready.blobs)] {
            if let Some(trouble) = trouble {
                self.log.event("warn", &format!("{part}-unavailable"), trouble);
            }
        }
        *kept = Some((Instant::now(), ready.clone()));
        ready
    }

    /// From now on the process ends: balancers should send requests elsewhere.
    pub(crate) fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }
}
