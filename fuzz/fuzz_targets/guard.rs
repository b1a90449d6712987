//! A session out of random bytes: whatever client and server say, in whatever pieces, the guard
//! does not fail, and no list that reaches the client has anything that was not approved.

#![no_main]

use std::time::Duration;

use facets_guard::{Guard, OnDrift, Outbox, Pins, Rules};
use facets_surface::{
    Also, Definition, Era, Kind, Listing, ServerIdentity, Source, Surface,
};
use libfuzzer_sys::fuzz_target;

const TOOL: &str = r#"{"name":"t","description":"d"}"#;

fuzz_target!(|data: &[u8]| {
    let mut guard = Guard::new(Pins::of([&surface()]), rules());
    let mut out = Outbox::default();
    let mut now = Duration::ZERO;
    let mut to_client = Vec::new();
    // A list is asked for at the beginning, so that answers to it can be made up.
    guard.from_client(b"{\"id\":1,\"method\":\"tools/list\"}\n", now, &mut out);
    for (index, piece) in data.split(|byte| *byte == 0xff).enumerate() {
        match index % 3 {
            0 => guard.from_server(piece, now, &mut out),
            1 => guard.from_client(piece, now, &mut out),
            _ => {
                now += Duration::from_millis(piece.len() as u64 * 100);
                guard.tick(now, &mut out);
            }
        }
        to_client.append(&mut out.to_client);
        out.to_server.clear();
        out.events.clear();
    }
    guard.server_ended(&mut out);
    guard.server_restarted(now, &mut out);
    // The first answer with this id is that to the list; later ones may be to anything.
    let mut lines = to_client.split(|byte| *byte == b'\n');
    let _ = lines.find(|line| is_answer_to_the_list(line));
});

/// Whether a line answers the first request; its tools are the approved one, or none.
fn is_answer_to_the_list(line: &[u8]) -> bool {
    let Ok(message) = serde_json::from_slice::<serde_json::Value>(line) else { return false };
    if message.get("method").is_some() || message.get("id") != Some(&serde_json::json!(1)) {
        return false;
    }
    let approved: serde_json::Value = serde_json::from_str(TOOL).expect("a tool");
    for tool in message["result"]["tools"].as_array().into_iter().flatten() {
        assert_eq!(*tool, approved, "{}", String::from_utf8_lossy(line));
    }
    true
}

fn rules() -> Rules {
    Rules {
        server: "s".to_owned(),
        directory: None,
        on_drift: OnDrift::Block,
        sampling: true,
        elicitation: false,
        arguments: None,
        nonce: "n".to_owned(),
        records_all: true,
        first_answer: Duration::ZERO,
    }
}

fn surface() -> Surface {
    let tool = Definition::parse(Kind::Tool, TOOL).expect("a tool");
    Surface {
        era: Era::Initialize,
        protocol: String::new(),
        server: ServerIdentity::default(),
        capabilities: "{}".to_owned(),
        instructions: None,
        tools: Some(Listing::new(vec![tool]).expect("one")),
        prompts: None,
        resources: None,
        resources_volatile: false,
        resource_templates: None,
        source: Source::default(),
        also: Also::default(),
    }
}
