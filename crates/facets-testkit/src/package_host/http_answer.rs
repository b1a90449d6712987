//! One answer of a host, before it is written.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::catalog::ServedFile;
use crate::raw_http::RawHead;

/// A complete answer, for a `GET`.
#[derive(Clone, Debug)]
pub(super) struct HttpAnswer {
    pub(super) status: &'static str,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Arc<[u8]>,
}

impl HttpAnswer {
    pub(super) fn new(content_type: &str, body: &[u8]) -> Self {
        let headers = vec![("Content-Type", content_type.to_owned())];
        Self { status: "200 OK", headers, body: body.into() }
    }

    pub(super) fn json(content_type: &str, value: &Value) -> Self {
        Self::new(content_type, value.to_string().as_bytes())
    }

    pub(super) fn not_found() -> Self {
        let answer = Self::new("application/json", br#"{"error":"not found"}"#);
        Self { status: "404 Not Found", ..answer }
    }

    /// A file, or the part of it that is asked for.
    pub(super) fn file(file: &ServedFile, head: &RawHead) -> Self {
        if file.is_missing {
            return Self::not_found();
        }
        Self::part(&file.bytes, head.headers.get("range").map(String::as_str))
    }

    fn part(bytes: &Arc<[u8]>, range: Option<&str>) -> Self {
        let mut headers = vec![
            ("Content-Type", "application/octet-stream".to_owned()),
            ("Accept-Ranges", "bytes".to_owned()),
        ];
        let Some(range) = range.and_then(|range| parse_range(range, bytes.len())) else {
            return Self { status: "200 OK", headers, body: Arc::clone(bytes) };
        };
        if range.is_empty() {
            headers.push(("Content-Range", format!("bytes */{}", bytes.len())));
            return Self { status: "416 Range Not Satisfiable", headers, body: Arc::from([]) };
        }
        let shown = format!("bytes {}-{}/{}", range.start, range.end - 1, bytes.len());
        headers.push(("Content-Range", shown));
        Self { status: "206 Partial Content", headers, body: bytes[range].into() }
    }
}

/// One range of bytes; none if it is written in a way that a server may ignore.
fn parse_range(text: &str, length: usize) -> Option<Range<usize>> {
    let (first, last) = text.strip_prefix("bytes=")?.split_once('-')?;
    if first.is_empty() {
        return Some(length.saturating_sub(last.parse().ok()?)..length);
    }
    let first: usize = first.parse().ok()?;
    let end = if last.is_empty() { length } else { last.parse::<usize>().ok()?.checked_add(1)? };
    Some(first.min(length)..end.min(length))
}
