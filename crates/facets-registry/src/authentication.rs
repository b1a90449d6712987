//! Who a token belongs to.

use facets_catalog::{TokenEnd, TokenRecord};

use crate::caller::Caller;
use crate::clock::now;
use crate::error::RegistryError;
use crate::refusals;
use crate::registry::Registry;
use crate::scope::Scope;
use crate::token_text::{TokenText, is_same_hash};

impl Registry {
    /// The owner of a token, and what it allows. One that is unknown, revoked or expired is refused.
    pub async fn authenticate(&self, token: &str) -> Result<Caller, RegistryError> {
        let unknown = || refusals::unauthorized("the token is not valid");
        let token = TokenText::parse(token).ok_or_else(unknown)?;
        let hash = token.hash();
        let found = self.catalog().token(&hash).await?;
        let found = found.filter(|record| is_same_hash(&record.hash, &hash)).ok_or_else(unknown)?;
        if found.revoked.is_some() {
            return Err(refusals::token_ended(TokenEnd::Revoked).into());
        }
        if found.expires.is_some_and(|expires| expires <= now()) {
            return Err(refusals::token_ended(TokenEnd::Expired).into());
        }
        Ok(caller_of(found))
    }
}

/// A scope that this version does not know allows nothing.
fn caller_of(record: TokenRecord) -> Caller {
    let scopes = record.scopes.iter().filter_map(|scope| scope.parse::<Scope>().ok()).collect();
    Caller { owner: record.owner, token_id: record.id, scopes }
}
