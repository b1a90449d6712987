//! Who may send an archive, or have one read, at this moment: so many in all, and so many of one owner.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use facets_catalog::Owner;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::error::RegistryError;
use crate::refusals;

/// The slots of uploads, while they are received or read. One owner gets a part of them, so that slow uploads of one
/// leave slots for the others.
pub(crate) struct UploadSlots {
    all: Arc<Semaphore>,
    per_owner: usize,
    /// Owners with an upload that runs or waits.
    owners: Mutex<BTreeMap<Owner, Weak<Semaphore>>>,
}

/// A slot, which is free again when this is dropped.
pub(crate) struct UploadSlot {
    _share: OwnedSemaphorePermit,
    _slot: OwnedSemaphorePermit,
}

impl UploadSlots {
    pub(crate) fn new(most: usize, per_owner: usize) -> Self {
        let all = Arc::new(Semaphore::new(most));
        Self { all, per_owner, owners: Mutex::default() }
    }

    /// Waits for a slot. The share of the owner comes first: those beyond it must not wait in the line of all.
    pub(crate) async fn acquire(
        &self,
        owner: &Owner,
        patience: Duration,
    ) -> Result<UploadSlot, RegistryError> {
        let deadline = Instant::now() + patience;
        let share = timeout_at(deadline, self.share_of(owner).acquire_owned()).await;
        let Ok(Ok(share)) = share else {
            return Err(refusals::uploads_full(self.per_owner).into());
        };
        let slot = timeout_at(deadline, Arc::clone(&self.all).acquire_owned()).await;
        let Ok(Ok(slot)) = slot else { return Err(refusals::busy("uploads").into()) };
        Ok(UploadSlot { _share: share, _slot: slot })
    }

    /// Waits for a slot until one is free.
    pub(crate) async fn wait(&self, owner: &Owner) -> Result<UploadSlot, RegistryError> {
        let share = self.share_of(owner).acquire_owned().await;
        let share = share.map_err(|_| RegistryError::internal("the registry ends"))?;
        let slot = Arc::clone(&self.all).acquire_owned().await;
        let slot = slot.map_err(|_| RegistryError::internal("the registry ends"))?;
        Ok(UploadSlot { _share: share, _slot: slot })
    }

    /// Permits and those who wait for one keep the semaphore alive; without them it is forgotten.
    fn share_of(&self, owner: &Owner) -> Arc<Semaphore> {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = owners.get(owner).and_then(Weak::upgrade) {
            return share;
        }
        owners.retain(|_, share| share.strong_count() > 0);
        let share = Arc::new(Semaphore::new(self.per_owner));
        owners.insert(owner.clone(), Arc::downgrade(&share));
        share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(name: &str) -> Owner {
        name.parse().unwrap()
    }

    #[tokio::test]
    async fn an_owner_without_uploads_is_forgotten() {
        let slots = UploadSlots::new(4, 1);
        let first = slots.acquire(&owner("alice"), Duration::ZERO).await.unwrap();
        drop(first);
        let second = slots.acquire(&owner("bob"), Duration::ZERO).await.unwrap();
        assert_eq!(slots.owners.lock().unwrap().keys().collect::<Vec<_>>(), [&owner("bob")]);
        drop(second);
    }

    #[tokio::test]
    async fn an_owner_beyond_its_share_leaves_slots_for_others() {
        let slots = UploadSlots::new(2, 1);
        let patience = Duration::from_millis(20);
        let first = slots.wait(&owner("alice")).await.unwrap();
        let second = tokio::time::timeout(patience, slots.wait(&owner("alice"))).await;
        assert!(second.is_err(), "alice has her share");
        let other = tokio::time::timeout(patience, slots.wait(&owner("bob"))).await;
        assert!(matches!(other, Ok(Ok(_))), "bob need not wait for alice");
        drop(first);
        assert!(slots.wait(&owner("alice")).await.is_ok());
    }
}
