//! One connection, from its first byte to its last.

use std::convert::Infallible;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use futures_util::FutureExt as _;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, CONNECTION, CONTENT_LENGTH,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::app::App;
use super::client_address::ClientAddress;
use super::exchange::Exchange;
use super::framing::check_framing;
use super::measured_body::{MeasuredBody, Measurement};
use super::refusal::Refusal;
use super::request_body::RequestBody;
use super::watched_stream::{ConnectionPhase, ConnectionState, WatchedStream};

/// How often a connection is looked at. A timeout is late by no more than this.
const LOOK: Duration = Duration::from_secs(2);
/// How long a client may take less than it should.
const SLOW_FOR: Duration = Duration::from_secs(30);
/// For how long an idle connection is kept while hardly any is left.
const IDLE_WHEN_FULL: Duration = Duration::from_secs(5);

/// Bytes of the head of a request; their number is limited to 100 lines by hyper.
const HEAD_BYTES: usize = 32 << 10;
/// Bytes that are kept in memory for each direction.
const BUFFER: usize = 64 << 10;

const REQUEST_ID: &str = "x-request-id";

/// What every connection needs.
#[derive(Clone)]
pub(crate) struct Connections {
    pub(crate) app: Arc<App>,
    pub(crate) router: Router,
    /// Becomes true when the process is to end.
    pub(crate) stop: watch::Receiver<bool>,
}

/// How a connection ended, if not by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionEnd {
    Closed,
    /// The head of a request did not come to its end.
    SlowHead,
    /// The client does not take its answer.
    SlowReader,
}

impl Connections {
    /// Answers the requests of a connection until it ends.
    pub(crate) async fn serve<S>(mut self, stream: S, peer: IpAddr, is_scarce: impl Fn() -> bool)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let state = Arc::new(ConnectionState::new());
        let io = TokioIo::new(WatchedStream::new(stream, Arc::clone(&state)));
        let router = TowerToHyperService::new(self.router.clone());
        let (app, watched) = (Arc::clone(&self.app), Arc::clone(&state));
        let service = service_fn(move |request: Request<Incoming>| {
            let (app, router, state) = (Arc::clone(&app), router.clone(), Arc::clone(&watched));
            async move { Ok::<_, Infallible>(exchange(app, router, state, peer, request).await) }
        });
        let mut connection = builder().serve_connection(io, service);
        let mut watch = Watch { state, app: Arc::clone(&self.app), slow_since: None };
        let mut looks = interval_at(Instant::now() + LOOK, LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_stopping = *self.stop.borrow();
        if is_stopping {
            Pin::new(&mut connection).graceful_shutdown();
        }
        let end = loop {
            tokio::select! {
                // Errors are the client's: it went away, or sent what is no HTTP.
                _ = &mut connection => break ConnectionEnd::Closed,
                _ = self.stop.changed(), if !is_stopping => {
                    is_stopping = true;
                    Pin::new(&mut connection).graceful_shutdown();
                }
                _ = looks.tick() => match watch.judge(is_scarce()) {
                    WatchVerdict::Fine => {}
                    WatchVerdict::Idle => Pin::new(&mut connection).graceful_shutdown(),
                    WatchVerdict::End(end) => break end,
                },
            }
        };
        if end == ConnectionEnd::SlowHead {
            refuse(connection.into_parts().io.into_inner(), Refusal::timeout()).await;
        }
    }
}

fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        // Times are watched here: hyper has one limit for an idle connection and a slow head.
        .header_read_timeout(None::<Duration>)
        // A client that has said all may still listen.
        .half_close(true)
        .keep_alive(true)
        .max_header_size(HEAD_BYTES)
        .max_buf_size(BUFFER);
    builder
}

/// Looks at a connection from time to time.
struct Watch {
    state: Arc<ConnectionState>,
    app: Arc<App>,
    /// Since when the client takes nothing, and how much it had taken then.
    slow_since: Option<(Instant, u64)>,
}

/// What is to be done about a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WatchVerdict {
    Fine,
    /// It waits for too long.
    Idle,
    End(ConnectionEnd),
}

impl Watch {
    fn judge(&mut self, is_scarce: bool) -> WatchVerdict {
        if self.is_slow_reader(Instant::now()) {
            return WatchVerdict::End(ConnectionEnd::SlowReader);
        }
        let limits = &self.app.connections;
        let idle =
            if is_scarce { limits.idle_timeout.min(IDLE_WHEN_FULL) } else { limits.idle_timeout };
        match self.state.phase() {
            (ConnectionPhase::Waiting, since) if since >= idle => WatchVerdict::Idle,
            (ConnectionPhase::Head, since) if since >= limits.header_timeout => {
                WatchVerdict::End(ConnectionEnd::SlowHead)
            }
            _ => WatchVerdict::Fine,
        }
    }

    /// Whether the client has taken too little of an answer for too long.
    fn is_slow_reader(&mut self, now: Instant) -> bool {
        let Some(written) = self.state.blocked_at() else {
            self.slow_since = None;
            return false;
        };
        let (since, before) = *self.slow_since.get_or_insert((now, written));
        let passed = now.saturating_duration_since(since);
        if passed < SLOW_FOR {
            return false;
        }
        self.slow_since = Some((now, written));
        written - before < self.app.connections.body_rate.saturating_mul(passed.as_secs())
    }
}

/// One request: counted, logged, and answered whatever happens inside.
async fn exchange(
    app: Arc<App>,
    router: TowerToHyperService<Router>,
    connection: Arc<ConnectionState>,
    peer: IpAddr,
    request: Request<Incoming>,
) -> Response<MeasuredBody> {
    let given = request.headers().get(REQUEST_ID).map(HeaderValue::as_bytes);
    let client = ClientAddress::of(peer, request.headers(), app.reached.proxy);
    let exchange = Arc::new(Exchange::new(
        app.ids.choose(given),
        client,
        app.reached.origin(request.headers()),
    ));
    let request = request.map(|body| RequestBody::new(body, &connection));
    let method = request.method().clone();
    let mut measurement = Measurement::begin(&app, &exchange, &connection, &method);
    let admitted = admit(&app, &exchange, &request);
    let mut response = match admitted {
        Ok(()) => answer(&app, &exchange, router, request).await,
        Err(refusal) => refusal.into_response(&exchange.problem_context()),
    };
    set_common_headers(response.headers_mut(), &method, &exchange.id);
    if response.status() == StatusCode::NOT_MODIFIED {
        // RFC 9110, 8.6: the router gives every answer to HEAD a length, here that of no body.
        response.headers_mut().remove(CONTENT_LENGTH);
    }
    if connection.is_body_unread() {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    measurement.status = response.status().as_u16();
    response.map(|body| MeasuredBody::new(body, measurement))
}

/// Health and metrics are asked for by machines of the operator, at any time.
fn admit(app: &App, exchange: &Exchange, request: &Request<RequestBody>) -> Result<(), Refusal> {
    check_framing(request.version(), request.headers())?;
    match request.uri().path() {
        "/health" | "/health/live" | "/health/ready" | "/v0/health" | "/metrics" => Ok(()),
        _ => app.admit_request(exchange.client),
    }
}

async fn answer(
    app: &App,
    exchange: &Arc<Exchange>,
    router: TowerToHyperService<Router>,
    mut request: Request<RequestBody>,
) -> Response<Body> {
    request.extensions_mut().insert(Arc::clone(exchange));
    let answered = AssertUnwindSafe(router.call(request)).catch_unwind().await;
    match answered {
        Ok(Ok(response)) => response,
        Ok(Err(never)) => match never {},
        Err(_) => {
            app.metrics.panics.fetch_add(1, Ordering::Relaxed);
            exchange.set_cause("a defect; the log has its place");
            Refusal::internal("a defect".to_owned()).into_response(&exchange.problem_context())
        }
    }
}

fn set_common_headers(headers: &mut HeaderMap, method: &Method, id: &str) {
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Browsers may read, and nothing else.
    if !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return;
    }
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    let exposed =
        "etag, location, content-location, content-range, accept-ranges, retry-after, x-request-id";
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(exposed));
    if *method == Method::OPTIONS {
        let allowed = "authorization, if-match, if-none-match, if-range, range, x-request-id";
        headers
            .insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD, OPTIONS"));
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(allowed));
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    }
}

/// Answers a connection on which no request came to its end, as far as the client listens.
async fn refuse(mut stream: impl AsyncWrite + Unpin, refusal: Refusal) {
    const PATIENCE: Duration = Duration::from_secs(1);
    let answer = refusal.into_bytes();
    let writing = async {
        stream.write_all(&answer).await?;
        stream.shutdown().await
    };
    // The client is slow, or gone.
    let _ = tokio::time::timeout(PATIENCE, writing).await;
}
