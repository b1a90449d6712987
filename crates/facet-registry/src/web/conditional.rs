//! `If-Match`, `If-None-Match` and `If-Range` (RFC 9110, 13).

use http::header::{IF_MATCH, IF_NONE_MATCH, IF_RANGE};
use http::{HeaderMap, HeaderName};

/// What conditions say about a representation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precondition {
    /// Send it.
    Holds,
    /// The client has it.
    NotModified,
    /// The client wants another one.
    Fails,
}

/// Judges the conditions of a GET or HEAD about a representation with a strong entity tag, quotes included.
pub(crate) fn judge(headers: &HeaderMap, etag: &str) -> Precondition {
    if headers.contains_key(IF_MATCH) && !lists(headers, &IF_MATCH, etag, Comparison::Strong) {
        return Precondition::Fails;
    }
    if headers.contains_key(IF_NONE_MATCH) && lists(headers, &IF_NONE_MATCH, etag, Comparison::Weak)
    {
        return Precondition::NotModified;
    }
    Precondition::Holds
}

/// Whether a range of this representation is meant. A date is never ours.
pub(crate) fn range_applies(headers: &HeaderMap, etag: &str) -> bool {
    match headers.get(IF_RANGE) {
        None => true,
        Some(value) => value.as_bytes() == etag.as_bytes(),
    }
}

/// How a tag with `W/` in front is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Strong,
    Weak,
}

/// Whether a list of tags has this one, or is `*`.
fn lists(headers: &HeaderMap, name: &HeaderName, etag: &str, comparison: Comparison) -> bool {
    headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|list| list.trim() == "*" || tags(list).any(|tag| is_same(tag, etag, comparison)))
}

fn is_same(tag: &str, etag: &str, comparison: Comparison) -> bool {
    match (tag.strip_prefix("W/"), comparison) {
        (Some(tag), Comparison::Weak) => tag == etag,
        (Some(_), Comparison::Strong) => false,
        (None, _) => tag == etag,
    }
}

/// The tags of a list. A comma inside quotes separates nothing.
fn tags(list: &str) -> impl Iterator<Item = &str> {
    let mut rest = list;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let open = rest.find('"')?;
        let close = open + 1 + rest[open + 1..].find('"')?;
        let (tag, behind) = rest.split_at(close + 1);
        rest = behind;
        Some(tag)
    })
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    const TAG: &str = "\"sha256:ab\"";

    fn judged(name: HeaderName, value: &'static str) -> Precondition {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static(value));
        judge(&headers, TAG)
    }

    #[test]
    fn a_client_that_has_it_is_told_so() {
        for value in [
            "\"sha256:ab\"",
            "W/\"sha256:ab\"",
            "\"x\", \"sha256:ab\"",
            "*",
            "\"a,b\",\"sha256:ab\"",
        ] {
            assert_eq!(judged(IF_NONE_MATCH, value), Precondition::NotModified, "{value}");
        }
        for value in ["\"sha256:cd\"", "sha256:ab", "\"sha256:ab", ""] {
            assert_eq!(judged(IF_NONE_MATCH, value), Precondition::Holds, "{value}");
        }
    }

    #[test]
    fn a_client_that_wants_another_one_is_refused() {
        assert_eq!(judged(IF_MATCH, "\"sha256:cd\""), Precondition::Fails);
        assert_eq!(judged(IF_MATCH, "W/\"sha256:ab\""), Precondition::Fails, "not strong");
        assert_eq!(judged(IF_MATCH, "\"sha256:ab\""), Precondition::Holds);
        assert_eq!(judged(IF_MATCH, "*"), Precondition::Holds);
        assert_eq!(judge(&HeaderMap::new(), TAG), Precondition::Holds);
    }

    #[test]
    fn a_range_is_of_the_representation_that_the_client_knows() {
        let applies = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(IF_RANGE, HeaderValue::from_static(value));
            range_applies(&headers, TAG)
        };
        assert!(applies(TAG) && range_applies(&HeaderMap::new(), TAG));
        assert!(!applies("\"sha256:cd\"") && !applies("W/\"sha256:ab\""));
        assert!(!applies("Wed, 21 Oct 2015 07:28:00 GMT"));
    }
}
