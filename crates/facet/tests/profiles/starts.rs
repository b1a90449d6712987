//! A start that fails says why: what the server wrote, how it was started, what is in its way, and what to
//! type. Grants that a server cannot start with are recognised before anything is written.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use facets_testkit::{Client, component, put_program, repository_root, skip, workspace_binary};
use serde_json::{Value, json};

use super::trusted::{Ran, Trusted};

/// What a server declares, with more about how it behaves.
fn declarations(more: &Value) -> Value {
    let mut all = json!({ "tools": [{ "name": "read", "inputSchema": { "type": "object" } }] });
    if let (Some(all), Some(more)) = (all.as_object_mut(), more.as_object()) {
        all.extend(more.clone());
    }
    all
}

fn add(trusted: &Trusted, options: &[&str]) -> Ran {
    let mut command = trusted.command(&[&["add", "s", "--yes"], options, &["--"]].concat());
    command.arg(workspace_binary("listed-server")).arg(trusted.declarations());
    Ran::of(&command.output().unwrap())
}

fn put_script(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

/// Everything below a folder, with its content.
fn content(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(content(&path));
        } else {
            all.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    all.sort();
    all
}

#[test]
fn the_first_and_the_last_lines_of_standard_error_are_shown() {
    let trusted = Trusted::new();
    let lines: Vec<String> = (1..=50).map(|number| format!("problem {number}")).collect();
    trusted.declare(&declarations(&json!({ "fails": lines.join("\n") })));
    let short = add(&trusted, &[]).exits(2).talk;
    assert!(short.contains("  stderr:   problem 1\n            problem 2\n"), "{short}");
    assert!(short.contains("problem 6\n            … 34 more lines; -v shows all\n"), "{short}");
    assert!(short.contains("            problem 41\n"), "{short}");
    // That its home directory is the user's own explains nothing.
    assert!(short.contains("            problem 50\n  more:     facet explain"), "{short}");
    assert!(!short.contains("problem 7\n"), "{short}");
    let all = add(&trusted, &["-v"]).exits(2).talk;
    assert!(lines.iter().all(|line| all.contains(&format!("{line}\n"))), "{all}");
    assert!(!all.contains("more lines"), "{all}");
    let error = &add(&trusted, &["--format", "json"]).exits(2).json()["error"];
    let message = "the server exited with code 3 before it answered initialize";
    assert_eq!(error["message"], message);
    assert_eq!(error["stderr"]["omitted"], 34);
    assert_eq!(error["stderr"]["first"], json!(lines[..6]));
    assert_eq!(error["stderr"]["last"], json!(lines[40..]));
    let error = &add(&trusted, &["--format", "json", "-v"]).exits(2).json()["error"];
    assert_eq!(error["stderr"], json!({ "first": lines, "omitted": 0, "last": [] }));
}

#[test]
fn a_variable_that_is_set_and_not_passed_on_is_named_without_its_value() {
    let trusted = Trusted::new();
    trusted.declare(&declarations(&json!({ "fails": "API_KEY is not set, OTHER_KEY neither" })));
    let mut command = trusted.command(&["add", "s", "--yes", "--cwd", ".", "--"]);
    let server = workspace_binary("listed-server");
    command.arg(&server).arg(trusted.declarations()).env("API_KEY", "hush");
    let ran = Ran::of(&command.output().unwrap()).exits(2);
    assert!(ran.talk.contains("  env:      API_KEY is set here and not passed"), "{}", ran.talk);
    let typed = format!(
        "  try:      facet add s --cwd . --env API_KEY -- {} {}\n",
        server.display(),
        trusted.declarations().display()
    );
    assert!(ran.talk.contains(&typed), "{}", ran.talk);
    assert!(!ran.talk.contains("hush") && !ran.talk.contains("OTHER_KEY is set"), "{}", ran.talk);
}

/// A program called `npx` that starts one of our own servers.
fn with_npx() -> (Trusted, String) {
    let trusted = Trusted::new();
    trusted.declare(&declarations(&json!({})));
    let words = format!(
        "#!/bin/sh\nexec {} {}\n",
        workspace_binary("listed-server").display(),
        trusted.declarations().display()
    );
    let programs = trusted.folder.path().join("programs");
    put_script(&programs.join("npx"), &words);
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    (trusted, path)
}

#[test]
fn grants_that_npx_does_not_start_with_are_refused_before_anything_is_written() {
    let (trusted, path) = with_npx();
    let facet = |arguments: &[&str]| {
        Ran::of(&trusted.command(arguments).env("PATH", &path).output().unwrap())
    };
    facet(&["add", "s", "--yes", "--as-command", "--", "npx", "-y", "@example/files"]).exits(0);
    let before = (content(&trusted.project()), content(&trusted.home()));
    let ran = facet(&["grant", "s", "network=none", "subprocess=no", "sampling=no"]).exits(2);
    for line in [
        "error: server \"s\" would not start with these grants; nothing was changed [grant-conflict]",
        "blocked:  network=none: npx downloads the server from a package registry",
        "blocked:  subprocess=no: npx starts the server as another program",
        "try:      facet grant s sampling=no",
    ] {
        assert!(ran.talk.contains(line), "{line}\n{}", ran.talk);
    }
    let json = facet(&["--format", "json", "grant", "s", "network=none"]).exits(2).json();
    assert_eq!(json["error"]["code"], "grant-conflict");
    assert_eq!(json["error"]["notes"][0]["label"], "blocked");
    assert_eq!(json["error"]["actual"], "it could not start (see blocked)");
    assert_eq!(
        json["error"]["next"],
        "install the server, then facet add s --replace -- COMMAND, without npx"
    );
    assert!((content(&trusted.project()), content(&trusted.home())) == before);
    // What is no conflict is decided, and a yes is one to the rest.
    facet(&["grant", "s", "sampling=no"]).exits(0);
    let warned = facet(&["grant", "s", "network=none", "--yes"]).exits(0).out;
    assert!(
        warned.contains("warning: it does not start with these grants: network=none"),
        "{warned}"
    );
    assert!(trusted.read("facets.lock").contains("\"network\": \"none\""));
    // What is in the way already is not asked about again.
    facet(&["grant", "s", "elicitation=no"]).exits(0);
}

#[test]
fn a_python_below_home_is_named_with_the_grant_that_opens_it() {
    let Some(python) = component("python3") else { return };
    let trusted = Trusted::new();
    let home = std::fs::canonicalize(trusted.folder.path()).unwrap();
    // An installation of its own, and a virtual environment of the project that leads to it.
    let mut own = std::fs::canonicalize(&python).unwrap();
    if own.starts_with("/usr") {
        let copy = home.join("python/bin/python3");
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        put_program(&own, &copy);
        own = copy;
    }
    let venv = ["-m", "venv", "--without-pip", "--symlinks", ".venv"];
    let made = Command::new(&own).args(venv).current_dir(trusted.project()).status().unwrap();
    if !made.success() {
        return skip("this Python makes no virtual environments");
    }
    let script = repository_root().join("crates/facet/tests/data/probe.py");
    std::fs::copy(script, trusted.file("probe.py")).unwrap();
    let facet = |arguments: &[&str]| {
        Ran::of(&trusted.command(arguments).env("HOME", &home).output().unwrap())
    };
    facet(&["add", "s", "--yes", "--", ".venv/bin/python", "probe.py"]).exits(0);
    std::fs::create_dir(trusted.file("data")).unwrap();
    // Read as it is, the environment leads to its Python.
    facet(&["grant", "s", "filesystem=data"]).exits(0);
    facet(&["check", "s"]).exits(0);
    // What the server can write leads nowhere.
    let lock = trusted.read("facets.lock");
    let ran = facet(&["grant", "s", "filesystem=.", "--format", "json"]).exits(2).json();
    let next = ran["error"]["next"].as_str().unwrap();
    let real = std::fs::canonicalize(trusted.file(".venv/bin/python")).unwrap();
    let root = real.parent().and_then(Path::parent).unwrap();
    assert_eq!(next, format!("facet grant s filesystem=.,ro:{}", root.display()), "{ran}");
    assert_eq!(trusted.read("facets.lock"), lock);
    let words: Vec<&str> = next.split(' ').skip(1).chain(["--yes"]).collect();
    facet(&words).exits(0);
    facet(&["check", "s"]).exits(0);
}

#[test]
fn a_start_that_grants_are_in_the_way_of_says_which_and_what_to_type() {
    let trusted = Trusted::new();
    let notes = tempfile::Builder::new().prefix("notes").tempdir().unwrap();
    let outside = std::fs::canonicalize(notes.path()).unwrap();
    let script = format!(
        "#!/bin/sh\nls {} >/dev/null || exit 1\nexec {} {}\n",
        outside.display(),
        workspace_binary("listed-server").display(),
        trusted.declarations().display()
    );
    put_script(&trusted.file("server.sh"), &script);
    trusted.declare(&declarations(&json!({})));
    let granted = format!(
        "ro:{},ro:{}",
        workspace_binary("listed-server").display(),
        trusted.declarations().display()
    );
    trusted.facet(&["add", "s", "--yes", "--", "sh", "server.sh"]).exits(0);
    // Before it is started nobody knows; then it says so itself.
    let settings = format!("filesystem={granted}");
    let ran = trusted.facet(&["grant", "s", &settings]).exits(2);
    let holds = "error: the new restrictions of \"s\" are in force on this machine, but \
                 facets.lock was not changed: ";
    assert!(ran.talk.starts_with(holds), "{}", ran.talk);
    let shown = outside.display();
    let blocked = format!("blocked:  filesystem: it asks for {shown}");
    assert!(ran.talk.contains(&blocked), "{}", ran.talk);
    assert!(ran.talk.contains("profile:  private: HOME is a folder of its own"), "{}", ran.talk);
    assert!(ran.talk.contains("grants:   network=all filesystem=ro:"), "{}", ran.talk);
    let next = ran.talk.split("try:      ").nth(1).unwrap().lines().next().unwrap();
    assert!(next.starts_with("facet grant s filesystem=") && next.contains("/notes"), "{next}");
    let words: Vec<&str> = next.split(' ').skip(1).chain(["--yes"]).collect();
    trusted.facet(&words).exits(0);
    trusted.facet(&["check", "s"]).exits(0);
}

#[test]
fn a_session_whose_server_does_not_start_says_what_is_in_the_way() {
    let (trusted, path) = with_npx();
    let facet = |arguments: &[&str]| {
        Ran::of(&trusted.command(arguments).env("PATH", &path).output().unwrap())
    };
    facet(&["add", "s", "--yes", "--as-command", "--", "npx", "-y", "@example/files"]).exits(0);
    facet(&["grant", "s", "network=none", "--yes"]).exits(0);
    let fails = json!({ "fails": "npm error getaddrinfo ENOTFOUND packages.example" });
    trusted.declare(&declarations(&fails));
    let mut command = trusted.command(&["run", "s"]);
    let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut session = streams.env("PATH", &path).spawn().unwrap();
    // A client that stays.
    let input = session.stdin.take();
    let ran = Ran::of(&session.wait_with_output().unwrap()).exits(3);
    drop(input);
    for line in [
        "npm error getaddrinfo ENOTFOUND packages.example\n",
        "facet: s: grants: network=none filesystem=all subprocess=yes\n",
        "facet: s: blocked: network=none: npx downloads the server from a package registry\n",
        "facet: s: try: facet grant s network=all\n",
        "facet: s: the server ended with code 3\n",
    ] {
        assert!(ran.talk.contains(line), "{line}\n{}", ran.talk);
    }
}

/// The same if the client has left by then, as one has that starts a server only to see whether it does.
#[test]
fn a_server_that_fails_is_explained_also_without_a_client() {
    let trusted = Trusted::with_server(&declarations(&json!({})));
    trusted.facet(&["grant", "s", "subprocess=no"]).exits(0);
    trusted.declare(&declarations(&json!({ "fails": "no luck" })));
    let output = trusted.command(&["run", "s"]).stdin(Stdio::null()).output().unwrap();
    let ran = Ran::of(&output).exits(3);
    for line in [
        "no luck\n",
        "facet: s: grants: network=all filesystem=all subprocess=no\n",
        "facet: s: the server ended with code 3\n",
    ] {
        assert!(ran.talk.contains(line), "{line}\n{}", ran.talk);
    }
    let report = trusted.json(&["logs", "s"]).exits(0).json();
    let lines = report["lines"].as_array().unwrap();
    assert!(lines.iter().all(|line| line["time"].as_str().unwrap().ends_with('Z')), "{report}");
    let texts: Vec<&str> = lines.iter().map(|line| line["text"].as_str().unwrap()).collect();
    assert!(texts[0].starts_with("facet: session started: "), "{texts:?}");
    assert!(texts.contains(&"no luck"), "{texts:?}");
    let end = "facet: session ended: the server ended with code 3; exit code 3";
    assert!(texts.contains(&end), "{texts:?}");
    assert_eq!(report["log"].as_str().unwrap(), texts.join("\n") + "\n");
    let shown = trusted.facet(&["logs", "s"]).exits(0).out;
    assert!(shown.contains(&format!("Z {end}\n")), "{shown}");
    // One that ends because nobody is there has not failed.
    trusted.declare(&declarations(&json!({})));
    let output = trusted.command(&["run", "s", "--quiet"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(Ran::of(&output).exits(0).talk, "");
}

/// The time until the first answer is kept, and what `check`, `approve` and `run` go by.
#[test]
fn a_slow_server_is_waited_for_as_its_entry_says() {
    let trusted = Trusted::new();
    trusted.declare(&declarations(&json!({})));
    add(&trusted, &["--timeout", "2"]).exits(0);
    trusted.declare(&declarations(&json!({ "slow": 7000 })));
    let report = trusted.json(&["check", "s"]).exits(2).json();
    let error = &report["servers"][0]["error"];
    assert_eq!(error["code"], "server-no-answer", "{error}");
    assert!(error["message"].as_str().unwrap().ends_with("within 2 s"), "{error}");
    assert_eq!(error["next"], "facet approve s --timeout 8");
    trusted.facet(&["approve", "s", "--yes", "--timeout", "60"]).exits(0);
    assert!(trusted.read("facets.lock").contains("\"timeout\": 60"));
    trusted.facet(&["check", "s"]).exits(0);
    let mut client = Client::start(&mut trusted.command(&["run", "s"]), Stdio::null());
    client.initialize("test", &json!({}));
    let tools = client.tools();
    assert_eq!(tools, ["read"]);
}

/// What a server prints to the stream of its messages is the commonest reason why it never answers.
#[test]
fn a_line_that_is_no_message_is_shown_if_no_answer_follows() {
    let trusted = Trusted::new();
    let long = "x".repeat(100);
    for (printed, shown) in [
        ("Hello, I am starting up!", r#""Hello, I am starting up!""#.to_owned()),
        (r#"{"level":30}"#, r#""{\"level\":30}""#.to_owned()),
        (long.as_str(), format!("\"{}…\"", "x".repeat(80))),
    ] {
        let script = format!("echo '{printed}'; sleep 100");
        let command = ["inspect", "--yes", "--timeout", "1", "--", "sh", "-c", script.as_str()];
        let talk = trusted.facet(&command).exits(2).talk;
        let found =
            format!("  found:    it wrote lines that are not MCP messages, such as {shown}\n");
        assert!(talk.contains(&found) && talk.contains("[server-no-answer]"), "{talk}");
    }
}

#[test]
fn the_late_reply_to_a_question_of_facet_is_not_unsolicited() {
    let trusted = Trusted::new();
    trusted.declare(&declarations(&json!({ "slow": 6500 })));
    let mut command = trusted.command(&["inspect", "--yes", "--format", "json", "--"]);
    command.arg(workspace_binary("listed-server")).arg(trusted.declarations());
    let report = Ran::of(&command.output().unwrap()).exits(0).json();
    assert_eq!((&report["era"], &report["warnings"]), (&json!("initialize"), &json!([])));
}

/// Everything passes unchanged, so a session waits for as long as its client does; but not in silence.
#[test]
fn a_session_says_once_that_the_first_answer_takes_long() {
    let trusted = Trusted::new();
    trusted.declare(&declarations(&json!({})));
    add(&trusted, &["--timeout", "2"]).exits(0);
    trusted.declare(&declarations(&json!({ "slow": 10_000 })));
    let talk = std::fs::File::create(trusted.folder.path().join("talk")).unwrap();
    let mut client = Client::start(&mut trusted.command(&["run", "s"]), Stdio::from(talk));
    client.send(&json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        },
    }));
    let state = || trusted.json(&["ps"]).exits(0).json()["sessions"][0]["status"].clone();
    let sentence = "the server has not answered initialize for 2 s";
    let begin = std::time::Instant::now();
    while state()["unanswered"] != sentence {
        assert!(begin.elapsed() < std::time::Duration::from_mins(1), "{}", state());
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let shown = trusted.facet(&["ps"]).exits(0).out;
    let line =
        format!("  state: {sentence}; facet goes on waiting; 1 pending request; 0 restarts\n");
    assert!(shown.contains(&line), "{shown}");
    let answer = client.answer(&json!(1));
    assert!(answer.get("result").is_some(), "it was waited for: {answer}");
    assert!(client.others.is_empty(), "{:?}", client.others);
    client.finish();
    let said = format!("waiting: {sentence}; facet goes on waiting. Next: facet check s");
    let talk = std::fs::read_to_string(trusted.folder.path().join("talk")).unwrap();
    for text in [talk, trusted.facet(&["logs", "s"]).exits(0).out] {
        assert_eq!(text.matches(&said).count(), 1, "{text}");
    }
}
