//! How the process is.

use axum::response::Response;
use http::{HeaderMap, StatusCode};

use crate::web::answer::{self, Answer, json, plain_text, without_store};
use crate::web::app::App;
use crate::web::authorization::require_reader;
use crate::web::exchange::Exchange;
use crate::web::metrics::OutsideCounts;
use crate::web::object_writer::ObjectWriter;

/// The process answers.
pub(super) fn live() -> Response {
    without_store(json(StatusCode::OK, &br#"{"status":"ok"}"#[..]))
}

/// Catalog and blobs answer. What is wrong with them is in the log, not here.
pub(super) async fn ready(app: &App) -> Response {
    let readiness = app.readiness().await;
    let word = |is_ok: bool| if is_ok { "ok" } else { "unavailable" };
    let is_ready = readiness.is_ready() && !app.is_stopping();
    let mut out = Vec::with_capacity(128);
    let mut object = ObjectWriter::begin(&mut out);
    object.text("status", word(is_ready));
    object.text("catalog", word(readiness.catalog.is_none()));
    object.text("blobs", word(readiness.blobs.is_none()));
    // Facets are published and everything is read without probes.
    object.text("probes", word(app.registry.prober_trouble().is_none()));
    object.end();
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    without_store(json(status, out))
}

/// Counters, for Prometheus.
pub(super) async fn metrics(app: &App, exchange: &Exchange, headers: &HeaderMap) -> Answer {
    require_reader(app, exchange, headers).await?;
    let depth = app.registry.queue_depth().await.ok();
    let outside = OutsideCounts {
        jobs_queued: depth.map(|depth| depth.queued),
        jobs_running: depth.map(|depth| depth.running),
        log_lines_dropped: app.log.dropped(),
        can_probe: app.registry.prober_trouble().is_none(),
    };
    let page = app.metrics.render(env!("CARGO_PKG_VERSION"), &outside);
    Ok(without_store(plain_text(page, "text/plain; version=0.0.4; charset=utf-8")))
}

/// The description of this interface.
pub(super) fn description(app: &App, headers: &HeaderMap) -> Answer {
    answer::document(headers, app.description.to_vec())
}
