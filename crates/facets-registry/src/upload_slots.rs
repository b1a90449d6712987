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

/// For how long an owner whose upload was too slow stands behind others.
const PROBATION: Duration = Duration::from_mins(1);

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
    /// Owners whose upload was too slow, and when: they would take the next slot the same way.
    slow: BTreeMap<Owner, Instant>,
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
        let now = Instant::now();
        state.slow.retain(|_, since| now.saturating_duration_since(*since) < PROBATION);
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
        if reason == Displacement::TooSlow {
            let owner = slot.owner.clone();
            state.slow.insert(owner, now);
        }
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

    /// Whose turn it is: of the owners with the fewest slots, the one that came first; one that was too slow a short
    /// time ago comes after others.
    fn take_next(&mut self, per_owner: usize) -> Option<WaitingUpload> {
        if self.free == 0 {
            return None;
        }
        let turns = self.waiting.iter().enumerate();
        let turns = turns.map(|(at, waiting)| {
            let was_slow = self.slow.contains_key(&waiting.owner);
            (self.taken_by(&waiting.owner), was_slow, at)
        });
        let (_, _, at) = turns.filter(|(taken, ..)| *taken < per_owner).min()?;
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
mod tests;
