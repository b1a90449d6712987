//! Whatever the guard lets through is read alike by everybody who reads it: facet's strict reader,
//! `serde_json`, Python's `json`, and the TypeScript SDK.
//!
//! Random lines are made of the attacks in `testdata/attacks` and of honest messages.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use facets_digest::json::{self, Limits, Provenance};
use facets_guard::{Guard, OnDrift, Outbox, Pins, Rules};
use facets_surface::{Also, Definition, Era, Kind, Listing, ServerIdentity, Source, Surface};
use facets_testkit::{Random, ask, component, long_count, repository_root, skip, to_hex};
use serde_json::{Value, json};

const TOOL: &str = r#"{"name":"echo","description":"Says it again."}"#;
const TOOLS: &str = r#""tools":[{"name":"echo","description":"Says it again."},{"name":"evil"}]"#;

/// Bytes that readers may read in more than one way.
const PIECES: [&[u8]; 40] = [
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b" ",
    b"\r",
    b"\x0c",
    b"\x00",
    b"\xff",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\xe2\x80\xa8",
    b"\xef\xbb\xbf",
    b"\xc2\x85",
    b"\\u0000",
    b"\\ud800",
    b"\\udc00",
    b"\\u0069",
    b"\\/",
    b"\\x",
    b"1e400",
    b"-0",
    b"9007199254740993",
    b"NaN",
    b"null",
    b"\"id\":2,",
    b"\"Id\":2,",
    b"\"\\u0069d\":3,",
    b"\"method\":\"tools/call\",",
    b"\"method\":\"ping\",",
    b"\"result\":{},",
    b"\"error\":null,",
    b"\"error\":{\"code\":1,\"message\":\"m\"},",
    b"\"params\":{\"name\":\"evil\"},",
    b"\"name\":\"evil\",",
    b"\"jsonrpc\":\"2.0\",",
];

fn surface() -> Surface {
    let listing = |kind, text: &str| {
        Some(Listing::new(vec![Definition::parse(kind, text).unwrap()]).unwrap())
    };
    Surface {
        era: Era::Initialize,
        protocol: String::new(),
        server: ServerIdentity::default(),
        capabilities: "{}".to_owned(),
        instructions: None,
        tools: listing(Kind::Tool, TOOL),
        prompts: listing(Kind::Prompt, r#"{"name":"greet"}"#),
        resources: listing(Kind::Resource, r#"{"uri":"file:///a","name":"a"}"#),
        resources_volatile: false,
        resource_templates: None,
        source: Source::default(),
        also: Also::default(),
    }
}

/// A guard whose client waits for answers with the ids 1 to 5, and that has listed its tool.
fn guard(denies: bool) -> Guard {
    let rules = Rules {
        server: "s".to_owned(),
        directory: None,
        on_drift: OnDrift::Block,
        sampling: !denies,
        elicitation: !denies,
        arguments: None,
        nonce: "facet-test".to_owned(),
        records_all: false,
        first_answer: Duration::ZERO,
    };
    let mut guard = Guard::new(Pins::of([&surface()]), rules);
    let mut out = Outbox::default();
    let methods = ["vendor/x", "tools/list", "initialize", "tools/list", "resources/list"];
    for (index, method) in methods.iter().enumerate() {
        let line = format!("{{\"id\":{},\"method\":\"{method}\"}}\n", index + 1);
        guard.from_client(line.as_bytes(), Duration::ZERO, &mut out);
    }
    let listed = format!("{{\"id\":4,\"result\":{{{TOOLS}}}}}\n");
    guard.from_server(listed.as_bytes(), Duration::ZERO, &mut out);
    guard
}

/// Lines to begin with: those of the attacks, and honest ones.
fn seeds() -> Vec<Vec<u8>> {
    let folder = repository_root().join("testdata/attacks/guard");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut seeds: Vec<Vec<u8>> = Vec::new();
    for path in paths {
        let script = std::fs::read_to_string(path).unwrap();
        let lines = script.lines().filter_map(|line| line.split_once(' '));
        let lines = lines.filter(|(verb, text)| {
            ["client", "server"].contains(verb)
                && !text.contains("<<")
                && text.starts_with(['{', '['])
        });
        seeds.extend(lines.map(|(_, text)| text.as_bytes().to_vec()));
    }
    let honest = [
        format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{{TOOLS},"nextCursor":"n"}}}}"#),
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a\"b"}]}}"#
            .to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m"}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":"r","method":"roots/list"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":{}}}"#
            .to_owned(),
        r#"{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"file:///a"}}"#
            .to_owned(),
        r#"{"jsonrpc":"2.0","id":5,"result":{"resources":[{"uri":"file:///a","name":"a"}]}}"#
            .to_owned(),
    ];
    // The honest ones count as much as all the others: most of what is made of attacks is dropped.
    let copies = seeds.len() / honest.len();
    for line in &honest {
        seeds.extend(std::iter::repeat_n(line.clone().into_bytes(), copies.max(1)));
    }
    seeds
}

/// A line that is nearly one of the seeds.
fn mutated(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut line = seeds[random.below(seeds.len())].clone();
    for _ in 0..random.below(4) {
        let at = random.below(line.len() + 1);
        let piece = PIECES[random.below(PIECES.len())];
        match random.below(6) {
            0 if at < line.len() => drop(line.remove(at)),
            1 if at < line.len() => line[at] = piece[0],
            // A member once more, in front of the others.
            2 if line.first() == Some(&b'{') => drop(line.splice(1..1, piece.iter().copied())),
            3 => {
                let other = &seeds[random.below(seeds.len())];
                let end = at.min(other.len());
                line.splice(at.., other[end..].iter().copied());
            }
            _ => drop(line.splice(at..at, piece.iter().copied())),
        }
    }
    if random.below(20) == 0 {
        // Long enough to be passed on while it is read.
        let padding = format!("\"padding\":\"{}\",", "y".repeat(70_000));
        let at = line.len().min(1);
        line.splice(at..at, padding.bytes());
    }
    line.retain(|byte| *byte != b'\n');
    line.push(b'\n');
    line
}

/// The lines that the guard lets through, of so many.
fn passed(count: usize) -> Vec<Vec<u8>> {
    let (seeds, mut random) = (seeds(), Random::seeded(17));
    let mut passed = Vec::new();
    for index in 0..count {
        let line = mutated(&seeds, &mut random);
        let mut guard = guard(index % 2 == 0);
        let mut out = Outbox::default();
        if index % 3 == 0 {
            guard.from_client(&line, Duration::ZERO, &mut out);
        } else {
            guard.from_server(&line, Duration::ZERO, &mut out);
        }
        let both = [out.to_client, out.to_server];
        let lines = both.iter().flat_map(|bytes| bytes.split(|byte| *byte == b'\n'));
        // Half a line is no message, and is checked elsewhere.
        let lines = lines.filter(|line| !line.is_empty() && line.len() < 200_000);
        passed.extend(lines.map(<[u8]>::to_vec));
    }
    passed
}

#[test]
fn readers_agree_on_whatever_passes() {
    let npm = repository_root().join("target/tools/clients/npm");
    if !npm.join("node_modules/@modelcontextprotocol/sdk/package.json").is_file() {
        return skip("the TypeScript SDK is missing; `cargo xtask setup` provides it");
    }
    let (Some(python), Some(node)) = (component("python3"), component("node")) else { return };
    let lines = passed(long_count(200_000));
    let script = |name: &str| repository_root().join("crates/facet/tests/data/readers").join(name);
    let of_python = ask(Command::new(python).arg(script("python.py")), &lines);
    let mut typescript = Command::new(node);
    let of_typescript = ask(typescript.arg(script("typescript.mjs")).arg(npm), &lines);
    let mut accepted = [0_usize; 4];
    for (index, line) in lines.iter().enumerate() {
        let told = [
            facet_facts(line),
            serde_json::from_slice(line).ok().map(|message: Value| facts(&message)),
            serde_json::from_str(&of_python[index]).unwrap(),
            serde_json::from_str(&of_typescript[index]).unwrap(),
        ];
        let accepting: Vec<&Value> = told.iter().flatten().collect();
        for (count, told) in accepted.iter_mut().zip(&told) {
            *count += usize::from(told.is_some());
        }
        let agree = accepting.windows(2).all(|pair| pair[0] == pair[1]);
        assert!(agree, "{}\n{}\n{told:#?}", String::from_utf8_lossy(line), to_hex(line));
    }
    // Each of them has read enough to have an opinion.
    let enough = lines.len() / 10;
    assert!(accepted.iter().all(|count| *count > enough), "{accepted:?} of {}", lines.len());
}

/// What facet's strict reader makes of a message.
fn facet_facts(line: &[u8]) -> Option<Value> {
    let limits = Limits { bytes: 1 << 20, depth: 200, values: 1 << 20 };
    let value = json::parse(line, Provenance::Captured, limits).ok()?;
    // What is read strictly is the same in any writing, also in that which `serde_json` reads.
    let canonical = value.to_canonical();
    serde_json::from_slice(&canonical).ok().map(|message: Value| facts(&message))
}

fn facts(message: &Value) -> Value {
    let Value::Object(object) = message else {
        return match message {
            Value::Array(items) => items.iter().map(facts).collect(),
            other => json!(scalar(other)),
        };
    };
    let member = |value: Option<&Value>| value.map_or("absent".to_owned(), scalar);
    let params = object.get("params");
    let of_params = |name: &str| member(params.and_then(|params| params.get(name)));
    json!({
        "error": object.get("error").is_some_and(|error| !error.is_null()),
        "id": member(object.get("id")),
        "items": items(object.get("result")),
        "method": member(object.get("method")),
        "name": of_params("name"),
        "result": object.contains_key("result"),
        "uri": of_params("uri"),
    })
}

fn items(result: Option<&Value>) -> Vec<String> {
    let lists = [
        ("tools", "name"),
        ("prompts", "name"),
        ("resources", "uri"),
        ("resourceTemplates", "uriTemplate"),
    ];
    let of = |(name, key): (&str, &str)| {
        let listed = result.and_then(|result| result.get(name)).and_then(Value::as_array);
        let shown = |item: &Value| match item {
            Value::Object(item) => item.get(key).map_or("null".to_owned(), scalar),
            other => scalar(other),
        };
        listed.into_iter().flatten().map(shown).collect::<Vec<String>>()
    };
    lists.into_iter().flat_map(of).collect()
}

/// A value of any type as all readers can write it down.
fn scalar(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => format!("bool {flag}"),
        Value::Number(number) => {
            // Zero is zero, whatever its sign.
            format!("number {:016x}", (number.as_f64().unwrap_or_default() + 0.0).to_bits())
        }
        Value::String(text) => text.encode_utf16().fold("text ".to_owned(), |mut out, unit| {
            let _ = write!(out, "{unit:04x}");
            out
        }),
        Value::Array(_) => "array".to_owned(),
        Value::Object(_) => "object".to_owned(),
    }
}
