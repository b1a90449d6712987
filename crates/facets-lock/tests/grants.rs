//! Grants: what is wider, what both allow, and how they stand in a lock.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_digest::json::{self, Limits, Provenance};
use facets_lock::{Arguments, Extent, Grants};

const NOTHING: Grants = Grants {
    network: Extent::None,
    filesystem: Extent::None,
    subprocess: false,
    sampling: false,
    elicitation: false,
    arguments: Arguments::Pinned,
};

fn listed(items: &[&str]) -> Extent {
    Extent::Listed(items.iter().map(|item| (*item).to_owned()).collect())
}

fn read(text: &str) -> Option<Grants> {
    Grants::parse(&json::parse(text.as_bytes(), Provenance::Captured, Limits::DOCUMENT).unwrap())
}

/// Everything, and one thing of each less.
fn one_less() -> [(&'static str, Grants); 6] {
    [
        ("network", Grants { network: listed(&["a"]), ..Grants::ALL }),
        ("filesystem", Grants { filesystem: Extent::None, ..Grants::ALL }),
        ("subprocess", Grants { subprocess: false, ..Grants::ALL }),
        ("sampling", Grants { sampling: false, ..Grants::ALL }),
        ("elicitation", Grants { elicitation: false, ..Grants::ALL }),
        ("arguments", Grants { arguments: Arguments::Pinned, ..Grants::ALL }),
    ]
}

#[test]
fn all_is_wider_than_a_list_and_a_list_than_nothing() {
    let (a, ab) = (listed(&["a"]), listed(&["a", "b"]));
    for (wide, narrow) in [
        (&Extent::All, &Extent::None),
        (&Extent::All, &ab),
        (&ab, &a),
        (&a, &Extent::None),
        (&listed(&["c"]), &ab),
    ] {
        assert!(wide.is_wider_than(narrow), "{wide:?} {narrow:?}");
    }
    for (narrow, wide) in [
        (&Extent::None, &Extent::None),
        (&Extent::None, &a),
        (&a, &a),
        (&a, &ab),
        (&a, &Extent::All),
        (&Extent::All, &Extent::All),
        (&listed(&[]), &Extent::None),
    ] {
        assert!(!narrow.is_wider_than(wide), "{narrow:?} {wide:?}");
    }
}

#[test]
fn what_is_wider_is_named() {
    for (name, less) in one_less() {
        assert_eq!(Grants::ALL.widened_since(&less), [name]);
        assert!(less.widened_since(&Grants::ALL).is_empty(), "{name}");
    }
    assert!(Grants::ALL.widened_since(&Grants::ALL).is_empty());
    assert_eq!(Grants::ALL.widened_since(&NOTHING).len(), 6);
}

#[test]
fn a_limit_takes_away_what_it_does_not_have() {
    for (name, less) in one_less() {
        assert_eq!(Grants::ALL.capped_at(&less), less, "{name}");
        assert_eq!(less.capped_at(&Grants::ALL), less, "{name}");
        assert_eq!(less.capped_at(&NOTHING), NOTHING, "{name}");
    }
}

#[test]
fn grants_are_read_as_they_are_written() {
    for (_, grants) in one_less() {
        assert_eq!(read(&grants.to_json()), Some(grants));
    }
    let grants = Grants { filesystem: listed(&["/a \"b\"", "ro:/c"]), ..Grants::ALL };
    assert_eq!(read(&grants.to_json()), Some(grants));
    assert_eq!(read(&NOTHING.to_json()), Some(NOTHING));
    assert_eq!(read(&Grants::ALL.to_json()), Some(Grants::ALL));
}

/// spec 11.4: the words of `facet grant NAME arguments=…`
#[test]
fn arguments_have_a_word_each() {
    assert_eq!([Arguments::Any, Arguments::Pinned].map(Arguments::word), ["any", "pinned"]);
}

#[test]
fn grants_that_facet_does_not_write_are_refused() {
    let text = Grants::ALL.to_json();
    for (from, to) in [
        ("\"network\":\"all\"", "\"network\":\"some\""),
        ("\"network\":\"all\"", "\"network\":[7]"),
        ("\"network\":\"all\"", "\"network\":null"),
        ("\"filesystem\":\"all\"", "\"filesystem\":\"any\""),
        ("\"sampling\":true", "\"sampling\":\"true\""),
        ("\"sampling\":true", "\"smapling\":true"),
        ("\"sampling\":true", "\"sampling\":true,\"more\":1"),
        ("\"sampling\":true", "\"sampling\":true,\"arguments\":\"any\""),
        ("\"sampling\":true", "\"sampling\":true,\"arguments\":\"pinned\",\"more\":1"),
    ] {
        let edited = text.replace(from, to);
        assert_ne!(edited, text);
        assert_eq!(read(&edited), None, "{edited}");
    }
    assert_eq!(read("[]"), None);
}
