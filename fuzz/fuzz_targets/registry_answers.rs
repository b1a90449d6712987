//! Answers of a registry, as its client reads them; the first byte says what was asked.
//!
//! A document is about what was asked for, or refused. Texts of a refusal are shortened, whatever they are.

#![no_main]

use std::fmt::Debug;

use facets_digest::json::{Limits, Provenance, parse};
use facets_model::{ArtifactName, Version};
use facets_registry_client::{
    ArtifactPage, AskedVersion, PublishedKind, RegistryClientError, RegistryIdentity,
    RegistryProblem, VersionDifference, VersionDocument, VersionPage, WantedVersion,
};
use libfuzzer_sys::fuzz_target;
use url::Url;

/// How deep an answer may be.
const DEPTH: usize = 64;
/// Characters that are kept of a text of a refusal, and of its details, with the sign that it is shortened.
const MOST_TEXT: usize = 2001;
const MOST_DETAILS: usize = 16_001;

fuzz_target!(|data: &[u8]| {
    let Some((first, body)) = data.split_first() else { return };
    let url: Url = "https://r.example/v0/facets/demo?cursor=x".parse().expect("an address");
    match first % 8 {
        0 => check_document(&url, body, PublishedKind::Facet),
        1 => check_document(&url, body, PublishedKind::Server),
        2 => drop(read(body, || ArtifactPage::parse(&url, body, PublishedKind::Facet))),
        3 => drop(read(body, || ArtifactPage::parse(&url, body, PublishedKind::Server))),
        4 => drop(read(body, || VersionPage::parse(&url, body))),
        5 => check_difference(&url, body),
        6 => drop(read(body, || RegistryIdentity::parse(&url, body))),
        _ => check_problem(&url, body),
    }
});

/// What is read; the same bytes are read the same way.
fn read<T: Debug + PartialEq>(
    body: &[u8],
    reading: impl Fn() -> Result<T, RegistryClientError>,
) -> Option<T> {
    let reading = || reading().map_err(|error| error.to_string());
    let outcome = reading();
    assert_eq!(outcome, reading());
    assert!(outcome.is_err() || !is_too_deep(body), "an answer of any depth is read");
    outcome.ok()
}

fn is_too_deep(body: &[u8]) -> bool {
    body.iter().take_while(|byte| **byte == b'[').count() > DEPTH
}

fn check_document(url: &Url, body: &[u8], kind: PublishedKind) {
    let name: ArtifactName = "demo".parse().expect("a name");
    let exact: Version = "1.0.0".parse().expect("a version");
    let floor = WantedVersion::AtLeast("1.2.0".parse().expect("a floor"));
    for wanted in [WantedVersion::Exact(exact.clone()), WantedVersion::Latest, floor] {
        let asked = AskedVersion { kind, name: &name, wanted: &wanted };
        let Some(document) = read(body, || VersionDocument::parse(url, body, &asked)) else {
            continue;
        };
        assert_eq!((&document.name, document.kind), (&name, kind));
        assert_eq!(document.server.is_some(), kind == PublishedKind::Server);
        let is_exact = matches!(wanted, WantedVersion::Exact(_));
        assert!(!is_exact || document.version == exact, "{}", document.version);
    }
}

fn check_difference(url: &Url, body: &[u8]) {
    let (from, to): (Version, Version) =
        ("1.0.0".parse().expect("a version"), "1.1.0".parse().expect("a version"));
    let pair = (&from, &to);
    let Some(difference) = read(body, || VersionDifference::parse(url, body, pair)) else { return };
    assert_eq!((&difference.from, &difference.to), pair);
    let limits = Limits { bytes: 64 << 20, depth: DEPTH, values: 1_000_000 };
    for finding in &difference.findings {
        assert!(parse(finding.as_bytes(), Provenance::Captured, limits).is_ok(), "{finding}");
    }
}

fn check_problem(url: &Url, body: &[u8]) {
    let problem = RegistryProblem::parse(url, 422, body);
    assert_eq!(problem, RegistryProblem::parse(url, 422, body));
    assert_eq!((problem.status, &*problem.host), (422, "r.example"));
    let texts = [&problem.fix, &problem.docs_url].into_iter().flatten();
    for text in texts.chain([&problem.code, &problem.error]) {
        assert!(text.chars().count() <= MOST_TEXT, "{text}");
    }
    for text in [&problem.details, &problem.stderr].into_iter().flatten() {
        assert!(text.chars().count() <= MOST_DETAILS, "{text}");
    }
}
