//! Who may send an archive, or have one read, at this moment: so many in all, and so many of one owner. A free slot
//! goes to the waiting owner that has the fewest, and an owner that has none takes one from the owner that has the
//! most: neither slow uploads nor archives that take long to read keep another owner waiting.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use facets_catalog::Owner;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, timeout_at};

use crate::error::RegistryError;
use crate::refusals;

/// The slots of uploads, while they are received or read.
pub(crate) struct UploadSlots {
    shared: Arc<SharedSlots>,
}

struct SharedSlots {
    per_owner: usize,
    state: Mutex<SlotState>,
}

#[derive(Default)]
struct SlotState {
    free: usize,
    next_id: u64,
    taken: BTreeMap<u64, TakenSlot>,
    /// The one that came first stands first.
    waiting: Vec<WaitingUpload>,
}

struct TakenSlot {
    owner: Owner,
    hold: SlotHold,
    displace: watch::Sender<bool>,
}

/// Whether a slot can be taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SlotHold {
    /// Its upload waits for its client, or for its turn.
    Loose,
    /// Its upload is worked on, which ends soon.
    Firm,
    /// It was taken away, and is about to be free.
    Displaced,
}

struct WaitingUpload {
    owner: Owner,
    grant: oneshot::Sender<UploadSlot>,
}

/// A slot, which is free again when this is dropped.
pub(crate) struct UploadSlot {
    shared: Arc<SharedSlots>,
    id: u64,
    displaced: watch::Receiver<bool>,
}

impl UploadSlots {
    pub(crate) fn new(most: usize, per_owner: usize) -> Self {
        let state = Mutex::new(SlotState { free: most, ..SlotState::default() });
        Self { shared: Arc::new(SharedSlots { per_owner, state }) }
    }

    /// Waits for a slot: half of the time for one that becomes free, then for one of the owner that has the most.
    pub(crate) async fn acquire(
        &self,
        owner: &Owner,
        patience: Duration,
    ) -> Result<UploadSlot, RegistryError> {
        let begin = Instant::now();
        let mut granted = self.enter(owner);
        if let Ok(slot) = timeout_at(begin + patience / 2, &mut granted).await {
            return slot.map_err(ended);
        }
        self.shared.displace_for(owner);
        match timeout_at(begin + patience, granted).await {
            Ok(slot) => slot.map_err(ended),
            Err(_) if self.shared.state().taken_by(owner) >= self.shared.per_owner => {
                Err(refusals::uploads_full(self.shared.per_owner).into())
            }
            Err(_) => Err(refusals::busy("uploads").into()),
        }
    }

    /// Waits for a slot until one is free.
    pub(crate) async fn wait(&self, owner: &Owner) -> Result<UploadSlot, RegistryError> {
        self.enter(owner).await.map_err(ended)
    }

    /// Joins those who wait. Whoever drops the receiver waits no longer.
    fn enter(&self, owner: &Owner) -> oneshot::Receiver<UploadSlot> {
        let (grant, granted) = oneshot::channel();
        self.shared.state().waiting.push(WaitingUpload { owner: owner.clone(), grant });
        SharedSlots::grant(&self.shared);
        granted
    }
}

fn ended(_: oneshot::error::RecvError) -> RegistryError {
    RegistryError::internal("the registry ends")
}

impl SharedSlots {
    fn state(&self) -> MutexGuard<'_, SlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives free slots to those who wait.
    fn grant(shared: &Arc<Self>) {
        let mut undelivered = Vec::new();
        let mut state = shared.state();
        state.waiting.retain(|waiting| !waiting.grant.is_closed());
        while let Some(next) = state.take_next(shared.per_owner) {
            let (id, displaced) = state.take(next.owner);
            let slot = UploadSlot { shared: Arc::clone(shared), id, displaced };
            undelivered.extend(next.grant.send(slot).err());
        }
        // Each gives its slot to another one, which needs the state.
        drop(state);
        drop(undelivered);
    }

    /// Takes a slot for an owner that has none from the owner that has the most, and at least two: its latest
    /// upload, for which the least was done.
    fn displace_for(&self, owner: &Owner) {
        let mut state = self.state();
        if state.taken_by(owner) > 0 {
            return;
        }
        let loose = state.taken.iter().filter(|(_, slot)| slot.hold == SlotHold::Loose);
        let latest = loose
            .map(|(id, slot)| (state.taken_by(&slot.owner), *id))
            .filter(|(taken, _)| *taken > 1)
            .max();
        let Some(slot) = latest.and_then(|(_, id)| state.taken.get_mut(&id)) else { return };
        slot.hold = SlotHold::Displaced;
        slot.displace.send_replace(true);
    }
}

impl SlotState {
    /// Slots of an owner that it keeps.
    fn taken_by(&self, owner: &Owner) -> usize {
        let kept = |slot: &&TakenSlot| slot.owner == *owner && slot.hold != SlotHold::Displaced;
        self.taken.values().filter(kept).count()
    }

    /// Whose turn it is: of the owners with the fewest slots, the one that came first.
    fn take_next(&mut self, per_owner: usize) -> Option<WaitingUpload> {
        if self.free == 0 {
            return None;
        }
        let turns = self.waiting.iter().enumerate();
        let turns = turns.map(|(at, waiting)| (self.taken_by(&waiting.owner), at));
        let (_, at) = turns.filter(|(taken, _)| *taken < per_owner).min()?;
        Some(self.waiting.remove(at))
    }

    fn take(&mut self, owner: Owner) -> (u64, watch::Receiver<bool>) {
        let (displace, displaced) = watch::channel(false);
        let id = self.next_id;
        self.next_id += 1;
        self.free = self.free.saturating_sub(1);
        self.taken.insert(id, TakenSlot { owner, hold: SlotHold::Loose, displace });
        (id, displaced)
    }
}

impl UploadSlot {
    /// Waits until the slot is needed for another owner. Whoever holds it has to drop it then.
    pub(crate) async fn displaced(&self) {
        let mut displaced = self.displaced.clone();
        if displaced.wait_for(|is_displaced| *is_displaced).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// From now on it is not taken away; false if it was before.
    pub(crate) fn hold(&self) -> bool {
        let mut state = self.shared.state();
        match state.taken.get_mut(&self.id) {
            Some(slot) if slot.hold != SlotHold::Displaced => {
                slot.hold = SlotHold::Firm;
                true
            }
            _ => false,
        }
    }
}

impl Drop for UploadSlot {
    fn drop(&mut self) {
        {
            let mut state = self.shared.state();
            if state.taken.remove(&self.id).is_some() {
                state.free += 1;
            }
        }
        SharedSlots::grant(&self.shared);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Long enough for everything that happens at once.
    const PATIENCE: Duration = Duration::from_millis(40);

    fn owner(name: &str) -> Owner {
        name.parse().unwrap()
    }

    async fn slot(slots: &UploadSlots, name: &str) -> UploadSlot {
        slots.wait(&owner(name)).await.unwrap()
    }

    fn code<T>(result: Result<T, RegistryError>) -> Option<&'static str> {
        match result {
            Err(RegistryError::Refused(problem)) => Some(problem.code),
            _ => None,
        }
    }

    fn is_displaced(slot: &UploadSlot) -> bool {
        *slot.displaced.borrow()
    }

    #[tokio::test]
    async fn an_owner_beyond_its_share_leaves_slots_for_others() {
        let slots = UploadSlots::new(2, 1);
        let first = slot(&slots, "alice").await;
        let second = slots.acquire(&owner("alice"), PATIENCE).await;
        assert_eq!(code(second), Some("E_QUEUE_FULL"), "alice has her share");
        let other = slots.acquire(&owner("bob"), Duration::ZERO).await;
        assert!(other.is_ok(), "bob need not wait for alice");
        drop(first);
        assert!(slots.wait(&owner("alice")).await.is_ok());
    }

    #[tokio::test]
    async fn a_free_slot_goes_to_the_owner_that_has_the_fewest() {
        let slots = UploadSlots::new(2, 2);
        let kept = slot(&slots, "alice").await;
        let freed = slot(&slots, "bob").await;
        let [mut alice, mut bob, mut carol] =
            ["alice", "bob", "carol"].map(|name| slots.enter(&owner(name)));
        drop(freed);
        assert!(alice.try_recv().is_err(), "she came first, and has one");
        // He has none, and came before carol.
        let _bobs = bob.try_recv().unwrap();
        drop(kept);
        // Neither has one now, and she came first.
        let _alices = alice.try_recv().unwrap();
        assert!(carol.try_recv().is_err());
    }

    #[tokio::test]
    async fn an_owner_without_a_slot_takes_one_from_the_owner_that_has_the_most() {
        let slots = UploadSlots::new(3, 2);
        let alone = slot(&slots, "bob").await;
        let first = slot(&slots, "alice").await;
        let latest = slot(&slots, "alice").await;
        let mut carol = slots.enter(&owner("carol"));
        slots.shared.displace_for(&owner("carol"));
        latest.displaced().await;
        assert!(!is_displaced(&first) && !is_displaced(&alone));
        drop(latest);
        let _carols = carol.try_recv().unwrap();
        // Everyone has one now, and keeps it.
        let fourth = slots.acquire(&owner("dave"), PATIENCE).await;
        assert_eq!(code(fourth), Some("E_UNAVAILABLE"));
        assert!(!is_displaced(&first) && !is_displaced(&alone));
    }

    #[tokio::test]
    async fn what_is_worked_on_keeps_its_slot() {
        let slots = UploadSlots::new(2, 2);
        let [first, second] = [slot(&slots, "alice").await, slot(&slots, "alice").await];
        assert!(first.hold() && second.hold());
        let other = slots.acquire(&owner("bob"), PATIENCE).await;
        assert_eq!(code(other), Some("E_UNAVAILABLE"));
        assert!(!is_displaced(&first) && !is_displaced(&second));
        slots.shared.state().taken.values_mut().for_each(|slot| slot.hold = SlotHold::Loose);
        slots.shared.displace_for(&owner("bob"));
        assert!(is_displaced(&second) && !second.hold() && first.hold());
    }

    #[tokio::test]
    async fn whoever_waits_no_longer_takes_no_slot() {
        let slots = UploadSlots::new(1, 1);
        let taken = slot(&slots, "alice").await;
        drop(slots.enter(&owner("bob")));
        let mut carol = slots.enter(&owner("carol"));
        drop(taken);
        assert!(carol.try_recv().is_ok());
        let state = slots.shared.state();
        assert!(state.waiting.is_empty());
    }
}
