//! Real packages of npm and PyPI, through the configuration that npm and pip have on this machine.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use facets_fetch::{FetchLimits, Fetcher, Machine, NoFetchProgress, Reach, UpstreamFile};
use facets_testkit::shared_vectors;
use serde_json::Value;

fn fetcher() -> Fetcher {
    Fetcher::new(Machine::here(), Reach::AsUser, FetchLimits::default())
}

/// The hashes were computed over what `npm pack` and `pip download` had fetched.
#[test]
fn real_files_have_the_hashes_that_their_own_clients_downloaded() {
    let Some(vectors) = shared_vectors("real-hashes.json") else { return };
    let text = std::fs::read_to_string(vectors).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    let (mut files, mut expected): (Vec<UpstreamFile>, Vec<(String, u64)>) = Default::default();
    let fetcher = fetcher();
    for entry in document["entries"].as_array().unwrap() {
        let identifier = entry["identifier"].as_str().unwrap();
        if identifier.starts_with("cargo:") {
            continue;
        }
        let found = fetcher.files(&identifier.parse().unwrap());
        let found = found.unwrap_or_else(|error| panic!("{identifier}: {error}"));
        assert_eq!(found.len(), 1, "{identifier}");
        assert!(!found[0].stated.is_empty(), "{identifier}: no hash is stated");
        files.extend(found);
        let (digest, size) = (entry["sha256"].as_str().unwrap(), entry["size"].as_u64().unwrap());
        expected.push((digest.to_owned(), size));
    }
    assert!(files.len() > 10, "{files:?}");
    let downloads = fetcher.download(&files, &NoFetchProgress);
    for ((file, download), expected) in files.iter().zip(downloads).zip(expected) {
        let file_there = download.unwrap_or_else(|error| panic!("{}: {error}", file.identifier));
        let found = (file_there.digest.to_string(), file_there.size);
        assert_eq!(found, expected, "{}", file.identifier);
    }
}

#[test]
fn what_is_not_published_is_not_found() {
    for identifier in [
        "npm:@modelcontextprotocol/server-everything@0.0.0-never",
        "npm:facet-no-such-package-anywhere@1.0.0",
        "pypi:mcp-server-git==0.0.0.dev999",
        "pypi:facet-no-such-project-anywhere==1.0.0",
        "pypi:mcp-server-git==2026.10.19/mcp_server_git-2026.10.19-py2-none-any.whl",
    ] {
        let error = fetcher().files(&identifier.parse().unwrap()).unwrap_err();
        assert_eq!(
            facets_failure::Describe::code(&error),
            "fetch-not-found",
            "{identifier}: {error}"
        );
    }
}
