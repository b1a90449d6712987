//! A way forward: the project is found, servers are replaced and shown, names are completed, and nearly
//! right command lines are answered with the right ones.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "other tests need more of it")]
mod trusted;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use facets_testkit::{component, workspace_binary};
use serde_json::{Value, json};
use trusted::{FACET, Ran, Trusted};

fn echo(description: &str) -> Value {
    json!({ "tools": [{ "name": "echo", "description": description, "inputSchema": {} }] })
}

/// Runs facet in a folder of the project.
fn below(trusted: &Trusted, folder: &str, arguments: &[&str]) -> Ran {
    let folder = trusted.file(folder);
    std::fs::create_dir_all(&folder).unwrap();
    Ran::of(&Trusted::command_in(&folder, &trusted.home(), arguments).output().unwrap())
}

fn add_below(trusted: &Trusted, folder: &str, words: &[&str]) -> Ran {
    let folder = trusted.file(folder);
    std::fs::create_dir_all(&folder).unwrap();
    let mut command = Trusted::command_in(&folder, &trusted.home(), words);
    command.arg("--").arg(workspace_binary("listed-server")).arg(trusted.declarations());
    command.arg(trusted.trace());
    Ran::of(&command.output().unwrap())
}

fn replace(trusted: &Trusted, options: &[&str]) -> Ran {
    let words: Vec<&str> = ["add", "s", "--replace"].iter().chain(options).copied().collect();
    add_below(trusted, ".", &words)
}

#[test]
fn the_project_is_found_from_a_folder_inside_of_it() {
    let trusted = Trusted::with_server(&echo("Says it again."));
    let listed = below(&trusted, "src/deep", &["list"]).exits(0);
    assert!(listed.out.starts_with("s "), "{listed:?}");
    below(&trusted, "src/deep", &["check"]).exits(0);
    below(&trusted, "src/deep", &["verify"]).exits(0);
    below(&trusted, "src/deep", &["grant", "s", "sampling=no"]).exits(0);
    // What was typed there means what it meant there.
    std::fs::write(trusted.file("src/deep/own.yaml"), "policyVersion: 9\n").unwrap();
    let policy = below(&trusted, "src/deep", &["check", "--policy", "own.yaml"]).exits(2);
    assert!(policy.talk.contains("policyVersion"), "{policy:?}");
    below(&trusted, "src/deep", &["check", "--summary", "summary.md"]).exits(0);
    assert!(trusted.file("src/deep/summary.md").is_file());
    below(&trusted, "src", &["remove", "s"]).exits(0);
    assert!(!trusted.file("src/facets.json").exists());
}

#[test]
fn a_command_that_is_added_inside_of_a_project_starts_where_it_was_typed() {
    let trusted = Trusted::with_server(&echo("Says it again."));
    add_below(&trusted, "tools", &["add", "t", "-y"]).exits(0);
    let lock: Value = serde_json::from_str(&trusted.read("facets.lock")).unwrap();
    assert_eq!(lock["servers"]["t"]["directory"], "tools");
    assert!(lock["servers"]["s"].get("directory").is_none(), "{lock:#}");
    assert!(!trusted.file("tools/facets.lock").exists());
    trusted.facet(&["check"]).exits(0);
}

#[test]
fn a_folder_with_files_of_clients_is_adopted_for_itself() {
    let trusted = Trusted::with_server(&echo("Says it again."));
    let inner = trusted.file("inner");
    std::fs::create_dir(&inner).unwrap();
    let server = workspace_binary("listed-server");
    let entry = json!({ "command": server, "args": [trusted.declarations()] });
    let text = json!({ "mcpServers": { "own": entry } }).to_string();
    std::fs::write(inner.join(".mcp.json"), text).unwrap();
    let mut command = Trusted::command_in(&inner, &trusted.home(), &["adopt", "--yes"]);
    Ran::of(&command.env("HOME", trusted.home()).output().unwrap()).exits(0);
    assert!(inner.join("facets.lock").is_file());
    assert!(!trusted.read("facets.lock").contains("\"own\""));
}

#[test]
fn another_repository_inside_of_a_project_is_another_project() {
    let trusted = Trusted::with_server(&echo("Says it again."));
    std::fs::create_dir_all(trusted.file("vendor/other/.git")).unwrap();
    let listed = below(&trusted, "vendor/other", &["list"]).exits(0);
    assert_eq!(listed.out, "");
}

#[test]
fn a_server_is_replaced_after_its_changes_were_shown() {
    let trusted = Trusted::with_server(&echo("Says it again."));
    trusted.facet(&["grant", "s", "sampling=no"]).exits(0);
    let taken = add_below(&trusted, ".", &["add", "s", "--yes"]).exits(2);
    assert!(taken.talk.contains("facet add s --replace"), "{taken:?}");
    trusted.declare(&echo("Says it again, politely."));
    let nobody = replace(&trusted, &[]).exits(2);
    assert!(nobody.talk.contains("not-approved"), "{nobody:?}");
    trusted.facet(&["check"]).exits(1);
    let replaced = replace(&trusted, &["--yes", "--cwd", ".."]).exits(0);
    assert!(replaced.out.contains("replaces "), "{replaced:?}");
    assert!(replaced.out.contains("+ Says it again, politely."), "{replaced:?}");
    trusted.facet(&["check"]).exits(0);
    let again = replace(&trusted, &["--yes", "--cwd", ".."]).exits(0);
    let line = again.out.lines().find(|line| line.starts_with("replaces ")).unwrap();
    assert!(line.contains(" with ") && line.ends_with("; it declares the same"), "{again:?}");
    assert!(!again.out.contains("nothing changed"), "{again:?}");
    let lock: Value = serde_json::from_str(&trusted.read("facets.lock")).unwrap();
    let entry = &lock["servers"]["s"];
    assert_eq!((&entry["directory"], &entry["grants"]["sampling"]), (&json!(".."), &json!(false)));
    let manifest = trusted.read("facets.json");
    assert_eq!(manifest.matches("\"s\"").count(), 1, "{manifest}");
}

#[test]
fn a_name_that_is_not_pinned_is_not_replaced() {
    let trusted = Trusted::with_server(&echo("Says it again."));
    let unknown = add_below(&trusted, ".", &["add", "t", "--replace", "--yes"]).exits(2);
    assert!(unknown.talk.contains("server \"t\" not found: nothing to replace"), "{unknown:?}");
    assert!(unknown.talk.contains("found:    only s"), "{unknown:?}");
}

#[test]
fn show_has_everything_that_is_pinned() {
    let trusted = Trusted::new();
    trusted.declare(&json!({
        "instructions": "Be brief.",
        "tools": [{ "name": "echo", "description": "Says it\nagain.", "inputSchema": {} }],
        "prompts": [{ "name": "greet", "description": "Greets a person." }],
    }));
    trusted.add("s").exits(0);
    let before = trusted.starts();
    let shown = trusted.facet(&["show", "s"]).exits(0);
    for text in ["s approved", "grants", "Be brief.", "Says it", "again.", "Greets a person."] {
        assert!(shown.out.contains(text), "{text}: {}", shown.out);
    }
    let document = trusted.facet(&["show", "s", "--json"]).exits(0).json();
    assert_eq!(document["approved"], true);
    assert_eq!(document["declared"]["instructions"], "Be brief.");
    assert_eq!(trusted.starts(), before, "it starts nothing");
    let elsewhere = tempfile::tempdir().unwrap();
    let stranger =
        Trusted::command_in(&trusted.project(), elsewhere.path(), &["show", "s"]).output().unwrap();
    assert!(Ran::of(&stranger).exits(0).out.contains("not approved on this machine"));
}

#[test]
fn short_forms_mean_the_same() {
    let trusted = Trusted::new();
    trusted.declare(&echo("Says it again."));
    let mut command = trusted.command(&["add", "s", "-y", "-e", "PATH", "--json", "--"]);
    command.arg(workspace_binary("listed-server")).arg(trusted.declarations());
    let added = Ran::of(&command.output().unwrap()).exits(0);
    assert_eq!(added.json()["name"], "s");
    assert_eq!(trusted.facet(&["ls"]).out, trusted.facet(&["list"]).out);
    assert_eq!(trusted.facet(&["ls", "--json"]).json()["servers"][0]["launch"]["env"][0], "PATH");
    assert_eq!(
        trusted.facet(&["rm", "gone", "--json"]).exits(2).json()["error"]["code"],
        "server-unknown"
    );
    trusted.facet(&["rm", "s"]).exits(0);
    let both = trusted.facet(&["list", "--json", "--format", "human"]).exits(2);
    assert!(both.out.contains("cannot be used with"), "{both:?}");
}

#[test]
fn command_lines_that_are_nearly_right_are_answered_with_the_right_one() {
    let trusted = Trusted::new();
    let cases: [(&[&str], &str); 16] = [
        (&["add", "foo", "npx", "-y", "x"], "facet add foo -- npx -y x"),
        (&["inspect", "npx", "-y", "x"], "facet inspect -- npx -y x"),
        (&["connect", "claude"], "claude-code, claude-desktop, codex"),
        (&["explain", "marker-secret-pth"], "facet explain marker-secret-path"),
        (&["explain", "tool-chnged"], "facet explain tool_changed"),
        (&["chekc"], "'check'"),
        (&["install", "x"], "it has 1 character; allowed: 2 to 64"),
        (&["add", "foo"], "facet add foo https://mcp.example.com/"),
        (&["add", "foo", "/usr/bin/python3"], "try:      facet add foo -- /usr/bin/python3"),
        (&["add", "foo", "localhost:3000/mcp"], "facet add foo http://localhost:3000/mcp"),
        (&["add", "foo", "--yes", "--", "sh x.sh"], "without quotes: -- sh x.sh"),
        (&["approve"], "pass --all"),
        (&["grant", "s", "network=off"], "unknown value \"off\"; write none, all or HOST:PORT"),
        (&["grant", "s", "net=none"], "unknown setting \"net\"; settings are network"),
        // The usage is that of the command.
        (&["add", "foo", "--env", "A=b", "--", "x"], "Usage: facet add [OPTIONS] <NAME>"),
        (&["digest", "json", "--format", "sarif", "x"], "Usage: facet digest json [OPTIONS]"),
    ];
    for (words, answer) in cases {
        let ran = trusted.facet(words).exits(2);
        assert!(ran.talk.contains(answer), "{words:?}: {ran:?}");
    }
    let unknown = trusted.facet(&["explain", "nosuch"]).exits(2);
    assert!(unknown.talk.ends_with("try:      facet explain\n"), "{unknown:?}");
}

/// The same user in a home of their own: clients keep files there.
fn at_home(trusted: &Trusted, arguments: &[&str]) -> Ran {
    let mut command = trusted.command(arguments);
    command.env("HOME", trusted.home()).env_remove("XDG_CONFIG_HOME").env_remove("CODEX_HOME");
    Ran::of(&command.output().unwrap())
}

#[test]
fn removing_a_server_offers_to_restore_the_clients_that_start_it() {
    let trusted = Trusted::with_server(&echo("Says it again."));
    trusted.add("t").exits(0);
    let before = "{\n  // mine\n  \"mcpServers\": {\n    \"a\": { \"url\": \"https://a.example/\" }\n  }\n}\n";
    std::fs::create_dir(trusted.file(".cursor")).unwrap();
    trusted.write(".cursor/mcp.json", before);
    at_home(&trusted, &["connect", "cursor", "--yes"]).exits(0);
    let left = at_home(&trusted, &["remove", "s"]).exits(0);
    assert!(left.out.contains("removed s"), "{left:?}");
    assert!(left.out.contains("facet disconnect cursor"), "{left:?}");
    let gone = at_home(&trusted, &["doctor"]).exits(1);
    assert!(gone.out.contains("no server s is pinned"), "{gone:?}");
    assert!(gone.out.contains("try: facet disconnect cursor"), "{gone:?}");
    trusted.add("s").exits(0);
    let found = at_home(&trusted, &["doctor"]).exits(0);
    assert!(found.out.contains("not guarded by facet: a (Cursor)"), "{found:?}");
    let restored = at_home(&trusted, &["remove", "s", "-y", "--json"]).exits(0).json();
    assert_eq!(restored["restored"][0]["client"], "cursor");
    assert_eq!(restored["left"], json!([]));
    // The entry of the other server is still guarded.
    let file = trusted.read(".cursor/mcp.json");
    assert!(file.contains("\"t\"") && !file.contains("\"s\""), "{file}");
    at_home(&trusted, &["disconnect", "--yes"]).exits(0);
    assert_eq!(trusted.read(".cursor/mcp.json"), before);
}

/// A file of a client before facet: none, or its text.
fn prepare(trusted: &Trusted, path: &str, before: Option<&str>) {
    let file = trusted.file(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    match before {
        Some(text) => trusted.write(path, text),
        None => drop(std::fs::remove_file(file)),
    }
}

#[test]
fn entries_that_facet_added_go_one_by_one_in_every_order() {
    let trusted = Trusted::with_server(&echo("Says it again."));
    trusted.add("t").exits(0);
    trusted.add("u").exits(0);
    let cases: [(&str, &str, Option<&str>); 8] = [
        ("claude-code", ".mcp.json", None),
        ("claude-code", ".mcp.json", Some("{}")),
        ("claude-code", ".mcp.json", Some("{\"mcpServers\": {}}")),
        ("claude-code", ".mcp.json", Some("{\n  \"mcpServers\": {}\n}\n")),
        ("claude-code", ".mcp.json", Some("\n")),
        ("codex", ".codex/config.toml", None),
        ("codex", ".codex/config.toml", Some("\n")),
        ("codex", ".codex/config.toml", Some("model = \"o\"\n")),
    ];
    let orders = [
        ["s", "t", "u"],
        ["s", "u", "t"],
        ["t", "s", "u"],
        ["t", "u", "s"],
        ["u", "s", "t"],
        ["u", "t", "s"],
    ];
    for (client, path, before) in cases {
        let text = || std::fs::read_to_string(trusted.file(path)).ok();
        let starts = |name: &str| {
            let plain = text().unwrap_or_default().replace(' ', "");
            plain.contains(&format!("\"run\",\"{name}\""))
        };
        for order in orders {
            prepare(&trusted, path, before);
            at_home(&trusted, &["connect", client, "--yes"]).exits(0);
            for (count, name) in order.into_iter().enumerate() {
                let words = ["disconnect", client, "--server", name, "--yes"];
                let ran = at_home(&trusted, &words).exits(0);
                let left: Vec<&&str> = order.iter().filter(|name| starts(name)).collect();
                assert_eq!(left.len(), 2 - count, "{path} {before:?} {order:?} {name}: {ran:?}");
                assert!(!starts(name), "{path} {before:?} {order:?} {name}: {ran:?}");
            }
            assert_eq!(text().as_deref(), before, "{path} {order:?}");
            // The rest at once.
            at_home(&trusted, &["connect", client, "--yes"]).exits(0);
            at_home(&trusted, &["disconnect", "--server", order[0], "--yes"]).exits(0);
            at_home(&trusted, &["disconnect", "--yes"]).exits(0);
            assert_eq!(text().as_deref(), before, "{path} {order:?}");
        }
    }
}

#[test]
fn a_server_that_was_connected_first_is_removed_with_its_entry() {
    let trusted = Trusted::with_server(&echo("Says it again."));
    trusted.add("t").exits(0);
    at_home(&trusted, &["connect", "cursor", "--yes"]).exits(0);
    let removed = at_home(&trusted, &["remove", "s", "--yes"]).exits(0);
    assert!(removed.out.contains("removed s from "), "{removed:?}");
    assert!(removed.out.contains(".cursor/mcp.json (Cursor)"), "{removed:?}");
    at_home(&trusted, &["doctor"]).exits(0);
    let last = at_home(&trusted, &["remove", "t", "--yes"]).exits(0);
    assert!(!trusted.file(".cursor/mcp.json").exists(), "{last:?}");
    assert!(last.talk.contains("rm -r facets.json facets.lock .facets"), "{last:?}");
}

#[test]
fn files_of_another_project_are_left_alone_or_only_reported() {
    let trusted = Trusted::with_server(&echo("Says it again."));
    at_home(&trusted, &["connect", "claude-code", "--yes"]).exits(0);
    let other = trusted.folder.path().join("other");
    std::fs::create_dir(&other).unwrap();
    let there = |arguments: &[&str]| {
        let mut command = Trusted::command_in(&other, &trusted.home(), arguments);
        command.env("HOME", trusted.home()).env_remove("XDG_CONFIG_HOME").env_remove("CODEX_HOME");
        if arguments.last() == Some(&"--") {
            command.arg(workspace_binary("listed-server")).arg(trusted.declarations());
        }
        Ran::of(&command.output().unwrap())
    };
    there(&["add", "s", "--yes", "--"]).exits(0);
    there(&["connect", "claude-code", "--yes"]).exits(0);
    there(&["disconnect", "--here", "--yes"]).exits(0);
    assert!(!other.join(".mcp.json").exists());
    assert!(trusted.file(".mcp.json").exists());
    // An entry that was edited there is no failure here.
    let edited = trusted.read(".mcp.json").replace("\"s\": {", "\"s\": { \"note\": \"mine\",");
    trusted.write(".mcp.json", &edited);
    let ran = there(&["disconnect", "--yes"]).exits(0);
    assert!(ran.out.contains("was edited since facet wrote it (not of this project)"), "{ran:?}");
    let ran = at_home(&trusted, &["disconnect", "--yes", "--json"]).exits(2).json();
    assert_eq!(ran["left"][0]["elsewhere"], false);
}

#[test]
fn connect_names_the_variables_as_the_entry_has_to() {
    let trusted = Trusted::new();
    trusted.declare(&echo("Says it again."));
    let mut command = trusted.command(&["add", "s", "--yes", "--env", "PATH", "--"]);
    command.arg(workspace_binary("listed-server")).arg(trusted.declarations());
    Ran::of(&command.output().unwrap()).exits(0);
    let ran = at_home(&trusted, &["connect", "cursor", "codex", "--yes"]).exits(0);
    assert!(ran.out.contains("add \"env\": { \"FACET_ENV_PATH\": \"…\" } to its entry"), "{ran:?}");
    assert!(ran.out.contains("add env = { FACET_ENV_PATH = \"…\" } to its entry"), "{ran:?}");
    let others = "{ \"mcpServers\": { \"s\": { \"command\": \"something-else\" } } }";
    trusted.write(".mcp.json", others);
    let ran = at_home(&trusted, &["connect", "claude-code", "--yes"]).exits(2);
    assert!(ran.out.contains("s already exists with something else"), "{ran:?}");
}

#[test]
fn the_doctor_and_the_list_see_what_is_broken_in_the_project() {
    let trusted = Trusted::with_server(&echo("Says it again."));
    at_home(&trusted, &["doctor"]).exits(0);
    let with = |name: &str, change: &dyn Fn(&str) -> String, said: &str| {
        let before = trusted.read(name);
        trusted.write(name, &change(&before));
        let ran = at_home(&trusted, &["doctor"]).exits(1);
        assert!(ran.out.contains(said), "{said}: {ran:?}");
        let list = at_home(&trusted, &["list", "--json"]);
        trusted.write(name, &before);
        list
    };
    with("facets.lock", &|_| "{".to_owned(), "facets.lock cannot be used").exits(2);
    let other = |text: &str| text.replace("listed-server", "other-server");
    with("facets.json", &other, "s: facets.json and facets.lock differ: ").exits(0);
    let surface = ".facets/surfaces/s.json";
    let edited = |text: &str| text.replace("Says it again.", "Says it.");
    let list = with(surface, &edited, "try: facet verify s").exits(0).json();
    assert_eq!(list["servers"][0]["edited"], true);
    assert_eq!(list["servers"][0]["approved"], false);
    at_home(&trusted, &["doctor"]).exits(0);
}

/// In a home that the list of users does not have, as in every folder around `FACET_DIR`.
#[test]
fn what_is_about_the_user_works_in_their_home() {
    let trusted = Trusted::new();
    trusted.declare(&echo("Says it again."));
    let home = trusted.folder.path().join("home");
    std::fs::create_dir_all(home.join(".cursor")).unwrap();
    let entry = json!({
        "command": workspace_binary("listed-server"), "args": [trusted.declarations()],
    });
    let before = json!({ "mcpServers": { "own": entry } }).to_string();
    let file = home.join(".cursor/mcp.json");
    std::fs::write(&file, &before).unwrap();
    let at = |place: &Path, arguments: &[&str]| {
        let mut command = Command::new(FACET);
        command.args(arguments).current_dir(place).env("HOME", &home).env_remove("FACET_DIR");
        command.env_remove("XDG_CONFIG_HOME").env_remove("CODEX_HOME").stdin(Stdio::null());
        Ran::of(&command.output().unwrap())
    };
    assert_eq!(at(&home, &["list"]).exits(0).out, "");
    let warned = at(&home, &["doctor"]).exits(0);
    assert!(warned.out.contains("not guarded by facet: own (Cursor)\n"), "{warned:?}");
    let adopted = at(&home, &["adopt", "--user", "--yes"]).exits(0);
    let place = home.join(".facet/user");
    let pinned = place.to_str().unwrap();
    let check = format!("to check: facet check --directory {pinned}");
    assert!(adopted.out.contains(&check), "{adopted:?}");
    let undo = format!("to undo: facet disconnect --here --directory {pinned}");
    assert!(adopted.out.contains(&undo), "{adopted:?}");
    at(&home, &["check", "--directory", pinned]).exits(0);
    let unknown = at(&trusted.project(), &["show", "own"]).exits(2);
    let same = format!("the same command with --directory {pinned}");
    assert!(unknown.talk.contains(&same), "{unknown:?}");
    let refused = at(&home, &["add", "s", "--yes", "--", "true"]).exits(2);
    assert!(refused.talk.contains("cannot be a project"), "{refused:?}");
    assert!(refused.talk.contains("facet adopt --user"), "{refused:?}");
    at(&home, &["disconnect", "--here", "--directory", pinned, "--yes"]).exits(0);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
}

/// What bash would offer behind these words.
fn completed(trusted: &Trusted, words: &[&str]) -> Option<Vec<String>> {
    let bash = component("bash")?;
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let script = format!(
        "source <(facet completions bash)\nCOMP_WORDS=(facet {} '')\nCOMP_CWORD={}\n\
         _clap_complete_facet facet '' x\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        quoted.join(" "),
        words.len() + 1,
    );
    let path = std::env::join_paths(
        std::iter::once(Path::new(FACET).parent().unwrap().to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let output = Command::new(bash)
        .args(["--norc", "-c", &script])
        .current_dir(trusted.project())
        .env("PATH", path.unwrap())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(text.lines().map(|line| line.trim().to_owned()).collect())
}

#[test]
fn a_shell_completes_names_of_servers_clients_and_codes() {
    let trusted = Trusted::with_server(&echo("Says it again."));
    trusted.add("files").exits(0);
    let Some(servers) = completed(&trusted, &["check"]) else { return };
    assert!(
        servers.contains(&"files".to_owned()) && servers.contains(&"s".to_owned()),
        "{servers:?}"
    );
    let clients = completed(&trusted, &["connect"]).unwrap();
    assert!(clients.contains(&"claude-code".to_owned()), "{clients:?}");
    let codes = completed(&trusted, &["explain"]).unwrap();
    assert!(codes.contains(&"tool_added".to_owned()), "{codes:?}");
    let hostile = trusted.read("facets.lock").replace("\"files\": {", "\"$(touch PWNED)\": {");
    trusted.write("facets.lock", &hostile);
    let servers = completed(&trusted, &["check"]).unwrap();
    assert!(servers.contains(&"s".to_owned()), "{servers:?}");
    assert!(!servers.iter().any(|name| name.contains("touch")), "{servers:?}");
    let commands = completed(&trusted, &[]).unwrap();
    assert!(commands.contains(&"adopt".to_owned()), "{commands:?}");
}

#[test]
fn logs_are_followed_until_the_session_ends() {
    let trusted = Trusted::with_server(&echo("Says it again."));
    let never = trusted.facet(&["logs", "s", "--follow"]).exits(2);
    assert!(never.talk.contains("found in this project"), "{never:?}");
    let mut session = trusted.command(&["run", "s"]);
    let mut session = session.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut answers = BufReader::new(session.stdout.take().unwrap()).lines();
    let mut input = session.stdin.take().unwrap();
    let mut ask = |id: usize, method: &str, params: &Value| {
        let line = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(input, "{line}").unwrap();
        answers
            .find(|line| line.as_ref().unwrap().contains(&format!("\"id\":{id}")))
            .unwrap()
            .unwrap()
    };
    ask(1, "initialize", &json!({ "protocolVersion": "2025-11-25", "capabilities": {} }));
    let mut follow = trusted.command(&["logs", "s", "-f"]);
    let mut follow = follow.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(follow.stdout.take().unwrap()).lines();
    let refused = ask(2, "tools/call", &json!({ "name": "other" }));
    assert!(refused.contains(r#"the server has no approved tool \"other\"""#), "{refused}");
    let first = lines.next().unwrap().unwrap();
    assert!(first.contains("Z facet: session started: "), "{first}");
    let line = lines.next().unwrap().unwrap();
    assert!(line.contains("refused: the server has no approved tool \"other\""), "{line}");
    assert!(line.ends_with("Next: facet check s"), "{line}");
    drop(input);
    session.wait().unwrap();
    let last = lines.map(Result::unwrap).last().unwrap();
    assert!(last.contains("facet: session ended: the client left"), "{last}");
    assert!(last.ends_with("; exit code 0"), "{last}");
    assert_eq!(follow.wait().unwrap().code(), Some(0));
    trusted.facet(&["logs", "s", "-f", "--json"]).exits(2);
}

#[test]
fn an_entry_that_was_edited_is_named_when_its_server_is_removed() {
    let trusted = Trusted::with_server(&echo("Says it again."));
    trusted.write(".mcp.json", "{\n  \"mcpServers\": {}\n}\n");
    at_home(&trusted, &["connect", "claude-code", "--yes"]).exits(0);
    let edited = trusted.read(".mcp.json").replace("\"s\": {", "\"s\": { \"note\": \"mine\",");
    trusted.write(".mcp.json", &edited);
    let ran = at_home(&trusted, &["remove", "s", "--yes"]).exits(0);
    assert!(ran.out.contains(".mcp.json still starts it"), "{ran:?}");
    assert_eq!(trusted.read(".mcp.json"), edited);
}

#[test]
fn a_secret_on_the_command_line_is_not_pinned() {
    let trusted = Trusted::new();
    trusted.declare(&echo("Says it again."));
    let add = |accept: &[&str]| {
        let words: Vec<&str> = ["add", "s", "--yes"].iter().chain(accept).copied().collect();
        let mut command = trusted.command(&words);
        command.arg("--").arg(workspace_binary("listed-server")).arg(trusted.declarations());
        command.arg(trusted.trace()).args(["--token", "sk-proj-0123456789abcdefghijklmnop"]);
        Ran::of(&command.output().unwrap())
    };
    let refused = add(&[]).exits(2);
    assert!(refused.talk.contains("secret-in-launch"), "{refused:?}");
    assert!(!refused.talk.contains("sk-proj"), "{refused:?}");
    assert_eq!((trusted.starts(), trusted.file("facets.lock").exists()), (0, false));
    add(&["--accept", "critical"]).exits(0);
}

#[test]
fn values_of_variables_are_not_repeated_when_a_server_writes_them() {
    let trusted = Trusted::new();
    let script = "echo \"bad token: $TOKEN\" >&2; exit 3";
    let words = ["add", "s", "--yes", "-e", "TOKEN", "--", "sh", "-c", script];
    let mut command = trusted.command(&words);
    let ran = Ran::of(&command.env("TOKEN", "hunter2-and-more").output().unwrap()).exits(2);
    assert!(ran.talk.contains("bad token: …") && !ran.talk.contains("hunter2"), "{ran:?}");
}

#[test]
fn one_server_is_disconnected_alone() {
    let trusted = Trusted::with_server(&echo("Says it again."));
    trusted.add("t").exits(0);
    std::fs::create_dir(trusted.file(".cursor")).unwrap();
    let before = "{\n  \"mcpServers\": {\n    \"a\": { \"url\": \"https://a.example/\" }\n  }\n}\n";
    trusted.write(".cursor/mcp.json", before);
    at_home(&trusted, &["connect", "cursor", "--yes"]).exits(0);
    at_home(&trusted, &["disconnect", "cursor", "--server", "s", "--yes"]).exits(0);
    let file = trusted.read(".cursor/mcp.json");
    assert!(file.contains("\"t\"") && !file.contains("\"s\""), "{file}");
    at_home(&trusted, &["disconnect", "--yes"]).exits(0);
    assert_eq!(trusted.read(".cursor/mcp.json"), before);
}

#[test]
fn the_help_of_grant_explains_every_setting_before_the_options() {
    let trusted = Trusted::new();
    let help = trusted.facet(&["help", "grant"]).exits(0).out;
    let (before, _) = help.split_once("\nOptions:").unwrap();
    for setting in [
        "network=none",
        "network=all",
        "network=HOST:PORT",
        "network=private:HOST:PORT",
        "filesystem=none",
        "filesystem=all",
        "filesystem=PATH ",
        "filesystem=ro:PATH",
        "subprocess=yes|no",
        "sampling=yes|no",
        "elicitation=yes|no",
        "arguments=any",
        "arguments=pinned",
    ] {
        assert!(before.contains(&format!("\n  {setting}")), "{setting}: {help}");
    }
}

#[test]
fn a_mistyped_server_name_is_answered_with_a_similar_one() {
    let trusted = Trusted::with_server(&echo("Says it again."));
    trusted.add("files").exits(0);
    for words in [
        &["check", "fiels"][..],
        &["show", "fiels"],
        &["grant", "fiels"],
        &["remove", "fiels"],
        &["logs", "fiels"],
        &["logs", "fiels", "--follow"],
        &["stop", "fiels"],
    ] {
        let ran = trusted.facet(words).exits(2);
        assert!(ran.talk.contains("server \"fiels\" not found"), "{words:?}: {ran:?}");
        assert!(ran.talk.contains("found:    only files, s; similar: files"), "{words:?}: {ran:?}");
        assert!(ran.talk.contains("try:      facet show files"), "{words:?}: {ran:?}");
    }
    let other = trusted.facet(&["stop", "nothing"]).exits(2);
    assert!(other.talk.contains("found:    only files, s\n"), "{other:?}");
    assert!(other.talk.contains("try:      facet list"), "{other:?}");
    let pinned = trusted.facet(&["stop", "files", "--json"]).exits(2).json();
    assert_eq!(pinned["error"]["code"], "not-running");
}
