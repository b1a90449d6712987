//! Names against the oracle's regular expression.

#![allow(clippy::unwrap_used, reason = "tests")]

use facets_model::{ArtifactName, Version};
use facets_testkit::{Random, ask_oracle, long_count};

#[test]
fn random_names_and_versions_equal_the_oracle() {
    let mut random = Random::seeded(21);
    let pieces =
        ["a", "z9", "-", "--", "@", "/", "0", "A", "_", "é", ".", "1", "10", "01", "rc", "+b", " "];
    let mut cases: Vec<String> = (0..long_count(200_000))
        .map(|_| (0..=random.below(7)).map(|_| random.pick(&pieces)).collect())
        .collect();
    cases.extend([63, 64, 65].map(|length| "a".repeat(length)));
    cases.extend([63, 64, 65].map(|length| format!("@{}/b1", "a".repeat(length))));
    let verdict = |good: bool| if good { "ok" } else { "refused" };
    let Some(names) = ask_oracle("name", &cases) else {
        return;
    };
    for (case, theirs) in cases.iter().zip(names) {
        assert_eq!(verdict(case.parse::<ArtifactName>().is_ok()), theirs, "{case:?}");
    }
    let Some(versions) = ask_oracle("version", &cases) else {
        return;
    };
    for (case, theirs) in cases.iter().zip(versions) {
        assert_eq!(verdict(case.parse::<Version>().is_ok()), theirs, "{case:?}");
    }
}
