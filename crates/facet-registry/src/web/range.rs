//! `Range`: one range of bytes (RFC 9110, 14).

use std::ops::Range;

use http::HeaderMap;
use http::header::RANGE;

use super::conditional::range_applies;

/// What of a representation is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RangeRequest {
    /// All of it; also for several ranges, and for what is no range of bytes.
    Whole,
    Part(Range<u64>),
    /// None of its bytes.
    Unsatisfiable,
}

/// What headers ask for, of a representation with this entity tag and size.
pub(crate) fn requested_range(headers: &HeaderMap, etag: &str, size: u64) -> RangeRequest {
    let mut lines = headers.get_all(RANGE).iter();
    // Two lines have no one meaning.
    match (lines.next().and_then(|value| value.to_str().ok()), lines.next()) {
        (Some(range), None) if range_applies(headers, etag) => parse_range(range, size),
        _ => RangeRequest::Whole,
    }
}

/// Reads the header for a representation of this size.
fn parse_range(header: &str, size: u64) -> RangeRequest {
    let range = match header.split_once('=') {
        Some((unit, range)) if unit.eq_ignore_ascii_case("bytes") => range.trim(),
        _ => return RangeRequest::Whole,
    };
    if range.contains(',') {
        return RangeRequest::Whole;
    }
    let Some((first, last)) = range.split_once('-') else { return RangeRequest::Whole };
    let part = match (number(first), number(last)) {
        (RangeEnd::At(first), RangeEnd::At(last)) if first > last => return RangeRequest::Whole,
        (RangeEnd::At(first), RangeEnd::At(last)) => first..last.saturating_add(1).min(size),
        (RangeEnd::At(first), RangeEnd::Absent) => first..size,
        // The last bytes: no more than there are.
        (RangeEnd::Absent, RangeEnd::At(count)) => size.saturating_sub(count)..size,
        _ => return RangeRequest::Whole,
    };
    if part.start < part.end { RangeRequest::Part(part) } else { RangeRequest::Unsatisfiable }
}

/// One side of the hyphen.
enum RangeEnd {
    Absent,
    At(u64),
    Malformed,
}

fn number(text: &str) -> RangeEnd {
    match text {
        "" => RangeEnd::Absent,
        // More digits than a number has are beyond every end.
        _ if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            RangeEnd::At(text.parse().unwrap_or(u64::MAX))
        }
        _ => RangeEnd::Malformed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_cut_to_the_size() {
        let cases = [
            ("bytes=0-0", 0..1),
            ("bytes=2-5", 2..6),
            ("Bytes=2-5", 2..6),
            ("bytes=2-", 2..10),
            ("bytes=2-99", 2..10),
            ("bytes=-3", 7..10),
            ("bytes=-99", 0..10),
            ("bytes=9-18446744073709551616", 9..10),
        ];
        for (header, range) in cases {
            assert_eq!(parse_range(header, 10), RangeRequest::Part(range), "{header}");
        }
    }

    #[test]
    fn two_lines_are_answered_with_all() {
        let mut headers = HeaderMap::new();
        headers.append(RANGE, http::HeaderValue::from_static("bytes=0-1"));
        assert_eq!(requested_range(&headers, "\"a\"", 10), RangeRequest::Part(0..2));
        headers.append(RANGE, http::HeaderValue::from_static("bytes=2-3"));
        assert_eq!(requested_range(&headers, "\"a\"", 10), RangeRequest::Whole);
    }

    #[test]
    fn what_is_behind_the_end_cannot_be_satisfied() {
        for header in ["bytes=10-", "bytes=10-12", "bytes=-0", "bytes=99999999999999999999-"] {
            assert_eq!(parse_range(header, 10), RangeRequest::Unsatisfiable, "{header}");
        }
        assert_eq!(parse_range("bytes=0-", 0), RangeRequest::Unsatisfiable);
    }

    #[test]
    fn everything_else_is_answered_with_all() {
        for header in [
            "bytes=0-1,3-4",
            "items=0-1",
            "bytes=",
            "bytes=5-2",
            "bytes=a-b",
            "bytes=-",
            "bytes=1",
            "",
        ] {
            assert_eq!(parse_range(header, 10), RangeRequest::Whole, "{header}");
        }
    }
}
