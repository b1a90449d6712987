//! Image references, file identifiers and URLs.

#![no_main]

use facets_model::{FileIdentifier, HttpUrl, ImageReference};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(reference) = text.parse::<ImageReference>() {
        let complete = reference.to_string();
        let again: ImageReference = complete.parse().expect("a complete reference is one");
        assert_eq!(again.to_string(), complete);
        assert_eq!(again.digest(), reference.digest());
        assert!(reference.path().bytes().all(|byte| !byte.is_ascii_uppercase()));
    }
    if let Ok(identifier) = text.parse::<FileIdentifier>() {
        assert_eq!(identifier.to_string(), text);
    }
    if let Ok(url) = text.parse::<HttpUrl>() {
        // The URL parser of the web agrees on where it leads. It decodes international names
        // and refuses malformed ones; we leave those to the resolver, which knows none.
        let theirs = match url::Url::parse(text) {
            Ok(theirs) => theirs,
            Err(_) if text.to_ascii_lowercase().contains("xn--") => return,
            Err(error) => panic!("{text}: {error}"),
        };
        assert_eq!(theirs.username(), "");
        assert_eq!(theirs.password(), None);
        let authority = text.split("://").nth(1).and_then(|rest| rest.split(['/', '?']).next());
        let host = authority.map(|authority| match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => host,
            _ => authority,
        });
        let same = |host: &str| host.eq_ignore_ascii_case(theirs.host_str().unwrap_or_default());
        assert!(
            host.is_some_and(|host| host.starts_with('[') || same(host)),
            "{text} leads to {theirs}"
        );
    }
});
