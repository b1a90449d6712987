//! Texts that once were edited badly.

#![allow(clippy::unwrap_used, reason = "tests")]

use facets_jsonc::{Order, remove_member, set_member};

#[test]
fn what_is_set_can_be_set_again_and_removed() {
    let texts = [
        "{\n  ///*\0\0\0= \"servers// \n  // c// c\n  \"ser6errs//\":   \n  \n0}\n",
        "{ /* , */ \"a\": 1 /* , */ , /* , */ \"b\": 2, // ,\n }",
        "{  \"ser~ers\": 1,  \t/*{&/c\n  \"sers\": 1 V,V*/\t\"a\": \"0\\\"\",}\t",
        "{\"a\":1 /* \n , */ }",
        "{\"a\":1,}",
        "{\r\n\t\"a\": 1,\r\n\t// end\r\n}\r\n",
        "{ // only a comment\n}",
        "{/**/}",
        "{\"servers\":{/* a */}}",
        "{\"servers\":{\"s\":1}// x\n,\"a\":2}",
    ];
    for text in texts {
        for order in [Order::AtEnd, Order::Sorted] {
            for path in [&["servers", "s"][..], &["a"][..]] {
                let with = set_member(text, path, "{\n  }", order).unwrap();
                assert_eq!(set_member(&with, path, "{\n  }", order).unwrap(), with, "{text:?}");
                let without = remove_member(&with, path).unwrap();
                set_member(&without, path, "1", order).unwrap();
            }
        }
    }
}

#[test]
fn a_comma_behind_the_last_member_is_no_obstacle() {
    let text = "{\n   \"a\": 1, //, // x\n  \"servers\": { \"a\":1 \n}\n, }\n";
    let with = set_member(text, &["servers", "s"], "{\n  }", Order::AtEnd).unwrap();
    let without = remove_member(&with, &["servers", "s"]).unwrap();
    set_member(&without, &["servers", "s"], "1", Order::AtEnd).unwrap();
    let with = set_member(text, &["a"], "{\n  }", Order::AtEnd).unwrap();
    let without = remove_member(&with, &["a"]).unwrap();
    set_member(&without, &["a"], "1", Order::AtEnd).unwrap();
    set_member(&without, &["a"], "1", Order::Sorted).unwrap();
}
