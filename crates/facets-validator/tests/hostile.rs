//! Schemas that are made to cost much, or to be judged wrongly when patience ends.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_digest::json::{self, Limits, Provenance};
use facets_schema::{Domain, Verdict, compare_schemas};
use facets_validator::JsonSchema;
use serde_json::{Map, Value, json};

fn verdict(before: &Value, after: &Value) -> Verdict {
    let (before, after) = (before.to_string(), after.to_string());
    let before = json::parse(before.as_bytes(), Provenance::Captured, Limits::DEFINITION).unwrap();
    let after = json::parse(after.as_bytes(), Provenance::Captured, Limits::DEFINITION).unwrap();
    compare_schemas(&before, &after, Domain::Anything, &JsonSchema::default()).verdict
}

/// The right verdict, or none; never a wrong one, and never forgiving for want of patience.
fn right_or_untold(before: &Value, after: &Value, right: Verdict) {
    for (before, after, right) in [(before, after, right), (after, before, other_way(right))] {
        let found = verdict(before, after);
        assert!(found == right || found == Verdict::CannotTell, "{found:?}, not {right:?}");
    }
}

fn other_way(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Narrower => Verdict::Wider,
        Verdict::Wider => Verdict::Narrower,
        same => same,
    }
}

/// Each definition uses the next twice: two to the power of `levels` in all.
fn doubling(levels: usize, last: &Value, keyword: &str) -> Value {
    let mut definitions = Map::new();
    for level in 0..levels {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        let twice = json!([{ "allOf": [next.clone()], "maxLength": level }, next]);
        definitions.insert(format!("d{level}"), json!({ keyword: twice }));
    }
    definitions.insert(format!("d{levels}"), last.clone());
    json!({ "$defs": definitions, "$ref": "#/$defs/d0" })
}

#[test]
fn exponential_schemas_end() {
    for keyword in ["anyOf", "allOf", "oneOf"] {
        for levels in [10, 30, 120] {
            let before = doubling(levels, &json!({ "type": "string" }), keyword);
            let after = doubling(levels, &json!({ "type": ["string", "null"] }), keyword);
            let right = if keyword == "oneOf" { continue } else { Verdict::Wider };
            right_or_untold(&before, &after, right);
        }
    }
    // Objects in objects, each with two of the next.
    let tree = |levels: usize, leaf: &Value| {
        let mut definitions = Map::new();
        for level in 0..levels {
            let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
            let both = json!({ "type": "object", "properties": { "l": next, "r": next } });
            definitions.insert(format!("d{level}"), both);
        }
        definitions.insert(format!("d{levels}"), leaf.clone());
        json!({ "$defs": definitions, "$ref": "#/$defs/d0" })
    };
    let (old, new) = (json!({ "type": "integer" }), json!({ "type": "integer", "minimum": 0 }));
    right_or_untold(&tree(40, &old), &tree(40, &new), Verdict::Narrower);
    right_or_untold(&tree(100, &old), &tree(100, &new), Verdict::Narrower);
}

#[test]
fn a_formula_that_asks_for_a_search_ends() {
    // Pigeons and holes: unsatisfiable, and known to need long proofs.
    let pigeons = 9;
    let holes = 8;
    let mut all = Vec::new();
    for pigeon in 0..pigeons {
        let somewhere: Vec<Value> =
            (0..holes).map(|hole| json!({ "required": [format!("p{pigeon}h{hole}")] })).collect();
        all.push(json!({ "anyOf": somewhere }));
    }
    for hole in 0..holes {
        for first in 0..pigeons {
            for second in first + 1..pigeons {
                let both = [format!("p{first}h{hole}"), format!("p{second}h{hole}")];
                all.push(json!({ "not": { "required": both } }));
            }
        }
    }
    let unsatisfiable = json!({ "type": "object", "allOf": all });
    right_or_untold(&unsatisfiable, &json!(false), Verdict::Equivalent);
    // Being tired is no proof: here the last hole is free.
    let mut satisfiable = unsatisfiable.clone();
    satisfiable["allOf"].as_array_mut().unwrap().pop();
    right_or_untold(&satisfiable, &json!(false), Verdict::Narrower);
}

#[test]
fn cycles_end() {
    let circle = json!({ "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } }, "$ref": "#/$defs/a" });
    let not_itself =
        json!({ "$defs": { "a": { "not": { "$ref": "#/$defs/a" } } }, "$ref": "#/$defs/a" });
    let own = json!({ "anyOf": [{ "$ref": "#" }, { "type": "string" }] });
    for odd in [&circle, &not_itself, &own] {
        assert_eq!(verdict(odd, &json!({ "type": "string" })), Verdict::CannotTell, "{odd}");
        assert_eq!(verdict(&json!({ "type": "string" }), odd), Verdict::CannotTell, "{odd}");
    }
    // A thousand definitions in a ring, each a step down.
    let ring = |extra: &Value| {
        let mut definitions = Map::new();
        for index in 0..1000 {
            let next = json!({ "$ref": format!("#/$defs/d{}", (index + 1) % 1000) });
            let node = json!({ "type": "object", "properties": { "n": next, "v": extra } });
            definitions.insert(format!("d{index}"), node);
        }
        json!({ "$defs": definitions, "$ref": "#/$defs/d0" })
    };
    right_or_untold(&ring(&json!({})), &ring(&json!({ "type": "string" })), Verdict::Narrower);
    right_or_untold(&ring(&json!({})), &ring(&json!({ "minLength": 0 })), Verdict::Equivalent);
}

#[test]
fn costly_patterns_end() {
    let patterns = [
        "^(a+)+$",
        "^(a|aa)+$",
        "^(a|a?)+$",
        "^(.*a){30}$",
        "^((a{1,50}){1,50}){1,50}$",
        "^(?=(a+)+$)b",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
        "[ab]*a[ab]{18}$",
        "^(?:a?){30}a{30}$",
        "(x+x+)+y",
        "^[\\s\\S]{2000}$",
    ];
    for first in patterns {
        for second in [patterns[1], patterns[3], patterns[6], patterns[9]] {
            let old = json!({ "type": "string", "pattern": first });
            let new = json!({ "type": "string", "pattern": second });
            let found = verdict(&old, &new);
            assert_eq!(
                found == Verdict::Equivalent,
                found == Verdict::Equivalent && same(first, second),
                "{first} {second}: {found:?}"
            );
        }
        let old = json!({ "type": "string", "pattern": first });
        right_or_untold(&old, &json!({ "type": "string" }), Verdict::Wider);
    }
}

fn same(first: &str, second: &str) -> bool {
    let all_a = ["^(a+)+$", "^(a|aa)+$"];
    first == second || (all_a.contains(&first) && all_a.contains(&second))
}

#[test]
fn ten_thousand_properties_end() {
    let many = |schema: &Value, count: usize| {
        let properties: Map<String, Value> =
            (0..count).map(|index| (format!("argument{index}"), schema.clone())).collect();
        json!({ "type": "object", "properties": properties })
    };
    let text = json!({ "type": "string" });
    let before = many(&text, 10_000);
    // One of them: found at once.
    let mut after = before.clone();
    after["properties"]["argument5000"] = json!({ "type": "string", "minLength": 1 });
    assert_eq!(verdict(&before, &after), Verdict::Narrower);
    assert_eq!(verdict(&after, &before), Verdict::Wider);
    assert_eq!(verdict(&before, &many(&text, 10_001)), Verdict::Wider);
    // All of them, and all of them required.
    right_or_untold(&before, &many(&json!({ "enum": ["a"] }), 10_000), Verdict::Narrower);
    let mut required = before.clone();
    required["required"] = (0..10_000).map(|index| format!("argument{index}")).collect();
    right_or_untold(&before, &required, Verdict::Narrower);
    let values =
        |count: usize| json!({ "enum": (0..count).map(|n| format!("v{n}")).collect::<Vec<_>>() });
    assert_eq!(verdict(&values(10_000), &values(10_001)), Verdict::Wider);
}

#[test]
fn many_alternatives_are_told_apart() {
    let shapes = |count: usize, extra: usize| {
        let shape = |kind: usize| {
            let mut properties =
                json!({ "kind": { "const": format!("k{kind}") }, "id": { "type": "string" } });
            if kind == extra {
                properties["force"] = json!({ "type": "boolean" });
            }
            json!({ "type": "object", "properties": properties, "required": ["kind"] })
        };
        json!({ "anyOf": (0..count).map(shape).collect::<Vec<_>>() })
    };
    let none = usize::MAX;
    assert_eq!(verdict(&shapes(30, none), &shapes(30, 7)), Verdict::Wider);
    assert_eq!(verdict(&shapes(30, 7), &shapes(30, none)), Verdict::Narrower);
    assert_eq!(verdict(&shapes(30, none), &shapes(31, none)), Verdict::Wider);
    assert_eq!(verdict(&shapes(30, 3), &shapes(30, 7)), Verdict::Incomparable);
    let mut one_of = shapes(30, none);
    one_of["oneOf"] = one_of["anyOf"].take();
    one_of.as_object_mut().unwrap().remove("anyOf");
    right_or_untold(&shapes(30, none), &one_of, Verdict::Equivalent);
}

#[test]
fn deep_and_large_numbers_end() {
    let deep = |leaf: &Value| {
        (0..60).fold(
            leaf.clone(),
            |inner, _| json!({ "type": "object", "properties": { "p": inner } }),
        )
    };
    let text = json!({ "type": "string" });
    right_or_untold(&deep(&text), &deep(&json!({ "type": ["string", "null"] })), Verdict::Wider);
    for (old, new, right) in [
        (json!({ "minLength": 1_000_000 }), json!({ "minLength": 1_000_001 }), Verdict::Narrower),
        (json!({ "minItems": 1_000_000 }), json!({ "minItems": 1_000_001 }), Verdict::Narrower),
        (json!({ "minProperties": 1_000_000 }), json!({ "minProperties": 9 }), Verdict::Wider),
        (json!({ "multipleOf": 1e-300 }), json!({ "multipleOf": 1e-301 }), Verdict::Wider),
        (
            json!({ "multipleOf": 9_007_199_254_740_991_u64 }),
            json!({ "multipleOf": 9_007_199_254_740_881_u64 }),
            Verdict::Incomparable,
        ),
        (json!({ "maximum": 1e308 }), json!({ "maximum": 1.1e308 }), Verdict::Wider),
    ] {
        right_or_untold(&old, &new, right);
    }
}

/// What costs much before anything is compared.
#[test]
fn what_is_costly_to_take_apart_ends() {
    let doubled = |last: &Value, levels: usize, times: usize| {
        let mut definitions = Map::new();
        for level in 0..levels {
            let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
            definitions.insert(format!("d{level}"), json!({ "allOf": vec![next; times] }));
        }
        definitions.insert(format!("d{levels}"), json!({ "required": ["a"] }));
        json!({ "type": "object", "properties": { "a": last }, "allOf": [{ "$ref": "#/$defs/d0" }],
            "$defs": definitions })
    };
    let (text, either) = (json!({ "type": "string" }), json!({ "type": ["string", "null"] }));
    for (levels, times) in [(24, 2), (20, 4)] {
        right_or_untold(
            &doubled(&text, levels, times),
            &doubled(&either, levels, times),
            Verdict::Wider,
        );
        let mut open = doubled(&text, levels, times);
        open.as_object_mut().unwrap().remove("properties");
        let mut other = open.clone();
        other["maxProperties"] = json!(5);
        right_or_untold(&open, &other, Verdict::Narrower);
    }
    let one_of = |count: usize| json!({ "oneOf": (0..count).map(|n| json!({ "const": n })).collect::<Vec<_>>() });
    right_or_untold(&one_of(100), &one_of(101), Verdict::Wider);
    right_or_untold(&one_of(20_000), &one_of(20_001), Verdict::Wider);
    let all_true = |count: usize| json!({ "oneOf": vec![true; count] });
    right_or_untold(&all_true(50_000), &all_true(50_001), Verdict::Equivalent);
    let values =
        |count: usize| json!({ "enum": (0..count).map(|n| format!("v{n}")).collect::<Vec<_>>() });
    assert_eq!(verdict(&values(50_000), &values(50_001)), Verdict::Wider);
    let patterns = |last: usize| {
        let one = |n: usize| {
            (format!("a{n}"), json!({ "pattern": format!("^[a-z]{{2900}}{}$", n + last) }))
        };
        json!({ "type": "object", "properties": (0..500).map(one).collect::<Map<_, _>>() })
    };
    right_or_untold(&patterns(0), &patterns(1), Verdict::Incomparable);
    let chain = |longest: usize| {
        let mut definitions: Map<String, Value> = (0..20_000)
            .map(|n| (format!("d{n}"), json!({ "$ref": format!("#/$defs/d{}", n + 1) })))
            .collect();
        definitions.insert("d20000".to_owned(), json!({ "type": "string", "maxLength": longest }));
        json!({ "$ref": "#/$defs/d0", "$defs": definitions })
    };
    right_or_untold(&chain(5), &chain(6), Verdict::Wider);
    let unions = |last: &Value| {
        let names = |part: usize| {
            (0..300).map(|n| (format!("k{part}_{n}"), json!({}))).collect::<Map<_, _>>()
        };
        let parts: Vec<Value> = (0..7).map(|part| json!({ "properties": names(part) })).collect();
        json!({ "type": "object", "properties": { "a": last }, "anyOf": parts })
    };
    right_or_untold(&unions(&text), &unions(&either), Verdict::Wider);
}
