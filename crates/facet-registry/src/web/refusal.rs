//! Why a request is not answered as it was meant: always JSON (RFC 9457), with a code, a sentence and a fix.

use axum::body::Body;
use facets_blobs::BlobError;
use facets_catalog::CatalogError;
use facets_face::plural;
use facets_registry::{RegistryError, RegistryProblem};
use http::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_RANGE, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE,
};
use http::{HeaderMap, HeaderValue, Response, StatusCode};

use super::artifact_route::RouteRefusal;
use super::object_writer::ObjectWriter;
use super::query::QueryError;

/// Where everything about this interface can be read.
pub(crate) const DOCUMENTATION: &str = "/openapi.json";

const PROBLEM: &str = "application/problem+json";

/// What a problem says about the request.
#[derive(Clone, Debug)]
pub(crate) struct ProblemContext<'c> {
    pub(crate) request_id: &'c str,
    /// In full: clients show it as it is. None where the address of this registry is not known.
    pub(crate) docs_url: Option<String>,
}

/// A problem, with what its headers say.
#[derive(Debug)]
pub(crate) struct Refusal {
    problem: RegistryProblem,
    header: RefusalHeader,
    /// What the log says and the client does not learn.
    cause: Option<String>,
}

/// A header that belongs to a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RefusalHeader {
    None,
    Allow(&'static str),
    /// The size of what was asked for in part.
    Size(u64),
    /// The rest of the request is not read.
    Close,
}

impl Refusal {
    fn new(problem: RegistryProblem) -> Self {
        Self { problem, header: RefusalHeader::None, cause: None }
    }

    pub(crate) fn bad_request(error: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(RegistryProblem::new("E_BAD_REQUEST", error, fix))
    }

    pub(crate) fn not_found(error: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(RegistryProblem::new("E_NOT_FOUND", error, fix))
    }

    pub(crate) fn unknown_route() -> Self {
        Self::not_found("there is nothing at this path", format!("{DOCUMENTATION} lists all paths"))
    }

    pub(crate) fn method(allow: &'static str) -> Self {
        let error = "this path has other methods";
        let problem = RegistryProblem::new("E_METHOD", error, format!("use one of {allow}"));
        Self { header: RefusalHeader::Allow(allow), ..Self::new(problem) }
    }

    pub(crate) fn unauthorized(error: &str) -> Self {
        let fix = "send `Authorization: Bearer TOKEN`; `facet login` does, and an operator makes tokens \
                   with `facet-registry token create`";
        Self::new(RegistryProblem::new("E_UNAUTHORIZED", error, fix))
    }

    pub(crate) fn may_not_read() -> Self {
        let fix = "use a token with the scope `read`, or one that publishes";
        Self::new(RegistryProblem::new("E_FORBIDDEN", "this token may not read this registry", fix))
    }

    pub(crate) fn rate_limited(seconds: u64) -> Self {
        let error = "too many requests";
        let time = plural(usize::try_from(seconds).unwrap_or(usize::MAX), "second");
        let fix = format!("wait {time}, then continue more slowly");
        let seconds = u32::try_from(seconds).unwrap_or(u32::MAX);
        Self::new(RegistryProblem::new("E_RATE_LIMITED", error, fix).with_retry_after(seconds))
    }

    pub(crate) fn range(size: u64) -> Self {
        let error = format!("the range is outside of {size} bytes");
        let fix = "ask for bytes below the size, or leave `Range` out";
        let problem = RegistryProblem::new("E_RANGE", error, fix);
        Self { header: RefusalHeader::Size(size), ..Self::new(problem) }
    }

    pub(crate) fn precondition() -> Self {
        let fix = "leave `If-Match` out, or send the current entity tag";
        let error = "`If-Match` names another representation";
        Self::new(RegistryProblem::new("E_PRECONDITION", error, fix))
    }

    pub(crate) fn timeout() -> Self {
        let error = "the request came too slowly, or not to its end";
        let fix = "send it again, over a faster connection";
        Self::new(RegistryProblem::new("E_TIMEOUT", error, fix)).and_close()
    }

    pub(crate) fn too_large(limit: usize) -> Self {
        let error = format!("the body has more than {limit} bytes");
        Self::new(RegistryProblem::new("E_TOO_LARGE", error, "send less")).and_close()
    }

    pub(crate) fn too_many_connections() -> Self {
        let (error, fix) = ("too many connections", "try again in some seconds");
        Self::new(RegistryProblem::new("E_UNAVAILABLE", error, fix).with_retry_after(5))
    }

    pub(crate) fn internal(cause: String) -> Self {
        let fix = "try again; if it fails again, give the operator the id of the request";
        let problem = RegistryProblem::new("E_INTERNAL", "the registry failed", fix);
        Self { cause: Some(cause), ..Self::new(problem) }
    }

    /// The same, and the connection ends: what is left of the request is not worth reading.
    pub(crate) fn and_close(self) -> Self {
        Self { header: RefusalHeader::Close, ..self }
    }

    /// The HTTP status.
    #[cfg(test)]
    pub(crate) fn status(&self) -> u16 {
        self.problem.status
    }

    /// What the log says beside the status.
    pub(crate) fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    /// The answer.
    pub(crate) fn into_response(self, context: &ProblemContext<'_>) -> Response<Body> {
        let (status, headers) = self.head();
        let body = write_problem(&self.problem, status, context);
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        response
    }

    /// The answer as it is sent where there is no request, after which the connection ends.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        let (status, headers) = self.head();
        let context = ProblemContext { request_id: "none", docs_url: None };
        let body = write_problem(&self.problem, status, &context);
        let mut out = Vec::with_capacity(512 + body.len());
        out.extend_from_slice(format!("HTTP/1.1 {status}\r\n").as_bytes());
        for (name, value) in headers.iter().filter(|(name, _)| **name != CONNECTION) {
            out.extend_from_slice(name.as_str().as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(value.as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        let length = body.len();
        out.extend_from_slice(
            format!("connection: close\r\ncontent-length: {length}\r\n\r\n").as_bytes(),
        );
        out.extend_from_slice(&body);
        out
    }

    fn head(&self) -> (StatusCode, HeaderMap) {
        let status = StatusCode::from_u16(self.problem.status);
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM));
        // It names the request, and the address that its sender used.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.problem.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            let challenge = HeaderValue::from_static("Bearer realm=\"facet-registry\"");
            headers.insert(WWW_AUTHENTICATE, challenge);
        }
        let (name, value) = match self.header {
            RefusalHeader::None => return (status, headers),
            RefusalHeader::Allow(allow) => (ALLOW, allow.to_owned()),
            RefusalHeader::Size(size) => (CONTENT_RANGE, format!("bytes */{size}")),
            RefusalHeader::Close => (CONNECTION, "close".to_owned()),
        };
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
        (status, headers)
    }
}

/// A problem as every refusal has it, for a document that quotes one.
pub(crate) fn problem_document(problem: &RegistryProblem, context: &ProblemContext<'_>) -> Vec<u8> {
    let status = StatusCode::from_u16(problem.status);
    write_problem(problem, status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), context)
}

fn write_problem(
    problem: &RegistryProblem,
    status: StatusCode,
    context: &ProblemContext<'_>,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(512);
    let mut object = ObjectWriter::begin(&mut out);
    object.text("type", "about:blank");
    object.text("title", status.canonical_reason().unwrap_or("Error"));
    object.number("status", u64::from(status.as_u16()));
    object.text("detail", &problem.error);
    object.text("code", problem.code);
    // What the reference client shows.
    object.text("error", &problem.error);
    object.text("fix", &problem.fix);
    if let Some(docs_url) = &context.docs_url {
        object.text("docs_url", docs_url);
    }
    if let Some(details) = &problem.details {
        object.raw("details", details.as_bytes());
    }
    object.text("request_id", context.request_id);
    object.end();
    out
}

impl From<RegistryError> for Refusal {
    fn from(error: RegistryError) -> Self {
        match error {
            RegistryError::Refused(problem) => Self::new(problem),
            RegistryError::Catalog(CatalogError::BadCursor) => bad_cursor(),
            other => Self { cause: Some(causes(&other)), ..Self::new(other.problem()) },
        }
    }
}

impl From<BlobError> for Refusal {
    fn from(error: BlobError) -> Self {
        RegistryError::from(error).into()
    }
}

impl From<RouteRefusal> for Refusal {
    fn from(refusal: RouteRefusal) -> Self {
        match refusal {
            RouteRefusal::Malformed(error) => {
                Self::bad_request(error, format!("{DOCUMENTATION} says how paths are written"))
            }
            RouteRefusal::Unknown => Self::unknown_route(),
            RouteRefusal::Method { allow } => Self::method(allow),
        }
    }
}

impl From<QueryError> for Refusal {
    fn from(QueryError(error): QueryError) -> Self {
        Self::bad_request(error, format!("{DOCUMENTATION} says what may stand in a query"))
    }
}

/// A cursor that no list gave out.
pub(crate) fn bad_cursor() -> Refusal {
    let fix = "leave `cursor` out, or take `next_cursor` of the page before";
    Refusal::bad_request("the cursor is not one of this list", fix)
}

/// An error and all of its causes, in a line.
fn causes(error: &RegistryError) -> String {
    let mut text = error.to_string();
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;
    use serde_json::Value;

    use super::*;

    fn document(refusal: Refusal) -> (Response<()>, Value) {
        let docs_url = Some("http://r.example/openapi.json".to_owned());
        let context = ProblemContext { request_id: "r-1", docs_url };
        let (head, body) = refusal.into_response(&context).into_parts();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let bytes = runtime.block_on(body.collect()).unwrap().to_bytes();
        (Response::from_parts(head, ()), serde_json::from_slice(&bytes).unwrap())
    }

    #[test]
    fn every_refusal_has_a_code_a_sentence_a_fix_and_the_id_of_the_request() {
        let refusals = [
            Refusal::bad_request("bad", "mend it"),
            Refusal::unknown_route(),
            Refusal::method("GET"),
            Refusal::unauthorized("no token"),
            Refusal::may_not_read(),
            Refusal::rate_limited(3),
            Refusal::range(10),
            Refusal::precondition(),
            Refusal::timeout(),
            Refusal::too_large(10),
            Refusal::internal("why".to_owned()),
            bad_cursor(),
        ];
        for refusal in refusals {
            let status = refusal.status();
            let (head, document) = document(refusal);
            assert_eq!(head.status().as_u16(), status);
            assert_eq!(document["status"], status);
            assert_eq!(head.headers()["content-type"], "application/problem+json");
            assert!(document["code"].as_str().unwrap().starts_with("E_"), "{document}");
            assert_eq!(document["detail"], document["error"]);
            assert!(!document["fix"].as_str().unwrap().is_empty(), "{document}");
            assert_eq!(document["request_id"], "r-1");
            assert_eq!(document["docs_url"], "http://r.example/openapi.json");
            assert_eq!(head.headers()["cache-control"], "no-store");
            assert_ne!(status, 0);
        }
    }

    #[test]
    fn headers_say_what_belongs_to_a_status() {
        let (head, _) = document(Refusal::method("GET, HEAD"));
        assert_eq!(head.headers()["allow"], "GET, HEAD");
        let (head, _) = document(Refusal::rate_limited(7));
        assert_eq!(head.headers()["retry-after"], "7");
        let (head, _) = document(Refusal::range(10));
        assert_eq!(head.headers()["content-range"], "bytes */10");
        let (head, _) = document(Refusal::unauthorized("no token"));
        assert!(head.headers().contains_key("www-authenticate"));
        let (head, _) = document(Refusal::timeout());
        assert_eq!(head.headers()["connection"], "close");
    }

    #[test]
    fn an_answer_without_a_request_is_complete() {
        let text = String::from_utf8(Refusal::too_many_connections().into_bytes()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{head}");
        assert!(head.ends_with(&format!("content-length: {}", body.len())), "{head}");
        assert_eq!(head.matches("connection: close").count(), 1);
        let problem: Value = serde_json::from_str(body).unwrap();
        assert_eq!(problem["code"], "E_UNAVAILABLE");
        assert!(problem.get("docs_url").is_none(), "{problem}");
        let slow = String::from_utf8(Refusal::timeout().into_bytes()).unwrap();
        assert_eq!(slow.matches("connection: close").count(), 1);
    }

    #[test]
    fn what_failed_inside_is_logged_and_not_shown() {
        let refusal = Refusal::internal("/srv/data is gone".to_owned());
        assert_eq!(refusal.cause(), Some("/srv/data is gone"));
        let (_, document) = document(refusal);
        assert!(!document.to_string().contains("/srv"), "{document}");
    }
}
