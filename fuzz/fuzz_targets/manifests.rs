//! Whatever a manifest is, reading it ends with a manifest or with problems in their places.

#![no_main]

use facets_model::manifest::{Outcome, parse_facet, parse_project, parse_server};
use facets_model::tree::{self, ManifestFormat};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    check(data, &parse_facet(data, ManifestFormat::Json));
    check(data, &parse_facet(data, ManifestFormat::Yaml));
    check(data, &parse_project(data));
    check(data, &parse_server(data));
    // What YAML means is archived as JSON, and must read back as it was printed.
    let Ok(yaml) = tree::parse(data, ManifestFormat::Yaml) else { return };
    if yaml.problems.is_empty() {
        let printed = yaml.root.to_json();
        let again = tree::parse(printed.as_bytes(), ManifestFormat::Json).expect("printed JSON is JSON");
        assert!(again.problems.is_empty(), "{:?}", again.problems);
        assert_eq!(again.root.to_json(), printed);
    }
});

fn check<T>(data: &[u8], outcome: &Outcome<T>) {
    assert_eq!(outcome.manifest.is_some(), outcome.problems.is_empty());
    for problem in &outcome.problems {
        assert!(problem.position.offset <= data.len());
        assert!(
            !problem.found.is_empty() && !problem.allowed.is_empty() && !problem.fix.is_empty()
        );
    }
}
