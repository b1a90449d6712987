//! Versions as texts whose byte order is their precedence.
//!
//! A number is written as the length of its length, its length, and its digits, so that a number with
//! more digits is greater. Behind the three numbers of the core stands `~` for a release, which is greater
//! than the `-` of a prerelease. Identifiers of a prerelease follow: `0` and the number, or `1`, the text
//! and `!`, which is less than any character that a text can have. A list that ends earlier is less.

use facets_model::Version;

use crate::error::CatalogError;

/// Greater than every version.
pub(crate) const ABOVE_ALL: &str = ":";
/// Less than every version.
pub(crate) const BELOW_ALL: &str = "";

/// The longest version that is stored: it is a key of indexes.
const LONGEST_VERSION: usize = 256;

/// The text that orders a version.
pub(crate) fn ordering(version: &Version) -> String {
    ordering_of(&version.to_string())
}

/// The text that orders a version which is to be stored.
pub(crate) fn storable_ordering(version: &Version) -> Result<String, CatalogError> {
    let text = version.to_string();
    if text.len() > LONGEST_VERSION {
        let reason = "it has more than 256 characters";
        return Err(CatalogError::Unstorable { what: "version", reason });
    }
    Ok(ordering_of(&text))
}

/// The text that orders the release of the same core.
pub(crate) fn release_ordering(version: &str) -> String {
    ordering_of(version.split_once('-').map_or(version, |(core, _)| core))
}

/// The text that orders a version, which is valid.
pub(crate) fn ordering_of(version: &str) -> String {
    let (core, prerelease) =
        version.split_once('-').map_or((version, None), |(core, rest)| (core, Some(rest)));
    let mut key = String::with_capacity(version.len() * 2 + 8);
    core.split('.').for_each(|number| push_number(&mut key, number));
    match prerelease {
        None => key.push('~'),
        Some(identifiers) => {
            key.push('-');
            identifiers.split('.').for_each(|identifier| push_identifier(&mut key, identifier));
        }
    }
    key
}

/// The first numbers of a core: every version that begins with them begins with this.
pub(crate) fn prefix(numbers: &[u64]) -> String {
    let mut key = String::new();
    for number in numbers {
        push_number(&mut key, &number.to_string());
    }
    key
}

fn push_number(key: &mut String, digits: &str) {
    let length = digits.len().to_string();
    key.push_str(&length.len().to_string());
    key.push_str(&length);
    key.push_str(digits);
}

fn push_identifier(key: &mut String, identifier: &str) {
    if identifier.bytes().all(|byte| byte.is_ascii_digit()) {
        key.push('0');
        push_number(key, identifier);
    } else {
        key.push('1');
        key.push_str(identifier);
        key.push('!');
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Cases of the specification of SemVer, and pitfalls.
    const ASCENDING: &[&str] = &[
        "0.0.0-0",
        "0.0.0",
        "0.9.0",
        "0.10.0",
        "1.0.0-1",
        "1.0.0-2",
        "1.0.0-10",
        "1.0.0-99999999999999999999998",
        "1.0.0-99999999999999999999999",
        "1.0.0--",
        "1.0.0-1a",
        "1.0.0-A",
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.1.0",
        "1.0.0-alpha.beta",
        "1.0.0-alpha-",
        "1.0.0-alpha-1",
        "1.0.0-alpha0",
        "1.0.0-beta",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0-rc.1",
        "1.0.0",
        "1.0.1-rc.1",
        "1.0.9",
        "1.0.10",
        "2.0.0",
        "10.0.0",
        "9007199254740991.9007199254740991.9007199254740991",
    ];

    #[test]
    fn precedence_is_the_order_of_bytes() {
        for pair in ASCENDING.windows(2) {
            let [one, other] = [pair[0], pair[1]];
            assert!(ordering_of(one) < ordering_of(other), "{one} < {other}");
            let parsed = [one, other].map(|text| text.parse::<Version>().unwrap());
            assert!(parsed[0] < parsed[1], "{one} < {other}");
        }
    }

    #[test]
    fn every_version_is_between_the_bounds() {
        for text in ASCENDING {
            let key = ordering_of(text);
            assert!(*BELOW_ALL < *key && *key < *ABOVE_ALL, "{text}");
            assert!(key.is_ascii(), "{text}");
        }
    }

    #[test]
    fn a_prefix_is_that_of_its_versions_alone() {
        let one = prefix(&[1]);
        assert!(ordering_of("1.0.0").starts_with(&one));
        assert!(ordering_of("1.22.333").starts_with(&one));
        assert!(!ordering_of("11.0.0").starts_with(&one));
        assert!(ordering_of("1.2.0-rc.1").starts_with(&prefix(&[1, 2])));
        assert!(!ordering_of("1.20.0").starts_with(&prefix(&[1, 2])));
        assert_eq!(release_ordering("1.2.3-rc.1"), ordering_of("1.2.3"));
        assert_eq!(release_ordering("1.2.3"), ordering_of("1.2.3"));
    }

    #[test]
    fn a_version_that_is_too_long_is_not_stored() {
        let longest: Version = format!("1.0.0-{}", "a".repeat(250)).parse().unwrap();
        assert!(storable_ordering(&longest).is_ok());
        let longer: Version = format!("1.0.0-{}", "a".repeat(251)).parse().unwrap();
        assert!(matches!(storable_ordering(&longer), Err(CatalogError::Unstorable { .. })));
        assert!(ordering(&longer) > ordering(&longest));
    }

    fn identifier() -> impl Strategy<Value = String> {
        prop_oneof![
            "0|[1-9][0-9]{0,2}",
            "[1-9][0-9]{17,24}",
            "[0-9]{0,2}[a-cA-C-][0-9a-cA-C-]{0,3}",
        ]
    }

    fn version() -> impl Strategy<Value = String> {
        let number = || prop_oneof![0..20_u64, 0..(1_u64 << 53)];
        let core = (number(), number(), number());
        (core, prop::collection::vec(identifier(), 0..4)).prop_map(|((x, y, z), identifiers)| {
            let prerelease = identifiers.join(".");
            let separator = if prerelease.is_empty() { "" } else { "-" };
            format!("{x}.{y}.{z}{separator}{prerelease}")
        })
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_semver(one in version(), other in version()) {
            let parsed = [&one, &other].map(|text| semver::Version::parse(text).unwrap());
            let expected = parsed[0].cmp_precedence(&parsed[1]);
            prop_assert_eq!(ordering_of(&one).cmp(&ordering_of(&other)), expected);
        }

        #[test]
        fn the_order_of_prereleases_is_that_of_semver(
            one in prop::collection::vec(identifier(), 1..4),
            other in prop::collection::vec(identifier(), 1..4),
        ) {
            let texts = [one, other].map(|identifiers| format!("1.0.0-{}", identifiers.join(".")));
            let parsed = [&texts[0], &texts[1]].map(|text| semver::Version::parse(text).unwrap());
            let expected = parsed[0].cmp_precedence(&parsed[1]);
            prop_assert_eq!(ordering_of(&texts[0]).cmp(&ordering_of(&texts[1])), expected);
        }
    }
}
