//! The routes: parse, one call of the registry, answer.

mod account;
mod archive;
mod artifacts;
mod health;
mod lists;
mod publish;
mod versions;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::any;
use axum::{Extension, Router};
use facets_registry::ArtifactKind;
use http::Method;

use super::answer::{Answer, options};
use super::app::App;
use super::artifact_route::{READ_METHODS, refuse_unknown};
use super::exchange::Exchange;
use super::refusal::Refusal;
use super::route_table::Endpoint;

/// All routes. Methods are not matched here: every refusal has to be a problem.
pub(crate) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/v0/facets", any(facets))
        .route("/v0/facets/{*rest}", any(facets))
        .route("/v0/source-servers", any(servers))
        .route("/v0/source-servers/{*rest}", any(servers))
        .route("/v0/publishes/{id}", any(publish_status))
        .route("/v0/auth/me", any(me))
        .route("/health/live", any(live))
        .route("/health/ready", any(ready))
        .route("/health", any(health_page))
        .route("/v0/health", any(health_of_reference))
        .route("/metrics", any(metrics))
        .route("/openapi.json", any(description))
        .fallback(unknown)
        .with_state(app)
}

type Shared = State<Arc<App>>;
type Current = Extension<Arc<Exchange>>;

async fn facets(app: Shared, current: Current, request: Request) -> Response {
    artifacts_of(ArtifactKind::Facet, app, current, request).await
}

async fn servers(app: Shared, current: Current, request: Request) -> Response {
    artifacts_of(ArtifactKind::Server, app, current, request).await
}

async fn artifacts_of(
    kind: ArtifactKind,
    State(app): Shared,
    Extension(exchange): Current,
    request: Request,
) -> Response {
    let answer = artifacts::answer(&app, &exchange, kind, request).await;
    finish(answer, &exchange)
}

async fn publish_status(
    State(app): Shared,
    Extension(exchange): Current,
    request: Request,
) -> Response {
    let (head, _) = request.into_parts();
    let answer = match enter(&exchange, Endpoint::PublishStatus, &head.method) {
        Some(answer) => answer,
        None => account::publish_status(&app, &exchange, &head).await,
    };
    finish(answer, &exchange)
}

async fn me(State(app): Shared, Extension(exchange): Current, request: Request) -> Response {
    let (head, _) = request.into_parts();
    let answer = match enter(&exchange, Endpoint::Me, &head.method) {
        Some(answer) => answer,
        None => account::me(&app, &exchange, &head.headers).await,
    };
    finish(answer, &exchange)
}

async fn live(Extension(exchange): Current, method: Method) -> Response {
    let answer = enter(&exchange, Endpoint::Live, &method);
    finish(answer.unwrap_or_else(|| Ok(health::live())), &exchange)
}

async fn ready(app: Shared, current: Current, method: Method) -> Response {
    health_at(Endpoint::Ready, app, current, method).await
}

async fn health_page(app: Shared, current: Current, method: Method) -> Response {
    health_at(Endpoint::Health, app, current, method).await
}

async fn health_of_reference(app: Shared, current: Current, method: Method) -> Response {
    health_at(Endpoint::HealthOfReference, app, current, method).await
}

async fn health_at(
    endpoint: Endpoint,
    State(app): Shared,
    Extension(exchange): Current,
    method: Method,
) -> Response {
    let answer = match enter(&exchange, endpoint, &method) {
        Some(answer) => answer,
        None => Ok(health::ready(&app).await),
    };
    finish(answer, &exchange)
}

async fn metrics(State(app): Shared, Extension(exchange): Current, request: Request) -> Response {
    let (head, _) = request.into_parts();
    let answer = match enter(&exchange, Endpoint::Metrics, &head.method) {
        Some(answer) => answer,
        None => health::metrics(&app, &exchange, &head.headers).await,
    };
    finish(answer, &exchange)
}

async fn description(
    State(app): Shared,
    Extension(exchange): Current,
    request: Request,
) -> Response {
    let answer = enter(&exchange, Endpoint::OpenApi, request.method());
    finish(answer.unwrap_or_else(|| health::description(&app, request.headers())), &exchange)
}

async fn unknown(Extension(exchange): Current, request: Request) -> Response {
    let answer = match (request.method(), request.uri().path()) {
        // The server as a whole.
        (&Method::OPTIONS, "*") => Ok(options(READ_METHODS)),
        (_, path) => Err(refuse_unknown(path).into()),
    };
    finish(answer, &exchange)
}

/// The answer to another method than those of a route that is only read.
fn enter(exchange: &Exchange, endpoint: Endpoint, method: &Method) -> Option<Answer> {
    exchange.set_endpoint(endpoint, None);
    match *method {
        Method::GET | Method::HEAD => None,
        Method::OPTIONS => Some(Ok(options(READ_METHODS))),
        _ => Some(Err(Refusal::method(READ_METHODS))),
    }
}

fn finish(answer: Answer, exchange: &Exchange) -> Response {
    answer.unwrap_or_else(|refusal| {
        if let Some(cause) = refusal.cause() {
            exchange.set_cause(cause);
        }
        refusal.into_response(&exchange.problem_context())
    })
}
