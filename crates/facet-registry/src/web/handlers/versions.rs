//! A version, and what can be read of it.

use facets_model::{ArtifactName, Floor, VersionError};
use facets_registry::{ArtifactKind, VersionRecord, Wanted};
use http::{HeaderMap, StatusCode};

use super::archive::cache_rule;
use crate::web::answer::{self, Answer, etag_of, json, set_content_location, tagged};
use crate::web::app::App;
use crate::web::artifact_route::{RouteRefusal, parse_wanted};
use crate::web::documents;
use crate::web::findings::diff_document;
use crate::web::query::QueryPairs;
use crate::web::refusal::Refusal;

/// `latest` with a floor is the latest at or above it.
pub(super) fn with_floor(wanted: Wanted, query: &QueryPairs<'_>) -> Result<Wanted, Refusal> {
    let Some(floor) = query.get("floor")? else { return Ok(wanted) };
    let floor: Floor = floor.parse().map_err(|error: VersionError| {
        let error = format!("the floor is not a version: {error}");
        Refusal::bad_request(error, "send a version such as `?floor=1.0.0`")
    })?;
    match wanted {
        Wanted::Latest => Ok(Wanted::AtLeast(floor)),
        _ => Err(Refusal::bad_request("only `latest` has a floor", "ask for `latest?floor=1.0.0`")),
    }
}

pub(super) fn document(record: &VersionRecord, headers: &HeaderMap) -> Answer {
    answer::document(headers, documents::version_document(record))
}

pub(super) async fn latest(
    app: &App,
    kind: ArtifactKind,
    name: &ArtifactName,
    headers: &HeaderMap,
) -> Answer {
    let record = app.registry.version(kind, name, &Wanted::Latest).await?;
    answer::document(headers, documents::latest_version(&record))
}

pub(super) async fn contents(app: &App, record: &VersionRecord, headers: &HeaderMap) -> Answer {
    let files = app.registry.contents(record).await?;
    answer::document(headers, documents::contents(record, &files))
}

/// The surface file, byte for byte: its digest is what a lock holds.
pub(super) async fn surface(
    app: &App,
    record: &VersionRecord,
    wanted: &Wanted,
    headers: &HeaderMap,
) -> Answer {
    let bytes = app.registry.surface_file(record).await?;
    let etag = record.server.as_ref().map(|server| etag_of(&server.surface_file));
    let cache = cache_rule(app, wanted);
    let answer = || json(StatusCode::OK, bytes);
    let mut response = tagged(headers, &etag.unwrap_or_default(), cache, answer)?;
    if !matches!(wanted, Wanted::Exact(_)) {
        let mut path = Vec::new();
        documents::write_version_path(record, "/surface", &mut path);
        set_content_location(response.headers_mut(), &String::from_utf8_lossy(&path));
    }
    Ok(response)
}

pub(super) async fn contract(app: &App, record: &VersionRecord, headers: &HeaderMap) -> Answer {
    let contract = app.registry.contract(record).await?;
    answer::document(headers, contract.into_bytes())
}

/// What differs from an earlier version.
pub(super) async fn diff(
    app: &App,
    to: &VersionRecord,
    query: &QueryPairs<'_>,
    headers: &HeaderMap,
) -> Answer {
    let Some(from) = query.get("from")? else {
        let fix = "name the earlier version: `?from=1.0.0`";
        return Err(Refusal::bad_request("`from` is missing", fix));
    };
    let from = app.registry.version(to.kind, &to.name, &earlier(from)?).await?;
    let diff = app.registry.diff(&from, to).await?;
    answer::document(headers, diff_document(&from, to, &diff))
}

/// The version that another is compared with.
fn earlier(from: &str) -> Result<Wanted, Refusal> {
    parse_wanted(from).map_err(|refusal| match refusal {
        RouteRefusal::Malformed(error) => {
            Refusal::bad_request(error, "name the earlier version: `?from=1.0.0`")
        }
        other => other.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_latest_has_a_floor() {
        let with = |wanted, query| {
            let query = QueryPairs::parse(Some(query)).unwrap();
            with_floor(wanted, &query).map_err(|refusal| refusal.status())
        };
        assert_eq!(with(Wanted::Latest, ""), Ok(Wanted::Latest));
        let floor = Wanted::AtLeast("1.0.0".parse().unwrap());
        assert_eq!(with(Wanted::Latest, "floor=1.0.0"), Ok(floor));
        assert_eq!(with(Wanted::Latest, "floor=1.0"), Err(400));
        let exact = Wanted::Exact("1.0.0".parse().unwrap());
        assert_eq!(with(exact, "floor=1.0.0"), Err(400));
    }
}
