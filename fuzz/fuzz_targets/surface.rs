//! A surface file that is read is written as it was; a definition that is hashed stays the same.

#![no_main]

use facets_digest::Digest;
use facets_digest::json::split_object;
use facets_surface::{Definition, Kind, api_surface, parse_surface_file, write_surface_file};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(surface) = parse_surface_file(data) {
        assert_eq!(write_surface_file(&surface).as_bytes(), data);
        let _ = surface.hashes();
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    for kind in [Kind::Tool, Kind::Resource] {
        let Ok(definition) = Definition::parse(kind, text) else { continue };
        let mut canonical = Vec::new();
        definition.write_canonical(&mut canonical);
        assert_eq!(Digest::of(&canonical), definition.digest());
        let again = Definition::parse(kind, std::str::from_utf8(&canonical).expect("UTF-8"));
        let again = again.expect("a canonical definition is one");
        assert_eq!(again.digest(), definition.digest());
        assert_eq!(api_surface([&again]), api_surface([&definition]));
        assert!(split_object(data, facets_digest::json::Limits::DEFINITION).is_ok());
    }
});
