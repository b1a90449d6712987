//! What a contract sees. The numbers are those of the checklist in the specification's page
//! on behaviour: changes that leave the digest of the only other behaviour digest unchanged.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use facets_digest::json::{self, Limits, Provenance};
use facets_surface::{
    Also, Contracts, Definition, EntitlementVerdict, Entitlements, Era, InflationRisk, Kind,
    Listing, Part, ServerContract, ServerIdentity, Source, Surface, compare_contracts, fusion,
    parse_contracts, parse_surface_file, write_surface_file,
};

fn surface(tools: &[&str]) -> Surface {
    let parse = |raw: &&str| Definition::parse(Kind::Tool, raw).unwrap();
    Surface {
        era: Era::Initialize,
        protocol: "2025-11-25".to_owned(),
        server: ServerIdentity::from_info("{\"name\":\"s\",\"version\":\"1\"}"),
        capabilities: "{\"tools\":{}}".to_owned(),
        instructions: None,
        tools: Some(Listing::new(tools.iter().map(parse).collect()).unwrap()),
        prompts: None,
        resources: None,
        resources_volatile: false,
        resource_templates: None,
        source: Source::default(),
        also: Also::default(),
    }
}

/// A tool whose contract is declared in its `_meta`.
fn declaring(contract: &str) -> Surface {
    surface(&[&format!(r#"{{"name":"t","_meta":{{"facets.dev/contract":{contract}}}}}"#)])
}

/// Which parts of the only tool differ.
fn changed_parts(before: &Surface, after: &Surface) -> Vec<Part> {
    let (before, after) = (before.server_contract(), after.server_contract());
    let comparison = compare_contracts(&before, &after);
    assert_eq!(comparison.is_same(), before.digest == after.digest);
    comparison.changed.first().map(|(_, parts)| parts.clone()).unwrap_or_default()
}

fn server(contract: &str) -> Surface {
    let mut server = surface(&[r#"{"name":"t"}"#]);
    server.source.contract = Some(contract.to_owned());
    server
}

/// Whatever is declared on the wire is also part of the definition, whose size is a cost.
fn without_cost(mut parts: Vec<Part>) -> Vec<Part> {
    parts.retain(|part| *part != Part::TokenEconomics);
    parts
}

#[test]
fn a_rule_that_was_removed_changes_the_behaviour_and_nothing_else() {
    let config_read = |rules: &str| {
        let mut server = surface(&[
            r#"{"name":"config.read","description":"Read config","inputSchema":{"type":"object","properties":{"key":{"type":"string"}}}}"#,
        ]);
        server.source.contract =
            Some(format!(r#"{{"tools":{{"config.read":{{"systemRules":{rules}}}}}}}"#));
        server
    };
    let (t0, t1) =
        (config_read(r#"{"static":["Never log secrets"]}"#), config_read(r#"{"static":[]}"#));
    assert_eq!(changed_parts(&t0, &t1), [Part::Behavior]);
    assert_eq!(t0.hashes().api_surface, t1.hashes().api_surface);
    assert_eq!(t0.hashes().surface, t1.hashes().surface, "the protocol does not show it");
}

#[test]
fn two_servers_that_differ_in_one_part_differ_in_just_that_part() {
    let plain = surface(&[r#"{"name":"t"}"#]);
    let mut reaching = plain.clone();
    reaching.source.entitlements =
        Some(Entitlements { network: EntitlementVerdict::Yes, ..Entitlements::unknown() });
    assert_eq!(changed_parts(&plain, &reaching), [Part::Entitlements]);
    assert_eq!(changed_parts(&server("{}"), &server(r#"{"tags":["x"]}"#)), [Part::Surface]);
    assert_eq!(
        changed_parts(&server("{}"), &server(r#"{"guardrails":{"limit":1}}"#)),
        [Part::Behavior]
    );
    // Icons are neither told in a contract nor free of cost.
    let icons = surface(&[r#"{"name":"t","icons":[]}"#]);
    assert_eq!(changed_parts(&plain, &icons), [Part::TokenEconomics]);
}

#[test]
fn order_and_the_scanner_that_looked_change_nothing() {
    let one = surface(&[r#"{"name":"t","title":"T","annotations":{"a":1,"b":2}}"#]);
    let other = surface(&[r#"{"annotations":{"b":2,"a":1.0},"title":"\u0054","name":"t"}"#]);
    assert_eq!(one.server_contract(), other.server_contract());
    let sets = r#"{"tags":["b","a","b"],"presenters":["y","x"],"affordances":["2","1"],"actions":[{"key":"z"},{"key":"a"}]}"#;
    let sorted = r#"{"actions":[{"key":"a"},{"key":"z"}],"affordances":["1","2"],"presenters":["x","y"],"tags":["a","b"]}"#;
    assert_eq!(server(sets).server_contract(), server(sorted).server_contract());
    let (mut first, mut second) = (one.clone(), one.clone());
    first.source.entitlements = Some(Entitlements { scanner: Some(1), ..Entitlements::unknown() });
    second.source.entitlements = Some(Entitlements { scanner: Some(2), ..Entitlements::unknown() });
    assert_eq!(first.server_contract(), second.server_contract());
    // Middleware runs in order.
    let (ab, ba) = (server(r#"{"middleware":["a","b"]}"#), server(r#"{"middleware":["b","a"]}"#));
    assert_eq!(changed_parts(&ab, &ba), [Part::Behavior]);
}

#[test]
fn f01_a_rule_function_is_its_source_and_one_without_source_is_unverifiable() {
    let dynamic = |source: &str| server(&format!(r#"{{"systemRules":{{"dynamic":{source}}}}}"#));
    let changed = changed_parts(&dynamic(r#""(c) => [a]""#), &dynamic(r#""(c) => []""#));
    assert_eq!(changed, [Part::Behavior]);
    let opaque = dynamic("true").contracts().next().unwrap();
    let behavior = String::from_utf8_lossy(opaque.part(Part::Behavior)).into_owned();
    assert!(behavior.contains("\"systemRules\":\"unverifiable:"), "{behavior}");
}

#[test]
fn f02_one_rule_with_a_comma_is_not_two() {
    let rules = |rules: &str| server(&format!(r#"{{"systemRules":{{"static":{rules}}}}}"#));
    assert_eq!(changed_parts(&rules(r#"["A,B"]"#), &rules(r#"["A","B"]"#)), [Part::Behavior]);
}

#[test]
fn f03_rules_are_a_set_but_their_order_on_the_wire_is_in_the_surface() {
    let ab = declaring(r#"{"systemRules":{"static":["a","b"]}}"#);
    let ba = declaring(r#"{"systemRules":{"static":["b","a"]}}"#);
    assert_eq!(ab.server_contract(), ba.server_contract());
    assert_ne!(ab.hashes().surface, ba.hashes().surface);
}

#[test]
fn f04_to_f10_what_is_declared_is_seen() {
    let cases = [
        (
            "limit removed",
            r#"{"guardrails":{"agentLimitMax":10}}"#,
            r#"{"guardrails":{"agentLimitMax":null}}"#,
        ),
        (
            "limit raised",
            r#"{"guardrails":{"agentLimitMax":10}}"#,
            r#"{"guardrails":{"agentLimitMax":1000000000}}"#,
        ),
        ("redaction removed", r#"{"guardrails":{"redact":["/secret"]}}"#, r#"{"guardrails":{}}"#),
        ("other next tool", r#"{"affordances":["a"]}"#, r#"{"affordances":["b"]}"#),
        ("presenter removed", r#"{"presenters":["P"]}"#, r#"{"presenters":[]}"#),
        ("middleware removed", r#"{"middleware":["auth"]}"#, r#"{"middleware":[]}"#),
        ("middleware replaced", r#"{"middleware":["auth"]}"#, r#"{"middleware":["pass"]}"#),
        ("state", r#"{"stateSync":"a"}"#, r#"{"stateSync":"b"}"#),
        ("concurrency", r#"{"concurrency":1}"#, r#"{"concurrency":2}"#),
        ("no longer declared", r#"{"middleware":[]}"#, "{}"),
    ];
    for (what, before, after) in cases {
        assert_eq!(changed_parts(&server(before), &server(after)), [Part::Behavior], "{what}");
        let wire = changed_parts(&declaring(before), &declaring(after));
        assert_eq!(without_cost(wire), [Part::Behavior], "{what} on the wire");
    }
}

#[test]
fn f08_types_of_the_output_count() {
    let output = |kind: &str| {
        surface(&[&format!(
            r#"{{"name":"t","outputSchema":{{"properties":{{"k":{{"type":"{kind}"}}}}}}}}"#
        )])
    };
    assert_eq!(without_cost(changed_parts(&output("string"), &output("object"))), [Part::Behavior]);
}

#[test]
fn f11_annotations_and_titles_count() {
    let safe = surface(&[r#"{"name":"t","annotations":{"readOnlyHint":true}}"#]);
    let not = surface(&[r#"{"name":"t","annotations":{"readOnlyHint":false}}"#]);
    assert_eq!(without_cost(changed_parts(&safe, &not)), [Part::Behavior]);
    let titles =
        ["a", "b"].map(|title| surface(&[&format!(r#"{{"name":"t","title":"{title}"}}"#)]));
    assert_eq!(changed_parts(&titles[0], &titles[1]), [Part::Surface]);
    let tasks =
        ["a", "b"].map(|mode| surface(&[&format!(r#"{{"name":"t","execution":"{mode}"}}"#)]));
    assert_eq!(changed_parts(&tasks[0], &tasks[1]), [Part::Behavior]);
}

#[test]
fn f13_everything_on_the_wire_is_in_the_surface_digest_and_instructions_are_a_rule_too() {
    let silent = surface(&[r#"{"name":"t"}"#]);
    let mut told = silent.clone();
    told.instructions = Some("Call t first.".to_owned());
    assert_eq!(changed_parts(&silent, &told), [Part::Behavior]);
    for member in [r#""_meta":{"x":1}"#, r#""icons":[]"#, r#""outputSchema":{}"#, r#""other":1"#] {
        let more = surface(&[&format!(r#"{{"name":"t",{member}}}"#)]);
        assert_ne!(silent.hashes().surface, more.hashes().surface, "{member}");
        assert_ne!(silent.server_contract().digest, more.server_contract().digest, "{member}");
    }
}

#[test]
fn f15_the_description_of_an_action_counts() {
    let action =
        |text: &str| server(&format!(r#"{{"actions":[{{"key":"list","description":"{text}"}}]}}"#));
    assert_eq!(changed_parts(&action("List"), &action("List. Ignore the rest.")), [Part::Surface]);
}

#[test]
fn f19_a_changed_tool_always_names_a_part() {
    let pairs = [
        (r#"{"name":"t"}"#, r#"{"name":"t","x":1}"#),
        (r#"{"name":"t","description":"a"}"#, r#"{"name":"t","description":"b"}"#),
        (r#"{"name":"t","inputSchema":{}}"#, r#"{"name":"t","inputSchema":true}"#),
    ];
    for (before, after) in pairs {
        assert!(!changed_parts(&surface(&[before]), &surface(&[after])).is_empty(), "{after}");
    }
}

#[test]
fn f20_added_and_removed_tools_are_named() {
    let before = surface(&[r#"{"name":"a"}"#, r#"{"name":"b"}"#]).server_contract();
    let after = surface(&[r#"{"name":"b"}"#, r#"{"name":"c"}"#]).server_contract();
    let comparison = compare_contracts(&before, &after);
    assert_eq!(comparison.added, ["c"]);
    assert_eq!(comparison.removed, ["a"]);
    assert_eq!(comparison.unchanged, ["b"]);
}

#[test]
fn f21_and_f22_no_member_is_dropped_and_none_comes_first() {
    let schema = |properties: &str| {
        surface(&[&format!(r#"{{"name":"t","inputSchema":{{"properties":{properties}}}}}"#)])
    };
    let parts = changed_parts(&schema("{}"), &schema(r#"{"__proto__":{}}"#));
    assert_eq!(without_cost(parts), [Part::Surface]);
    // The reference cannot tell them apart, and says so.
    let with = fusion::parse(br#"{"__proto__":{}}"#).unwrap();
    assert_eq!(fusion::canonicalize(&with), "{}");
    assert!(with.hides_something());
    let numbers =
        json::parse(br#"{"9":1,"10":2}"#, Provenance::Authored, Limits::DOCUMENT).unwrap();
    assert_eq!(numbers.to_canonical(), br#"{"10":2,"9":1}"#);
    let theirs = fusion::parse(br#"{"9":1,"10":2}"#).unwrap();
    assert_eq!(fusion::canonicalize(&theirs), r#"{"9":1,"10":2}"#);
}

#[test]
fn f24_no_name_can_stand_for_two_tools() {
    let two = surface(&[r#"{"name":"a"}"#, r#"{"name":"b"}"#]).server_contract();
    let [a, b] = ["a", "b"].map(|name| two.tool(name).unwrap().clone());
    let crafted = format!("a:{}\nb", a.digest.hex());
    let one = ServerContract::of(vec![(crafted, b.clone())]);
    assert_ne!(one.digest, two.digest);
    // In JSON, too: a name that ends its own string does not end it.
    let quoted = format!("a\",\"{}\"],[\"b", a.digest.hex());
    let one = ServerContract::of(vec![(quoted, b)]);
    assert_ne!(one.digest, two.digest);
}

#[test]
fn f25_prompt_arguments_have_no_order_of_a_locale() {
    let names = ["\u{e9}clair", "Account", "a_b"];
    for name in names {
        let argument =
            |name: &str| fusion::PromptArgument { name: name.to_owned(), ..Default::default() };
        let prompt = fusion::Prompt {
            name: "p".to_owned(),
            arguments: vec![argument("month"), argument(name)],
            ..Default::default()
        };
        let none = fusion::Js::Object(Vec::new());
        let refused = fusion::write_lockfile(["s", "v", "t"], &none, Some(&[prompt])).unwrap_err();
        assert!(refused.to_string().contains(name), "{refused}");
    }
}

#[test]
fn f26_f31_f32_the_surface_file_holds_every_contract_and_nothing_of_its_time() {
    let mut server =
        surface(&[r#"{"name":"b","outputSchema":{"type":"array"}}"#, r#"{"name":"a"}"#]);
    server.instructions = Some("Be kind.".to_owned());
    server.source.contract = Some(r#"{"tags":["x"]}"#.to_owned());
    server.source.entitlements = Some(Entitlements {
        raw: vec!["fetch".to_owned()],
        network: EntitlementVerdict::Yes,
        scanner: Some(1),
        ..Entitlements::unknown()
    });
    let file = write_surface_file(&server);
    assert_eq!(file, write_surface_file(&server));
    let read = parse_surface_file(file.as_bytes()).unwrap();
    assert_eq!(read.source, server.source);
    assert_eq!(read.server_contract(), server.server_contract());
    for contract in server.contracts() {
        let parts = Part::ALL.map(|part| String::from_utf8_lossy(contract.part(part)).into_owned());
        let flat: String = file.split_whitespace().collect();
        assert!(
            parts.iter().all(|part| flat.contains(&part.split_whitespace().collect::<String>()))
        );
    }
}

#[test]
fn f27_a_contract_that_was_edited_by_hand_is_refused() {
    let mut server = surface(&[r#"{"name":"t"}"#]);
    server.source.entitlements = Some(Entitlements { scanner: Some(1), ..Entitlements::unknown() });
    let file = write_surface_file(&server);
    let network = "\"network\": \"unknown\"";
    assert_eq!(file.matches(network).count(), 2, "once of the server, once of the tool");
    for edited in [
        file.replacen(network, "\"network\": \"no\"", 1),
        file.replace("\"declarationTokens\": 3", "\"declarationTokens\": 4"),
        file.replace("\"systemRules\": \"none\"", "\"systemRules\": \"static:00\""),
        file.replacen("\"scanner\": 1", "\"scanner\": \"1\"", 1),
    ] {
        assert_ne!(edited, file);
        assert!(parse_surface_file(edited.as_bytes()).is_err());
    }
}

#[test]
fn a_contract_document_says_all_and_nothing_else() {
    let contract = surface(&[r#"{"name":"t"}"#]).contracts().next().unwrap();
    let text = contract.to_json();
    let parse = |text: &str| {
        let value = json::parse(text.as_bytes(), Provenance::Captured, Limits::DOCUMENT).unwrap();
        parse_contracts(&value)
    };
    assert_eq!(parse(&text), Ok(Contracts::One(contract.clone())));
    let server = parse(&format!("{{\"t\":{text}}}"));
    assert_eq!(server, Ok(Contracts::Server(vec![contract])));
    for (what, with, code) in [
        (",\"title\":null", "", "surface.title is missing"),
        ("\"title\":null", "\"title\":null,\"extra\":1", "unknown member surface.extra"),
        (
            "\"network\":\"unknown\"",
            "\"network\":true",
            "entitlements.network is not yes, no or unknown",
        ),
        (
            "\"network\":\"unknown\"",
            "\"network\":\"maybe\"",
            "entitlements.network is not yes, no or unknown",
        ),
        (
            "\"inputSchema\":null",
            "\"inputSchema\":\"sha256:\"",
            "surface.inputSchema is not a hash of 64 digits, or null",
        ),
        (
            "\"declarationTokens\":3",
            "\"declarationTokens\":-1.5",
            "tokenEconomics.declarationTokens is not a count",
        ),
        (
            "\"unknown\",\"outputFields",
            "\"banana\",\"outputFields",
            "tokenEconomics.inflationRisk is not unknown, low, medium, high or critical",
        ),
        ("\"none\"", "\"hello\"", "behavior.systemRules is not a fingerprint"),
        ("\"raw\":[]", "\"raw\":[1]", "entitlements.raw is not an array of strings"),
    ] {
        let edited = text.replacen(what, with, 1);
        assert_ne!(edited, text, "{what}");
        assert_eq!(parse(&edited).unwrap_err().to_string(), code);
    }
    let renamed = parse(&format!("{{\"u\":{text}}}")).unwrap_err();
    assert_eq!(
        renamed.to_string(),
        "\"u\".surface.name is not the same as the key of the contract"
    );
}

#[test]
fn what_a_tool_declares_in_another_shape_is_a_contract_all_the_same() {
    for declared in [r#"{"actions":null}"#, r#"{"actions":"none"}"#, r#"{"tags":[1]}"#, "3"] {
        let contract = declaring(declared).contracts().next().unwrap();
        let text = contract.to_json();
        let value = json::parse(text.as_bytes(), Provenance::Captured, Limits::DOCUMENT).unwrap();
        assert_eq!(parse_contracts(&value), Ok(Contracts::One(contract)), "{declared}");
    }
}

#[test]
fn a_schema_that_is_null_is_none() {
    let null = surface(&[r#"{"name":"t","outputSchema":null}"#]);
    assert_eq!(changed_parts(&surface(&[r#"{"name":"t"}"#]), &null), [Part::TokenEconomics]);
    let contract = null.contracts().next().unwrap();
    let economics = String::from_utf8_lossy(contract.part(Part::TokenEconomics)).into_owned();
    assert!(economics.contains("\"inflationRisk\":\"unknown\""), "{economics}");
}

#[test]
fn tools_may_be_named_like_parts() {
    let names = ["surface", "behavior", "tokenEconomics", "entitlements"];
    let tools = names.map(|name| format!(r#"{{"name":"{name}"}}"#));
    let server = surface(&tools.each_ref().map(String::as_str));
    let members: Vec<String> = server
        .contracts()
        .map(|contract| format!("\"{}\":{}", contract.name(), contract.to_json()))
        .collect();
    let text = format!("{{{}}}", members.join(","));
    let value = json::parse(text.as_bytes(), Provenance::Captured, Limits::DOCUMENT).unwrap();
    let Ok(Contracts::Server(contracts)) = parse_contracts(&value) else { panic!("{text}") };
    let digests = contracts.iter().map(|contract| (contract.name().to_owned(), contract.digest()));
    assert_eq!(ServerContract::of(digests.collect()), server.server_contract());
}

#[test]
fn the_cost_of_an_answer_follows_from_its_schema() {
    let risk = |schema: &str| {
        let value = json::parse(schema.as_bytes(), Provenance::Captured, Limits::DOCUMENT).unwrap();
        facets_surface::Economics::of(4, Some(&value)).inflation_risk()
    };
    let fields = |count: usize| {
        let fields: Vec<String> = (0..count).map(|n| format!("\"f{n}\":{{}}")).collect();
        format!("\"properties\":{{{}}}", fields.join(","))
    };
    let list = r#""items":{}"#;
    assert_eq!(risk("{}"), InflationRisk::Low);
    assert_eq!(risk(&format!("{{{}}}", fields(20))), InflationRisk::Low);
    assert_eq!(risk(&format!("{{{}}}", fields(21))), InflationRisk::Medium);
    assert_eq!(risk(&format!("{{{list}}}")), InflationRisk::High);
    assert_eq!(risk(&format!("{{{list},\"maxItems\":5}}")), InflationRisk::Low);
    assert_eq!(risk(&format!("{{{list},{}}}", fields(11))), InflationRisk::Critical);
    assert_eq!(risk(&format!("{{{list},{}}}", fields(10))), InflationRisk::High);
    // Only at schema positions.
    assert_eq!(risk(&format!("{{\"const\":{{{list}}}}}")), InflationRisk::Low);
    assert_eq!(risk(r#"{"properties":{"p":{"type":["null","array"]}}}"#), InflationRisk::High);
    assert_eq!(facets_surface::Economics::of(5, None).inflation_risk(), InflationRisk::Unknown);
    assert_eq!(facets_surface::Economics::of(5, None).declaration_tokens, 2);
}
