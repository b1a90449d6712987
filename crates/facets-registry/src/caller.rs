//! Who sends a request.

use facets_catalog::Owner;
use facets_model::ArtifactName;

use crate::error::RegistryError;
use crate::refusals;
use crate::scope::Scope;

/// The owner of a token that was accepted, and what the token allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Who owns what is published with it.
    pub owner: Owner,
    /// The id of the token, for the audit.
    pub token_id: String,
    /// What it allows.
    pub scopes: Vec<Scope>,
}

impl Caller {
    /// Whether versions of a name may be published and yanked.
    #[must_use]
    pub fn may_publish(&self, name: &ArtifactName) -> bool {
        let covers = |scope: &Scope| matches!(scope, Scope::Publish(names) if names.covers(name));
        self.scopes.iter().any(covers)
    }

    /// Whether a private registry may be read. Tokens that publish compare with what is there, so they read.
    #[must_use]
    pub fn may_read(&self) -> bool {
        !self.scopes.is_empty()
    }

    pub(crate) fn require_publish(&self, name: &ArtifactName) -> Result<(), RegistryError> {
        if self.may_publish(name) { Ok(()) } else { Err(refusals::forbidden(name).into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(scopes: &[&str]) -> Caller {
        let scopes = scopes.iter().map(|scope| scope.parse().unwrap()).collect();
        Caller { owner: "alice".parse().unwrap(), token_id: "1".to_owned(), scopes }
    }

    #[test]
    fn one_scope_that_covers_a_name_is_enough() {
        let demo: ArtifactName = "@acme/demo".parse().unwrap();
        assert!(caller(&["read", "publish:@acme/*"]).may_publish(&demo));
        assert!(!caller(&["read", "publish:demo"]).may_publish(&demo));
        assert!(!caller(&[]).may_publish(&demo));
        let refused = caller(&["read"]).require_publish(&demo).unwrap_err();
        assert_eq!(refused.problem().code, "E_FORBIDDEN");
    }

    #[test]
    fn a_token_without_scopes_reads_nothing() {
        assert!(caller(&["read"]).may_read() && caller(&["publish:x1"]).may_read());
        assert!(!caller(&[]).may_read());
    }
}
