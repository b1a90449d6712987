//! HTTP as hostile servers of tests speak it: read and written byte by byte.

use std::collections::BTreeMap;
use std::io::{Read, Write};

/// A longer head is not read.
const LONGEST_HEAD: usize = 64 << 10;

/// The head of a request.
#[derive(Clone, Debug)]
pub struct RawHead {
    /// Such as `GET`.
    pub method: String,
    /// With its query.
    pub path: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
}

impl RawHead {
    /// Reads a head to its end; none if it does not come.
    pub fn read(stream: &mut impl Read) -> Option<Self> {
        let (mut head, mut byte) = (Vec::<u8>::new(), [0_u8; 1]);
        while !head.ends_with(b"\r\n\r\n") {
            let is_more = stream.read(&mut byte).is_ok_and(|count| count == 1);
            if !is_more || head.len() > LONGEST_HEAD {
                return None;
            }
            head.push(byte[0]);
        }
        Self::parse(&String::from_utf8_lossy(&head))
    }

    fn parse(head: &str) -> Option<Self> {
        let mut lines = head.lines();
        let mut words = lines.next()?.split(' ');
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let pairs = lines.filter_map(|line| line.split_once(':'));
        let pair = |(name, value): (&str, &str)| (name.to_lowercase(), value.trim().to_owned());
        Some(Self { method, path, headers: pairs.map(pair).collect() })
    }
}

/// The beginning of an answer, after which the connection ends.
#[must_use]
pub fn head(status: &str, headers: &[(&str, &str)]) -> String {
    let lines: String =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status}\r\nConnection: close\r\n{lines}\r\n")
}

/// Writes at once; whether the client is still there.
pub fn send(to: &mut dyn Write, bytes: impl AsRef<[u8]>) -> bool {
    to.write_all(bytes.as_ref()).and_then(|()| to.flush()).is_ok()
}

/// A complete answer.
pub fn answer(to: &mut dyn Write, status: &str, headers: &[(&str, &str)], body: &[u8]) {
    announce(to, status, headers, (body.len(), body));
}

/// An answer that announces so many bytes, whatever it has.
pub fn announce(
    to: &mut dyn Write,
    status: &str,
    headers: &[(&str, &str)],
    (length, body): (usize, &[u8]),
) {
    let length = length.to_string();
    let mut all = vec![("Content-Length", length.as_str())];
    all.extend_from_slice(headers);
    let mut bytes = head(status, &all).into_bytes();
    bytes.extend_from_slice(body);
    send(to, bytes);
}

/// An answer that leads elsewhere.
pub fn redirect(to: &mut dyn Write, location: &str) {
    answer(to, "302 Found", &[("Location", location)], b"");
}
