//! Who may send an archive, or have one read, at this moment: so many in all, and so many of one owner. A free slot
//! goes to the waiting owner that has the fewest, and an owner that has none takes one from the owner that has the
//! most, or else that of the slowest upload below the least rate: neither many uploads of one owner, nor slow ones of
//! many owners, nor archives that take long to read keep another owner waiting.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use facets_catalog::Owner;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, timeout_at};

use crate::error::RegistryError;
use crate::refusals;
use crate::upload_pace::{UploadPace, UploadRate};

/// How often an upload that waits looks for a slot that it may take.
const LOOK: Duration = Duration::from_millis(100);

/// The slots of uploads, while they are received or read.
pub(crate) struct UploadSlots {
    shared: Arc<SharedSlots>,
}

struct SharedSlots {
    per_owner: usize,
    /// What an upload needs to keep its slot while another owner waits.
    least: UploadRate,
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
    /// Of an upload that is being received.
    pace: Option<UploadPace>,
    displace: watch::Sender<Option<Displacement>>,
}

/// Why a slot was taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Displacement {
    /// Its owner has others, and another owner has none.
    OwnerHasMore,
    /// It received too little.
    TooSlow,
}

impl Displacement {
    /// What its client is told.
    pub(crate) fn refusal(self, least: UploadRate) -> RegistryError {
        match self {
            Self::OwnerHasMore => refusals::displaced().into(),
            Self::TooSlow => refusals::too_slow(least.bytes_per_second).into(),
        }
    }
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
    displaced: watch::Receiver<Option<Displacement>>,
}

impl UploadSlots {
    pub(crate) fn new(most: usize, per_owner: usize, least: UploadRate) -> Self {
        let state = Mutex::new(SlotState { free: most, ..SlotState::default() });
        Self { shared: Arc::new(SharedSlots { per_owner, least, state }) }
    }

    /// Waits for a slot: half of the time for one that becomes free, then also for one that may be taken away.
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
        // An upload that has just begun is slow only after a while.
        let deadline = begin + patience + self.shared.least.window;
        let mut is_displacing = false;
        loop {
            // One is enough for one who waits.
            is_displacing = is_displacing || self.shared.displace_for(owner, Instant::now());
            let look = if is_displacing { deadline } else { deadline.min(Instant::now() + LOOK) };
            if let Ok(slot) = timeout_at(look, &mut granted).await {
                return slot.map_err(ended);
            }
            if look >= deadline {
                break;
            }
        }
        if self.shared.state().taken_by(owner) >= self.shared.per_owner {
            return Err(refusals::uploads_full(self.shared.per_owner).into());
        }
        Err(refusals::busy("uploads").into())
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

    /// Takes a slot away for an owner that has none; whether there was one to take.
    fn displace_for(&self, owner: &Owner, now: Instant) -> bool {
        let mut state = self.state();
        if state.taken_by(owner) > 0 {
            return false;
        }
        let latest = state.latest_of_most().map(|id| (id, Displacement::OwnerHasMore));
        let chosen =
            latest.or_else(|| state.slowest(self.least, now).map(|id| (id, Displacement::TooSlow)));
        let Some((id, reason)) = chosen else { return false };
        let Some(slot) = state.taken.get_mut(&id) else { return false };
        slot.hold = SlotHold::Displaced;
        slot.displace.send_replace(Some(reason));
        true
    }
}

impl SlotState {
    /// Slots of an owner that it keeps.
    fn taken_by(&self, owner: &Owner) -> usize {
        let kept = |slot: &&TakenSlot| slot.owner == *owner && slot.hold != SlotHold::Displaced;
        self.taken.values().filter(kept).count()
    }

    fn loose(&self) -> impl Iterator<Item = (u64, &TakenSlot)> {
        let all = self.taken.iter().map(|(id, slot)| (*id, slot));
        all.filter(|(_, slot)| slot.hold == SlotHold::Loose)
    }

    /// Of the owner that has the most slots, and at least two, the latest: the least was done for it.
    fn latest_of_most(&self) -> Option<u64> {
        let counted = self.loose().map(|(id, slot)| (self.taken_by(&slot.owner), id));
        counted.filter(|(taken, _)| *taken > 1).max().map(|(_, id)| id)
    }

    /// Of those that received less than they should, the one that received the least.
    fn slowest(&self, least: UploadRate, now: Instant) -> Option<u64> {
        let paced = self.loose().filter_map(|(id, slot)| Some((slot.pace.as_ref()?, id)));
        let slow = paced.filter_map(|(pace, id)| Some((pace.below(least, now)?, id)));
        slow.min().map(|(_, id)| id)
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

    fn take(&mut self, owner: Owner) -> (u64, watch::Receiver<Option<Displacement>>) {
        let (displace, displaced) = watch::channel(None);
        let id = self.next_id;
        self.next_id += 1;
        self.free = self.free.saturating_sub(1);
        self.taken.insert(id, TakenSlot { owner, hold: SlotHold::Loose, pace: None, displace });
        (id, displaced)
    }
}

impl UploadSlot {
    /// Waits until the slot is needed for another owner. Whoever holds it has to drop it then; its client is told
    /// why.
    pub(crate) async fn displaced(&self) -> RegistryError {
        let mut displaced = self.displaced.clone();
        let reason = displaced.wait_for(Option::is_some).await.ok().and_then(|reason| *reason);
        match reason {
            Some(reason) => reason.refusal(self.shared.least),
            // The slot is gone, and so is who waits for this.
            None => std::future::pending().await,
        }
    }

    /// Its upload begins to be received, and has a pace from now on.
    pub(crate) fn begin_receiving(&self) {
        self.set_pace(Some(UploadPace::new(Instant::now())));
    }

    /// So many bytes came.
    pub(crate) fn note_received(&self, bytes: u64) {
        let mut state = self.shared.state();
        if let Some(pace) = state.taken.get_mut(&self.id).and_then(|slot| slot.pace.as_mut()) {
            pace.add(bytes, self.shared.least.window, Instant::now());
        }
    }

    /// All bytes came: from now on it does not wait for its client.
    pub(crate) fn end_receiving(&self) {
        self.set_pace(None);
    }

    fn set_pace(&self, pace: Option<UploadPace>) {
        if let Some(slot) = self.shared.state().taken.get_mut(&self.id) {
            slot.pace = pace;
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

    /// Everything that is received is slower, after so long.
    const IMPOSSIBLE: UploadRate =
        UploadRate { bytes_per_second: u64::MAX, window: Duration::from_millis(1) };

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
        slot.displaced.borrow().is_some()
    }

    #[tokio::test]
    async fn an_owner_beyond_its_share_leaves_slots_for_others() {
        let slots = UploadSlots::new(2, 1, UploadRate::NONE);
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
        let slots = UploadSlots::new(2, 2, UploadRate::NONE);
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
        let slots = UploadSlots::new(3, 2, UploadRate::NONE);
        let alone = slot(&slots, "bob").await;
        let first = slot(&slots, "alice").await;
        let latest = slot(&slots, "alice").await;
        let mut carol = slots.enter(&owner("carol"));
        assert!(slots.shared.displace_for(&owner("carol"), Instant::now()));
        assert_eq!(code::<()>(Err(latest.displaced().await)), Some("E_QUEUE_FULL"));
        assert!(!is_displaced(&first) && !is_displaced(&alone));
        drop(latest);
        let _carols = carol.try_recv().unwrap();
        // Everyone has one now, and keeps it.
        let fourth = slots.acquire(&owner("dave"), PATIENCE).await;
        assert_eq!(code(fourth), Some("E_UNAVAILABLE"));
        assert!(!is_displaced(&first) && !is_displaced(&alone));
    }

    #[tokio::test]
    async fn the_slowest_upload_below_the_rate_makes_room_for_an_owner_without_any() {
        let slots = UploadSlots::new(3, 1, IMPOSSIBLE);
        let [faster, slower, received] =
            [slot(&slots, "alice").await, slot(&slots, "bob").await, slot(&slots, "carol").await];
        for slot in [&faster, &slower, &received] {
            slot.begin_receiving();
        }
        faster.note_received(1 << 20);
        received.end_receiving();
        let mut dave = slots.enter(&owner("dave"));
        let later = Instant::now() + IMPOSSIBLE.window;
        assert!(!slots.shared.displace_for(&owner("alice"), later), "she has one");
        assert!(slots.shared.displace_for(&owner("dave"), later));
        assert!(!is_displaced(&faster) && !is_displaced(&received));
        assert_eq!(code::<()>(Err(slower.displaced().await)), Some("E_TIMEOUT"));
        drop(slower);
        let _daves = dave.try_recv().unwrap();
        assert!(slots.shared.displace_for(&owner("erin"), later) && is_displaced(&faster));
        assert!(!slots.shared.displace_for(&owner("frank"), later), "no other one is received");
    }

    #[tokio::test]
    async fn an_upload_that_has_just_begun_is_not_slow() {
        let hour = Duration::from_hours(1);
        let slots = UploadSlots::new(1, 1, UploadRate { window: hour, ..IMPOSSIBLE });
        let taken = slot(&slots, "alice").await;
        taken.begin_receiving();
        let now = Instant::now();
        assert!(!slots.shared.displace_for(&owner("bob"), now) && !is_displaced(&taken));
        assert!(slots.shared.displace_for(&owner("bob"), now + 2 * hour) && is_displaced(&taken));
    }

    #[tokio::test]
    async fn who_waits_gets_the_slot_of_an_upload_that_becomes_slow() {
        let slots = UploadSlots::new(1, 1, IMPOSSIBLE);
        let taken = slot(&slots, "alice").await;
        taken.begin_receiving();
        let (bob, patience) = (owner("bob"), Duration::from_secs(2));
        let (bobs, refused) = tokio::join!(slots.acquire(&bob, patience), async move {
            let refused = taken.displaced().await;
            drop(taken);
            refused
        });
        assert!(bobs.is_ok());
        assert_eq!(code::<()>(Err(refused)), Some("E_TIMEOUT"));
    }

    #[tokio::test]
    async fn what_is_worked_on_keeps_its_slot() {
        let slots = UploadSlots::new(2, 2, UploadRate::NONE);
        let [first, second] = [slot(&slots, "alice").await, slot(&slots, "alice").await];
        assert!(first.hold() && second.hold());
        let other = slots.acquire(&owner("bob"), PATIENCE).await;
        assert_eq!(code(other), Some("E_UNAVAILABLE"));
        assert!(!is_displaced(&first) && !is_displaced(&second));
        slots.shared.state().taken.values_mut().for_each(|slot| slot.hold = SlotHold::Loose);
        slots.shared.displace_for(&owner("bob"), Instant::now());
        assert!(is_displaced(&second) && !second.hold() && first.hold());
    }

    #[tokio::test]
    async fn whoever_waits_no_longer_takes_no_slot() {
        let slots = UploadSlots::new(1, 1, UploadRate::NONE);
        let taken = slot(&slots, "alice").await;
        drop(slots.enter(&owner("bob")));
        let mut carol = slots.enter(&owner("carol"));
        drop(taken);
        assert!(carol.try_recv().is_ok());
        let state = slots.shared.state();
        assert!(state.waiting.is_empty());
    }
}
