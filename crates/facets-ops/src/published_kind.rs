//! The two kinds of artifacts, as a registry knows them.

use facets_registry_client::PublishedKind;

use crate::building::ArtifactKind;

pub(crate) fn published_kind(kind: ArtifactKind) -> PublishedKind {
    match kind {
        ArtifactKind::Facet => PublishedKind::Facet,
        ArtifactKind::Server => PublishedKind::Server,
    }
}

pub(crate) fn kind_of(kind: PublishedKind) -> ArtifactKind {
    match kind {
        PublishedKind::Facet => ArtifactKind::Facet,
        PublishedKind::Server => ArtifactKind::Server,
    }
}
