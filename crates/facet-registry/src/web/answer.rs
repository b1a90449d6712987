//! Answers: documents with entity tags, bytes in part and as a whole.

use std::ops::Range;

use axum::body::Body;
use bytes::Bytes;
use facets_blobs::BlobStream;
use facets_digest::Digest;
use futures_util::StreamExt as _;
use http::header::{
    ACCEPT_RANGES, ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_LOCATION, CONTENT_RANGE,
    CONTENT_TYPE, ETAG, LOCATION, VARY,
};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};

use super::conditional::{Precondition, judge};
use super::object_writer::write_digest;
use super::refusal::Refusal;

const JSON: &str = "application/json";
const BYTES: &str = "application/octet-stream";

/// What a handler comes to.
pub(crate) type Answer = Result<Response<Body>, Refusal>;

/// How long an answer may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CacheRule {
    /// It can change: ask again, with the entity tag.
    Revalidate,
    /// It never changes.
    Immutable,
    /// It never changes, and is not for everyone.
    ImmutablePrivate,
    /// It is not worth keeping.
    NoStore,
}

impl CacheRule {
    fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Revalidate => "no-cache",
            Self::Immutable => "public, max-age=31536000, immutable",
            Self::ImmutablePrivate => "private, max-age=31536000, immutable",
            Self::NoStore => "no-store",
        })
    }
}

/// A strong entity tag: the digest in quotes.
pub(crate) fn etag_of(digest: &Digest) -> String {
    let mut tag = Vec::with_capacity(80);
    tag.push(b'"');
    write_digest(digest, &mut tag);
    tag.push(b'"');
    String::from_utf8(tag).unwrap_or_default()
}

/// A document that is not worth an entity tag.
pub(crate) fn json(status: StatusCode, body: impl Into<Bytes>) -> Response<Body> {
    let body: Bytes = body.into();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}

/// Text that is no JSON.
pub(crate) fn plain_text(text: String, content_type: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// Which methods there are. What browsers ask before they read is added to every answer.
pub(crate) fn options(allow: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
    response
}

/// A document whose tag is the digest of its bytes.
pub(crate) fn document(headers: &HeaderMap, body: Vec<u8>) -> Answer {
    let etag = etag_of(&Digest::of(&body));
    tagged(headers, &etag, CacheRule::Revalidate, || json(StatusCode::OK, body))
}

/// An answer with a tag, or the word that the client has it.
pub(crate) fn tagged(
    headers: &HeaderMap,
    etag: &str,
    cache: CacheRule,
    answer: impl FnOnce() -> Response<Body>,
) -> Answer {
    let mut response = match judge(headers, etag) {
        Precondition::Holds => answer(),
        Precondition::NotModified => not_modified(),
        Precondition::Fails => return Err(Refusal::precondition()),
    };
    set_tag(response.headers_mut(), etag, cache);
    Ok(response)
}

/// The client has it.
pub(crate) fn not_modified() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    response
}

/// What a tagged answer says about itself.
pub(crate) fn set_tag(headers: &mut HeaderMap, etag: &str, cache: CacheRule) {
    set(headers, ETAG, etag);
    headers.insert(CACHE_CONTROL, cache.header());
}

/// Nothing may keep this answer.
pub(crate) fn without_store(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert(CACHE_CONTROL, CacheRule::NoStore.header());
    response
}

/// The address of what was made.
pub(crate) fn located(mut response: Response<Body>, location: &str) -> Response<Body> {
    set(response.headers_mut(), LOCATION, location);
    response
}

/// What is asked for is at another address.
pub(crate) fn found(address: &str) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::FOUND;
    located(without_store(response), address)
}

/// Another client is answered differently.
pub(crate) fn set_vary_by_client(headers: &mut HeaderMap) {
    headers.insert(VARY, HeaderValue::from_static("user-agent"));
}

/// The address of exactly this, where a moving one was asked for.
pub(crate) fn set_content_location(headers: &mut HeaderMap, location: &str) {
    set(headers, CONTENT_LOCATION, location);
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// Bytes of a blob: what is in memory as one piece, everything else as it comes.
pub(crate) async fn blob_body(mut blob: BlobStream) -> Result<Body, Refusal> {
    let Some(first) = blob.chunks.next().await else { return Ok(Body::empty()) };
    // Damage that shows at once is still a refusal; what shows later ends the connection.
    let first = first?;
    if first.len() as u64 == blob.size {
        return Ok(Body::from(first));
    }
    let first = futures_util::stream::iter([Ok(first)]);
    Ok(Body::from_stream(first.chain(blob.chunks)))
}

/// The head of an answer with bytes. A body that is streamed does not know its length.
pub(crate) fn bytes_response(body: Body, size: u64, part: Option<&Range<u64>>) -> Response<Body> {
    let mut response = Response::new(body);
    let length = part.map_or(size, |range| range.end - range.start);
    if part.is_some() {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(BYTES));
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    if let Some(range) = part {
        set(headers, CONTENT_RANGE, &format!("bytes {}-{}/{size}", range.start, range.end - 1));
    }
    response
}

#[cfg(test)]
mod tests {
    use http::header::IF_NONE_MATCH;

    use super::*;

    #[test]
    fn a_document_is_tagged_with_its_digest() {
        let answer = document(&HeaderMap::new(), b"{}".to_vec()).unwrap();
        let etag = format!("\"{}\"", Digest::of(b"{}"));
        assert_eq!(answer.headers()[ETAG], *etag);
        assert_eq!(answer.headers()[CACHE_CONTROL], "no-cache");
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, HeaderValue::from_str(&etag).unwrap());
        let again = document(&headers, b"{}".to_vec()).unwrap();
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(again.headers()[ETAG], *etag);
    }

    #[test]
    fn a_part_says_which_one_it_is() {
        let whole = bytes_response(Body::empty(), 10, None);
        assert_eq!(whole.status(), StatusCode::OK);
        assert_eq!(whole.headers()[CONTENT_LENGTH], "10");
        let part = bytes_response(Body::empty(), 10, Some(&(2..5)));
        assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT);
        assert_eq!(part.headers()[CONTENT_LENGTH], "3");
        assert_eq!(part.headers()[CONTENT_RANGE], "bytes 2-4/10");
    }
}
