//! A member that is set in a text can be removed again, and nothing else changes; a lock that is
//! read is read again.

#![no_main]

use facets_jsonc::{EditError, Order, remove_member, set_member};
use facets_lock::Lock;
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
