//! Requests that wait for a list, and the lists that the guard reads for them.

use core::time::Duration;
use std::collections::BTreeSet;

use facets_surface::Kind;

use crate::first_answer::FirstAnswer;

/// How long a server may take for all its pages.
const PATIENCE: Duration = Duration::from_secs(20);

/// A request that waits until what it asks for was listed.
#[derive(Debug)]
pub(crate) struct ParkedRequest {
    /// The key of its id.
    pub(crate) id: Option<String>,
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) text: Vec<u8>,
}

/// A list that the guard reads for itself.
#[derive(Debug)]
pub(crate) struct GuardListing {
    pub(crate) begun: Duration,
    pub(crate) cursors: BTreeSet<String>,
    /// What every request of this client carries along.
    pub(crate) meta: Option<String>,
    /// What its earlier pages said does not count any more.
    pub(crate) is_void: bool,
}

impl GuardListing {
    pub(crate) fn deadline(&self, first_answer: &FirstAnswer) -> Duration {
        first_answer.deadline(self.begun, PATIENCE)
    }
}
