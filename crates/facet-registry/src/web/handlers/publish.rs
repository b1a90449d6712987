//! Changes: publish, yank, offer again.

use axum::response::Response;
use facets_digest::json::{self, Limits, Provenance, Value};
use facets_model::{ArtifactName, Version};
use facets_registry::{ArtifactKind, Caller, PublishAnswer, Upload, VersionRecord};
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use http::{HeaderMap, StatusCode};

use crate::web::answer::{Answer, json as json_answer, located, without_store};
use crate::web::app::App;
use crate::web::documents::{version_document, write_version_path};
use crate::web::exchange::Exchange;
use crate::web::object_writer::ObjectWriter;
use crate::web::receive::IncomingBody;
use crate::web::refusal::Refusal;

/// A reason, with its quotes and escapes.
const YANK_BODY: usize = 8 << 10;

/// Receives an archive, and publishes it.
pub(super) async fn publish(
    app: &App,
    kind: ArtifactKind,
    name: &ArtifactName,
    (exchange, caller): (&Exchange, &Caller),
    (headers, body): (&HeaderMap, IncomingBody),
) -> Answer {
    let mut body = body;
    let begun = match check_headers(headers) {
        Ok(announced) => {
            app.registry.begin_body(kind, name, caller, announced).await.map_err(Refusal::from)
        }
        Err(refusal) => Err(refusal),
    };
    let received = match begun {
        Ok(upload) => receive(upload, &mut body).await,
        Err(refusal) => Err(refusal),
    };
    let bytes = body.received();
    app.metrics.request_bytes.fetch_add(bytes, std::sync::atomic::Ordering::Relaxed);
    let upload = match received {
        Ok(upload) => upload,
        Err(refusal) => {
            body.drain().await;
            return Err(refusal.and_close());
        }
    };
    Ok(match app.registry.publish(upload, caller).await? {
        PublishAnswer::Created(record) => created(&record),
        PublishAnswer::Same(record) => changed(&record),
        PublishAnswer::Accepted { job } => accepted(&job, exchange),
    })
}

/// The announced size, of a body that is sent as it is.
fn check_headers(headers: &HeaderMap) -> Result<Option<u64>, Refusal> {
    if headers.get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        let error = "the body has a `Content-Encoding`";
        return Err(Refusal::bad_request(error, "send the archive as it is"));
    }
    let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    Ok(length.and_then(|length| length.parse().ok()))
}

async fn receive(mut upload: Upload, body: &mut IncomingBody) -> Result<Upload, Refusal> {
    loop {
        let bytes = tokio::select! {
            bytes = body.next() => bytes?,
            displaced = upload.displaced() => return Err(displaced.into()),
        };
        let Some(bytes) = bytes else { return Ok(upload) };
        upload.write(&bytes).await?;
    }
}

fn created(record: &VersionRecord) -> Response {
    let mut path = Vec::new();
    write_version_path(record, "", &mut path);
    let answer = json_answer(StatusCode::CREATED, version_document(record));
    without_store(located(answer, &String::from_utf8_lossy(&path)))
}

/// The version as it is now.
fn changed(record: &VersionRecord) -> Response {
    without_store(json_answer(StatusCode::OK, version_document(record)))
}

fn accepted(job: &str, exchange: &Exchange) -> Response {
    let address = format!("/v0/publishes/{job}");
    let mut out = Vec::with_capacity(256);
    let mut object = ObjectWriter::begin(&mut out);
    object.text("status", "QUEUED");
    object.text("reason", "pending");
    object.text("fix", "wait: the server is started and looked at; ask status_url how far it is");
    if let Some(docs_url) = exchange.docs_url() {
        object.text("docs_url", &docs_url);
    }
    object.text("status_url", &address);
    object.end();
    without_store(located(json_answer(StatusCode::ACCEPTED, out), &address))
}

/// Takes a version back.
pub(super) async fn yank(
    app: &App,
    (kind, name, version): (ArtifactKind, &ArtifactName, &Version),
    caller: &Caller,
    body: IncomingBody,
) -> Answer {
    let reason = parse_reason(&body.read_all(YANK_BODY).await?)?;
    Ok(changed(&app.registry.yank(kind, name, version, &reason, caller).await?))
}

/// Offers a version again. A body says nothing.
pub(super) async fn unyank(
    app: &App,
    (kind, name, version): (ArtifactKind, &ArtifactName, &Version),
    caller: &Caller,
    body: IncomingBody,
) -> Answer {
    body.read_all(YANK_BODY).await?;
    Ok(changed(&app.registry.unyank(kind, name, version, caller).await?))
}

fn parse_reason(body: &[u8]) -> Result<String, Refusal> {
    let refuse = |error: String| {
        let fix = "send `{\"reason\":\"why the version should not be used\"}`";
        Refusal::bad_request(error, fix)
    };
    let limits = Limits { bytes: YANK_BODY, depth: 8, values: 64 };
    let parsed = json::parse(body, Provenance::Authored, limits);
    let document = parsed.map_err(|error| refuse(format!("the body is not JSON: {error}")))?;
    match document.member("reason") {
        Some(Value::String(reason)) => Ok(reason.to_string()),
        Some(_) => Err(refuse("`reason` is not a text".to_owned())),
        None => Err(refuse("`reason` is missing".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_reason_is_a_text_in_an_object() {
        let reason = |body: &str| parse_reason(body.as_bytes()).map_err(|refusal| refusal.status());
        assert_eq!(reason(r#"{"reason":"leak","more":1}"#), Ok("leak".to_owned()));
        for body in
            ["", "{}", "[]", r#""leak""#, r#"{"reason":1}"#, r#"{"reason":"a","reason":"b"}"#]
        {
            assert_eq!(reason(body), Err(400), "{body}");
        }
    }

    #[test]
    fn an_encoded_archive_is_refused() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("7"));
        assert!(matches!(check_headers(&headers), Ok(Some(7))));
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        assert!(check_headers(&headers).is_err());
    }
}
