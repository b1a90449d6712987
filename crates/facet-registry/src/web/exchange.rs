//! What is known about a request while it is answered.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use facets_registry::ArtifactKind;

use super::client_address::ClientAddress;
use super::route_table::{Endpoint, RouteLabel};

/// One request and its answer.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) id: String,
    pub(crate) client: ClientAddress,
    label: AtomicU8,
    owner: OnceLock<String>,
    cause: OnceLock<String>,
}

impl Exchange {
    pub(crate) fn new(id: String, client: ClientAddress) -> Self {
        let label = AtomicU8::new(RouteLabel::UNMATCHED.index());
        Self { id, client, label, owner: OnceLock::new(), cause: OnceLock::new() }
    }

    /// Notes what the request is about.
    pub(crate) fn set_endpoint(&self, endpoint: Endpoint, kind: Option<ArtifactKind>) {
        self.label.store(RouteLabel::new(endpoint, kind).index(), Ordering::Relaxed);
    }

    pub(crate) fn label(&self) -> RouteLabel {
        RouteLabel::from_index(self.label.load(Ordering::Relaxed))
    }

    /// Notes whose token came with it.
    pub(crate) fn set_owner(&self, owner: &str) {
        let _ = self.owner.set(owner.to_owned());
    }

    pub(crate) fn owner(&self) -> Option<&str> {
        self.owner.get().map(String::as_str)
    }

    /// Notes what failed inside.
    pub(crate) fn set_cause(&self, cause: &str) {
        let _ = self.cause.set(cause.to_owned());
    }

    pub(crate) fn cause(&self) -> Option<&str> {
        self.cause.get().map(String::as_str)
    }
}
