//! Addresses, as people read them.

use url::Url;

/// The host, and the port where it is not the usual one.
pub(crate) fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// An address for people: without credentials, and without a query, which may be one.
pub(crate) fn shown(url: &Url) -> String {
    let query = if url.query().is_some() { "?…" } else { "" };
    format!("{}://{}{}{query}", url.scheme(), host(url), url.path())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn an_address_is_shown_without_secrets() {
        let url: Url = "https://me:secret@a.example:8443/x?token=secret#y".parse().unwrap();
        assert_eq!(shown(&url), "https://a.example:8443/x?…");
    }
}
