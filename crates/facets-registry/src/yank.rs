//! Taking versions back: they stay, and are chosen no more (spec 9.3).

use facets_catalog::{ArtifactKind, VersionRecord, Wanted, YankOutcome};
use facets_model::{ArtifactName, Version};

use crate::caller::Caller;
use crate::clock::now;
use crate::error::RegistryError;
use crate::publishing::audit_of;
use crate::refusals;
use crate::registry::Registry;
use crate::text::one_line;

/// Characters of a reason.
const REASON: usize = 500;

impl Registry {
    /// Takes a version back, with a reason that readers see.
    pub async fn yank(
        &self,
        kind: ArtifactKind,
        name: &ArtifactName,
        version: &Version,
        reason: &str,
        caller: &Caller,
    ) -> Result<VersionRecord, RegistryError> {
        caller.require_publish(name)?;
        let reason = checked_reason(reason)?;
        let who = audit_of(caller);
        let outcome = self.catalog().yank(kind, name, version, &reason, &who, now()).await?;
        self.after_yank(outcome, (kind, name, version)).await
    }

    /// Makes a version eligible again.
    pub async fn unyank(
        &self,
        kind: ArtifactKind,
        name: &ArtifactName,
        version: &Version,
        caller: &Caller,
    ) -> Result<VersionRecord, RegistryError> {
        caller.require_publish(name)?;
        let who = audit_of(caller);
        let outcome = self.catalog().unyank(kind, name, version, &who, now()).await?;
        self.after_yank(outcome, (kind, name, version)).await
    }

    async fn after_yank(
        &self,
        outcome: YankOutcome,
        (kind, name, version): (ArtifactKind, &ArtifactName, &Version),
    ) -> Result<VersionRecord, RegistryError> {
        match outcome {
            YankOutcome::Done | YankOutcome::Already => {
                self.version(kind, name, &Wanted::Exact(version.clone())).await
            }
            YankOutcome::NotFound => {
                Err(refusals::not_found(kind, name, &version.to_string()).into())
            }
            YankOutcome::NotOwner => Err(refusals::not_owner(kind, name).into()),
            YankOutcome::TokenEnded(end) => Err(refusals::token_ended(end).into()),
        }
    }
}

/// A sentence of a reasonable length.
fn checked_reason(reason: &str) -> Result<String, RegistryError> {
    let length = reason.chars().count();
    if length > REASON {
        let error = format!("the reason has {length} characters, more than {REASON}");
        return Err(refusals::bad_request(error, "shorten the reason").into());
    }
    let reason = one_line(reason, REASON);
    if reason.is_empty() {
        let fix = "say in a sentence why the version should not be used: `{\"reason\":\"…\"}`";
        return Err(refusals::bad_request("the reason is empty", fix).into());
    }
    Ok(reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line_that_says_something() {
        assert_eq!(checked_reason(" leaks\nkeys ").unwrap(), "leaks keys");
        assert!(checked_reason(&"é".repeat(500)).is_ok());
        for refused in [String::new(), " \n".to_owned(), "x".repeat(501)] {
            assert_eq!(checked_reason(&refused).unwrap_err().problem().code, "E_BAD_REQUEST");
        }
    }
}
