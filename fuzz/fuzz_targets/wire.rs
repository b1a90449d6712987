//! Whatever a server sends, framing ends, and chunks do not matter.

#![no_main]

use facets_wire::{EventParser, Line, LineFramer, parse_messages};
use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 1000;

fuzz_target!(|data: &[u8]| {
    let whole = LineFramer::new(LIMIT).push(data);
    let cut = data.len() / 3;
    let mut framer = LineFramer::new(LIMIT);
    let first = framer.push(&data[..cut]);
    let pieces = first.and_then(|mut lines| {
        lines.extend(framer.push(&data[cut..])?);
        Ok(lines)
    });
    assert_eq!(whole, pieces);
    for line in whole.unwrap_or_default() {
        if let Line::Message(bytes) = line {
            assert!(bytes.len() <= LIMIT);
            let _ = parse_messages(&bytes, LIMIT);
        }
    }
    let mut events = EventParser::new(LIMIT);
    if let Ok(events) = events.push(data) {
        assert!(events.iter().all(|event| event.data.len() <= LIMIT));
    }
    let _ = parse_messages(data, LIMIT);
});
