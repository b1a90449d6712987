//! The document of an npm registry, and `.npmrc`; the first byte says which.
//!
//! A document is about the package that was asked for, or refused. Credentials go to hosts that a
//! line of `.npmrc` names, and without encryption only where that is configured.

#![no_main]

mod fetched;

use std::path::Path;

use facets_fetch::npm::{NpmConfig, parse_packument};
use facets_fetch::{Credentials, Machine};
use facets_model::FileIdentifier;
use fetched::{check_address, check_error, check_file, lookalikes};
use libfuzzer_sys::fuzz_target;
use url::Url;

/// Hosts of others, which nothing may be sent to unasked.
const OTHERS: [&str; 2] = ["registry.npmjs.org", "evil.example"];

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    match first % 3 {
        0 | 1 => check_document(rest),
        _ => check_npmrc(rest),
    }
});

/// The first line is the identifier that was asked for, the rest is the document.
fn check_document(data: &[u8]) {
    let Some(end) = data.iter().position(|byte| *byte == b'\n') else { return };
    let (line, document) = (&data[..end], &data[end + 1..]);
    let Ok(line) = std::str::from_utf8(line) else { return };
    let Ok(identifier) = line.parse::<FileIdentifier>() else { return };
    let FileIdentifier::Npm { name, version } = &identifier else { return };
    let url: Url = "https://r.example/npm/pad".parse().expect("an address");
    let read = || parse_packument(document, name, version, &url).map_err(|error| error.to_string());
    let outcome = read();
    assert_eq!(outcome, read(), "the same bytes are read the same way");
    match outcome {
        Ok(file) => {
            check_file(&file);
            assert_eq!(file.identifier, identifier);
        }
        Err(error) => check_error(&error),
    }
}

fn check_npmrc(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // Files of this machine are not part of what is tested.
    if text.contains("cafile") {
        return;
    }
    let variables = [("TOKEN".to_owned(), "t0ken".to_owned())].into();
    let machine = Machine { variables, ..Machine::default() };
    let file = Path::new(".npmrc");
    let read = || NpmConfig::parse(text, file, &machine).map_err(|error| error.to_string());
    let outcome = read();
    assert_eq!(outcome, read(), "the same text is read the same way");
    let Ok(config) = outcome else { return };
    for package in ["pad", "@s/pad"] {
        let registry = config.registry_for(package);
        check_address(registry);
        assert!(registry.path().ends_with('/') && registry.query().is_none(), "{registry}");
    }
    let named: Url = "http://registry.npmjs.org/pad/-/pad.tgz".parse().expect("an address");
    check_address(&config.tarball_url(&named));
    check_credentials(text, &config.route().credentials);
}

/// Looks for hosts by their names, so that only texts count that have no other way to write one.
fn check_credentials(text: &str, credentials: &Credentials) {
    let text = text.to_ascii_lowercase();
    let is_plain = |byte: u8| matches!(byte, b' ' | b'\n') || byte.is_ascii_graphic();
    if !text.bytes().all(is_plain) || text.contains(['%', '\\', '$']) {
        return;
    }
    let unnamed = OTHERS.iter().flat_map(|host| format!("https://{host}/").parse::<Url>());
    for url in unnamed.chain(places(&text).flat_map(lookalikes)) {
        let is_named = url.host_str().is_some_and(|host| text.contains(host));
        assert!(is_named || credentials.for_url(&url).is_none(), "{url} is told a secret");
    }
    // Only a registry of http has anything sent in the clear.
    let is_meant = text.contains("http:");
    for place in places(&text).filter(|_| !is_meant) {
        let Ok(url) = format!("http://{place}").parse::<Url>() else { continue };
        assert!(credentials.for_url(&url).is_none(), "{url} is told a secret in the clear");
    }
}

/// Hosts with what follows them, from `//HOST/PATH/:NAME = VALUE` and `NAME = https://HOST/PATH`.
fn places(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let setting = line.split('=').next().unwrap_or_default().trim();
        let place = setting.strip_prefix("//").and_then(|rest| rest.rsplit_once(':'));
        let address = line.split("://").nth(1).and_then(|rest| rest.rsplit('@').next());
        place.map(|(place, _)| place).into_iter().chain(address)
    })
}
