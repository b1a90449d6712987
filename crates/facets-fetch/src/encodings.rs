//! Which encodings an answer may have.

use ureq::http::{HeaderMap, Response, Version};
use url::Url;

use crate::address::shown;
use crate::error::FetchError;

/// How much of a foreign text is shown.
const MAX_SHOWN: usize = 40;

/// spec 1.2: an answer that is encoded though that was not accepted is an error, never decoded. `chunked`
/// alone is no encoding of the file.
pub(crate) fn require_identity<Content>(
    url: &Url,
    response: &Response<Content>,
) -> Result<(), FetchError> {
    let refused = |encoding: &str| FetchError::Encoded {
        url: shown(url),
        encoding: encoding.chars().take(MAX_SHOWN).flat_map(char::escape_default).collect(),
    };
    let content = all_values(response.headers(), "content-encoding").unwrap_or_default();
    // Not `trim`: other white space than these two is no ASCII.
    let mut tokens = content.split(',').map(|token| token.trim_matches([' ', '\t']));
    if !tokens.all(|token| token.is_empty() || token.eq_ignore_ascii_case("identity")) {
        return Err(refused(&content));
    }
    match all_values(response.headers(), "transfer-encoding") {
        None => Ok(()),
        // HTTP/1.0 has no chunks: their sizes would be read as bytes of the file.
        Some(coding)
            if coding.eq_ignore_ascii_case("chunked") && response.version() != Version::HTTP_10 =>
        {
            Ok(())
        }
        Some(coding) => Err(refused(&coding)),
    }
}

/// Every header of a name, as one list; nothing if there is none.
fn all_values(headers: &HeaderMap, name: &str) -> Option<String> {
    let values = headers.get_all(name).iter();
    let values: Vec<_> = values.map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    (!values.is_empty()).then(|| values.join(", "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// What is refused in an answer with these headers.
    fn refused(version: Version, headers: &[(&str, &[u8])]) -> Option<String> {
        let mut response = Response::builder().version(version);
        for (name, value) in headers {
            response = response.header(*name, *value);
        }
        let url = "https://h.example/x".parse().unwrap();
        match require_identity(&url, &response.body(()).unwrap()) {
            Ok(()) => None,
            Err(FetchError::Encoded { encoding, .. }) => Some(encoding),
            Err(other) => Some(format!("another error: {other}")),
        }
    }

    type Headers<'h> = &'h [(&'h str, &'h [u8])];

    #[test]
    fn every_header_and_every_token_is_looked_at() {
        const CONTENT: &str = "Content-Encoding";
        const TRANSFER: &str = "Transfer-Encoding";
        let cases: [(Headers<'_>, Option<&str>); 14] = [
            (&[], None),
            (&[(CONTENT, b"identity")], None),
            (&[(CONTENT, b"Identity"), (CONTENT, b"IDENTITY, identity")], None),
            (&[(CONTENT, b"")], None),
            (&[(TRANSFER, b"Chunked")], None),
            (&[(CONTENT, b"gzip")], Some("gzip")),
            (&[(CONTENT, b"identity"), (CONTENT, b"gzip")], Some("identity, gzip")),
            (&[(CONTENT, b"identity,br")], Some("identity,br")),
            (&[(CONTENT, b"\xff")], Some("\\u{fffd}")),
            (&[(CONTENT, "\u{a0}identity".as_bytes())], Some("\\u{a0}identity")),
            (&[(TRANSFER, b"gzip, chunked")], Some("gzip, chunked")),
            (&[(TRANSFER, b"chunked"), (TRANSFER, b"chunked")], Some("chunked, chunked")),
            (&[(TRANSFER, b"identity")], Some("identity")),
            (&[(TRANSFER, b"")], Some("")),
        ];
        for (headers, expected) in cases {
            let found = refused(Version::HTTP_11, headers);
            assert_eq!(found.as_deref(), expected, "{headers:?}");
        }
        let old = refused(Version::HTTP_10, &[(TRANSFER, b"chunked")]);
        assert_eq!(old.as_deref(), Some("chunked"));
    }
}
