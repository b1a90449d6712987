//! The bytes of a version, whole or in part.

use axum::body::Body;
use facets_registry::{VersionRecord, Wanted};
use http::request::Parts;
use http::{HeaderMap, Method};

use crate::config::ReadAccess;
use crate::web::answer::{
    Answer, CacheRule, blob_body, bytes_response, etag_of, found, not_modified,
    set_content_location, set_tag, set_vary_by_client,
};
use crate::web::app::App;
use crate::web::archive_redirect::{ArchiveRoute, decide_route};
use crate::web::conditional::{Precondition, judge};
use crate::web::documents::write_version_path;
use crate::web::origin::RequestOrigin;
use crate::web::query::QueryPairs;
use crate::web::range::{RangeRequest, requested_range};
use crate::web::refusal::Refusal;

/// The archive, or where it is.
pub(super) async fn archive(
    app: &App,
    origin: &RequestOrigin,
    (record, wanted): (&VersionRecord, &Wanted),
    query: &QueryPairs<'_>,
    head: &Parts,
) -> Answer {
    let mut path = Vec::new();
    write_version_path(record, "/archive", &mut path);
    let path = String::from_utf8_lossy(&path);
    let route = decide_route(record.kind, &path, origin, query, head)?;
    let mut response = match &route {
        ArchiveRoute::Redirect(address) => found(address),
        ArchiveRoute::Bytes | ArchiveRoute::BytesForThisClient => {
            let mut response = bytes(app, record, wanted, &head.method, &head.headers).await?;
            if !matches!(wanted, Wanted::Exact(_)) {
                set_content_location(response.headers_mut(), &path);
            }
            response
        }
    };
    if route != ArchiveRoute::Bytes {
        set_vary_by_client(response.headers_mut());
    }
    Ok(response)
}

/// The bytes, or the part of them that is asked for.
async fn bytes(
    app: &App,
    record: &VersionRecord,
    wanted: &Wanted,
    method: &Method,
    headers: &HeaderMap,
) -> Answer {
    let etag = etag_of(&record.content_hash);
    let mut response = match judge(headers, &etag) {
        Precondition::Fails => return Err(Refusal::precondition()),
        // Without a body the blob is not read. What cannot be sent is refused all the same.
        Precondition::NotModified => {
            app.registry.require_archive(record).await?;
            not_modified()
        }
        Precondition::Holds if *method == Method::HEAD => {
            app.registry.require_archive(record).await?;
            bytes_response(Body::empty(), record.size, None)
        }
        Precondition::Holds => match requested_range(headers, &etag, record.size) {
            RangeRequest::Unsatisfiable => return Err(Refusal::range(record.size)),
            RangeRequest::Whole => {
                let blob = app.registry.archive(record, None).await?;
                bytes_response(blob_body(blob).await?, record.size, None)
            }
            RangeRequest::Part(range) => {
                let blob = app.registry.archive(record, Some(range.clone())).await?;
                bytes_response(blob_body(blob).await?, record.size, Some(&range))
            }
        },
    };
    set_tag(response.headers_mut(), &etag, cache_rule(app, wanted));
    Ok(response)
}

/// Only an exact version is always the same bytes.
pub(super) fn cache_rule(app: &App, wanted: &Wanted) -> CacheRule {
    match (wanted, app.access) {
        (Wanted::Exact(_), ReadAccess::Everyone) => CacheRule::Immutable,
        (Wanted::Exact(_), ReadAccess::Tokens) => CacheRule::ImmutablePrivate,
        _ => CacheRule::Revalidate,
    }
}
