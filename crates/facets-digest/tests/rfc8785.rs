//! Our canonical form against the vectors of RFC 8785, the oracle, and an ECMAScript engine.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_digest::json::{self, Limits, Number, Provenance};
use facets_testkit::{
    Random, ask_oracle, double_literal, ecmascript, from_hex, long_count, random_document, to_hex,
};

fn canonical(bytes: &[u8], provenance: Provenance) -> Vec<u8> {
    json::parse(bytes, provenance, Limits::DOCUMENT)
        .unwrap_or_else(|error| panic!("{}: {error}", String::from_utf8_lossy(bytes)))
        .to_canonical()
}

fn number(double: f64) -> String {
    let mut out = Vec::new();
    Number::Double(double).write_to(&mut out);
    String::from_utf8(out).unwrap()
}

/// RFC 8785, 3.2.2 and 3.2.4: the sample object, and its canonical form byte by byte.
#[test]
fn writes_the_sample_of_the_rfc() {
    let sample = br#"{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
    }"#;
    let expected = concat!(
        r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#,
        r#""string":"€$\u000f\nA'B\"\\\\\"/"}"#
    );
    assert_eq!(String::from_utf8(canonical(sample, Provenance::Authored)).unwrap(), expected);
}

/// RFC 8785, 3.2.3: names sorted by UTF-16 code units, with a surrogate pair among them.
#[test]
fn sorts_names_as_the_rfc_does() {
    let sample = r#"{
        "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }"#;
    let form = String::from_utf8(canonical(sample.as_bytes(), Provenance::Authored)).unwrap();
    let order = ["Carriage Return", "One", "Control", "Latin Small", "Euro", "Emoji", "Hebrew"];
    let places: Vec<_> = order.iter().map(|word| form.find(word).unwrap()).collect();
    assert!(places.is_sorted(), "{form}");
}

/// RFC 8785, appendix B: doubles by their bits.
#[test]
fn writes_the_doubles_of_appendix_b() {
    let table: &[(u64, &str)] = &[
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ];
    for (bits, text) in table {
        assert_eq!(number(f64::from_bits(*bits)), *text, "{bits:016x}");
    }
}

#[test]
fn a_hundred_thousand_random_doubles_equal_the_oracle_and_ecmascript() {
    let mut random = Random::seeded(8785);
    // A thousand to a document: one process, and positions stay readable.
    let documents: Vec<String> = (0..long_count(1000))
        .map(|_| {
            let items: Vec<_> = (0..1000).map(|_| double_literal(&mut random)).collect();
            format!("[{}]", items.join(","))
        })
        .collect();
    compare(&documents);
}

#[test]
fn a_thousand_random_documents_equal_the_oracle_and_ecmascript() {
    let mut random = Random::seeded(1000);
    let documents: Vec<String> =
        (0..long_count(20_000)).map(|_| random_document(&mut random)).collect();
    compare(&documents);
}

fn compare(documents: &[String]) {
    let ours: Vec<String> = documents
        .iter()
        .map(|document| to_hex(&canonical(document.as_bytes(), Provenance::Captured)))
        .collect();
    if let Some(theirs) = ask_oracle("json-captured", documents) {
        for ((document, ours), theirs) in documents.iter().zip(&ours).zip(theirs) {
            assert_eq!(&format!("ok {ours}"), &theirs, "the oracle differs on {document}");
        }
    }
    if let Some(theirs) = ecmascript(documents) {
        for ((document, ours), theirs) in documents.iter().zip(&ours).zip(theirs) {
            assert_eq!(ours, &theirs, "ECMAScript differs on {document}");
        }
    }
    // The canonical form is a fixed point.
    for (document, ours) in documents.iter().zip(&ours) {
        let again = to_hex(&canonical(&from_hex(ours), Provenance::Captured));
        assert_eq!(ours, &again, "not a fixed point: {document}");
    }
}

/// Damaged documents: both implementations accept the same ones, with the same form.
#[test]
fn the_oracle_refuses_what_we_refuse() {
    let mut random = Random::seeded(13);
    let documents: Vec<Vec<u8>> = (0..long_count(200_000)).map(|_| damage(&mut random)).collect();
    for (what, provenance) in
        [("json", Provenance::Authored), ("json-captured", Provenance::Captured)]
    {
        let Some(answers) = ask_oracle(what, &documents) else {
            return;
        };
        let mut accepted = 0;
        for (document, theirs) in documents.iter().zip(answers) {
            let ours = match json::parse(document, provenance, Limits::DOCUMENT) {
                Ok(value) => format!("ok {}", to_hex(&value.to_canonical())),
                Err(_) => "refused".to_owned(),
            };
            // A document with two faults may be refused for either.
            let theirs = if theirs.starts_with("refused") { "refused" } else { &theirs };
            accepted += usize::from(ours.starts_with("ok"));
            assert_eq!(ours, theirs, "{}", String::from_utf8_lossy(document));
        }
        let share = documents.len() / 10;
        assert!((share..9 * share).contains(&accepted), "{accepted} accepted say too little");
    }
}

/// A valid document with one random byte replaced, removed, or doubled.
fn damage(random: &mut Random) -> Vec<u8> {
    let mut document = random_document(random).into_bytes();
    let at = random.below(document.len());
    match random.below(6) {
        0 => document[at] = random.pick(b"{}[]\",:\\0-9eE. u\x00\xff"),
        1 => {
            document.remove(at);
        }
        2 => document.insert(at, random.pick(b"{}[]\",:\\019eE. u\x80")),
        3 => document.truncate(at),
        _ => {}
    }
    document
}
