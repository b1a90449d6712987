//! What is allowed arrives byte for byte, however it is cut and whatever comes between.

use std::time::Duration;

use crate::support::{TOOL, rules, surface};
use facets_guard::{Guard, Outbox, Pins};
use facets_testkit::{Random, long_count, random_json};

fn guard() -> Guard {
    Guard::new(Pins::of([&surface()]), rules())
}

/// Bytes in pieces of random sizes.
fn feed(random: &mut Random, bytes: &[u8], mut take: impl FnMut(&[u8])) {
    let mut rest = bytes;
    while !rest.is_empty() {
        let size = match random.bits() % 4 {
            0 => 1,
            1 => 1 + random.bits() % 16,
            2 => 1 + random.bits() % 4096,
            _ => u64::MAX,
        };
        let size = usize::try_from(size).unwrap_or(usize::MAX).min(rest.len());
        take(&rest[..size]);
        rest = &rest[size..];
    }
}

fn white(random: &mut Random) -> &'static str {
    random.pick(&["", "", "", " ", "\t", "  "])
}

/// Members in any order, with white space between them.
fn object(random: &mut Random, mut members: Vec<String>) -> String {
    let mut out = String::new();
    out.push('{');
    let mut is_first = true;
    while !members.is_empty() {
        let at = usize::try_from(random.bits()).unwrap_or(0) % members.len();
        if !is_first {
            out.push(',');
        }
        is_first = false;
        out.push_str(white(random));
        out.push_str(&members.swap_remove(at));
        out.push_str(white(random));
    }
    out.push('}');
    out
}

fn value(random: &mut Random) -> String {
    let mut out = String::new();
    match random.bits() % 40 {
        0 => {
            // Longer than what is looked at as a whole.
            let length = usize::try_from(random.bits() % 300_000).unwrap_or(0);
            out = format!("{{\"text\":\"{}\",\"list\":[1,{{}}]}}", "y\\\"".repeat(length / 3));
        }
        _ => random_json(random, 4, &mut out),
    }
    // A line has no line ends inside.
    out.replace(['\r', '\n'], " ")
}

/// What a reply has: any value as its result, an object as its error.
fn body(random: &mut Random, kind: &str) -> String {
    let value = value(random);
    if kind == "error" { format!("{{\"code\":1,\"data\":{value}}}") } else { value }
}

fn id(random: &mut Random, number: usize) -> String {
    match random.bits() % 6 {
        0 => format!("\"id {number}\""),
        1 => format!("\"\\u0069d {number}\""),
        2 => format!("{number}.5"),
        3 => format!("[{number}, {{\"id\":null}}]"),
        4 => format!("{{\"n\":{number}}}"),
        _ => number.to_string(),
    }
}

/// The id of a server's request is a text or a number.
fn scalar_id(key: String, number: usize) -> String {
    if key.starts_with(['{', '[']) { number.to_string() } else { key }
}

#[test]
fn messages_arrive_as_they_were_sent() {
    let mut random = Random::seeded(5);
    let mut guard = guard();
    let mut out = Outbox::default();
    let now = Duration::ZERO;
    // The tool is listed first; after that nothing has to be asked for.
    guard.from_client(b"{\"id\":\"l\",\"method\":\"tools/list\"}\n", now, &mut out);
    let list = format!("{{\"id\":\"l\",\"result\":{{\"tools\":[{TOOL}]}}}}\n");
    guard.from_server(list.as_bytes(), now, &mut out);
    let (mut waiting, mut sent, mut said) = (Vec::new(), Vec::new(), Vec::new());
    out = Outbox::default();
    for number in 0..long_count(100_000) {
        let (mut from_client, mut from_server) = (Vec::new(), Vec::new());
        let version = "\"jsonrpc\":\"2.0\"".to_owned();
        let key = id(&mut random, number);
        let params = value(&mut random);
        match random.bits() % 4 {
            0 => from_client.push(object(
                &mut random,
                vec![
                    version.clone(),
                    "\"method\":\"x/y\"".to_owned(),
                    format!("\"params\":{params}"),
                ],
            )),
            1 => {
                from_client.push(object(
                    &mut random,
                    vec![
                        version.clone(),
                        format!("\"id\":{key}"),
                        "\"method\":\"tools/call\"".to_owned(),
                        format!("\"params\":{{\"name\":\"echo\",\"arguments\":{params}}}"),
                    ],
                ));
                waiting.push(key.clone());
            }
            2 => {
                from_client.push(object(
                    &mut random,
                    vec![
                        version.clone(),
                        format!("\"id\":{key}"),
                        format!("\"method\":\"vendor/{number}\""),
                        format!("\"params\":{params}"),
                    ],
                ));
                waiting.push(key.clone());
            }
            _ => from_client.push(object(
                &mut random,
                vec![version.clone(), format!("\"id\":{key}"), format!("\"result\":{params}")],
            )),
        }
        let result = value(&mut random);
        match random.bits() % 3 {
            0 => from_server.push(object(
                &mut random,
                vec![
                    version.clone(),
                    "\"method\":\"notifications/x\"".to_owned(),
                    format!("\"params\":{result}"),
                ],
            )),
            1 => from_server.push(object(
                &mut random,
                vec![
                    version.clone(),
                    format!("\"id\":{}", scalar_id(key, number)),
                    "\"method\":\"roots/list\"".to_owned(),
                    format!("\"params\":{result}"),
                ],
            )),
            _ => {}
        }
        for line in from_client {
            let line = format!("{line}{}\n", random.pick(&["", "", "\r"]));
            feed(&mut random, line.as_bytes(), |piece| guard.from_client(piece, now, &mut out));
            sent.extend_from_slice(line.as_bytes());
        }
        while !waiting.is_empty() && !random.bits().is_multiple_of(3) {
            let at = usize::try_from(random.bits()).unwrap_or(0) % waiting.len();
            let key = waiting.swap_remove(at);
            let kind = random.pick(&["result", "result", "error"]);
            let body = body(&mut random, kind);
            let members =
                vec![version.clone(), format!("\"id\":{key}"), format!("\"{kind}\":{body}")];
            from_server.push(object(&mut random, members));
        }
        for line in from_server {
            let line = format!("{line}{}\n", random.pick(&["", "", "\r"]));
            feed(&mut random, line.as_bytes(), |piece| guard.from_server(piece, now, &mut out));
            said.extend_from_slice(line.as_bytes());
        }
        assert!(out.to_server == sent, "message {number}: {}", difference(&out.to_server, &sent));
        assert!(out.to_client == said, "message {number}: {}", difference(&out.to_client, &said));
        out.to_server.clear();
        out.to_client.clear();
        out.events.clear();
        sent.clear();
        said.clear();
    }
}

fn difference(got: &[u8], wanted: &[u8]) -> String {
    let at =
        got.iter().zip(wanted).position(|(a, b)| a != b).unwrap_or(got.len().min(wanted.len()));
    let part = |bytes: &[u8]| {
        let part = &bytes[at.saturating_sub(60)..bytes.len().min(at + 200)];
        String::from_utf8_lossy(part).into_owned()
    };
    format!(
        "at {at} of {}/{}: got {:?}, wanted {:?}",
        got.len(),
        wanted.len(),
        part(got),
        part(wanted)
    )
}
