//! The page of a project as JSON or HTML, `pip.conf` and `.netrc`; the first byte says which.
//!
//! Files that are listed have addresses, names and hashes that can be used. Credentials go to hosts
//! of indexes only, and those of `.netrc` to hosts that it names.

#![no_main]

mod fetched;

use facets_fetch::Machine;
use facets_fetch::pypi::{
    ListedFile, PipConfig, files_of, is_distribution, parse_simple, union_of,
};
use fetched::{check_address, check_error, check_file, check_hashes, lookalikes};
use libfuzzer_sys::fuzz_target;
use url::Url;

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    match first % 4 {
        0 => check_page("application/vnd.pypi.simple.v1+json", rest),
        1 => check_page("text/html", rest),
        2 => check_conf(rest),
        _ => check_netrc(rest),
    }
});

fn check_page(content_type: &str, data: &[u8]) {
    let url: Url = "https://a.example/simple/mcp/".parse().expect("an address");
    let read = || parse_simple(content_type, data, &url, "mcp").map_err(|error| error.to_string());
    let outcome = read();
    assert_eq!(outcome, read(), "the same bytes are read the same way");
    let listed = match outcome {
        Ok(listed) => listed,
        Err(error) => return check_error(&error),
    };
    for file in &listed {
        check_address(&file.url);
        check_hashes(&file.hashes);
    }
    let files = files_of(listed, "mcp", "1.0");
    let listed = |file| ListedFile { index: url.to_string(), file };
    // A page may list a file twice.
    match files.and_then(|files| union_of(files.into_iter().map(listed).collect())) {
        Ok(files) => {
            assert!(files.is_sorted_by(|one, next| one.name < next.name), "{files:?}");
            for file in &files {
                check_file(file);
                assert!(is_distribution(&file.name) && !file.name.starts_with('.'), "{file:?}");
            }
        }
        Err(error) => check_error(&error.to_string()),
    }
}

fn read_config(conf: &str, netrc: &str) -> Option<PipConfig> {
    let read = || PipConfig::parse(conf, netrc, &Machine::default()).map_err(|e| e.to_string());
    let outcome = read();
    assert_eq!(outcome, read(), "the same texts are read the same way");
    outcome.ok()
}

fn check_conf(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // Files of this machine are not part of what is tested.
    if text.to_ascii_lowercase().contains("cert") {
        return;
    }
    let netrc = "machine a.example login u password p\ndefault login v password q\n";
    let Some(config) = read_config(text, netrc) else { return };
    assert!(!config.indexes().is_empty());
    for index in config.indexes() {
        check_address(index);
        assert!(index.path().ends_with('/'), "{index}");
    }
    check_credentials(&config);
}

/// Hosts that look like an index, the same host without encryption, and a foreign one.
fn check_credentials(config: &PipConfig) {
    let credentials = config.route().credentials;
    let mut probes: Vec<Url> = vec!["https://evil.example/".parse().expect("an address")];
    for index in config.indexes() {
        let Some((_, place)) = index.as_str().split_once("://") else { continue };
        probes.extend(lookalikes(place));
        probes.extend(format!("http://{place}").parse::<Url>());
    }
    let port = |url: &Url| url.port_or_known_default();
    for probe in &probes {
        let is_same = |index: &Url| index.host() == probe.host() && port(index) == port(probe);
        let is_index = config.indexes().iter().any(is_same);
        assert!(is_index || credentials.for_url(probe).is_none(), "{probe} is told a secret");
    }
}

fn check_netrc(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let conf = "[global]\nindex-url = https://a.example/simple/\n";
    let config = read_config(conf, text).expect("a malformed .netrc is passed over");
    check_credentials(&config);
    let text = text.to_ascii_lowercase();
    // With a backslash a name can be written in another way.
    let is_named = ["a.example", "default", "\\"].iter().any(|word| text.contains(word));
    let is_told = config.route().credentials.for_url(&config.indexes()[0]).is_some();
    assert!(is_named || !is_told, "an index that no line names is told a secret");
}
