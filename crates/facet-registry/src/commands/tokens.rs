//! Tokens and owners.

use std::time::Duration;

use facets_model::ArtifactName;
use facets_registry::{ArtifactKind, Moment, Owner, Registry, Scope, TokenRecord, TokenText};

use crate::args::KindArgument;
use crate::error::ProgramError;
use crate::timestamp;

const DAY: Duration = Duration::from_hours(24);

/// A token that is to be made.
#[derive(Debug)]
pub(super) struct NewTokenRequest {
    scopes: Vec<Scope>,
    owner: Owner,
    note: String,
    expires_in: Option<u32>,
}

impl NewTokenRequest {
    pub(super) fn parse(
        scopes: &[String],
        owner: &str,
        note: String,
        expires_in: Option<u32>,
    ) -> Result<Self, ProgramError> {
        let scopes = scopes.iter().map(|text| {
            let expected = "publish:*, publish:@scope/*, publish:NAME, or read";
            text.parse::<Scope>().map_err(|_| invalid("--scope", expected, text))
        });
        let scopes = scopes.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { scopes, owner: parse_owner("--owner", owner)?, note, expires_in })
    }
}

/// Makes a token.
pub(super) async fn create(
    registry: &Registry,
    request: &NewTokenRequest,
) -> Result<TokenText, ProgramError> {
    let expires = request.expires_in.map(|days| Moment(timestamp::now()).plus(DAY * days));
    let NewTokenRequest { scopes, owner, note, .. } = request;
    Ok(registry.create_token(owner, scopes, note, expires).await?)
}

/// All tokens.
pub(super) async fn list(registry: &Registry) -> Result<Vec<TokenRecord>, ProgramError> {
    Ok(registry.tokens().await?)
}

/// Ends a token.
pub(super) async fn revoke(registry: &Registry, id: &str) -> Result<(), ProgramError> {
    if registry.revoke_token(id).await? {
        return Ok(());
    }
    Err(ProgramError::UnknownToken { id: id.to_owned() })
}

/// A name that is to get another owner.
#[derive(Debug)]
pub(super) struct OwnerRequest {
    kind: ArtifactKind,
    name: ArtifactName,
    owner: Owner,
}

impl OwnerRequest {
    pub(super) fn parse(kind: KindArgument, name: &str, owner: &str) -> Result<Self, ProgramError> {
        let kind = match kind {
            KindArgument::Facet => ArtifactKind::Facet,
            KindArgument::Server => ArtifactKind::Server,
        };
        let expected = "a name such as `demo` or `@scope/demo`";
        let name = name.parse().map_err(|_| invalid("NAME", expected, name))?;
        Ok(Self { kind, name, owner: parse_owner("OWNER", owner)? })
    }

    pub(super) async fn run(&self, registry: &Registry) -> Result<(), ProgramError> {
        Ok(registry.set_owner(self.kind, &self.name, &self.owner).await?)
    }
}

fn parse_owner(name: &str, text: &str) -> Result<Owner, ProgramError> {
    text.parse().map_err(|_| invalid(name, "1 to 64 of a-z, 0-9, `.`, `_` and `-`", text))
}

fn invalid(name: &str, expected: &str, actual: &str) -> ProgramError {
    ProgramError::InvalidSetting {
        name: name.to_owned(),
        expected: expected.to_owned(),
        actual: actual.to_owned(),
        file: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_and_owners_are_checked_before_anything_is_opened() {
        let parse = |scope: &str, owner: &str| {
            NewTokenRequest::parse(&[scope.to_owned()], owner, String::new(), None).is_ok()
        };
        assert!(parse("publish:*", "admin") && parse("read", "a.b_c-1"));
        assert!(parse("publish:@acme/*", "admin"));
        assert!(!parse("publish", "admin") && !parse("write:*", "admin") && !parse("read", "A"));
        assert!(OwnerRequest::parse(KindArgument::Facet, "@acme/demo", "acme").is_ok());
        assert!(OwnerRequest::parse(KindArgument::Server, "Demo", "acme").is_err());
    }
}
