//! The reference's own outputs, reproduced in the mode `fusion-v1`. Each vector that this mode
//! refuses is named here.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use facets_digest::Digest;
use facets_surface::fusion::{
    FusionContracts, FusionError, Js, Prompt, canonicalize, check_lockfile, compare,
    digest_contracts, egress_digest, parse, parse_lockfile, rules_fingerprint, sign,
    verify_signature, write_lockfile,
};
use facets_testkit::shared_vectors;

/// Calls `check` with every vector of a file, and says how many there were.
fn each(file: &str, mut check: impl FnMut(&str, &Js<'_>)) -> usize {
    let Some(folder) = shared_vectors("fusion") else { return 0 };
    let bytes = std::fs::read(folder.join(file)).unwrap();
    let document = parse(&bytes).unwrap_or_else(|error| panic!("{file}: {error}"));
    let Js::Array(vectors) = &document else { panic!("{file} is no list") };
    for vector in vectors {
        check(text(vector, "id"), vector);
    }
    vectors.len()
}

fn text<'v>(value: &'v Js<'_>, name: &str) -> &'v str {
    value.get(name).and_then(Js::text).unwrap_or_else(|| panic!("no text {name} in {value:?}"))
}

fn texts<'v>(value: &'v Js<'_>, name: &str) -> Vec<&'v str> {
    match value.get(name) {
        Some(Js::Array(items)) => items.iter().map(|item| item.text().unwrap()).collect(),
        _ => Vec::new(),
    }
}

fn is_set(value: &Js<'_>, name: &str) -> bool {
    value.get(name).is_some_and(|value| *value != Js::Null)
}

#[test]
fn canonical_texts_and_their_hashes() {
    let mut skipped = Vec::new();
    let count = each("canonicalize.json", |id, vector| {
        // A value that JSON cannot carry is documentation.
        let Some(input) = vector.get("inputJson").and_then(Js::text) else {
            skipped.push(id.to_owned());
            return;
        };
        let ours = canonicalize(&parse(input.as_bytes()).unwrap());
        assert_eq!(ours, text(vector, "output"), "{id}");
        assert_eq!(Digest::of(ours.as_bytes()).hex(), text(vector, "sha256"), "{id}");
    });
    let javascript = [
        "lone-surrogate",
        "nan-inf",
        "undefined-member",
        "undefined-in-array",
        "top-undefined",
        "date",
        "map-set",
        "bigint",
        "boxed",
        "toJSON",
        "circular",
    ];
    assert!(count == 0 || skipped == javascript, "{skipped:?}");
    // The one of them that a JSON text can carry is refused by name.
    let refused = parse(br#"{"a":"\ud800","b":"\udc00x"}"#).unwrap_err();
    assert_eq!(refused.kind.code(), "json-lone-surrogate");
}

#[test]
fn contracts_and_their_components() {
    let mut digests: Vec<(String, String)> = Vec::new();
    each("digests.json", |id, vector| {
        let Ok(FusionContracts::One(ours)) = digest_contracts(vector.get("contract").unwrap())
        else {
            panic!("{id} has no digest")
        };
        assert_eq!(ours.digest, text(vector, "digest"), "{id}");
        let components = vector.get("components").unwrap();
        let names = ["surface", "behavior", "tokenEconomics", "entitlements"];
        for (name, component) in names.into_iter().zip(&ours.components) {
            assert_eq!(component, text(components, name), "{id} {name}");
        }
        if is_set(vector, "equalTo") {
            let other = digests.iter().find(|(other, _)| other == text(vector, "equalTo")).unwrap();
            assert_eq!(other.1, ours.digest, "{id}");
        }
        digests.push((id.to_owned(), ours.digest));
    });
}

#[test]
fn servers_and_comparisons() {
    each("server-digests.json", |id, vector| {
        let Ok(FusionContracts::Server(ours)) = digest_contracts(vector.get("contracts").unwrap())
        else {
            panic!("{id} has no digest")
        };
        assert_eq!(ours.digest, text(vector, "digest"), "{id}");
        for (name, tool) in &ours.tools {
            assert_eq!(tool.digest, text(vector.get("toolDigests").unwrap(), name), "{id} {name}");
        }
    });
    each("comparisons.json", |id, vector| {
        let side = |name: &str| vector.get(name).unwrap();
        let (before, after) = (side("before"), side("after"));
        let digests = |side| (text(side, "digest"), tools(side));
        let ours = compare(&digests(before), &digests(after));
        let result = vector.get("result").unwrap();
        assert_eq!(result.get("serverDigestChanged"), Some(&Js::Bool(ours.changed_server)), "{id}");
        assert_eq!(ours.added, texts(result, "added"), "{id}");
        assert_eq!(ours.removed, texts(result, "removed"), "{id}");
        assert_eq!(ours.changed, texts(result, "changed"), "{id}");
        assert_eq!(ours.unchanged, texts(result, "unchanged"), "{id}");
    });
}

fn tools<'v>(side: &'v Js<'_>) -> Vec<(&'v str, &'v str)> {
    let members = side.get("tools").unwrap().members().unwrap();
    members.iter().map(|(name, digest)| (&**name, digest.text().unwrap())).collect()
}

#[test]
fn rules_and_output_keys() {
    each("rules-fingerprint.json", |id, vector| {
        let Some(Js::Array(actions)) = vector.get("actions") else { panic!("{id}") };
        let all = |name: &str| -> Vec<&str> {
            actions.iter().flat_map(|action| texts(action, name)).collect()
        };
        let computed = actions
            .iter()
            .any(|action| action.get("presenterHasContextualRules") == Some(&Js::Bool(true)));
        let fingerprint = rules_fingerprint(&all("presenterStaticRules"), computed);
        assert_eq!(fingerprint, text(vector, "systemRulesFingerprint"), "{id}");
        let egress = egress_digest(&all("presenterSchemaKeys"));
        let expected = vector.get("egressSchemaDigest").and_then(Js::text);
        assert_eq!(egress.as_deref(), expected, "{id}");
        // The contract that the reference made of it has them, and a digest.
        let contract = vector.get("contract").unwrap();
        let behavior = contract.get("behavior").unwrap();
        assert_eq!(text(behavior, "systemRulesFingerprint"), fingerprint, "{id}");
        assert!(matches!(digest_contracts(contract), Ok(FusionContracts::One(_))), "{id}");
    });
}

#[test]
fn attestations() {
    each("attestation.json", |id, vector| {
        let Some(secret) = vector.get("secret").and_then(Js::text) else {
            // A trust object: its signature is that of its digest.
            let value = vector.get("value").unwrap();
            let secret = "0123456789abcdef0123456789abcdef";
            assert_eq!(sign(secret, text(value, "serverDigest")), text(value, "signature"), "{id}");
            return;
        };
        let digest = text(vector, "digest");
        let valid = vector.get("valid") == Some(&Js::Bool(true));
        if let Some(signature) = vector.get("signature").and_then(Js::text) {
            assert_eq!(sign(secret, digest), signature, "{id}");
            assert!(verify_signature(secret, digest, signature) == valid, "{id}");
            assert!(!verify_signature(secret, digest, &signature.to_uppercase()), "{id}");
        }
        if let Some(presented) = vector.get("presentedSignature").and_then(Js::text) {
            assert!(verify_signature(secret, digest, presented) == valid, "{id}");
        }
        if let Some(expected) = vector.get("expectedDigest").and_then(Js::text) {
            assert!((expected == digest) == valid, "{id}");
        }
    });
}

fn prompts(vector: &Js<'_>) -> Option<Vec<Prompt>> {
    match vector.get("prompts") {
        Some(Js::Array(items)) => Some(items.iter().map(|p| Prompt::from_js(p).unwrap()).collect()),
        _ => None,
    }
}

#[test]
fn lockfiles_are_written_as_the_reference_writes_them() {
    each("lockfiles.json", |id, vector| {
        let header = ["serverName", "vurbVersion", "generatedAt"].map(|name| text(vector, name));
        let prompts = prompts(vector);
        let ours = write_lockfile(header, vector.get("contracts").unwrap(), prompts.as_deref());
        if id == "tools+prompts" {
            // Its arguments are `account, Account, éclair, month`: refused by name (6.6).
            let refused = FusionError::LocaleOrder {
                prompt: "summary".to_owned(),
                argument: "Account".to_owned(),
            };
            assert_eq!(ours, Err(refused));
        } else {
            assert_eq!(ours.as_deref(), Ok(text(vector, "serialized")), "{id}");
        }
        // Reading needs no order but that of the file.
        let serialized = text(vector, "serialized");
        let lock = parse_lockfile(serialized.as_bytes()).unwrap();
        let check = check_lockfile(&lock, vector.get("contracts").unwrap()).unwrap();
        assert!(check.is_ok(), "{id}: {check:?}");
    });
}

#[test]
fn lockfiles_with_plain_arguments_have_the_digest_of_their_prompts() {
    let argument = |name: &str| facets_surface::fusion::PromptArgument {
        name: name.to_owned(),
        ..Default::default()
    };
    let prompt = Prompt {
        name: "p".to_owned(),
        arguments: vec![argument("b"), argument("a1"), argument("a")],
        ..Default::default()
    };
    let none = Js::Object(Vec::new());
    let lock = write_lockfile(["s", "3.17.2", "t"], &none, Some(&[prompt])).unwrap();
    let read = parse_lockfile(lock.as_bytes()).unwrap();
    assert!(check_lockfile(&read, &none).unwrap().is_ok());
    for (what, with) in
        [("\"name\": \"a1\"", "\"name\": \"a2\""), ("\"required\": false", "\"required\": true")]
    {
        let edited = lock.replacen(what, with, 1);
        let read = parse_lockfile(edited.as_bytes()).unwrap();
        let check = check_lockfile(&read, &none).unwrap();
        assert!(check.mismatches.iter().any(|m| m.place.contains("Digest")), "{check:?}");
    }
}

#[test]
fn lockfiles_are_checked_more_strictly_than_by_the_reference() {
    each("lockfile-checks.json", |id, vector| {
        let lock = parse_lockfile(text(vector, "lockfileText").as_bytes());
        if id == "entry-null" {
            let refused = FusionError::Shape {
                place: "capabilities.tools.invoices".to_owned(),
                expected: "an object",
            };
            assert_eq!(lock, Err(refused), "{id}");
            return;
        }
        let check = check_lockfile(&lock.unwrap(), vector.get("contracts").unwrap()).unwrap();
        let result = vector.get("result").unwrap();
        if id == "body-tampered" {
            // The reference says ok; ours names what was edited.
            let places: Vec<&str> = check.mismatches.iter().map(|m| m.place.as_str()).collect();
            assert!(
                places.contains(&"capabilities.tools.invoices.entitlements.network"),
                "{places:?}"
            );
            assert!(!check.is_ok());
            return;
        }
        assert_eq!(check.added, texts(result, "added"), "{id}");
        assert_eq!(check.removed, texts(result, "removed"), "{id}");
        assert_eq!(check.changed, texts(result, "changed"), "{id}");
        let mut unchanged = texts(result, "unchanged");
        unchanged.sort_unstable();
        let mut ours = check.unchanged.clone();
        ours.sort_unstable();
        assert_eq!(ours, unchanged, "{id}");
        let expected = match id {
            // A check always includes prompts, here those of the lockfile itself.
            "prompts-omitted" => true,
            _ => result.get("ok") == Some(&Js::Bool(true)),
        };
        assert_eq!(check.is_ok(), expected, "{id}: {check:?}");
        if id == "all" {
            // Prompts that the reference would sort by locale: refused by name (6.6).
            let described = prompts(vector).unwrap();
            let header = ["s", "v", "t"];
            let none = Js::Object(Vec::new());
            let refused = write_lockfile(header, &none, Some(&described)).unwrap_err();
            assert!(matches!(refused, FusionError::LocaleOrder { .. }), "{refused}");
        }
    });
    each("lockfile-parse.json", |id, vector| {
        let accepted = vector.get("accepted") == Some(&Js::Bool(true));
        let ours = parse_lockfile(text(vector, "input").as_bytes());
        assert_eq!(ours.is_ok(), accepted, "{id}: {ours:?}");
    });
}

#[test]
fn older_lockfiles_are_read_too() {
    let old = br#"{"lockfileVersion":1,"serverName":"s","fusionVersion":"3.1.0","generatedAt":"t",
        "integrityDigest":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "capabilities":{"tools":{}}}"#;
    let lock = parse_lockfile(old).unwrap();
    assert_eq!(lock.framework_version, "3.1.0");
    assert!(check_lockfile(&lock, &Js::Object(Vec::new())).unwrap().is_ok());
}
