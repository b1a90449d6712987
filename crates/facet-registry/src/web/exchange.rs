//! What is known about a request while it is answered.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use facets_registry::ArtifactKind;

use super::client_address::ClientAddress;
use super::origin::RequestOrigin;
use super::refusal::{DOCUMENTATION, ProblemContext};
use super::route_table::{Endpoint, RouteLabel};

/// One request and its answer.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) id: String,
    pub(crate) client: ClientAddress,
    pub(crate) origin: RequestOrigin,
    label: AtomicU8,
    owner: OnceLock<String>,
    cause: OnceLock<String>,
}

impl Exchange {
    pub(crate) fn new(id: String, client: ClientAddress, origin: RequestOrigin) -> Self {
        let label = AtomicU8::new(RouteLabel::UNMATCHED.index());
        Self { id, client, origin, label, owner: OnceLock::new(), cause: OnceLock::new() }
    }

    /// The address of the documentation, as far as the sender can be told one.
    pub(crate) fn docs_url(&self) -> Option<String> {
        self.origin.url(DOCUMENTATION)
    }

    /// What a refusal of this request says about the request.
    pub(crate) fn problem_context(&self) -> ProblemContext<'_> {
        ProblemContext { request_id: &self.id, docs_url: self.docs_url() }
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
