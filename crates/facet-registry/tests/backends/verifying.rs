//! Whether a registry still has what it was sent.

use facets_digest::Digest;

use crate::node::{FACETS, Node, SERVERS};
use crate::support::{Reply, facet};

/// An archive that was sent to a registry.
pub(crate) struct Sent {
    pub(crate) base: &'static str,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) archive: Vec<u8>,
    /// Whether the registry said that it is published.
    pub(crate) acknowledged: bool,
}

impl Sent {
    /// A facet that is about to be sent.
    pub(crate) fn facet(name: &str, version: String, text: &str) -> Self {
        let archive = facet(name, &version, text);
        Self { base: FACETS, name: name.to_owned(), version, archive, acknowledged: false }
    }

    pub(crate) fn path(&self) -> String {
        format!("{}/{}/{}", self.base, self.name, self.version)
    }

    /// Sends it; no answer if the process is gone.
    pub(crate) fn publish(&self, node: &Node, token: &str) -> Option<Reply> {
        node.try_publish((self.base, &self.name), &self.archive, token)
    }

    /// Whether it is visible. What is visible is complete, and what was acknowledged is visible.
    pub(crate) fn verify(&self, node: &Node) -> bool {
        let path = self.path();
        let found = node.get(&path);
        if found.status == 404 {
            assert!(!self.acknowledged, "{path} was acknowledged, and is lost");
            return false;
        }
        assert_eq!(found.status, 200, "{path}: {found:?}");
        let document = found.json();
        assert_eq!(document["content_hash"], Digest::of(&self.archive).to_string(), "{path}");
        let archive = node.get(&format!("{path}/archive"));
        assert_eq!(archive.status, 200, "{path}: {archive:?}");
        assert!(archive.body == self.archive, "{path} has other bytes");
        if self.base == SERVERS {
            let surface = node.get(&format!("{path}/surface"));
            let digest = Digest::of(&surface.body).to_string();
            assert_eq!(
                (surface.status, &document["surface_file"]),
                (200, &digest.into()),
                "{path}"
            );
        }
        true
    }
}

/// Verifies everything that was sent; how much of it is visible. Nothing else is.
pub(crate) fn verify_all(node: &Node, sent: &[Sent]) -> usize {
    let visible = sent.iter().filter(|one| one.verify(node)).count();
    let mut listed = 0;
    for (base, member) in [(FACETS, "facets"), (SERVERS, "servers")] {
        for item in node.list(&format!("{base}?limit=100"), member) {
            let name = item["name"].as_str().unwrap();
            listed += node.list(&format!("{base}/{name}/versions?limit=100"), "versions").len();
        }
    }
    assert_eq!(listed, visible, "versions that were not sent, or not listed");
    visible
}
