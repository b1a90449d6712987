//! Single exchanges over HTTP, for whoever keeps several of them open at once.

use std::io::Read;
use std::time::Duration;

use facets_http::agent_config;
use facets_wire::Header;
use ureq::http::Response;
use ureq::{Agent, Body, BodyReader};

use crate::error::TransportError;
use crate::http::{
    GOODBYE, MAX_REDIRECTS, STATELESS, read_error_body, resolve_redirect, text_header, unreachable,
};

/// How long it may take to reach a server. Answers may take as long as they take.
const CONNECT: Duration = Duration::from_secs(30);

/// Where messages are sent.
#[derive(Debug)]
pub struct Poster {
    agent: Agent,
    url: String,
    headers: Vec<Header>,
}

/// What goes headers with a message.
#[derive(Clone, Debug, Default)]
pub struct RequestHeaders {
    /// The session, once there is one.
    pub session: Option<String>,
    /// The revision, once it is agreed on, or of the message itself.
    pub revision: Option<String>,
    /// The method.
    pub method: Option<String>,
    /// What the method is about: a name or an address.
    pub name: Option<String>,
}

/// What came back.
pub enum PostReply {
    /// Nothing, and that is all.
    Nothing,
    /// One message, or an error that may be one.
    Message(Box<dyn Read + Send>, Option<u16>),
    /// Messages, one event each.
    Events(Box<dyn Read + Send>),
}

impl std::fmt::Debug for PostReply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PostReply")
    }
}

impl Poster {
    /// Nothing is sent yet.
    #[must_use]
    pub fn new(url: &str, headers: Vec<Header>) -> Self {
        let config = agent_config().timeout_connect(Some(CONNECT)).build();
        Self { agent: config.into(), url: url.to_owned(), headers }
    }

    /// Sends a message. Gives back the session that the server named, too.
    pub fn post(
        &self,
        message: &[u8],
        headers: &RequestHeaders,
    ) -> Result<(PostReply, Option<String>), TransportError> {
        let mut url = self.url.clone();
        for _ in 0..MAX_REDIRECTS {
            let response = self.post_to(&url, message, headers)?;
            let status = response.status().as_u16();
            if !(300..400).contains(&status) {
                return accept(response);
            }
            let location = text_header(&response, "location");
            match resolve_redirect(&url, &location).filter(|_| matches!(status, 307 | 308)) {
                Some(next) => url = next,
                None => return Err(TransportError::Redirect { location }),
            }
        }
        Err(TransportError::Redirect { location: url })
    }

    fn post_to(
        &self,
        url: &str,
        message: &[u8],
        headers: &RequestHeaders,
    ) -> Result<Response<Body>, TransportError> {
        let mut request = self
            .agent
            .post(url)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
        for Header { name, value } in &self.headers {
            request = request.header(name, value);
        }
        for (name, value) in headers.pairs() {
            request = request.header(name, value);
        }
        request.send(message).map_err(unreachable)
    }

    /// What the server says unasked, where it offers that.
    pub fn listen(&self, headers: &RequestHeaders) -> Option<Box<dyn Read + Send>> {
        let mut request = self.agent.get(&self.url).header("Accept", "text/event-stream");
        for Header { name, value } in &self.headers {
            request = request.header(name, value);
        }
        for (name, value) in headers.pairs() {
            request = request.header(name, value);
        }
        match accept(request.call().ok()?).ok()?.0 {
            PostReply::Events(reader) => Some(reader),
            _ => None,
        }
    }

    /// Ends a session: one that nobody ends stays open on the server.
    pub fn goodbye(&self, session: &str) {
        let mut request = self.agent.delete(&self.url).header("Mcp-Session-Id", session);
        for Header { name, value } in &self.headers {
            request = request.header(name, value);
        }
        let _ = request.config().timeout_global(Some(GOODBYE)).build().call();
    }
}

impl RequestHeaders {
    fn pairs(&self) -> Vec<(&'static str, String)> {
        let is_stateless = self.revision.as_deref() == Some(STATELESS);
        let mut headers = Vec::new();
        let mut add = |name, value: Option<&String>| {
            headers.extend(value.map(|value| (name, in_header(value))));
        };
        add("Mcp-Session-Id", self.session.as_ref());
        add("MCP-Protocol-Version", self.revision.as_ref());
        if is_stateless {
            add("Mcp-Method", self.method.as_ref());
            add("Mcp-Name", self.name.as_ref());
        }
        headers
    }
}

/// What is no plain text travels in a form of its own.
fn in_header(value: &str) -> String {
    let is_plain = value.bytes().all(|byte| matches!(byte, 0x20..=0x7e))
        && value.trim() == value
        && !value.starts_with("=?base64?");
    if is_plain { value.to_owned() } else { format!("=?base64?{}?=", base64(value.as_bytes())) }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - group.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

fn accept(response: Response<Body>) -> Result<(PostReply, Option<String>), TransportError> {
    let status = response.status().as_u16();
    let encoding = text_header(&response, "content-encoding");
    if !matches!(&*encoding, "" | "identity") {
        return Err(TransportError::Encoding { found: encoding });
    }
    let kind = text_header(&response, "content-type");
    let mime = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if !(200..300).contains(&status) && mime != "application/json" {
        return Err(TransportError::Status { status, body: read_error_body(response) });
    }
    let session = response.headers().get("mcp-session-id");
    let session = session.and_then(|value| value.to_str().ok()).map(str::to_owned);
    let reader = |response: Response<Body>| -> Box<dyn Read + Send> {
        let reader: BodyReader<'static> =
            response.into_body().into_with_config().limit(u64::MAX).reader();
        Box::new(reader)
    };
    let answer = match (status, mime.as_str()) {
        (202 | 204, _) => PostReply::Nothing,
        (200..300, "application/json") => PostReply::Message(reader(response), None),
        (_, "application/json") => PostReply::Message(reader(response), Some(status)),
        (_, "text/event-stream") => PostReply::Events(reader(response)),
        _ => return Err(TransportError::ContentType { found: kind }),
    };
    Ok((answer, session))
}

#[cfg(test)]
mod tests {
    use super::in_header;

    #[test]
    fn names_survive_a_header() {
        assert_eq!(in_header("read_file"), "read_file");
        assert_eq!(in_header("ü"), "=?base64?w7w=?=");
        assert_eq!(in_header(" a"), "=?base64?IGE=?=");
        assert_eq!(in_header("a\nb"), "=?base64?YQpi?=");
    }
}
