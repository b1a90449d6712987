//! What an install or an upgrade would do, as it is read before anything is written.

use facets_digest::Digest;
use facets_drift::{Finding, Severity};
use facets_model::{ArtifactName, AssetKind, AssetName, PlainVersion, Version};

/// What would be installed.
#[derive(Debug, Default)]
pub struct InstallPage {
    /// Facets that are new, that change, or that go.
    pub facets: Vec<FacetChange>,
    /// Texts that are new, that change, or that go.
    pub assets: Vec<AssetChangeShown>,
    /// Servers that are new, that change, or that go.
    pub servers: Vec<ServerChange>,
}

impl InstallPage {
    /// The worst finding of all texts.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        let findings = self.assets.iter().flat_map(|asset| &asset.findings);
        findings.map(|finding| finding.severity).max()
    }

    /// Whether there is nothing to read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.facets.is_empty() && self.assets.is_empty() && self.servers.is_empty()
    }
}

/// One facet.
#[derive(Clone, Debug)]
pub struct FacetChange {
    /// Its name.
    pub name: String,
    /// The version that was locked.
    pub from: Option<PlainVersion>,
    /// The version that is locked from now on; none if it goes.
    pub to: Option<PlainVersion>,
    /// Where it comes from: a registry, a repository with its commit, or a directory.
    pub source: String,
    /// SHA-256 of the inner tar.
    pub integrity: Option<Digest>,
    /// SHA-256 of the archive.
    pub content_hash: Option<Digest>,
}

/// One text, with its difference.
#[derive(Clone, Debug)]
pub struct AssetChangeShown {
    /// The facet that has it.
    pub facet: ArtifactName,
    /// What it is.
    pub kind: AssetKind,
    /// Its name in this project.
    pub name: AssetName,
    /// The text that was installed, if there was one and it is known.
    pub before: Option<String>,
    /// The text that would be installed; none if it goes.
    pub after: Option<String>,
    /// Files beside it that are no text, with their sizes.
    pub binaries: Vec<(String, u64)>,
    /// What is suspicious in it.
    pub findings: Vec<Finding>,
}

/// One server.
#[derive(Clone, Debug)]
pub struct ServerChange {
    /// Its name in this project.
    pub name: String,
    /// What it is: a registry server, a command, an address, an image.
    pub what: String,
    /// The version that was locked, if it is one of a registry.
    pub from: Option<Version>,
    /// The version that is locked from now on.
    pub to: Option<Version>,
    /// The facets that ask for it; none if the project does.
    pub facets: Vec<ArtifactName>,
    /// How it would be looked at.
    pub look: ServerLook,
}

/// How a server would be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerLook {
    /// Started in a sandbox: its bytes were verified.
    Sandboxed,
    /// A command or an address: started or called as it is, after a yes of its own.
    Open,
    /// Not at all: it is an image.
    Never,
    /// Not at all: it goes.
    Removed,
}
