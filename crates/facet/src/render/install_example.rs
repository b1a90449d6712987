//! Reports of installs for the tests of how they are shown.

use facets_digest::Digest;
use facets_model::{AssetKind, Version};
use facets_ops::client_files::Client;
use facets_ops::install::{
    AssetChangeShown, AssetFileStatus, FacetChange, InstallOutcome, InstallReport,
    InstalledFileShown, PinnedHashes, ServerChange, ServerLook, ServerOutcome, ServerStatus,
};

pub(super) fn facet(name: &str, from: Option<&str>, to: Option<&str>) -> FacetChange {
    FacetChange {
        name: name.parse().unwrap(),
        from: from.map(|version| version.parse().unwrap()),
        to: to.map(|version| version.parse().unwrap()),
        source: "https://registry.example.com".to_owned(),
        integrity: Some(Digest::of(b"tar")),
        content_hash: Some(Digest::of(b"archive")),
    }
}

pub(super) fn asset(
    kind: AssetKind,
    name: &str,
    before: Option<&str>,
    after: Option<&str>,
) -> AssetChangeShown {
    AssetChangeShown {
        facet: "team-tools".parse().unwrap(),
        kind,
        name: name.parse().unwrap(),
        before: before.map(str::to_owned),
        after: after.map(str::to_owned),
        binaries: Vec::new(),
        findings: Vec::new(),
    }
}

pub(super) fn server(name: &str, from: Option<&str>, to: Option<&str>) -> ServerChange {
    let version = |text: &str| text.parse::<Version>().unwrap();
    ServerChange {
        name: name.to_owned(),
        what: "registry server".to_owned(),
        from: from.map(version),
        to: to.map(version),
        facets: vec!["team-tools".parse().unwrap()],
        look: ServerLook::Sandboxed,
    }
}

/// Without a page: nothing was looked at.
pub(super) fn outcome(change: ServerChange, status: ServerStatus) -> ServerOutcome {
    let pinned = PinnedHashes {
        integrity: Some(Digest::of(b"tar")),
        content_hash: Some(Digest::of(b"archive")),
        api_surface: Digest::of(b"api"),
        surface: Digest::of(b"surface"),
        behavior: Digest::of(b"behavior"),
    };
    let pinned =
        (!matches!(status, ServerStatus::Uncaptured | ServerStatus::Planned)).then_some(pinned);
    ServerOutcome { change, status, findings: Vec::new(), page: None, pinned }
}

pub(super) fn file(path: &str, status: AssetFileStatus) -> InstalledFileShown {
    InstalledFileShown {
        facet: "team-tools".parse().unwrap(),
        kind: AssetKind::Skill,
        name: "planning".parse().unwrap(),
        client: Client::ClaudeCode,
        path: path.into(),
        status,
    }
}

pub(super) fn report(outcome: InstallOutcome) -> InstallReport {
    InstallReport {
        outcome,
        facets: Vec::new(),
        files: Vec::new(),
        servers: Vec::new(),
        assets: Vec::new(),
        yanked: Vec::new(),
        notes: Vec::new(),
    }
}
