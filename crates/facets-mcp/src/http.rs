//! Streamable HTTP: each message is a POST, its answer is JSON or a stream of events.

use std::collections::VecDeque;
use std::io::Read as _;
use std::time::{Duration, Instant};

use facets_http::agent_config;
use facets_wire::{EventParser, Header};
use ureq::http::Response;
use ureq::{Agent, Body, BodyReader};

use crate::{CaptureLimits, Transport, TransportError};

/// The revision that has no handshake, and names itself and the method in headers.
pub(crate) const STATELESS: &str = "2026-07-28";
pub(crate) const MAX_REDIRECTS: usize = 5;
/// What is kept of the body of an error.
const ERROR_BODY: u64 = 2000;
pub(crate) const GOODBYE: Duration = Duration::from_secs(2);

/// A connection to a remote server.
pub struct HttpTransport {
    agent: Agent,
    url: String,
    headers: Vec<Header>,
    limits: CaptureLimits,
    revision: Option<String>,
    session: Option<String>,
    waiting: VecDeque<Vec<u8>>,
    stream: Option<(BodyReader<'static>, EventParser)>,
    received: usize,
}

impl HttpTransport {
    /// Nothing is sent yet.
    #[must_use]
    pub fn new(url: &str, headers: Vec<Header>, limits: CaptureLimits) -> Self {
        let config = agent_config().timeout_global(Some(limits.answer)).build();
        Self {
            agent: config.into(),
            url: url.to_owned(),
            headers,
            limits,
            revision: None,
            session: None,
            waiting: VecDeque::new(),
            stream: None,
            received: 0,
        }
    }

    fn post(
        &self,
        url: &str,
        message: &str,
        method: Option<&str>,
        deadline: Instant,
    ) -> Result<Response<Body>, TransportError> {
        let mut request = self
            .agent
            .post(url)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .header("Accept-Encoding", "identity");
        for Header { name, value } in &self.headers {
            request = request.header(name, value);
        }
        let stateless =
            method == Some("server/discover") || self.revision.as_deref() == Some(STATELESS);
        let revision = if stateless { Some(STATELESS) } else { self.revision.as_deref() };
        if let Some(revision) = revision.filter(|_| method != Some("initialize")) {
            request = request.header("MCP-Protocol-Version", revision);
        }
        if let (true, Some(method)) = (stateless, method) {
            request = request.header("Mcp-Method", method);
        }
        if let Some(session) = &self.session {
            request = request.header("Mcp-Session-Id", session);
        }
        let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        let request = request.config().timeout_global(Some(left)).build();
        request.send(message).map_err(unreachable)
    }

    /// Follows redirects that stay on the same host and keep the method.
    fn post_following(
        &mut self,
        message: &str,
        method: Option<&str>,
        deadline: Instant,
    ) -> Result<Response<Body>, TransportError> {
        for _ in 0..MAX_REDIRECTS {
            let response = self.post(&self.url, message, method, deadline)?;
            let status = response.status().as_u16();
            if !(300..400).contains(&status) {
                return Ok(response);
            }
            let location = text_header(&response, "location");
            match resolve_redirect(&self.url, &location).filter(|_| matches!(status, 307 | 308)) {
                Some(url) => self.url = url,
                None => return Err(TransportError::Redirect { location }),
            }
        }
        Err(TransportError::Redirect { location: self.url.clone() })
    }

    fn accept(&mut self, response: Response<Body>) -> Result<(), TransportError> {
        let status = response.status().as_u16();
        if !(200..300).contains(&status) {
            let body = read_error_body(response);
            return Err(TransportError::Status { status, body });
        }
        let encoding = text_header(&response, "content-encoding");
        if !matches!(&*encoding, "" | "identity") {
            return Err(TransportError::Encoding { found: encoding });
        }
        if let Some(session) = response.headers().get("mcp-session-id") {
            self.session = session.to_str().ok().map(str::to_owned);
        }
        let kind = text_header(&response, "content-type");
        let mime = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let reader = response.into_body().into_with_config().limit(u64::MAX).reader();
        match (status, mime.as_str()) {
            (202, _) => Ok(()),
            (_, "application/json") => self.read_json(reader),
            (_, "text/event-stream") => {
                self.stream = Some((reader, EventParser::new(self.limits.message)));
                Ok(())
            }
            _ => Err(TransportError::ContentType { found: kind }),
        }
    }

    fn read_json(&mut self, reader: BodyReader<'static>) -> Result<(), TransportError> {
        let mut body = Vec::new();
        let limit = self.limits.message;
        reader.take(limit as u64 + 1).read_to_end(&mut body).map_err(|error| broken(&error))?;
        if body.len() > limit {
            return Err(TransportError::MessageTooLarge { limit });
        }
        self.count(body.len())?;
        self.waiting.push_back(body);
        Ok(())
    }

    /// Reads a piece of the open stream; whether it goes on.
    fn read_stream(&mut self) -> Result<bool, TransportError> {
        let Some((reader, parser)) = &mut self.stream else { return Ok(false) };
        let mut buffer = [0; 16 << 10];
        let count = reader.read(&mut buffer).map_err(|error| broken(&error))?;
        let limit = self.limits.message;
        let events = parser.push(&buffer[..count]);
        let events = events.map_err(|_| TransportError::MessageTooLarge { limit })?;
        // An event without data only carries an id, for clients that come back.
        let is_message = |event: &facets_wire::ServerSentEvent| {
            matches!(&*event.kind, "" | "message") && !event.data.is_empty()
        };
        self.waiting.extend(events.into_iter().filter(is_message).map(|event| event.data));
        if count == 0 {
            self.stream = None;
        }
        self.count(count)?;
        Ok(count > 0)
    }

    fn count(&mut self, bytes: usize) -> Result<(), TransportError> {
        self.received += bytes;
        let limit = self.limits.bytes;
        if self.received > limit { Err(TransportError::TooMuch { limit }) } else { Ok(()) }
    }
}

impl Transport for HttpTransport {
    fn send(
        &mut self,
        message: &str,
        method: Option<&str>,
        deadline: Instant,
    ) -> Result<(), TransportError> {
        let response = self.post_following(message, method, deadline)?;
        if method.is_some() {
            self.stream = None;
            return self.accept(response);
        }
        // A notification or a reply of ours: the open stream goes on, and servers differ in
        // what they say to it.
        let status = response.status().as_u16();
        if status < 400 {
            return Ok(());
        }
        Err(TransportError::Status { status, body: read_error_body(response) })
    }

    fn receive(&mut self, deadline: Instant) -> Result<Vec<u8>, TransportError> {
        loop {
            if let Some(message) = self.waiting.pop_front() {
                return Ok(message);
            }
            if Instant::now() >= deadline {
                return Err(TransportError::Timeout);
            }
            if !self.read_stream()? {
                return Err(TransportError::Closed);
            }
        }
    }

    fn agreed(&mut self, revision: &str) {
        self.revision = Some(revision.to_owned());
    }

    fn noise(&self) -> &[String] {
        &[]
    }
}

impl Drop for HttpTransport {
    /// A session that nobody ends stays open on the server.
    fn drop(&mut self) {
        let Some(session) = self.session.take() else { return };
        let mut request = self.agent.delete(&self.url).header("Mcp-Session-Id", session);
        for Header { name, value } in &self.headers {
            request = request.header(name, value);
        }
        let _ = request.config().timeout_global(Some(GOODBYE)).build().call();
    }
}

pub(crate) fn text_header(response: &Response<Body>, name: &str) -> String {
    let value = response.headers().get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_owned()
}

pub(crate) fn read_error_body(response: Response<Body>) -> String {
    let mut body = Vec::new();
    let reader = response.into_body().into_reader();
    let _ = reader.take(ERROR_BODY).read_to_end(&mut body);
    String::from_utf8_lossy(&body).into_owned()
}

pub(crate) fn unreachable(error: ureq::Error) -> TransportError {
    match error {
        ureq::Error::Timeout(_) => TransportError::Timeout,
        other => TransportError::Unreachable { reason: other.to_string() },
    }
}

fn broken(error: &std::io::Error) -> TransportError {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
    let timed_out = matches!(inner, Some(ureq::Error::Timeout(_)))
        || matches!(error.kind(), std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock);
    if timed_out { TransportError::Timeout } else { TransportError::Closed }
}

/// spec 5.8: redirects to another host are refused, and so is another scheme or port
pub(crate) fn resolve_redirect(from: &str, location: &str) -> Option<String> {
    let origin_end = from.find("://").map(|at| at + 3)?;
    let authority_end =
        from[origin_end..].find(['/', '?']).map_or(from.len(), |at| origin_end + at);
    let origin = &from[..authority_end];
    match location.strip_prefix(origin) {
        Some(rest) if rest.is_empty() || rest.starts_with(['/', '?']) => Some(location.to_owned()),
        _ if location.starts_with('/') && !location.starts_with("//") => {
            Some(format!("{origin}{location}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::resolve_redirect;

    #[test]
    fn redirects_stay_where_they_are() {
        let from = "https://a.example:8443/mcp?x=1";
        let resolve = |location| resolve_redirect(from, location);
        assert_eq!(resolve("/other").as_deref(), Some("https://a.example:8443/other"));
        assert_eq!(
            resolve("https://a.example:8443/y").as_deref(),
            Some("https://a.example:8443/y")
        );
        for elsewhere in [
            "//b.example/",
            "https://b.example/",
            "https://a.example/",
            "http://a.example:8443/",
            "https://a.example:8443.b.example/",
            "https://a.example:8443@b.example/",
            "relative",
            "",
        ] {
            assert_eq!(resolve(elsewhere), None, "{elsewhere}");
        }
    }
}
