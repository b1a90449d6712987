//! Everything below `/v0/facets` and `/v0/source-servers`.

use axum::extract::Request;
use facets_registry::ArtifactKind;
use http::request::Parts;
use http::{HeaderMap, Method};

use super::{archive, lists, publish, versions};
use crate::web::answer::{Answer, options};
use crate::web::app::App;
use crate::web::artifact_route::{ArtifactRoute, READ_METHODS, VersionPart};
use crate::web::authorization::{require_reader, require_writer};
use crate::web::documents::base_path;
use crate::web::exchange::Exchange;
use crate::web::query::QueryPairs;
use crate::web::receive::IncomingBody;
use crate::web::refusal::Refusal;
use crate::web::route_table::Endpoint;

/// Answers a request about facets or servers.
pub(super) async fn answer(
    app: &App,
    exchange: &Exchange,
    kind: ArtifactKind,
    request: Request,
) -> Answer {
    let (head, body) = request.into_parts();
    // As it was sent: the router decodes nothing.
    let rest = head.uri.path().strip_prefix(base_path(kind)).unwrap_or_default();
    let Some(rest) = rest.strip_prefix('/') else {
        return list(app, exchange, kind, &head).await;
    };
    match ArtifactRoute::parse(&head.method, rest)? {
        ArtifactRoute::Options { allow } => Ok(options(allow)),
        route @ (ArtifactRoute::Publish { .. }
        | ArtifactRoute::Yank { .. }
        | ArtifactRoute::Unyank { .. }) => {
            let body = IncomingBody::new(body, app.connections).announced_by(&head.headers);
            change(app, exchange, (kind, route), &head.headers, body).await
        }
        route => read(app, exchange, kind, route, &head).await,
    }
}

async fn list(app: &App, exchange: &Exchange, kind: ArtifactKind, head: &Parts) -> Answer {
    exchange.set_endpoint(Endpoint::List, Some(kind));
    match head.method {
        Method::GET | Method::HEAD => {}
        Method::OPTIONS => return Ok(options(READ_METHODS)),
        _ => return Err(Refusal::method(READ_METHODS)),
    }
    require_reader(app, exchange, &head.headers).await?;
    let query = QueryPairs::parse(head.uri.query())?;
    lists::names(app, kind, None, &query, &head.headers).await
}

async fn read(
    app: &App,
    exchange: &Exchange,
    kind: ArtifactKind,
    route: ArtifactRoute,
    head: &Parts,
) -> Answer {
    exchange.set_endpoint(Endpoint::of(&route), Some(kind));
    let headers = &head.headers;
    require_reader(app, exchange, headers).await?;
    let query = QueryPairs::parse(head.uri.query())?;
    match route {
        ArtifactRoute::Scope { scope } => {
            lists::names(app, kind, Some(&scope), &query, headers).await
        }
        ArtifactRoute::LatestVersion { name } => versions::latest(app, kind, &name, headers).await,
        ArtifactRoute::Versions { name } => {
            lists::versions(app, kind, &name, &query, headers).await
        }
        ArtifactRoute::VersionsOf { name, wanted } => {
            lists::version_among(app, kind, &name, &wanted, headers).await
        }
        ArtifactRoute::Version { name, wanted, part } => {
            let wanted = versions::with_floor(wanted, &query)?;
            let record = app.registry.version(kind, &name, &wanted).await?;
            match part {
                VersionPart::Document => versions::document(&record, headers),
                VersionPart::Archive => {
                    let read = (&record, &wanted);
                    archive::archive(app, &exchange.origin, read, &query, head).await
                }
                VersionPart::Contents => versions::contents(app, &record, headers).await,
                VersionPart::Surface => versions::surface(app, &record, &wanted, headers).await,
                VersionPart::Contract => versions::contract(app, &record, headers).await,
                VersionPart::Diff => versions::diff(app, &record, &query, headers).await,
            }
        }
        ArtifactRoute::Options { .. }
        | ArtifactRoute::Publish { .. }
        | ArtifactRoute::Yank { .. }
        | ArtifactRoute::Unyank { .. } => Err(Refusal::unknown_route()),
    }
}

async fn change(
    app: &App,
    exchange: &Exchange,
    (kind, route): (ArtifactKind, ArtifactRoute),
    headers: &HeaderMap,
    body: IncomingBody,
) -> Answer {
    exchange.set_endpoint(Endpoint::of(&route), Some(kind));
    let caller = match require_writer(app, exchange, headers).await {
        Ok(caller) => caller,
        Err(refusal) => {
            body.drain().await;
            return Err(refusal.and_close());
        }
    };
    match route {
        ArtifactRoute::Publish { name } => {
            publish::publish(app, kind, &name, (exchange, &caller), (headers, body)).await
        }
        ArtifactRoute::Yank { name, version } => {
            publish::yank(app, (kind, &name, &version), &caller, body).await
        }
        ArtifactRoute::Unyank { name, version } => {
            publish::unyank(app, (kind, &name, &version), &caller, body).await
        }
        _ => Err(Refusal::unknown_route()),
    }
}
