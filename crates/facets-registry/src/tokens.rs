//! What operators do with tokens and owners.

use facets_catalog::{
    ArtifactKind, AuditWho, Moment, NewToken, Owner, OwnerChange, RevokeOutcome, TokenRecord,
};
use facets_model::ArtifactName;

use crate::clock::now;
use crate::error::RegistryError;
use crate::random::random_id;
use crate::refusals;
use crate::registry::Registry;
use crate::scope::Scope;
use crate::text::one_line;
use crate::token_text::TokenText;

/// Characters of a note.
const NOTE: usize = 200;

/// Characters of the id of a token: enough to be unique among all that people make.
const ID: usize = 16;

impl Registry {
    /// Makes a token. Its text is given back once and stored nowhere.
    pub async fn create_token(
        &self,
        owner: &Owner,
        scopes: &[Scope],
        note: &str,
        expires: Option<Moment>,
    ) -> Result<TokenText, RegistryError> {
        if scopes.is_empty() {
            let fix =
                "name at least one scope, such as `--scope 'publish:@acme/*'` or `--scope read`";
            return Err(refusals::bad_request("a token without a scope allows nothing", fix).into());
        }
        let token = TokenText::generate()?;
        let mut id = random_id()?;
        id.truncate(ID);
        let new = NewToken {
            id,
            hash: token.hash(),
            owner: owner.clone(),
            scopes: scopes.iter().map(Scope::to_string).collect(),
            note: one_line(note, NOTE),
            expires,
        };
        self.catalog().create_token(&new, &AuditWho::operator(), now()).await?;
        Ok(token)
    }

    /// All tokens, also revoked ones. Their texts are not known.
    pub async fn tokens(&self) -> Result<Vec<TokenRecord>, RegistryError> {
        Ok(self.catalog().tokens().await?)
    }

    /// Revokes a token; whether there was one.
    pub async fn revoke_token(&self, id: &str) -> Result<bool, RegistryError> {
        let revoked = self.catalog().revoke_token(id, &AuditWho::operator(), now()).await?;
        Ok(match revoked {
            RevokeOutcome::Done | RevokeOutcome::Already => true,
            RevokeOutcome::NotFound => false,
        })
    }

    /// Gives a name to another owner, or reserves it.
    pub async fn set_owner(
        &self,
        kind: ArtifactKind,
        name: &ArtifactName,
        owner: &Owner,
    ) -> Result<OwnerChange, RegistryError> {
        Ok(self.catalog().set_owner(kind, name, owner, &AuditWho::operator(), now()).await?)
    }

    /// Gives the scope of a name to another owner, or reserves it. Names that exist keep their owners.
    pub async fn set_scope_owner(
        &self,
        below: &ArtifactName,
        owner: &Owner,
    ) -> Result<OwnerChange, RegistryError> {
        Ok(self.catalog().set_scope_owner(below, owner, &AuditWho::operator(), now()).await?)
    }
}
