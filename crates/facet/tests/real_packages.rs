//! Real servers of npm and PyPI: locked, and then run without any network, with the surface that they have through `npx`
//! and `uvx`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod packaged;
#[allow(dead_code, reason = "each test uses a part of it")]
mod trusted;

use std::fs;
use std::process::Stdio;

use facets_testkit::{Client, long_count, repository_root};
use packaged::CACHE;
use serde_json::{Value, json};
use trusted::{Ran, Trusted};

/// The package, its arguments, and variables with harmless values.
type Server = (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)]);

/// The first ones are in every test run, the others in the long one.
const SERVERS: &[Server] = &[
    ("npm:@modelcontextprotocol/server-filesystem@2026.8.31", &["."], &[]),
    ("pypi:mcp-server-time==2026.10.19", &[], &[]),
    ("npm:@playwright/mcp@0.0.83", &["--headless"], &[]),
    ("npm:@modelcontextprotocol/server-everything@2026.8.31", &[], &[]),
    ("npm:@modelcontextprotocol/server-sequential-thinking@2026.8.31", &[], &[]),
    ("npm:@modelcontextprotocol/server-github@2025.4.8", &[], &[]),
    ("npm:@upstash/context7-mcp@4.1.1", &[], &[]),
    ("npm:@notionhq/notion-mcp-server@2.5.2", &[], &[("NOTION_TOKEN", "ntn_harmless")]),
    ("npm:tavily-mcp@0.2.22", &[], &[("TAVILY_API_KEY", "tvly-harmless")]),
    ("npm:firecrawl-mcp@3.26.0", &[], &[("FIRECRAWL_API_KEY", "fc-harmless")]),
    ("npm:chrome-devtools-mcp@1.11.0", &["--headless"], &[]),
    ("npm:mcp-server-kubernetes@4.1.7", &[], &[]),
    ("pypi:mcp-server-git==2026.10.19", &[], &[]),
    ("pypi:mcp-server-fetch==2026.10.24", &[], &[]),
    ("pypi:markitdown-mcp", &[], &[]),
    (
        "pypi:mcp-atlassian",
        &[],
        &[("JIRA_URL", "https://jira.example.com"), ("JIRA_PERSONAL_TOKEN", "x")],
    ),
];

/// What a server declares, by the hashes of the lock.
fn surface(place: &Trusted, name: &str) -> Value {
    let lock: Value = serde_json::from_str(&place.read("facets.lock")).unwrap();
    lock["servers"][name]["api_surface"].clone()
}

fn facet(place: &Trusted, words: &[&str], server: &Server) -> Ran {
    let mut command = place.command(words);
    command.env("XDG_CACHE_HOME", &*CACHE).envs(server.2.iter().copied());
    Ran::of(&command.output().unwrap())
}

/// Adds a server as a package and as the command that people write, and compares what both declare.
fn check(server: &Server) {
    let (package, args, variables) = server;
    let place = Trusted::new();
    let env: Vec<&str> = variables.iter().flat_map(|(name, _)| ["--env", *name]).collect();
    let mut words = vec!["add", "mine", package, "--accept", "critical", "--timeout", "120"];
    words.extend(&env);
    words.push("--");
    words.extend(*args);
    let added = facet(&place, &words, server);
    assert_eq!(added.exit, 0, "{package}: {added:?}");
    // Guarded by a real session, in a network of its own without any interface.
    let mut command = std::process::Command::new("unshare");
    command.args(["--net", "--map-root-user", trusted::FACET, "run", "mine"]);
    command.current_dir(place.project()).env("FACET_DIR", place.home());
    command.env("XDG_CACHE_HOME", &*CACHE).envs(variables.iter().copied());
    let mut client = Client::start(&mut command, Stdio::null());
    client.initialize("test", &json!({}));
    let tools = client.tools();
    assert!(!tools.is_empty(), "{package}");
    client.close();
    let uvx = repository_root().join("target/tools/servers/venv/bin/uvx").display().to_string();
    let (program, spelled) = match package.split_once(':').unwrap() {
        ("npm", rest) => (vec!["npx", "-y"], rest),
        (_, rest) => (vec![uvx.as_str()], rest),
    };
    let mut words =
        vec!["add", "other", "--as-command", "--accept", "critical", "--timeout", "180"];
    words.extend(&env);
    words.push("--");
    words.extend(&program);
    words.push(spelled);
    words.extend(*args);
    let added = facet(&place, &words, server);
    assert_eq!(added.exit, 0, "{package}: {added:?}");
    assert_eq!(surface(&place, "mine"), surface(&place, "other"), "{package}");
}

#[test]
fn real_servers_declare_the_same_and_run_without_a_network() {
    if packaged::Place::new().is_none() {
        return;
    }
    for server in &SERVERS[..long_count(SERVERS.len())] {
        check(server);
    }
}

#[test]
fn a_real_package_that_needs_a_build_is_refused_by_name() {
    if packaged::Place::new().is_none() {
        return;
    }
    let place = Trusted::new();
    let server: Server = ("npm:mcp-server-sqlite-npx", &[], &[]);
    let added = facet(&place, &["add", "mine", server.0, "--yes", "--", "x.db"], &server);
    assert_eq!(added.exit, 2, "{added:?}");
    assert!(added.talk.contains("package-needs-build"), "{added:?}");
    assert!(added.talk.contains("sqlite3@"), "{added:?}");
    assert!(fs::read_dir(place.project()).unwrap().next().is_none(), "nothing is written");
}
