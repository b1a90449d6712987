//! Requests of HTTP/1.1, read with limits, and answers, written by hand.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// The head of a request has at most this.
const HEAD: usize = 64 << 10;
const MAX_HEADERS: usize = 100;
/// A message of a client has at most this.
const BODY: usize = 64 << 20;

/// Why a request is not answered as asked: a status, and a sentence.
#[derive(Debug)]
pub(super) struct Refusal(pub(super) u16, pub(super) &'static str);

/// One request.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// A header by its name in lower case, if it is there once.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        let first = found.next().map(|(_, value)| value.as_str());
        first.filter(|_| found.next().is_none())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(known, _)| known == name)
    }

    /// Whether the client wants no other answer on this connection.
    pub(super) fn ends_connection(&self) -> bool {
        let mut values = self.headers.iter().filter(|(name, _)| name == "connection");
        values.any(|(_, value)| value.to_ascii_lowercase().contains("close"))
    }

    /// Whether a client takes answers as events.
    pub(super) fn takes_events(&self) -> bool {
        self.header("accept").is_some_and(|kinds| kinds.contains("text/event-stream"))
    }

    /// Reads the next request of a connection; none if there is no more. Of one that is not let
    /// in nothing but the head is read.
    pub(super) fn read(
        reader: &mut BufReader<TcpStream>,
        let_in: impl Fn(&Self) -> Result<(), Refusal>,
    ) -> io::Result<Option<Result<Self, Refusal>>> {
        let Some(head) = read_head(reader)? else { return Ok(None) };
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        if !matches!(parsed.parse(&head), Ok(httparse::Status::Complete(_))) {
            return Ok(Some(Err(Refusal(400, "invalid HTTP/1.1 request"))));
        }
        let text = |value: &[u8]| String::from_utf8_lossy(value).trim().to_owned();
        let headers = parsed.headers.iter();
        let headers = headers.map(|h| (h.name.to_ascii_lowercase(), text(h.value))).collect();
        let method = parsed.method.unwrap_or_default().to_owned();
        let mut request = Self { method, headers, body: Vec::new() };
        if let Err(refusal) = let_in(&request) {
            return Ok(Some(Err(refusal)));
        }
        Ok(Some(request.read_body(reader)?.map(|()| request)))
    }

    fn read_body(&mut self, reader: &mut BufReader<TcpStream>) -> io::Result<Result<(), Refusal>> {
        let chunked = self.header("transfer-encoding");
        if self.has("transfer-encoding") {
            // Both at once, or another encoding, is how requests are smuggled.
            let is_plain = chunked.is_some_and(|kind| kind.eq_ignore_ascii_case("chunked"));
            if !is_plain || self.has("content-length") {
                return Ok(Err(Refusal(400, "invalid Content-Length or Transfer-Encoding")));
            }
            return self.read_chunks(reader);
        }
        let length = match self.header("content-length") {
            Some(text) => text.parse::<usize>().ok(),
            None => (!self.has("content-length")).then_some(0),
        };
        match length {
            None => Ok(Err(Refusal(400, "invalid Content-Length or Transfer-Encoding"))),
            Some(length) if length > BODY => Ok(Err(Refusal(413, "the message is too large"))),
            Some(length) => {
                self.body = vec![0; length];
                reader.read_exact(&mut self.body).map(Ok)
            }
        }
    }

    fn read_chunks(
        &mut self,
        reader: &mut BufReader<TcpStream>,
    ) -> io::Result<Result<(), Refusal>> {
        loop {
            let mut line = String::new();
            reader.take(1024).read_line(&mut line)?;
            let digits = line.split(';').next().unwrap_or_default().trim();
            let Ok(size) = usize::from_str_radix(digits, 16) else {
                return Ok(Err(Refusal(400, "invalid Content-Length or Transfer-Encoding")));
            };
            if size > BODY - self.body.len() {
                return Ok(Err(Refusal(413, "the message is too large")));
            }
            let start = self.body.len();
            self.body.resize(start + size, 0);
            reader.read_exact(&mut self.body[start..])?;
            reader.read_exact(&mut [0; 2])?;
            if size == 0 {
                return Ok(Ok(()));
            }
        }
    }
}

/// Everything up to the empty line.
fn read_head(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    loop {
        let start = head.len();
        let left = (HEAD - start) as u64;
        let count = reader.take(left).read_until(b'\n', &mut head)?;
        if count == 0 {
            return if head.is_empty() { Ok(None) } else { Err(io::ErrorKind::InvalidData.into()) };
        }
        if matches!(&head[start..], b"\r\n" | b"\n") {
            return Ok(Some(head));
        }
    }
}

/// An answer without events.
pub(super) fn answer(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<()> {
    let mut head =
        format!("HTTP/1.1 {status} {}\r\nContent-Length: {}\r\n", reason(status), body.len());
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)
}

/// The beginning of an answer with events, which ends with the connection.
pub(super) fn begin_events(stream: &mut TcpStream, headers: &[(&str, &str)]) -> io::Result<()> {
    let mut head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\
                    Cache-Control: no-cache\r\nConnection: close\r\n"
        .to_owned();
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())
}

/// One event. A message has no line ends inside.
pub(super) fn event(stream: &mut TcpStream, message: &[u8]) -> io::Result<()> {
    stream.write_all(&[b"event: message\ndata: ", message, b"\n\n"].concat())
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        413 => "Content Too Large",
        429 => "Too Many Requests",
        503 => "Service Unavailable",
        _ => "Error",
    }
}
