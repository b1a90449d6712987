//! What holds for every file that an upstream describes, and for credentials.

use facets_fetch::{StatedHash, UpstreamFile};
use facets_model::FileIdentifier;
use url::Url;

/// An address that can be fetched, and says nothing about who asks.
pub fn check_address(url: &Url) {
    assert!(matches!(url.scheme(), "http" | "https") && url.has_host(), "{url}");
    assert!(url.username().is_empty() && url.password().is_none(), "{url}");
    assert_eq!(url.fragment(), None, "{url}");
}

/// Hashes of the length that their algorithms give.
pub fn check_hashes(hashes: &[StatedHash]) {
    for hash in hashes {
        assert_eq!(hash.bytes.len(), hash.algorithm.length(), "{hash:?}");
    }
}

/// A file whose name stays in the folder that it is put into, and which can be named again.
pub fn check_file(file: &UpstreamFile) {
    check_address(&file.url);
    check_hashes(&file.stated);
    let name = &file.name;
    assert!(!name.is_empty() && !name.contains(['/', '\\']), "{name:?}");
    assert!(!name.contains(char::is_control) && name != "." && name != "..", "{name:?}");
    let again = file.identifier.to_string().parse::<FileIdentifier>();
    assert_eq!(again.as_ref(), Ok(&file.identifier));
}

/// A text for people: what came from upstream is escaped in it.
pub fn check_error(error: &str) {
    assert!(!error.contains(char::is_control), "{error:?}");
}

/// Addresses at other hosts that look like the host of `place`, which is `HOST[:PORT][/PATH]`.
pub fn lookalikes(place: &str) -> Vec<Url> {
    let end = place.find([':', '/', '?', '#']).unwrap_or(place.len());
    let (host, rest) = place.split_at(end);
    let others = [format!("not-{host}"), format!("not.{host}"), format!("{host}-not")];
    others.iter().filter_map(|host| format!("https://{host}{rest}").parse().ok()).collect()
}
