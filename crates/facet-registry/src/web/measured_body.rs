//! The body of an answer, counted. When it ends, or is given up, the request is over.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use axum::body::Body;
use bytes::Bytes;
use http::Method;
use http_body::{Body as HttpBody, Frame, SizeHint};

use super::app::App;
use super::exchange::Exchange;
use super::log::RequestLine;
use super::watched_stream::ConnectionState;

/// What is noted when a request is over.
pub(crate) struct Measurement {
    pub(crate) app: Arc<App>,
    pub(crate) exchange: Arc<Exchange>,
    pub(crate) connection: Arc<ConnectionState>,
    pub(crate) method: Method,
    pub(crate) started: Instant,
    pub(crate) status: u16,
    pub(crate) bytes: u64,
}

impl Measurement {
    /// A request begins.
    pub(crate) fn begin(
        app: &Arc<App>,
        exchange: &Arc<Exchange>,
        connection: &Arc<ConnectionState>,
        method: &Method,
    ) -> Self {
        app.metrics.in_flight.fetch_add(1, Ordering::Relaxed);
        connection.begin_request();
        Self {
            app: Arc::clone(app),
            exchange: Arc::clone(exchange),
            connection: Arc::clone(connection),
            method: method.clone(),
            started: Instant::now(),
            // What is noted if the client goes away before there is an answer.
            status: 499,
            bytes: 0,
        }
    }
}

impl Drop for Measurement {
    fn drop(&mut self) {
        let (metrics, took) = (&self.app.metrics, self.started.elapsed());
        metrics.in_flight.fetch_sub(1, Ordering::Relaxed);
        metrics.response_bytes.fetch_add(self.bytes, Ordering::Relaxed);
        metrics.record(self.exchange.label(), self.status, took);
        self.connection.end_request();
        self.app.log.request(&RequestLine {
            id: &self.exchange.id,
            method: self.method.as_str(),
            label: self.exchange.label(),
            status: self.status,
            took,
            bytes: self.bytes,
            owner: self.exchange.owner(),
            cause: self.exchange.cause(),
        });
    }
}

/// A body that is counted while it is sent.
pub(crate) struct MeasuredBody {
    inner: Body,
    measurement: Measurement,
}

impl MeasuredBody {
    pub(crate) fn new(inner: Body, measurement: Measurement) -> Self {
        Self { inner, measurement }
    }
}

impl HttpBody for MeasuredBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.inner).poll_frame(context));
        match &frame {
            Some(Ok(frame)) => {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                self.measurement.bytes += bytes as u64;
            }
            Some(Err(error)) => self.measurement.exchange.set_cause(&error.to_string()),
            None => {}
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
