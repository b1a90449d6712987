//! Versions and floors (spec 2.2): a table, and the oracle.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_model::{Floor, PlainVersion, Published, Version};
use facets_testkit::{Random, ask_oracle, long_count};

/// A list such as `1.0.0 1.1.0! 2.0.0-rc.1`, where `!` marks a yanked version.
fn published(list: &str) -> Vec<Published> {
    list.split_whitespace()
        .map(|item| Published {
            version: item.trim_end_matches('!').parse().unwrap(),
            yanked: item.ends_with('!'),
        })
        .collect()
}

fn resolve(floor: &str, list: &str) -> String {
    let floor: Floor = floor.parse().unwrap();
    floor.resolve(&published(list)).map_or_else(|| "none".to_owned(), ToString::to_string)
}

const FLOORS: &[(&str, &str, &str)] = &[
    // (floor, published, chosen)
    ("1.0.0", "", "none"),
    ("1.0.0", "1.0.0", "1.0.0"),
    ("1.0.0", "0.9.9", "none"),
    ("1.0.0", "1.0.0 1.0.1", "1.0.1"),
    ("1.0.0", "1.0.1 1.0.0", "1.0.1"),
    ("1.0.0", "1.0.0 1.2.0 1.10.0", "1.10.0"),
    ("1.0.0", "1.0.0 2.0.0", "2.0.0"),
    ("1.5.0", "1.4.9 1.5.0", "1.5.0"),
    ("1.5.0", "1.4.9 2.0.0!", "none"),
    ("0.0.0", "0.0.0 0.0.1", "0.0.1"),
    ("0.1.0", "0.1.0 0.2.0 1.0.0", "1.0.0"),
    // yanked
    ("1.0.0", "1.0.0!", "none"),
    ("1.0.0", "1.0.0 1.1.0!", "1.0.0"),
    ("1.0.0", "1.0.0! 1.1.0", "1.1.0"),
    ("1.1.0", "1.0.0 1.1.0!", "none"),
    ("1.0.0", "1.0.0! 1.1.0! 1.2.0!", "none"),
    // prereleases
    ("1.0.0", "1.1.0-rc.1", "none"),
    ("1.0.0", "1.0.0 1.1.0-rc.1", "1.0.0"),
    ("1.0.0", "1.0.0-rc.1 1.0.0", "1.0.0"),
    ("1.0.0", "1.0.0-rc.1", "none"),
    ("1.0.0-rc.1", "1.0.0-rc.1", "1.0.0-rc.1"),
    ("1.0.0-rc.1", "1.0.0-rc.1 1.0.0-rc.2", "1.0.0-rc.2"),
    ("1.0.0-rc.1", "1.0.0-rc.1 1.0.0", "1.0.0"),
    ("1.0.0-rc.1", "1.0.0-rc.1 1.1.0-rc.1", "1.0.0-rc.1"),
    ("1.0.0-rc.1", "1.1.0-rc.1", "none"),
    ("1.0.0-rc.1", "1.0.0-beta.9 0.9.0", "none"),
    ("1.0.0-rc.1", "1.0.0-rc.2! 1.0.0-rc.1", "1.0.0-rc.1"),
    ("1.0.0-rc.1", "1.0.0-rc.9 1.0.0-rc.10", "1.0.0-rc.10"),
    ("1.0.0-rc", "1.0.0-rc.0", "1.0.0-rc.0"),
    ("1.0.0-1", "1.0.0-alpha 1.0.0-2", "1.0.0-alpha"),
    ("1.0.0-alpha", "1.0.0-9", "none"),
    ("2.0.0-rc.1", "1.9.9 2.0.0-rc.2 2.0.1", "2.0.1"),
    ("2.0.0-rc.1", "2.0.1-rc.1", "none"),
    ("1.0.0", "1.0.1-rc.1 1.0.2-rc.1 1.0.1", "1.0.1"),
    ("9007199254740991.0.0", "9007199254740991.0.0", "9007199254740991.0.0"),
];

#[test]
fn floors_resolve_as_the_table_says() {
    assert!(FLOORS.len() >= 30);
    for (floor, list, chosen) in FLOORS {
        assert_eq!(resolve(floor, list), *chosen, "floor {floor} over {list}");
        let backwards: Vec<_> = list.split_whitespace().rev().collect();
        assert_eq!(
            resolve(floor, &backwards.join(" ")),
            *chosen,
            "order matters for {floor} over {list}"
        );
    }
}

#[test]
fn random_floors_equal_the_oracle() {
    let mut random = Random::seeded(22);
    let version = |random: &mut Random| {
        let core = format!("{}.{}.{}", random.below(2), random.below(3), random.below(3));
        let pre = random.pick(&["", "", "-a", "-1", "-a.1", "-a.10", "-a.b", "-10"]);
        core + pre
    };
    let cases: Vec<(String, String)> = (0..long_count(30_000))
        .map(|_| {
            let floor = version(&mut random);
            let list = (0..random.below(8)).map(|_| {
                let yanked = random.pick(&["", "", "!"]);
                version(&mut random) + yanked
            });
            let list: Vec<_> = list.collect();
            (floor, list.join(" "))
        })
        .collect();
    let questions: Vec<String> = cases
        .iter()
        .map(|(floor, list)| {
            let items: Vec<_> = published(list)
                .iter()
                .map(|item| format!("[\"{}\",{}]", item.version, item.yanked))
                .collect();
            format!("[\"{floor}\",[{}]]", items.join(","))
        })
        .collect();
    let Some(answers) = ask_oracle("floor", &questions) else {
        return;
    };
    for ((floor, list), theirs) in cases.iter().zip(answers) {
        let theirs = theirs.strip_prefix("ok ").unwrap_or(&theirs);
        assert_eq!(resolve(floor, list), theirs, "floor {floor} over {list}");
    }
}

#[test]
fn versions_are_semver_without_build_metadata() {
    for good in [
        "0.0.0",
        "1.2.3",
        "10.20.30",
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-0.3.7",
        "1.0.0-x-y-z.--",
        "1.0.0-01a",
    ] {
        assert_eq!(good.parse::<Version>().unwrap().to_string(), good);
    }
    for bad in [
        "",
        "1",
        "1.0",
        "v1.0.0",
        "1.0.0.0",
        "01.0.0",
        "1.00.0",
        "1.0.0-",
        "1.0.0-01",
        "1.0.0-a..b",
        "1.0.0+build",
        "1.0.0-rc+1",
        " 1.0.0",
        "1.0.0 ",
        "1.0.0\n",
        "1.x.0",
        "^1.0.0",
        "-1.0.0",
        "1.0.0-é",
        "９.0.0",
        "9007199254740992.0.0",
        "99999999999999999999.0.0",
    ] {
        assert!(bad.parse::<Version>().is_err(), "{bad:?}");
    }
    assert!("1.0.0-rc.1".parse::<PlainVersion>().is_err());
    assert_eq!("1.2.3".parse::<PlainVersion>().unwrap().to_string(), "1.2.3");
}
