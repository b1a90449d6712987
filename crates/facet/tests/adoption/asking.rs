//! What is said and asked before anything is pinned or written.

use std::io::Write as _;
use std::process::{Command, Stdio};

use facets_testkit::{component, workspace_binary};
use serde_json::{Value, json};

use crate::trusted::{FACET, Ran};
use crate::{SECRET, User};

/// A server of the tests' own that declares these tools.
fn declaring(user: &User, name: &str, tools: &[&str]) -> Value {
    let tool = |name: &&str| json!({ "name": name, "inputSchema": { "type": "object" } });
    let tools: Vec<Value> = tools.iter().map(tool).collect();
    let file = user.trusted.folder.path().join(format!("{name}.json"));
    std::fs::write(&file, json!({ "tools": tools }).to_string()).unwrap();
    json!({ "command": workspace_binary("listed-server"), "args": [file] })
}

/// One harmless server more than one, and one with names that are taken for others.
fn three_servers(user: &User) -> String {
    let servers = json!({ "mcpServers": {
        "one": declaring(user, "one", &["list_notes"]),
        "two": declaring(user, "two", &["list_dates"]),
        "twins": declaring(user, "twins", &["read_file", "re\u{430}d_file"]),
    } });
    let text = format!("{servers}\n");
    user.trusted.write(".mcp.json", &text);
    text
}

/// Runs facet at a terminal and answers its questions.
fn at_a_terminal(user: &User, arguments: &[&str], answers: &str) -> Option<Ran> {
    let python = component("python3")?;
    let mut command = Command::new(python);
    command.args(["-c", "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)", FACET]);
    command.args(arguments).current_dir(user.trusted.project()).env("HOME", user.home());
    command.env("FACET_DIR", user.trusted.home()).env("NO_COLOR", "1");
    command.env_remove("XDG_CONFIG_HOME").env_remove("CODEX_HOME");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(answers.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    Some(Ran::of(&output))
}

fn locked(user: &User) -> Vec<String> {
    let Ok(text) = std::fs::read_to_string(user.trusted.file("facets.lock")) else {
        return Vec::new();
    };
    let lock: Value = serde_json::from_str(&text).unwrap();
    lock["servers"].as_object().unwrap().keys().cloned().collect()
}

#[test]
fn a_no_to_everything_is_no_error_and_starts_nothing() {
    let user = User::new();
    let before = three_servers(&user);
    let Some(ran) = at_a_terminal(&user, &["adopt"], "n\n") else { return };
    let ran = ran.exits(0);
    assert!(ran.out.contains("Start these servers"), "{}", ran.out);
    assert!(ran.out.contains("3 declined: nothing was adopted"), "{}", ran.out);
    assert_eq!(user.trusted.read(".mcp.json"), before);
    assert!(locked(&user).is_empty());
}

#[test]
fn harmless_servers_are_one_question_and_each_of_the_others_is_one() {
    let user = User::new();
    let before = three_servers(&user);
    // To start them, for the two harmless ones, not for the twins, and to rewrite the file.
    let Some(ran) = at_a_terminal(&user, &["adopt"], "y\ny\nn\ny\n") else { return };
    let ran = ran.exits(0);
    let questions = ran.out.matches("[y/N]").count();
    assert_eq!(questions, 4, "{}", ran.out);
    assert!(ran.out.contains("Approve these 2 servers?"), "{}", ran.out);
    assert!(ran.out.contains("list_notes") && ran.out.contains("list_dates"), "{}", ran.out);
    let asked = ran.out.find("Approve these 2").unwrap();
    assert!(ran.out[..asked].contains("list_notes"), "tools are shown before: {}", ran.out);
    assert!(ran.out[asked..].contains("names that are not what they look like"), "{}", ran.out);
    assert!(ran.out.contains("2 adopted") && ran.out.contains("1 declined"), "{}", ran.out);
    assert_eq!(locked(&user), ["one", "two"]);
    let after = user.trusted.read(".mcp.json");
    let (after, before): (Value, Value) =
        (serde_json::from_str(&after).unwrap(), serde_json::from_str(&before).unwrap());
    assert_eq!(after["mcpServers"]["twins"], before["mcpServers"]["twins"]);
    assert_eq!(after["mcpServers"]["one"]["args"], json!(["run", "one"]));
}

#[test]
fn a_no_to_the_rewriting_keeps_what_is_pinned_and_says_how_to_go_on() {
    let user = User::new();
    let before = three_servers(&user);
    let Some(ran) = at_a_terminal(&user, &["adopt"], "y\ny\nn\nn\n") else { return };
    let ran = ran.exits(0);
    assert!(ran.out.contains("it is pinned, and its entry stays as it is"), "{}", ran.out);
    assert_eq!(user.trusted.read(".mcp.json"), before);
    assert_eq!(locked(&user), ["one", "two"]);
    // What is pinned is not started again: only the file is asked about, and the twins.
    let Some(ran) = at_a_terminal(&user, &["adopt"], "n\ny\n") else { return };
    let ran = ran.exits(0);
    assert!(ran.out.contains("already pinned as one"), "{}", ran.out);
    assert!(ran.out.contains("2 adopted") && ran.out.contains("1 declined"), "{}", ran.out);
    assert_ne!(user.trusted.read(".mcp.json"), before);
}

#[test]
fn a_no_to_removing_keeps_pin_and_entry() {
    let user = User::new();
    let text = json!({ "mcpServers": { "one": declaring(&user, "one", &["list_notes"]) } });
    user.trusted.write(".mcp.json", &text.to_string());
    user.facet(&["adopt", "--yes"]).exits(0);
    let guarded = user.trusted.read(".mcp.json");
    let Some(ran) = at_a_terminal(&user, &["remove", "one"], "n\n") else { return };
    assert!(ran.out.contains("Remove one, and its entry in "), "{}", ran.out);
    assert_eq!(ran.out.matches("[y/N]").count(), 1, "{}", ran.out);
    assert_eq!(locked(&user), ["one"]);
    assert_eq!(user.trusted.read(".mcp.json"), guarded);
    let ran = at_a_terminal(&user, &["remove", "one"], "y\n").unwrap().exits(0);
    assert!(ran.out.contains("restored the entry one in "), "{}", ran.out);
    assert_eq!(user.trusted.read(".mcp.json"), text.to_string());
    assert_eq!(user.facet(&["list"]).exits(0).out, "");
}

#[test]
fn without_entries_of_clients_removing_asks_nothing() {
    let user = User::new();
    let text = json!({ "mcpServers": { "one": declaring(&user, "one", &["list_notes"]) } });
    user.trusted.write(".mcp.json", &text.to_string());
    user.facet(&["adopt", "--yes"]).exits(0);
    user.facet(&["disconnect", "--here", "--yes"]).exits(0);
    let Some(ran) = at_a_terminal(&user, &["remove", "one"], "") else { return };
    let ran = ran.exits(0);
    assert!(ran.out.contains("removed one") && !ran.out.contains("[y/N]"), "{}", ran.out);
}

#[test]
fn a_yes_beforehand_takes_the_harmless_ones_and_names_the_others() {
    let user = User::new();
    three_servers(&user);
    let ran = user.facet(&["--format", "json", "adopt", "--yes"]).exits(2);
    let found = ran.json()["found"].clone();
    let outcomes: Vec<&str> =
        found.as_array().unwrap().iter().map(|one| one["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["adopted", "skipped", "adopted"]);
    let reason = found[1]["reason"].as_str().unwrap();
    assert!(reason.contains("looks like `read_file`"), "{reason}");
    assert!(
        reason.contains("type `facet adopt`") && reason.contains("--accept critical"),
        "{reason}"
    );
    assert_eq!(locked(&user), ["one", "two"]);
    user.facet(&["adopt", "--accept", "critical"]).exits(0);
    assert_eq!(locked(&user), ["one", "twins", "two"]);
}

#[test]
fn names_of_servers_that_come_together_are_compared() {
    let user = User::new();
    let servers = json!({ "mcpServers": {
        "first": declaring(&user, "first", &["read_file"]),
        "second": declaring(&user, "second", &["re\u{430}d_file"]),
    } });
    user.trusted.write(".mcp.json", &servers.to_string());
    user.facet(&["adopt", "--yes"]).exits(2);
    assert_eq!(locked(&user), ["first"]);
}

#[test]
fn a_dry_run_says_what_the_run_does() {
    let user = User::new();
    std::fs::create_dir_all(user.trusted.file("tools")).unwrap();
    let mut one = declaring(&user, "one", &["list_notes"]);
    one["cwd"] = json!("tools");
    one["env"] = json!({ "API_TOKEN": SECRET });
    let gone = json!({ "type": "sse", "url": "https://mcp.example.com/sse" });
    let servers = json!({ "mcpServers": { "one": one, "gone": gone } });
    user.trusted.write(".mcp.json", &servers.to_string());
    let shown = user.facet(&["adopt", "--dry-run"]).exits(0).out;
    let place = std::fs::canonicalize(user.trusted.project()).unwrap();
    let starts =
        format!("to be pinned as one, starts in {}/tools, gets API_TOKEN", place.display());
    assert!(shown.contains(&starts), "{shown}");
    assert!(shown.contains("run one --directory .."), "{shown}");
    assert!(shown.contains("skipped: it uses server-sent events"), "{shown}");
    assert!(!shown.contains(SECRET) && locked(&user).is_empty(), "{shown}");
    let dry = user.facet(&["--format", "json", "adopt", "--dry-run"]).exits(0).json();
    let ran = user.facet(&["--format", "json", "adopt", "--yes"]).exits(0).json();
    for (dry, ran) in dry["found"].as_array().unwrap().iter().zip(ran["found"].as_array().unwrap())
    {
        assert_eq!(dry["plan"], ran["plan"]);
        assert_eq!(dry["reason"], ran["reason"]);
    }
    let file: Value = serde_json::from_str(&user.trusted.read(".mcp.json")).unwrap();
    let entry = &file["mcpServers"]["one"];
    let mut words = vec![entry["command"].clone()];
    words.extend(entry["args"].as_array().unwrap().iter().cloned());
    let object =
        dry["found"].as_array().unwrap().iter().find(|one| one["server"] == "one").unwrap();
    assert_eq!(object["plan"]["entry"], Value::Array(words));
}

#[test]
fn clients_that_disagree_are_both_named() {
    let user = User::new();
    let one = declaring(&user, "one", &["list_notes"]);
    let two = declaring(&user, "two", &["list_dates"]);
    user.trusted.write(".mcp.json", &json!({ "mcpServers": { "notes": one } }).to_string());
    std::fs::create_dir_all(user.trusted.file(".cursor")).unwrap();
    let cursor = json!({ "mcpServers": { "notes": two } }).to_string();
    user.trusted.write(".cursor/mcp.json", &cursor);
    let said = |arguments: &[&str]| {
        let found = user.facet(arguments).exits(0).json()["found"].clone();
        (found[0]["outcome"].clone(), found[1]["reason"].as_str().unwrap().to_owned())
    };
    let (first, reason) = said(&["--format", "json", "adopt", "--dry-run"]);
    assert_eq!(first, "adoptable");
    assert!(reason.starts_with("Claude Code (.mcp.json: `"), "{reason}");
    assert!(reason.contains("one.json`) and Cursor (.cursor/mcp.json: `"), "{reason}");
    assert!(reason.contains("two.json`)") && reason.contains("rename one"), "{reason}");
    assert_eq!(said(&["--format", "json", "adopt", "--yes"]), (json!("adopted"), reason));
    assert_eq!(user.trusted.read(".cursor/mcp.json"), cursor);
    // From now on it is the lock that has something else.
    let found = user.facet(&["--format", "json", "adopt", "--dry-run"]).exits(0).json();
    let reason = found["found"][1]["reason"].as_str().unwrap();
    assert!(reason.starts_with("facets.lock has `notes` as `"), "{reason}");
    assert!(reason.contains("facet remove notes"), "{reason}");
}

#[test]
fn a_pinned_server_that_was_not_approved_here_says_what_to_type() {
    let user = User::new();
    let text = json!({ "mcpServers": { "one": declaring(&user, "one", &["list_notes"]) } });
    user.trusted.write(".mcp.json", &text.to_string());
    user.facet(&["adopt", "--yes"]).exits(0);
    user.facet(&["disconnect", "--yes"]).exits(0);
    user.facet(&["approvals", "revoke", "one"]).exits(0);
    let found = user.facet(&["--format", "json", "adopt", "--yes"]).exits(0).json();
    let reason = found["found"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("not approved it on this machine"), "{reason}");
    assert!(reason.contains("type `facet approve one`, then `facet adopt`"), "{reason}");
    user.facet(&["approve", "one", "--yes"]).exits(0);
    user.facet(&["adopt", "--yes"]).exits(0);
    user.facet(&["disconnect", "--yes"]).exits(0);
    let lock = user.trusted.read("facets.lock");
    user.trusted.write("facets.lock", &lock.replacen("listed-server", "other-server", 1));
    let found = user.facet(&["--format", "json", "adopt", "--dry-run"]).exits(0).json();
    let reason = found["found"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("the lock entry for `one` was modified"), "{reason}");
    assert!(reason.contains("facet verify one"), "{reason}");
}

/// A value that is typed where a name belongs is not repeated.
#[test]
fn typed_values_are_explained_and_not_repeated() {
    let user = User::new();
    let server = workspace_binary("listed-server").display().to_string();
    let header = format!("Authorization=Bearer {SECRET}");
    let curl = format!("Authorization: Bearer {SECRET}");
    let (token, bare) = (format!("API_TOKEN={SECRET}"), format!("Authorization={SECRET}"));
    let far = "https://mcp.example.com/";
    let lines: [(&[&str], &str); 6] = [
        (&["add", "s", "--env", &token, "--", &server], "API_TOKEN=… facet add … --env API_TOKEN"),
        (
            &["inspect", "--env", &token, "--", &server],
            "API_TOKEN=… facet inspect … --env API_TOKEN",
        ),
        (&["add", "s", "--env", SECRET, "--", &server], "NAME=… facet add … --env NAME"),
        (
            &["add", "s", far, "--header", &header],
            "MY_VALUE=… facet add … --header Authorization=MY_VALUE",
        ),
        (&["inspect", far, "--header", &curl], "--header Authorization=MY_VALUE"),
        (&["inspect", far, "--header", &bare], "--header Authorization=MY_VALUE"),
    ];
    for (line, advice) in lines {
        for format in ["human", "json"] {
            let ran = user.facet(&[&["--format", format], line].concat()).exits(2);
            let said = format!("{}{}", ran.out, ran.talk);
            assert!(said.contains(advice), "{line:?}: {said}");
            assert!(!said.contains(&SECRET[4..]), "{line:?}: {said}");
        }
    }
}
