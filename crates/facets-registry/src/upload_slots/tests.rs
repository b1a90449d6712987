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

#[tokio::test]
async fn an_owner_that_was_too_slow_waits_behind_others() {
    let slots = UploadSlots::new(1, 1, IMPOSSIBLE);
    let taken = slot(&slots, "alice").await;
    taken.begin_receiving();
    assert!(slots.shared.displace_for(&owner("bob"), Instant::now() + IMPOSSIBLE.window));
    // She tries again at once, before others.
    let [mut alice, mut bob, mut carol] =
        ["alice", "bob", "carol"].map(|name| slots.enter(&owner(name)));
    drop(taken);
    let bobs = bob.try_recv().unwrap();
    drop(bobs);
    let carols = carol.try_recv().unwrap();
    assert!(alice.try_recv().is_err());
    drop(carols);
    assert!(alice.try_recv().is_ok(), "nobody else waits");
}
