//! Our hashes against the oracle's: captures of real servers, and random surfaces.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fmt::Write as _;

use facets_digest::Digest;
use facets_digest::json::{self, Limits, Provenance, Value};
use facets_surface::{
    Also, Definition, EntitlementVerdict, Entitlements, Era, Kind, Listing, Part, ResourcesDigest,
    ServerContract, ServerIdentity, Source, Surface, SurfaceHashes, parse_surface_file,
    write_surface_file,
};
use facets_testkit::{Random, ask_oracle, long_count, random_json, shared_vectors};

fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    json::write_string(text, &mut out);
    String::from_utf8(out).unwrap()
}

/// The hashes as the oracle prints them.
fn as_json(hashes: &SurfaceHashes) -> String {
    let optional = |digest: Option<Digest>| {
        digest.map_or_else(|| "null".to_owned(), |digest| format!("\"{digest}\""))
    };
    let resources = match hashes.resources {
        ResourcesDigest::Absent => optional(None),
        ResourcesDigest::Volatile => "\"volatile\"".to_owned(),
        ResourcesDigest::Stable(digest) => optional(Some(digest)),
    };
    let tools = hashes.tools.iter().map(|(name, tool)| {
        let (description, schema) = (optional(tool.description), optional(tool.schema));
        let (name, digest) = (quoted(name), tool.digest);
        format!(
            "{name}:{{\"description\":{description},\"digest\":\"{digest}\",\"schema\":{schema}}}"
        )
    });
    let tools = tools.collect::<Vec<_>>().join(",");
    let (api, surface) = (hashes.api_surface, hashes.surface);
    format!(
        "{{\"api_surface\":\"{api}\",\"resources\":{resources},\"surface\":\"{surface}\",\"tools\":{{{tools}}}}}"
    )
}

fn canonical(text: &str) -> String {
    let value = json::parse(text.as_bytes(), Provenance::Captured, Limits::DOCUMENT).unwrap();
    form(&value)
}

fn form(value: &Value<'_>) -> String {
    String::from_utf8(value.to_canonical()).unwrap()
}

fn compare(surfaces: &[(String, Surface)]) {
    let files: Vec<String> =
        surfaces.iter().map(|(_, surface)| write_surface_file(surface)).collect();
    for ((name, surface), file) in surfaces.iter().zip(&files) {
        let again =
            parse_surface_file(file.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(again.hashes(), surface.hashes(), "{name}: the file has other hashes");
        assert_eq!(&write_surface_file(&again), file, "{name}: the file is not stable");
    }
    let Some(answers) = ask_oracle("surface", &files) else { return };
    for ((name, surface), theirs) in surfaces.iter().zip(answers) {
        assert_eq!(canonical(&as_json(&surface.hashes())), canonical(&theirs), "{name}");
    }
    let Some(answers) = ask_oracle("contracts", &files) else { return };
    for ((name, surface), theirs) in surfaces.iter().zip(answers) {
        let ours = behavior_as_json(&surface.hashes().behavior);
        assert_eq!(canonical(&ours), canonical(&theirs), "{name}");
    }
}

/// The hashes of the contracts as the oracle prints them.
fn behavior_as_json(server: &ServerContract) -> String {
    let tools = server.tools().iter().map(|(name, contract)| {
        let parts = Part::ALL.iter().zip(&contract.parts);
        let parts: String = parts
            .map(|(part, digest)| format!(",\"{}\":\"{}\"", part.name(), digest.hex()))
            .collect();
        format!("{}:{{\"digest\":\"{}\"{parts}}}", quoted(name), contract.digest.hex())
    });
    let tools = tools.collect::<Vec<_>>().join(",");
    format!("{{\"digest\":\"{}\",\"tools\":{{{tools}}}}}", server.digest.hex())
}

fn member<'v, 'a>(value: &'v Value<'a>, path: &[&str]) -> Option<&'v Value<'a>> {
    path.iter().try_fold(value, |value, name| match value {
        Value::Object(object) => object.get(name),
        _ => None,
    })
}

fn text(value: Option<&Value<'_>>) -> Option<String> {
    match value {
        Some(Value::String(text)) => Some(text.to_string()),
        _ => None,
    }
}

/// A recorded list: its items, or the error it was answered with.
fn recorded(capture: &Value<'_>, kind: Kind) -> Option<Listing> {
    if let Some(Value::Array(items)) = member(capture, &[kind.method(), "result", kind.list()]) {
        let parse = |item: &Value<'_>| Definition::parse(kind, &form(item)).unwrap();
        return Some(Listing::new(items.iter().map(parse).collect()).unwrap());
    }
    member(capture, &[kind.method(), "error"]).map(|_| Listing::Refused { code: -32601 })
}

fn recorded_surface(capture: &Value<'_>) -> Surface {
    let methods = ["initialize", "server/discover"];
    let opening = methods.iter().find_map(|method| member(capture, &[method, "result"]));
    let part = |name: &str| opening.and_then(|opening| member(opening, &[name]));
    let object = |name: &str| part(name).map_or_else(|| "{}".to_owned(), form);
    Surface {
        era: Era::Initialize,
        protocol: text(part("protocolVersion")).unwrap_or_default(),
        server: ServerIdentity::from_info(&object("serverInfo")),
        capabilities: object("capabilities"),
        instructions: text(part("instructions")),
        tools: recorded(capture, Kind::Tool),
        prompts: recorded(capture, Kind::Prompt),
        resources: recorded(capture, Kind::Resource),
        resources_volatile: false,
        resource_templates: recorded(capture, Kind::ResourceTemplate),
        source: Source::default(),
        also: Also::default(),
    }
}

#[test]
fn captures_of_real_servers_have_the_hashes_that_the_oracle_computes() {
    let Some(folder) = shared_vectors("real-servers") else { return };
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
    paths.sort();
    let mut surfaces = Vec::new();
    for path in &paths {
        let bytes = std::fs::read(path).unwrap();
        let capture = json::parse(&bytes, Provenance::Captured, Limits::DOCUMENT).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        surfaces.push((name, recorded_surface(&capture)));
    }
    assert!(surfaces.len() >= 24, "{} captures", surfaces.len());
    compare(&surfaces);
    // The runtime does not move the hash.
    for (name, surface) in &surfaces {
        let Some(plain) = name.strip_suffix(".bun.json") else { continue };
        let other = surfaces.iter().find(|(other, _)| *other == format!("{plain}.json"));
        let Some((_, other)) = other else { continue };
        assert_eq!(surface.hashes().api_surface, other.hashes().api_surface, "{name}");
    }
}

#[test]
fn random_surfaces_have_the_hashes_that_the_oracle_computes() {
    let mut random = Random::seeded(5);
    let surfaces: Vec<_> =
        (0..long_count(3000)).map(|n| (n.to_string(), random_surface(&mut random))).collect();
    compare(&surfaces);
}

fn random_surface(random: &mut Random) -> Surface {
    let listing = |kind: Kind, random: &mut Random| match random.below(4) {
        0 => None,
        1 => Some(Listing::Refused { code: -32601 - i64::try_from(random.below(5)).unwrap() }),
        _ => {
            let items = (0..random.below(4)).map(|n| definition(kind, n, random)).collect();
            Some(Listing::new(items).unwrap())
        }
    };
    Surface {
        era: if random.one_in(2) { Era::Initialize } else { Era::Discover },
        protocol: "2025-11-25".to_owned(),
        server: ServerIdentity::from_info("{\"name\":\"s\",\"version\":\"1\"}"),
        capabilities: "{\"tools\":{}}".to_owned(),
        instructions: random.one_in(2).then(|| "do \u{1f4a1}\n\"this\"".to_owned()),
        tools: listing(Kind::Tool, random),
        prompts: listing(Kind::Prompt, random),
        resources: listing(Kind::Resource, random),
        resources_volatile: random.one_in(5),
        resource_templates: listing(Kind::ResourceTemplate, random),
        source: random_source(random),
        also: Also::default(),
    }
}

fn random_source(random: &mut Random) -> Source {
    let contract = random.one_in(3).then(|| {
        let (general, named) = (declaration(random), declaration(random));
        canonical(&format!("{{\"tools\":{{\"a1\":{{{named}}}}}{}{general}}}", comma(&general)))
    });
    let entitlements = random.one_in(2).then(|| {
        let mut verdict = || {
            *random.pick(&[
                &EntitlementVerdict::Yes,
                &EntitlementVerdict::No,
                &EntitlementVerdict::Unknown,
            ])
        };
        let [filesystem, network, subprocess, crypto, code_evaluation] =
            [(); 5].map(|()| verdict());
        let raw = vec!["fetch".to_owned(), "\u{1f4a1}".to_owned(), "\u{ff5e}".to_owned()];
        let scanner = Some(7);
        Entitlements { filesystem, network, subprocess, crypto, code_evaluation, raw, scanner }
    });
    Source { contract, entitlements }
}

fn comma(members: &str) -> &str {
    if members.is_empty() { "" } else { "," }
}

/// Members of a declared contract, of the right and of other shapes.
fn declaration(random: &mut Random) -> String {
    const MEMBERS: &[&str] = &[
        "actions",
        "systemRules",
        "guardrails",
        "middleware",
        "stateSync",
        "concurrency",
        "affordances",
        "presenters",
        "tags",
        "other",
    ];
    const VALUES: &[&str] = &[
        "null",
        "[\"b\",\"a\",\"b\"]",
        "[\"\u{ff5e}\",\"💡\"]",
        "[\"a\",1]",
        "[{\"key\":\"b\",\"x\":1},{\"key\":\"a\"}]",
        "[{\"key\":\"a\",\"x\":1},{\"key\":\"a\"}]",
        "{\"static\":[\"z\",\"A,B\",\"z\"]}",
        "{\"dynamic\":\"(ctx) => []\"}",
        "{\"static\":[\"\"],\"dynamic\":\"é\"}",
        "{\"dynamic\":true}",
        "{\"static\":null,\"dynamic\":null}",
        "{\"static\":[],\"else\":1}",
        "{}",
        "9007199254740993",
    ];
    let mut used: Vec<&str> = Vec::new();
    let mut out = String::new();
    for _ in 0..random.below(5) {
        let name = random.pick(MEMBERS);
        if !used.contains(&name) {
            let separator = comma(&out).to_owned();
            write!(out, "{separator}\"{name}\":{}", random.pick(VALUES)).unwrap();
            used.push(name);
        }
    }
    out
}

fn definition(kind: Kind, number: usize, random: &mut Random) -> Definition {
    let start = random.pick(&["a", "Z", "\u{ff5e}", "💡"]);
    let mut raw = format!("{{\"{}\":\"{start}{number}\"", kind.key());
    if random.one_in(2) {
        let texts = ["\"d\"", "null", "\"é\\n\"", "7"];
        write!(raw, ",\"description\":{}", random.pick(&texts)).unwrap();
    }
    if random.one_in(2) {
        raw.push_str(",\"inputSchema\":");
        schema(random, 0, &mut raw);
    }
    if random.one_in(3) {
        raw.push_str(",\"outputSchema\":");
        schema(random, 0, &mut raw);
    }
    if random.one_in(3) {
        write!(raw, ",\"_meta\":{{\"facets.dev/contract\":{{{}}}}}", declaration(random)).unwrap();
    }
    if random.one_in(3) {
        raw.push_str(",\"x\":");
        random_json(random, 5, &mut raw);
    }
    raw.push('}');
    Definition::parse(kind, &raw).unwrap_or_else(|error| panic!("{error} in {raw}"))
}

/// A random schema with every keyword that holds others, and traps that look like them.
fn schema(random: &mut Random, depth: usize, out: &mut String) {
    const KEYWORDS: &[&str] = &[
        "properties",
        "patternProperties",
        "$defs",
        "definitions",
        "dependentSchemas",
        "dependencies",
        "items",
        "prefixItems",
        "additionalItems",
        "additionalProperties",
        "unevaluatedItems",
        "unevaluatedProperties",
        "contains",
        "propertyNames",
        "not",
        "if",
        "then",
        "else",
        "allOf",
        "anyOf",
        "oneOf",
        "contentSchema",
        "const",
        "enum",
        "default",
        "examples",
        "extra",
        "required",
        "type",
        "maxItems",
    ];
    const LEAVES: &[&str] = &["{}", "true", "null", "[]", "{\"required\":[]}", "7"];
    const TYPES: &[&str] =
        &["\"array\"", "[\"null\",\"array\"]", "\"object\"", "null", "[]", "[\"Array\"]"];
    const REQUIRED: &[&str] =
        &["[\"b\",\"a\",\"b\"]", "[]", "[\"\u{ff5e}\",\"💡\"]", "[\"a\",1]", "true", "{}"];
    if depth > 4 || random.one_in(6) {
        out.push_str(random.pick(LEAVES));
        return;
    }
    let mut used: Vec<&str> = Vec::new();
    out.push('{');
    for _ in 0..random.below(5) {
        let keyword = random.pick(KEYWORDS);
        if used.contains(&keyword) {
            continue;
        }
        let comma = if used.is_empty() { "" } else { "," };
        used.push(keyword);
        write!(out, "{comma}\"{keyword}\":").unwrap();
        match (keyword, random.below(4)) {
            ("required", _) => out.push_str(random.pick(REQUIRED)),
            ("type", _) => out.push_str(random.pick(TYPES)),
            (_, 0) => several(random, depth, out, ["[", ",", "]"]),
            (_, 1 | 2) => several(random, depth, out, ["{\"required\":", ",\"p\":", "}"]),
            _ => schema(random, depth + 1, out),
        }
    }
    out.push('}');
}

fn several(random: &mut Random, depth: usize, out: &mut String, [start, middle, end]: [&str; 3]) {
    out.push_str(start);
    schema(random, depth + 1, out);
    out.push_str(middle);
    schema(random, depth + 1, out);
    out.push_str(end);
}

/// A change to any member of any definition changes its digest and the surface.
#[test]
fn no_change_goes_unseen() {
    let mut random = Random::seeded(55);
    let mut changed = 0;
    for _ in 0..long_count(5000) {
        let surface = random_surface(&mut random);
        let kind = random.pick(&[Kind::Tool, Kind::Prompt, Kind::ResourceTemplate]);
        let items = surface.items(kind);
        if items.is_empty() {
            continue;
        }
        let index = random.below(items.len());
        let additions = [
            "\"Meta\":{}",
            "\"title\":\"\"",
            "\"annotations\":{\"readOnlyHint\":true}",
            "\"Description\":\"d\"",
            "\"OutputSchema\":null",
            "\"icons\":[]",
            "\"execution\":{\"taskSupport\":\"optional\"}",
        ];
        let raw = items[index].raw();
        let raw = format!("{{{},{}", random.pick(&additions), &raw[1..]);
        let mut others: Vec<Definition> = items.to_vec();
        others[index] = Definition::parse(kind, &raw).unwrap();
        assert_ne!(others[index].digest(), items[index].digest(), "{raw}");
        let listing = Some(Listing::new(others).unwrap());
        let mut after = surface.clone();
        match kind {
            Kind::Tool => after.tools = listing,
            Kind::Prompt => after.prompts = listing,
            _ => after.resource_templates = listing,
        }
        assert_ne!(after.hashes().surface, surface.hashes().surface, "{raw}");
        assert_eq!(after.hashes().api_surface, surface.hashes().api_surface, "{raw}");
        changed += 1;
    }
    assert!(changed > 50, "{changed} changes say too little");
}
