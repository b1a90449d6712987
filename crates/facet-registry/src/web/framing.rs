//! Heads that the parser takes, and that a proxy in front could understand differently (RFC 9112).

use http::header::{HOST, TRANSFER_ENCODING};
use http::{HeaderMap, Version};

use super::refusal::Refusal;

/// Refuses a request without exactly one `Host`, and one whose body is framed by anything but `chunked`.
pub(crate) fn check_framing(version: Version, headers: &HeaderMap) -> Result<(), Refusal> {
    let hosts = headers.get_all(HOST).iter().count();
    if hosts > 1 || (hosts == 0 && version == Version::HTTP_11) {
        let error = format!("the request has {hosts} `Host` lines");
        return Err(Refusal::bad_request(error, "send one `Host`").and_close());
    }
    let mut encodings = headers.get_all(TRANSFER_ENCODING).iter();
    let is_chunked = |value: &[u8]| value.trim_ascii().eq_ignore_ascii_case(b"chunked");
    let is_fine = encodings.next().is_none_or(|first| is_chunked(first.as_bytes()));
    if !is_fine || encodings.next().is_some() {
        let error = "the body has a `Transfer-Encoding` other than `chunked`";
        let fix = "send the body as it is, in chunks or with its `Content-Length`";
        return Err(Refusal::bad_request(error, fix).and_close());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn check(version: Version, lines: &[(http::HeaderName, &'static str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(name, HeaderValue::from_static(value));
        }
        check_framing(version, &headers).is_ok()
    }

    #[test]
    fn a_request_has_one_host() {
        assert!(check(Version::HTTP_11, &[(HOST, "r")]));
        assert!(check(Version::HTTP_10, &[]));
        assert!(!check(Version::HTTP_11, &[]));
        assert!(!check(Version::HTTP_11, &[(HOST, "r"), (HOST, "r")]));
        assert!(!check(Version::HTTP_10, &[(HOST, "r"), (HOST, "s")]));
    }

    #[test]
    fn a_body_is_framed_by_chunks_alone() {
        let framed = |values: &[&'static str]| {
            let lines = values.iter().map(|value| (TRANSFER_ENCODING, *value));
            let lines: Vec<_> = std::iter::once((HOST, "r")).chain(lines).collect();
            check(Version::HTTP_11, &lines)
        };
        assert!(framed(&[]) && framed(&["chunked"]) && framed(&["Chunked"]));
        assert!(!framed(&["gzip, chunked"]) && !framed(&["chunked", "chunked"]));
        assert!(!framed(&["gzip", "chunked"]) && !framed(&["identity"]) && !framed(&[""]));
    }
}
