//! A server that turns while it serves: the client sees and reaches what was approved.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::process::Stdio;
use std::time::Duration;

use facets_testkit::Client;
use serde_json::{Value, json};
use trusted::Trusted;

/// How a client opens its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Era {
    Initialize,
    Discover,
}

const ERAS: [Era; 2] = [Era::Initialize, Era::Discover];

/// A project whose server `s` was approved while it behaved.
fn acting() -> Trusted {
    Trusted::with_acting("plain")
}

fn run(trusted: &Trusted, options: &[&str]) -> Client {
    let log = trusted.folder.path().join("audit.jsonl");
    let log = log.to_str().unwrap();
    let arguments: Vec<&str> = [&["run", "s", "--log", log], options].concat();
    let mut command = trusted.command(&arguments);
    let talk = std::fs::File::create(trusted.folder.path().join("talk")).unwrap();
    Client::start(&mut command, Stdio::from(talk))
}

/// A session with a server that behaves in a mode.
fn session(trusted: &Trusted, mode: &str, era: Era) -> Client {
    trusted.declare(&json!({
        "mode": mode, "after": 3, "state": trusted.folder.path().join("starts"),
    }));
    let mut client = run(trusted, &[]);
    open(&mut client, era);
    client
}

fn open(client: &mut Client, era: Era) -> Value {
    let capabilities = json!({ "sampling": {}, "elicitation": {} });
    match era {
        Era::Initialize => client.initialize("assistant", &capabilities),
        Era::Discover => client.discover("assistant", &capabilities),
    }
}

fn audit(trusted: &Trusted) -> Vec<Value> {
    // It is written by a thread that takes its time.
    std::thread::sleep(Duration::from_millis(200));
    let text = std::fs::read_to_string(trusted.folder.path().join("audit.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text_of(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

#[track_caller]
fn refused(answer: &Value, reason: &str) {
    assert_eq!(answer["error"]["data"]["facet"]["code"], reason, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    // A model reads this: what to type is for people, and stands elsewhere.
    assert!(message.starts_with("facet: ") && !message.contains("facet approve"), "{message}");
    assert!(answer["error"]["data"]["facet"].get("next").is_none(), "{answer}");
}

#[track_caller]
fn works(client: &mut Client, tool: &str) {
    let answer = client.call(tool, &json!({ "path": "/x", "text": "again" }));
    assert!(answer.get("result").is_some(), "{tool}: {answer}");
}

const ALL: [&str; 3] = ["list_directory", "read_file", "echo"];

#[test]
fn an_honest_server_is_as_without_a_guard() {
    for era in ERAS {
        let trusted = acting();
        let mut client = session(&trusted, "plain", era);
        assert_eq!(client.tools(), ALL);
        for tool in ALL {
            works(&mut client, tool);
        }
        let prompts = client.ask("prompts/list", &json!({}));
        assert_eq!(prompts["result"]["prompts"].as_array().unwrap().len(), 2);
        assert!(client.ask("prompts/get", &json!({ "name": "greet" })).get("result").is_some());
        let read = client.ask("resources/read", &json!({ "uri": "file:///project/a.txt" }));
        assert!(read.get("result").is_some());
        assert!(client.others.is_empty(), "{:?}", client.others);
        assert_eq!(client.finish(), Some(0));
    }
}

/// Each of these turns after three calls, with or without saying so.
#[test]
fn what_changes_in_mid_session_is_withheld_and_the_rest_works() {
    let cases = [
        ("add", "exec_shell", "not_approved", 3),
        ("schema", "list_directory", "changed", 2),
        ("description", "read_file", "changed", 2),
    ];
    for era in ERAS {
        for (mode, tool, reason, left) in cases {
            let trusted = acting();
            let mut client = session(&trusted, mode, era);
            assert_eq!(client.tools(), ALL, "{mode}");
            for _ in 0..4 {
                works(&mut client, "echo");
            }
            let listed = client.tools();
            assert!(!listed.contains(&tool.to_owned()), "{mode}: {listed:?}");
            assert_eq!(listed.len(), left, "{mode}");
            refused(&client.call(tool, &json!({})), reason);
            works(&mut client, "echo");
            // It is said in the client, on standard error, and in the record.
            let told = client.others.iter().find(|m| m["method"] == "notifications/message");
            assert!(told.unwrap()["params"]["data"].as_str().unwrap().contains(tool));
            let withheld = audit(&trusted);
            assert!(withheld.iter().any(|l| l["decision"] == "withheld" && l["name"] == tool));
            assert_eq!(client.finish(), Some(0));
            let talk = std::fs::read_to_string(trusted.folder.path().join("talk")).unwrap();
            assert_eq!(talk.matches("withheld: the tool").count(), 1, "{talk}");
        }
    }
}

/// What nobody lists again is listed by the guard before it is called.
#[test]
fn a_call_without_a_list_is_compared_all_the_same() {
    for era in ERAS {
        let trusted = acting();
        let mut client = session(&trusted, "at-once", era);
        refused(&client.call("read_file", &json!({})), "changed");
        works(&mut client, "echo");
        refused(&client.call("never_listed", &json!({})), "not_approved");
        assert_eq!(client.tools(), ["list_directory", "echo"]);
    }
}

#[test]
fn a_server_that_differs_by_time_or_client_shows_what_was_approved() {
    let cases = ["second-list", "second-start", "by-client", "by-capabilities", "every-other-list"];
    for era in ERAS {
        for mode in cases {
            let trusted = acting();
            // Counted from one, so that this is its second start.
            std::fs::write(trusted.folder.path().join("starts"), "1").unwrap();
            let mut client = session(&trusted, mode, era);
            for _ in 0..4 {
                let page = client.ask("tools/list", &json!({}));
                assert!(!page.to_string().contains("id_rsa"), "{mode}: {page}");
            }
            refused(&client.call("read_file", &json!({})), "changed");
            works(&mut client, "echo");
        }
    }
    let trusted = acting();
    let mut client = session(&trusted, "by-era", Era::Initialize);
    refused(&client.call("read_file", &json!({})), "changed");
}

#[test]
fn twins_are_withheld_and_named_as_such() {
    for (mode, twin) in [
        ("twin-homoglyph", "read_f\u{456}le"),
        ("twin-zero-width", "read\u{200d}_file"),
        ("twin-full-width", "read_\u{ff46}ile"),
        ("twin-accent", "e\u{301}cho"),
        ("twin-case", "Read_File"),
    ] {
        for era in ERAS {
            let trusted = acting();
            let mut client = session(&trusted, mode, era);
            assert_eq!(client.tools(), ALL, "{mode}");
            let answer = client.call(twin, &json!({}));
            refused(&answer, "not_approved");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.contains("looks like the approved"), "{message}");
            works(&mut client, "read_file");
        }
    }
}

/// The same letters in two normal forms are two names.
#[test]
fn a_decomposed_twin_is_another_tool() {
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}");
    for era in ERAS {
        let trusted = Trusted::with_acting("composed");
        let mut client = session(&trusted, "twin-decomposed", era);
        assert_eq!(client.tools(), [ALL[0], ALL[1], ALL[2], composed]);
        let answer = client.call(decomposed, &json!({}));
        refused(&answer, "not_approved");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("looks like the approved"), "{message}");
        works(&mut client, composed);
    }
}

#[test]
fn a_name_that_stands_for_two_things_is_neither() {
    let trusted = acting();
    let mut client = session(&trusted, "duplicate", Era::Initialize);
    assert_eq!(client.tools(), ["list_directory", "echo"]);
    refused(&client.call("read_file", &json!({})), "shadowed");
    works(&mut client, "echo");
    let mut client = session(&trusted, "page-two", Era::Initialize);
    let first = client.ask("tools/list", &json!({}));
    assert_eq!(first["result"]["nextCursor"], "2");
    let second = client.ask("tools/list", &json!({ "cursor": "2" }));
    assert_eq!(second["result"]["tools"], json!([]));
    refused(&client.call("exec_shell", &json!({})), "not_approved");
    refused(&client.call("read_file", &json!({})), "changed");
    works(&mut client, "list_directory");
}

#[test]
fn answers_that_nobody_asked_for_go_no_further() {
    for era in ERAS {
        for mode in [
            "twice",
            "unknown-id",
            "unsolicited-list",
            "text-id",
            "null-id",
            "early",
            "out-of-order",
        ] {
            let trusted = acting();
            let mut client = session(&trusted, mode, era);
            assert_eq!(client.tools(), ALL, "{mode}");
            let params = client.params(&json!({ "name": "echo", "arguments": { "text": "x" } }));
            for id in 0..10 {
                client.send(&json!({
                    "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params,
                }));
            }
            for id in 0..10 {
                assert_eq!(text_of(&client.answer(&json!(id))), "x", "{mode}");
            }
            client.ask("ping", &json!({}));
            assert!(
                client.others.iter().all(|m| m.get("method").is_some()),
                "{mode}: {:?}",
                client.others
            );
            if mode != "out-of-order" {
                assert!(audit(&trusted).iter().any(|line| line["reason"] == "stray"), "{mode}");
            }
        }
    }
}

#[test]
fn a_reply_with_result_and_error_is_an_error_and_nobody_waits() {
    for era in ERAS {
        let trusted = acting();
        let mut client = session(&trusted, "both", era);
        assert_eq!(client.tools(), ALL);
        let answers: Vec<Value> =
            (0..6).map(|_| client.call("echo", &json!({ "text": "x" }))).collect();
        let errors = answers.iter().filter(|answer| answer.get("error").is_some());
        assert_eq!(errors.count(), 2, "{answers:?}");
    }
}

#[test]
fn what_readers_read_differently_does_not_arrive() {
    let trusted = acting();
    let mut client = session(&trusted, "capital-result", Era::Initialize);
    let page = client.ask("tools/list", &json!({}));
    assert!(page.get("error").is_some() && !page.to_string().contains("exec_shell"), "{page}");
    let mut client = session(&trusted, "carriage-return", Era::Initialize);
    client.ask("ping", &json!({}));
    client.send(&json!({ "jsonrpc": "2.0", "id": 5, "method": "ping" }));
    let line = client.line(Duration::from_secs(20)).unwrap();
    assert!(line.contains("exec_shell") && !line.contains('\r'), "{line:?}");
}

#[test]
fn instructions_and_prompts_are_compared_too() {
    for era in ERAS {
        let trusted = acting();
        trusted.declare(&json!({ "mode": "instructions" }));
        let mut client = run(&trusted, &[]);
        let opened = open(&mut client, era);
        assert!(opened["result"].get("instructions").is_none(), "{opened}");
        assert!(opened["result"].get("capabilities").is_some(), "{opened}");
        let mut client = session(&trusted, "prompt", era);
        let prompts = client.ask("prompts/list", &json!({}));
        assert!(!prompts.to_string().contains("keys"), "{prompts}");
        refused(&client.ask("prompts/get", &json!({ "name": "greet" })), "changed");
        assert!(client.ask("prompts/get", &json!({ "name": "part" })).get("result").is_some());
    }
}

#[test]
fn resources_do_not_lead_elsewhere() {
    for era in ERAS {
        let trusted = acting();
        let mut client = session(&trusted, "trap", era);
        for _ in 0..4 {
            works(&mut client, "echo");
        }
        let listed = client.ask("resources/list", &json!({}));
        assert_eq!(listed["result"]["resources"].as_array().unwrap().len(), 2, "{listed}");
        for uri in [
            "file:///project/../etc/passwd",
            "file:///project/%2e%2e%2fetc%2fpasswd",
            "file:///project/%252e%252e/etc",
            "file://127.0.0.1/etc/passwd",
            "http://169.254.169.254/latest/meta-data",
            "http://localhost:6379/",
            "file:///project/a/b",
        ] {
            let answer = client.ask("resources/read", &json!({ "uri": uri }));
            assert!(answer.get("error").is_some(), "{uri}: {answer}");
            let answer = client.ask("resources/subscribe", &json!({ "uri": uri }));
            assert!(answer["error"]["data"].get("facet").is_some(), "{uri}: {answer}");
        }
        for uri in ["file:///project/a.txt", "file:///project/new.txt"] {
            let answer = client.ask("resources/read", &json!({ "uri": uri }));
            assert!(answer.get("result").is_some(), "{uri}: {answer}");
        }
    }
}

#[test]
fn noise_never_ends_a_session() {
    for mode in ["chatter", "stderr"] {
        let trusted = acting();
        let mut client = session(&trusted, mode, Era::Initialize);
        assert_eq!(client.tools(), ALL, "{mode}");
        client.send_raw(b"\n  \n\r\n");
        client.send_raw(b"this is no JSON\n");
        assert_eq!(client.answer(&Value::Null)["error"]["code"], -32010);
        for tool in ALL {
            works(&mut client, tool);
        }
        let batch = json!([
            { "jsonrpc": "2.0", "id": "a", "method": "ping" },
            { "jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": { "name": "evil" } },
            { "jsonrpc": "2.0", "id": "c", "method": "tools/list" },
        ]);
        client.send(&batch);
        refused(&client.answer(&json!("b")), "not_approved");
        assert_eq!(client.finish(), Some(0));
    }
}

#[test]
fn batches_are_judged_item_by_item() {
    let trusted = acting();
    let mut client = session(&trusted, "at-once", Era::Initialize);
    client.send(&json!([
        { "jsonrpc": "2.0", "id": "a", "method": "ping" },
        { "jsonrpc": "2.0", "id": "b", "method": "tools/list" },
    ]));
    let line = client.line(Duration::from_secs(20)).unwrap();
    assert!(line.starts_with('[') && !line.contains("id_rsa"), "{line}");
}

#[test]
fn a_storm_of_changes_is_calmed() {
    for era in ERAS {
        let trusted = acting();
        let mut client = session(&trusted, "storm", era);
        works(&mut client, "echo");
        works(&mut client, "echo");
        assert_eq!(client.tools(), ALL);
        let is_change = |m: &&Value| m["method"] == "notifications/tools/list_changed";
        let told = client.others.iter().filter(is_change).count();
        assert!((1..200).contains(&told), "{told} of 10,000 came");
    }
}

#[test]
fn a_server_that_keeps_dying_is_given_up() {
    let trusted = acting();
    trusted.declare(&json!({ "mode": "dies", "after": 1 }));
    let mut client = run(&trusted, &["--restarts", "2"]);
    open(&mut client, Era::Initialize);
    assert_eq!(client.tools(), ALL);
    for _ in 0..3 {
        refused(&client.call("echo", &json!({})), "server_ended");
    }
    // Its own code is passed on.
    assert_eq!(client.wait(), Some(7));
}

#[test]
fn what_the_server_asks_is_granted_or_not() {
    let trusted = acting();
    let mut client = session(&trusted, "asks", Era::Initialize);
    client.send(&json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "echo", "arguments": { "text": "x" } },
    }));
    assert_eq!(text_of(&client.answer(&json!(1))), "x");
    let asked: Vec<&str> = client.others.iter().filter_map(|m| m["method"].as_str()).collect();
    assert_eq!(asked, ["sampling/createMessage", "elicitation/create", "roots/list", "ping"]);
    trusted.facet(&["grant", "s", "sampling=no", "elicitation=no", "--yes"]).exits(0);
    let mut client = session(&trusted, "asks", Era::Initialize);
    works(&mut client, "echo");
    let asked: Vec<&str> = client.others.iter().filter_map(|m| m["method"].as_str()).collect();
    assert_eq!(asked, ["roots/list", "ping"]);
    let answer = client.call("read_file", &json!({}));
    let seen = answer["result"]["seen"].as_array().unwrap();
    let denied = seen.iter().filter(|m| m["error"]["data"]["facet"]["code"] == "not_granted");
    assert!(denied.count() >= 2, "{answer}");
    let mut client = session(&trusted, "asks-in-result", Era::Discover);
    refused(&client.call("echo", &json!({})), "not_granted");
}

#[test]
fn ten_thousand_calls_may_be_outstanding() {
    let trusted = acting();
    let mut client = session(&trusted, "mute", Era::Initialize);
    assert_eq!(client.tools(), ALL);
    let call = |id: u32| {
        let id = format!("call {id}");
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "echo" } })
    };
    for id in 0..10_000 {
        client.send(&call(id));
    }
    assert!(client.ask("ping", &json!({})).get("result").is_some());
    for id in 0..10_000 {
        let params = json!({ "requestId": format!("call {id}") });
        client.send(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params,
        }));
    }
    // Each was forgotten: the ids may be used again, and every one of them could wait.
    for id in 0..10_000 {
        client.send(&call(id));
    }
    assert!(client.ask("ping", &json!({})).get("result").is_some());
    assert!(client.others.is_empty(), "{:?}", client.others.first());
    assert_eq!(client.finish(), Some(0));
}

#[test]
fn the_user_decides_what_drift_means() {
    let trusted = acting();
    trusted.declare(&json!({ "mode": "at-once" }));
    let mut client = run(&trusted, &["--on-drift", "warn"]);
    open(&mut client, Era::Initialize);
    assert_eq!(client.tools(), ALL);
    works(&mut client, "read_file");
    assert!(audit(&trusted).iter().any(|line| line["decision"] == "tolerated"));
    let mut client = run(&trusted, &["--on-drift", "stop"]);
    open(&mut client, Era::Initialize);
    client.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
    assert_eq!(client.wait(), Some(1));
    let heard: Vec<String> = std::iter::from_fn(|| client.line(Duration::from_secs(1))).collect();
    assert!(heard.iter().all(|line| !line.contains("id_rsa")), "{heard:?}");
    assert!(heard.iter().any(|line| line.contains("changed since it was approved")), "{heard:?}");
}

#[test]
fn a_server_that_dies_is_started_again_and_checked_again() {
    let trusted = acting();
    let mut client = session(&trusted, "dies", Era::Initialize);
    assert_eq!(client.tools(), ALL);
    works(&mut client, "echo");
    works(&mut client, "echo");
    refused(&client.call("echo", &json!({})), "server_ended");
    works(&mut client, "echo");
    assert_eq!(client.tools(), ALL);
    assert!(audit(&trusted).iter().any(|line| line["decision"] == "restarted"));
    let starts = std::fs::read_to_string(trusted.folder.path().join("starts")).unwrap();
    assert_eq!(starts, "2");
    // One that comes back as another is withheld then.
    let trusted = acting();
    std::fs::write(trusted.folder.path().join("starts"), "0").unwrap();
    let mut client = session(&trusted, "dies", Era::Discover);
    works(&mut client, "echo");
    works(&mut client, "echo");
    trusted.declare(&json!({ "mode": "at-once" }));
    refused(&client.call("echo", &json!({})), "server_ended");
    works(&mut client, "echo");
    refused(&client.call("read_file", &json!({})), "changed");
}

#[test]
fn nothing_is_started_that_this_machine_has_not_approved() {
    let trusted = acting();
    let other = trusted.folder.path().join("other-home");
    let mut command = Trusted::command_in(&trusted.project(), &other, &["run", "s"]);
    let mut client = Client::start(&mut command, Stdio::null());
    let answer = client.ask("initialize", &json!({}));
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("facet approve s"), "{message}");
    assert_eq!(client.wait(), Some(2));
    let lock = trusted.read("facets.lock").replace("acting-server", "evil-server");
    trusted.write("facets.lock", &lock);
    assert_eq!(run(&trusted, &[]).wait(), Some(2));
}

#[test]
fn a_pinned_signer_is_a_promise() {
    let trusted = acting();
    let lock = trusted.read("facets.lock");
    let signed = lock.replace("\"grants\":", "\"signer\": \"somebody\",\n      \"grants\":");
    assert_ne!(lock, signed);
    trusted.write("facets.lock", &signed);
    let ran = trusted.facet(&["run", "s"]).exits(2);
    assert!(ran.talk.contains("somebody"), "{}", ran.talk);
}

#[test]
fn sessions_can_be_seen_and_ended() {
    let trusted = acting();
    assert!(trusted.facet(&["ps"]).exits(0).out.contains("no sessions"));
    trusted.facet(&["stop", "s"]).exits(2);
    let mut client = session(&trusted, "at-once", Era::Initialize);
    client.tools();
    std::thread::sleep(Duration::from_millis(400));
    client.tools();
    std::thread::sleep(Duration::from_millis(400));
    client.tools();
    let ps = trusted.json(&["ps"]).exits(0).json();
    let listed = &ps["sessions"][0];
    assert_eq!(
        (listed["server"].as_str(), listed["pid"].as_u64()),
        (Some("s"), Some(client.id().into()))
    );
    assert!(listed["status"]["withheld"].to_string().contains("read_file"), "{ps}");
    let logs = trusted.facet(&["logs", "s"]).exits(0).out;
    assert!(logs.contains("withheld: the tool \"read_file\""), "{logs}");
    trusted.facet(&["stop", "s"]).exits(0);
    assert_eq!(client.wait(), Some(0));
    assert!(trusted.facet(&["ps"]).exits(0).out.contains("no sessions"));
    assert!(trusted.facet(&["logs", "s"]).exits(0).out.contains("withheld"));
}

/// The most memory that a process has had, in MiB.
fn peak_mib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024
}

#[test]
fn a_large_result_passes_without_being_held() {
    const SIZE: usize = 64 << 20;
    let trusted = acting();
    let mut client = session(&trusted, "plain", Era::Initialize);
    works(&mut client, "echo");
    let before = peak_mib(client.id());
    let answer = client.call("echo", &json!({ "size": SIZE }));
    assert_eq!(text_of(&answer).len(), SIZE);
    let growth = peak_mib(client.id()) - before;
    assert!(growth < 32, "{growth} MiB more");
    // And the other way, from a client that names the tool before its arguments, as they do.
    let text = "y".repeat(SIZE / 4);
    client.send_raw(
        format!(
            "{{\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\",\"arguments\":\
             {{\"text\":\"{text}\"}}}},\"jsonrpc\":\"2.0\",\"id\":\"long\"}}\n"
        )
        .as_bytes(),
    );
    assert_eq!(text_of(&client.answer(&json!("long"))).len(), SIZE / 4);
    let growth = peak_mib(client.id()) - before;
    assert!(growth < 32, "{growth} MiB more");
}
