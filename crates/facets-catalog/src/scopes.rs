//! Scopes that an operator gives to an owner.

use facets_model::ArtifactName;

use crate::audit::{AuditNote, write_audit};
use crate::catalog::Catalog;
use crate::database::{Ending, Operation, Transaction, Trouble};
use crate::error::CatalogError;
use crate::lookalike::scope_of;
use crate::moment::Moment;
use crate::names::{CLAIMS, OwnerChange, insert_scope};
use crate::owner::{AuditWho, Owner};

impl Catalog {
    /// Gives the scope of a name to an owner, who publishes new names below it from then on. Names that exist, this
    /// one too, keep their owners.
    pub async fn set_scope_owner(
        &self,
        below: &ArtifactName,
        owner: &Owner,
        who: &AuditWho,
        now: Moment,
    ) -> Result<OwnerChange, CatalogError> {
        let scope = scope_of(below).unwrap_or_default();
        let note = AuditNote::new(who, "owner", format!("scope @{scope}"), Some(owner.to_string()));
        self.database.write(&SetScopeOwner { below, scope, owner, note, now }).await
    }
}

struct SetScopeOwner<'a> {
    below: &'a ArtifactName,
    scope: &'a str,
    owner: &'a Owner,
    note: AuditNote<'a>,
    now: Moment,
}

impl Operation for SetScopeOwner<'_> {
    type Output = OwnerChange;

    async fn run(&self, transaction: &mut Transaction<'_>) -> Result<Ending<OwnerChange>, Trouble> {
        const SET: &str = "UPDATE scopes SET owner = $2 WHERE scope = $1";
        transaction.lock(CLAIMS).await?;
        let changed = transaction.execute(SET, &[self.scope.into(), self.owner.into()]).await?;
        let change = if changed > 0 { OwnerChange::Given } else { OwnerChange::Reserved };
        if change == OwnerChange::Reserved {
            insert_scope(transaction, self.below, self.owner, self.now).await?;
        }
        write_audit(transaction, &self.note, self.now).await?;
        Ok(Ending::Commit(change))
    }
}
