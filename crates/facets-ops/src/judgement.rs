//! What is said about servers: findings, or why there are none.

use facets_drift::{Finding, Severity, sort_findings};
use facets_lock::Profile;
use facets_policy::{Facts, Graded};
use facets_project::State;

use crate::broken_pin::BrokenPin;
use crate::checked_facet::CheckedFacet;
use crate::error::{OpsError, ServerError};
use crate::policy_file::AppliedPolicy;

/// What became of one server.
#[derive(Debug)]
pub enum CheckOutcome {
    /// It was looked at; without findings it is as it was approved.
    Judged(Vec<Graded>),
    /// Lock and surface file are not as facet wrote them.
    Edited(BrokenPin),
    /// What this machine stores of it is not as facet stored it.
    Tampered(OpsError),
    /// It was not looked at.
    Failed(OpsError),
}

impl CheckOutcome {
    /// Bytes that are not those that were verified are an answer; every other error leaves the question open.
    pub(crate) fn of_error(error: OpsError) -> Self {
        if error.is_tampering() { Self::Tampered(error) } else { Self::Failed(error) }
    }
}

/// One server.
#[derive(Debug)]
pub struct CheckedServer {
    /// Its name.
    pub name: String,
    /// How many tools it had when it was approved.
    pub tools: usize,
    /// What became of it.
    pub outcome: CheckOutcome,
    /// The environment that it was pinned in; none if it was not looked at.
    pub profile: Option<Profile>,
    /// Which file of a client the values of its variables are from, where several differ.
    pub notes: Vec<String>,
    /// Whether it runs elsewhere.
    pub(crate) is_remote: bool,
    /// What a policy asks about it.
    pub(crate) facts: Facts,
}

impl CheckedServer {
    /// Whether an older facet pinned it, in a profile that is not used any more.
    #[must_use]
    pub fn offers_profile(&self) -> bool {
        self.profile == Some(Profile::Scratch) && !self.is_remote
    }

    /// A server of which nothing else is known.
    pub(crate) fn new(name: String, outcome: CheckOutcome) -> Self {
        let (profile, notes, facts) = (None, Vec::new(), Facts::default());
        Self { name, tools: 0, outcome, profile, notes, is_remote: false, facts }
    }
}

/// All servers.
#[derive(Debug)]
pub struct CheckReport {
    /// Sorted by name.
    pub servers: Vec<CheckedServer>,
    /// Facets, where they were checked, too.
    pub facets: Vec<CheckedFacet>,
    /// Servers of facets that were not checked, because nobody has looked at them: they are never started.
    pub uncaptured: Vec<UncapturedShown>,
    /// What is bad enough to say no.
    pub fail_on: Severity,
    /// The policy that was applied.
    pub policy: Option<AppliedPolicy>,
}

/// A server of a facet that nobody has looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncapturedShown {
    /// Its name.
    pub name: String,
    /// The image, if it is one.
    pub image: Option<String>,
    /// Whether it is one of a registry, which `facet upgrade` looks at.
    pub is_published: bool,
}

/// The answer to the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Everything is as it was approved.
    Yes,
    /// Something is not.
    No,
    /// Something could not be looked at.
    Unknown,
}

impl CheckReport {
    /// A no is one, whatever else could not be looked at.
    #[must_use]
    pub fn judgement(&self) -> Judgement {
        let bad = |finding: &Graded| finding.is_bad(self.fail_on);
        let no = |server: &CheckedServer| match &server.outcome {
            CheckOutcome::Judged(findings) => findings.iter().any(bad),
            CheckOutcome::Edited(_) | CheckOutcome::Tampered(_) => true,
            CheckOutcome::Failed(_) => false,
        };
        let unknown = |server: &CheckedServer| match &server.outcome {
            CheckOutcome::Judged(findings) => findings.iter().any(Graded::is_undecided),
            CheckOutcome::Edited(_) | CheckOutcome::Tampered(_) => false,
            CheckOutcome::Failed(_) => true,
        };
        let is_wrong = |facet: &CheckedFacet| !facet.problems.is_empty();
        if self.servers.iter().any(no) || self.facets.iter().any(is_wrong) {
            Judgement::No
        } else if self.servers.iter().any(unknown) {
            Judgement::Unknown
        } else {
            Judgement::Yes
        }
    }
}

/// A gate that looks in the wrong place must not say yes.
pub(crate) fn something_pinned(state: &State) -> Result<(), OpsError> {
    let declared = state.manifest.as_ref().is_some_and(|manifest| !manifest.servers.is_empty());
    let has_facets = !state.lock.facets().is_empty();
    if !state.lock.servers().is_empty() || declared || has_facets {
        Ok(())
    } else {
        Err(ServerError::NothingPinned.into())
    }
}

/// Servers that the manifest names and nobody has approved.
pub(crate) fn not_locked(state: &State) -> Vec<CheckedServer> {
    let declared = state.manifest.iter().flat_map(|manifest| manifest.servers.keys());
    let new = declared.filter(|name| !state.lock.servers().contains_key(*name));
    new.map(|name| {
        let error = naming(OpsError::NotApproved { asked: false }, name);
        CheckedServer::new(name.clone(), CheckOutcome::Failed(error))
    })
    .collect()
}

/// Findings before any policy, the worst first.
pub(crate) fn judged(mut findings: Vec<Finding>) -> CheckOutcome {
    sort_findings(&mut findings);
    CheckOutcome::Judged(findings.into_iter().map(Graded::from).collect())
}

/// Whose approval is missing.
pub(crate) fn naming(error: OpsError, name: &str) -> OpsError {
    match error {
        OpsError::NotApproved { asked } => {
            ServerError::NotApproved { name: name.to_owned(), asked }.into()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use facets_store::StoreError;

    use super::*;

    fn judged_as(error: StoreError) -> Judgement {
        let server = CheckedServer::new("s".to_owned(), CheckOutcome::of_error(error.into()));
        let (servers, facets, fail_on) = (vec![server], Vec::new(), Severity::Moderate);
        let uncaptured = Vec::new();
        let report = CheckReport { servers, facets, uncaptured, fail_on, policy: None };
        report.judgement()
    }

    #[test]
    fn a_tampered_entry_is_a_no_and_an_unreadable_one_is_unknown() {
        let path = std::path::PathBuf::from("/s");
        assert_eq!(judged_as(StoreError::Swapped { path: path.clone() }), Judgement::No);
        assert_eq!(judged_as(StoreError::Busy { path }), Judgement::Unknown);
    }
}
