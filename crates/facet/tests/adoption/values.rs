//! Values that only the file of a client has.

use std::collections::BTreeMap;
use std::process::Stdio;

use facets_testkit::{Client, repository_root};
use serde_json::{Value, json};

use crate::{SECRET, User, remotes};

const OTHER: &str = "another-value-42";

fn entry(env: &Value) -> Value {
    let script = repository_root().join("crates/facet/tests/data/environment.sh");
    json!({ "command": "sh", "args": [script], "env": env })
}

fn file_of(servers: &Value) -> String {
    json!({ "mcpServers": servers }).to_string()
}

/// A user whose Claude Code starts one server of the project through facet, with these variables.
fn adopted(env: &Value) -> User {
    let user = User::new();
    user.trusted.write(".mcp.json", &file_of(&json!({ "s": entry(env) })));
    user.facet(&["adopt", "--yes"]).exits(0);
    user
}

/// What a server sees that a person starts with `facet run`.
fn seen(user: &User, own: &[(&str, &str)]) -> BTreeMap<String, String> {
    let mut command = user.command(&["run", "s"]);
    command.envs(own.iter().copied());
    let mut client = Client::start(&mut command, Stdio::null());
    client.initialize("person", &json!({}));
    let answer = client.call("see", &json!({}));
    let text =
        answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    let pairs = text.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn check_approve_and_run_read_them() {
    let user = adopted(&json!({ "API_TOKEN": SECRET, "MODE": "${NOT_SET_HERE:-calm}" }));
    user.facet(&["check"]).exits(0);
    user.facet(&["approve", "s", "--yes"]).exits(0);
    user.facet(&["grant", "s", "filesystem=.", "--yes"]).exits(0);
    user.facet(&["grant", "s", "filesystem=all", "--yes"]).exits(0);
    let values = seen(&user, &[]);
    assert_eq!((values["API_TOKEN"].as_str(), values["MODE"].as_str()), (SECRET, "calm"));
    // What is set in one's own shell counts more.
    assert_eq!(seen(&user, &[("API_TOKEN", OTHER)])["API_TOKEN"], OTHER);
    // Where it was read is said, and never what it is.
    let said = user.facet(&["run", "s"]).exits(0).talk;
    assert!(said.contains("the value of API_TOKEN is read from .mcp.json (claude-code)"), "{said}");
    assert!(!said.contains(SECRET), "{said}");
    for path in
        crate::walk(user.trusted.folder.path()).iter().chain(&crate::walk(&user.trusted.home()))
    {
        let text = std::fs::read(path).unwrap_or_default();
        let is_own = path.ends_with(".mcp.json");
        assert!(is_own || !String::from_utf8_lossy(&text).contains(SECRET), "{}", path.display());
    }
    // Without a value nothing starts, and the error says where one was looked for.
    let text = user.trusted.read(".mcp.json").replace("FACET_ENV_API_TOKEN", "FACET_ENV_OTHER");
    user.trusted.write(".mcp.json", &text);
    for arguments in [&["check"][..], &["approve", "s", "--yes"], &["run", "s"]] {
        let ran = user.facet(arguments).exits(2);
        let said = format!("{}{}", ran.out, ran.talk);
        assert!(said.contains("variable-not-set"), "{said}");
        assert!(said.contains(".mcp.json (claude-code)"), "{said}");
        assert!(said.contains("export API_TOKEN=…"), "{said}");
    }
}

#[test]
fn a_header_and_a_server_of_the_user_have_theirs() {
    let user = User::new();
    let port = remotes::serve(|asked, stream| {
        let expected = format!("authorization: bearer {}", SECRET.to_ascii_lowercase());
        if asked.headers.lines().any(|line| line.trim() == expected) {
            remotes::honest(asked, stream);
        } else {
            remotes::respond(stream, "401 Unauthorized", "");
        }
    });
    let headers = json!({ "Authorization": format!("Bearer {SECRET}") });
    let far = json!({ "url": format!("http://127.0.0.1:{port}/mcp"), "headers": headers });
    std::fs::create_dir_all(user.home().join(".cursor")).unwrap();
    let servers = json!({ "far": far, "s": entry(&json!({ "API_TOKEN": SECRET })) });
    std::fs::write(user.home().join(".cursor/mcp.json"), file_of(&servers)).unwrap();
    user.facet(&["adopt", "--user", "--yes"]).exits(0);
    let directory = user.trusted.home().join("user");
    let directory = directory.to_str().unwrap();
    let checked = user.facet(&["check", "--directory", directory]).exits(0);
    assert!(!format!("{checked:?}").contains(SECRET), "{checked:?}");
    // A project of the same names has nothing to do with that.
    user.facet(&["check"]).exits(2);
}

/// Codex sends `Bearer` and what a variable holds: so does facet.
#[test]
fn a_bearer_token_of_codex_is_taken_over() {
    let mut user = User::new();
    let port = remotes::serve(|asked, stream| {
        let expected = format!("authorization: bearer {}", SECRET.to_ascii_lowercase());
        if asked.headers.lines().any(|line| line.trim() == expected) {
            remotes::honest(asked, stream);
        } else {
            remotes::respond(stream, "401 Unauthorized", "");
        }
    });
    std::fs::create_dir_all(user.trusted.file(".codex")).unwrap();
    let text = format!(
        "[mcp_servers.far]\nurl = \"http://127.0.0.1:{port}/mcp\"\nbearer_token_env_var = \"FAR_TOKEN\"\n"
    );
    user.trusted.write(".codex/config.toml", &text);
    user.more = vec![("FAR_TOKEN", SECRET.to_owned())];
    user.facet(&["adopt", "--yes"]).exits(0);
    let after = user.trusted.read(".codex/config.toml");
    assert!(after.contains("env_vars = [\"FAR_TOKEN\"]"), "{after}");
    let lock: Value = serde_json::from_str(&user.trusted.read("facets.lock")).unwrap();
    assert_eq!(lock["servers"]["far"]["headers"], json!({ "Authorization": "Bearer FAR_TOKEN" }));
    user.facet(&["check"]).exits(0);
    let mut command = user.command(&["run", "far"]);
    let mut client = Client::start(&mut command, Stdio::inherit());
    client.initialize("codex", &json!({}));
    assert_eq!(client.tools(), ["a"]);
    drop(client);
    user.more.clear();
    let ran = user.facet(&["check"]).exits(2);
    assert!(ran.out.contains("environment variable FAR_TOKEN is not set"), "{}", ran.out);
    user.facet(&["disconnect", "--yes"]).exits(0);
    assert_eq!(user.trusted.read(".codex/config.toml"), text);
}

#[test]
fn the_first_of_two_files_counts_and_is_named() {
    let user = User::new();
    let of = |value: &str| file_of(&json!({ "s": entry(&json!({ "API_TOKEN": value })) }));
    user.trusted.write(".mcp.json", &of(SECRET));
    std::fs::create_dir_all(user.trusted.file(".cursor")).unwrap();
    user.trusted.write(".cursor/mcp.json", &of(OTHER));
    user.facet(&["adopt", "--yes"]).exits(0);
    let note = "the value of API_TOKEN is that of .mcp.json (claude-code); .cursor/mcp.json (cursor) has a different one";
    for arguments in [&["check"][..], &["approve", "s", "--yes"], &["run", "s"]] {
        let ran = user.facet(arguments).exits(0);
        let said = format!("{}{}", ran.out, ran.talk);
        assert!(said.contains(note), "{arguments:?}: {said}");
        assert!(!said.contains(SECRET) && !said.contains(OTHER), "{said}");
    }
    let report = user.facet(&["--format", "json", "check"]).exits(0).json();
    assert_eq!(report["servers"][0]["notes"], json!([note]));
    assert_eq!(seen(&user, &[])["API_TOKEN"], SECRET);
}

/// Whoever can write the project's file gets no further with it than before.
#[test]
fn a_file_of_the_project_gives_no_more_than_it_may() {
    let user = adopted(&json!({ "API_TOKEN": SECRET, "NODE_OPTIONS": "--no-warnings" }));
    let whole = user.trusted.read(".mcp.json");
    // The code that a program loads is not chosen by a repository.
    let ran = user.facet(&["check"]).exits(2);
    assert!(ran.out.contains("environment variable NODE_OPTIONS is not set"), "{}", ran.out);
    let own = [("NODE_OPTIONS", "--own")];
    let check = |code: i32| {
        let mut command = user.command(&["check"]);
        command.envs(own);
        crate::Ran::of(&command.output().unwrap()).exits(code)
    };
    check(0);
    // What the lock does not name does not reach the server.
    let more = whole.replace(
        "\"FACET_ENV_API_TOKEN\"",
        "\"FACET_ENV_PYTHONPATH\":\"x\",\"FACET_ENV_API_TOKEN\"",
    );
    assert_ne!(more, whole);
    user.trusted.write(".mcp.json", &more);
    let values = seen(&user, &own);
    assert_eq!(values["API_TOKEN"], SECRET);
    assert!(!values.contains_key("PYTHONPATH") && !values.contains_key("FACET_ENV_PYTHONPATH"));
    // An entry that is not guarded has nothing to say.
    user.trusted.write(".mcp.json", &whole.replace("\"run\"", "\"run\",\"--trust-lock\""));
    check(2);
    user.trusted.write(".mcp.json", &whole);
    check(0);
    // Nor has the lock alone.
    user.facet(&["approvals", "revoke", "s"]).exits(0);
    let mut command = user.command(&["check", "--trust-lock"]);
    let ran = crate::Ran::of(&command.envs(own).output().unwrap()).exits(2);
    assert!(ran.out.contains("environment variable API_TOKEN is not set"), "{}", ran.out);
}

/// A file that came with a repository was not written by facet for this user.
#[test]
fn an_entry_that_facet_did_not_write_in_the_project_gives_nothing() {
    let user = adopted(&json!({ "API_TOKEN": SECRET }));
    user.facet(&["check"]).exits(0);
    std::fs::remove_dir_all(user.trusted.home().join("clients")).unwrap();
    let ran = user.facet(&["check"]).exits(2);
    assert!(ran.out.contains("environment variable API_TOKEN is not set"), "{}", ran.out);
}
