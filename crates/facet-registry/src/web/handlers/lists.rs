//! Lists: names, and the versions of a name.

use facets_model::ArtifactName;
use facets_registry::{ArtifactKind, Cursor, VersionSummary, Wanted};
use http::HeaderMap;

use crate::web::answer::{Answer, document};
use crate::web::app::App;
use crate::web::documents;
use crate::web::query::QueryPairs;
use crate::web::refusal::{Refusal, bad_cursor};

const USUAL: u32 = 30;
const MOST: u32 = 100;
/// Versions that are listed beside one.
const MOST_VERSIONS: usize = 1000;

/// Names: all, those of a scope, or those that a search finds.
pub(super) async fn names(
    app: &App,
    kind: ArtifactKind,
    scope: Option<&str>,
    query: &QueryPairs<'_>,
    headers: &HeaderMap,
) -> Answer {
    let (cursor, limit) = page_of(query)?;
    let search = query.get("q")?.map(str::trim).filter(|words| !words.is_empty());
    let in_query = query.get("scope")?.map(|scope| scope.trim_start_matches('@'));
    let page = match (search, scope, in_query) {
        (Some(words), None, None) => {
            app.registry.search(kind, words, cursor.as_ref(), limit).await?
        }
        (None, in_path, in_query) => {
            let scope = checked_scope(in_path.or(in_query))?;
            app.registry.names(kind, scope, cursor.as_ref(), limit).await?
        }
        (Some(_), ..) => {
            let fix = "search without `scope`, or list the scope without `q`";
            return Err(Refusal::bad_request("`q` and `scope` do not go together", fix));
        }
    };
    document(headers, documents::name_list(kind, scope, &page))
}

/// A scope is one if a name in it is.
fn checked_scope(scope: Option<&str>) -> Result<Option<&str>, Refusal> {
    let is_scope =
        |scope: &str| scope.len() <= 64 && format!("@{scope}/aa").parse::<ArtifactName>().is_ok();
    match scope {
        Some(scope) if !is_scope(scope) => {
            let fix =
                "a scope has 2 to 64 of a-z, 0-9 and single hyphens, and begins with a letter";
            Err(Refusal::bad_request("the scope is not one", fix))
        }
        other => Ok(other),
    }
}

/// The versions of a name.
pub(super) async fn versions(
    app: &App,
    kind: ArtifactKind,
    name: &ArtifactName,
    query: &QueryPairs<'_>,
    headers: &HeaderMap,
) -> Answer {
    let (cursor, limit) = page_of(query)?;
    let page = app.registry.versions(kind, name, cursor.as_ref(), limit).await?;
    document(headers, documents::version_list(name, &page))
}

/// A version among all of its name.
pub(super) async fn version_among(
    app: &App,
    kind: ArtifactKind,
    name: &ArtifactName,
    wanted: &Wanted,
    headers: &HeaderMap,
) -> Answer {
    let record = app.registry.version(kind, name, wanted).await?;
    let mut all: Vec<VersionSummary> = Vec::new();
    let mut cursor: Option<Cursor> = None;
    while all.len() < MOST_VERSIONS {
        let left = u32::try_from(MOST_VERSIONS - all.len()).unwrap_or(MOST);
        let page = app.registry.versions(kind, name, cursor.as_ref(), left).await?;
        all.extend(page.items);
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    document(headers, documents::version_among(&record, &all))
}

/// Where a page begins, and how long it is.
fn page_of(query: &QueryPairs<'_>) -> Result<(Option<Cursor>, u32), Refusal> {
    let cursor = query.get("cursor")?.filter(|text| !text.is_empty());
    let cursor = cursor.map(|text| text.parse().map_err(|_| bad_cursor())).transpose()?;
    let Some(text) = query.get("limit")? else { return Ok((cursor, USUAL)) };
    // A number has one spelling: neither `+5` nor `05`.
    let is_plain = text.starts_with(|c: char| matches!(c, '1'..='9'));
    if let (true, Ok(limit @ 1..=MOST)) = (is_plain, text.parse::<u32>()) {
        return Ok((cursor, limit));
    }
    let fix = format!("send a number from 1 to {MOST}, or leave `limit` out");
    Err(Refusal::bad_request("`limit` is not a number in range", fix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(query: &str) -> Result<u32, u16> {
        let query = QueryPairs::parse(Some(query)).unwrap();
        page_of(&query).map(|(_, limit)| limit).map_err(|refusal| refusal.status())
    }

    #[test]
    fn pages_are_of_a_reasonable_size() {
        assert_eq!(limit(""), Ok(30));
        assert_eq!(limit("limit=1"), Ok(1));
        assert_eq!(limit("limit=100"), Ok(100));
        for query in ["limit=0", "limit=101", "limit=-1", "limit=", "limit=x", "limit=1&limit=2"] {
            assert_eq!(limit(query), Err(400), "{query}");
        }
        for query in ["limit=05", "limit=%2B5", "limit=%205"] {
            assert_eq!(limit(query), Err(400), "{query}");
        }
        assert_eq!(limit("cursor=%21%21"), Err(400));
    }

    #[test]
    fn a_scope_is_a_slug() {
        assert!(matches!(checked_scope(Some("acme")), Ok(Some("acme"))));
        assert!(matches!(checked_scope(None), Ok(None)));
        for scope in ["", "A", "a/b", "a--b", "-a", "é"] {
            assert!(checked_scope(Some(scope)).is_err(), "{scope}");
        }
    }
}
