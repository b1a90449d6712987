//! Contracts that are read are written as they were; the other mode refuses or agrees with itself.

#![no_main]

use facets_digest::json::{self, Limits, Provenance};
use facets_surface::{Contracts, fusion, parse_contracts};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(value) = json::parse(data, Provenance::Captured, Limits::DOCUMENT)
        && let Ok(contracts) = parse_contracts(&value)
    {
        let all = match contracts {
            Contracts::One(contract) => vec![contract],
            Contracts::Server(contracts) => contracts,
        };
        for contract in all {
            let text = contract.to_json();
            let again = json::parse(text.as_bytes(), Provenance::Captured, Limits::DOCUMENT);
            let again = parse_contracts(&again.expect("a contract is JSON"));
            assert_eq!(again, Ok(Contracts::One(contract)));
        }
    }
    if let Ok(document) = fusion::parse(data) {
        let canonical = fusion::canonicalize(&document);
        let again = fusion::parse(canonical.as_bytes()).expect("a canonical text is JSON");
        assert_eq!(fusion::canonicalize(&again), canonical);
        let _ = fusion::digest_contracts(&document);
        if let Ok(lock) = fusion::parse_lockfile(data) {
            let _ = fusion::check_lockfile(&lock, &document);
        }
    }
});
