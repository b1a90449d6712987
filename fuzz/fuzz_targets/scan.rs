//! Source never panics the scanner, and what it says travels. Nesting is for the cage.

#![no_main]

use facets_scan::{Analysis, analyse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // Deep nesting exhausts the stack of this process, as it may that of a cage.
    let depth = data.iter().filter(|byte| b"([{<`!~+-?=".contains(byte)).count();
    if depth > 500 {
        return;
    }
    for name in ["x.js", "x.ts", "x.tsx", "x.cjs"] {
        if let Ok(analysis) = analyse(name, data) {
            assert_eq!(Analysis::decode(&analysis.encode()), Some(analysis));
        }
    }
});
