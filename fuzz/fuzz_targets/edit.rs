//! A member that is set in a text can be removed again, and nothing else changes; a lock that is
//! read is read again.

#![no_main]

use facets_jsonc::{EditError, Order, remove_member, set_member};
use facets_lock::{Lock, LockedEntry};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if text.len() > 64 << 10 {
        return;
    }
    for order in [Order::AtEnd, Order::Sorted] {
        for path in [&["servers", "s"][..], &["a"][..]] {
            if let Ok(with) = set_member(text, path, "{\n  }", order) {
                let again = set_member(&with, path, "{\n  }", order).expect("it was set before");
                assert_eq!(again, with, "setting the same again changes nothing");
                // What cannot be changed alone is refused, and never changed badly.
                match remove_member(&with, path) {
                    Err(EditError::Entangled { .. }) => {}
                    removed => {
                        let without = removed.expect("the text is still one");
                        let again = set_member(&without, path, "1", order);
                        assert!(matches!(again, Ok(_) | Err(EditError::Entangled { .. })));
                    }
                }
            }
        }
    }
    if let Ok(lock) = Lock::parse(data) {
        assert_eq!(Lock::parse(lock.text().as_bytes()).as_ref(), Ok(&lock));
        check_facets(&lock);
        check_uncaptured(&lock);
        for name in lock.servers().keys() {
            if let Ok(without) = lock.without_server(name) {
                assert!(!without.servers().contains_key(name));
                if let Some(server) = lock.server(name) {
                    let with = without.with_server(name, server).expect("it was there before");
                    assert_eq!(with.server(name).map(|s| &s.surface), Some(&server.surface));
                }
            }
        }
    }
});

/// What was read is written without a change; what is written anew is read as it was.
fn check_facets(lock: &Lock) {
    for name in lock.facets().keys() {
        let Ok(without) = lock.without_facet(name) else { continue };
        assert!(!without.facets().contains_key(name));
        let Some(facet) = lock.facet(name) else { continue };
        if let Ok(same) = lock.with_facet(name, facet) {
            assert_eq!(same.facets(), lock.facets());
            assert_eq!(same.with_facet(name, facet).as_ref(), Ok(&same));
        }
        let anew = Lock::empty().with_facet(name, facet).expect("it was read");
        assert_eq!(anew.facet(name), Some(facet));
        assert_eq!(anew.with_facet(name, facet).as_ref(), Ok(&anew));
    }
}

fn check_uncaptured(lock: &Lock) {
    for (name, entry) in lock.servers() {
        let LockedEntry::Uncaptured(server) = entry else { continue };
        assert_eq!(lock.server(name), None);
        let anew = Lock::empty().with_uncaptured(name, server).expect("it was read");
        assert_eq!(anew.servers().get(name), Some(entry));
    }
}
