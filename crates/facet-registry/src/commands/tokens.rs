//! Tokens and owners.

use std::time::Duration;

use facets_model::ArtifactName;
use facets_registry::{
    ArtifactKind, Moment, Owner, OwnerChange, Registry, Scope, TokenRecord, TokenText,
};

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
        let mut each: Vec<Scope> = Vec::new();
        for scope in scopes {
            let scope = scope?;
            if !each.contains(&scope) {
                each.push(scope);
            }
        }
        Ok(Self { scopes: each, owner: parse_owner("--owner", owner)?, note, expires_in })
    }
}

/// Makes a token, and says its id.
pub(super) async fn create(
    registry: &Registry,
    request: &NewTokenRequest,
) -> Result<(TokenText, String), ProgramError> {
    let expires = request.expires_in.map(|days| Moment(timestamp::now()).plus(DAY * days));
    let NewTokenRequest { scopes, owner, note, .. } = request;
    let token = registry.create_token(owner, scopes, note, expires).await?;
    let id = registry.authenticate(&token.to_string()).await?.token_id;
    Ok((token, id))
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

/// What is to get another owner.
#[derive(Debug)]
enum OwnedThing {
    Name(ArtifactKind, ArtifactName),
    /// The scope of this name.
    ScopeOf(ArtifactName),
}

/// A name or a scope that is to get another owner.
#[derive(Debug)]
pub(super) struct OwnerRequest {
    thing: OwnedThing,
    owner: Owner,
}

impl OwnerRequest {
    pub(super) fn parse(kind: KindArgument, name: &str, owner: &str) -> Result<Self, ProgramError> {
        let parse = || {
            let expected = "a name such as `demo` or `@scope/demo`";
            name.parse::<ArtifactName>().map_err(|_| invalid("NAME", expected, name))
        };
        let thing = match kind {
            KindArgument::Facet => OwnedThing::Name(ArtifactKind::Facet, parse()?),
            KindArgument::Server => OwnedThing::Name(ArtifactKind::Server, parse()?),
            KindArgument::Scope => OwnedThing::ScopeOf(parse_scope(name)?),
        };
        Ok(Self { thing, owner: parse_owner("OWNER", owner)? })
    }

    pub(super) async fn run(&self, registry: &Registry) -> Result<OwnerChange, ProgramError> {
        Ok(match &self.thing {
            OwnedThing::Name(kind, name) => registry.set_owner(*kind, name, &self.owner).await?,
            OwnedThing::ScopeOf(name) => registry.set_scope_owner(name, &self.owner).await?,
        })
    }
}

/// Some name below a scope: there is no name without a slug, and every slug will do.
fn parse_scope(text: &str) -> Result<ArtifactName, ProgramError> {
    let wrong = || invalid("NAME", "a scope such as `@acme`", text);
    if !text.starts_with('@') || text.contains('/') {
        return Err(wrong());
    }
    format!("{text}/any").parse().map_err(|_| wrong())
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
        // Only the command that makes tokens takes flags here.
        command: if name.starts_with("--") { "token create" } else { "owner set" },
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
        assert!(OwnerRequest::parse(KindArgument::Scope, "@acme", "acme").is_ok());
        for wrong in ["acme", "@acme/demo", "@", "@Acme", ""] {
            assert!(OwnerRequest::parse(KindArgument::Scope, wrong, "acme").is_err(), "{wrong}");
        }
    }
}
