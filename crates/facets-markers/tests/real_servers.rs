//! What the rules find in real servers, and the page that says so.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use facets_markers::{ASSET_RULES, Context, RULES, ToolNames, markers};
use facets_testkit::{repository_root, shared_vectors};
use serde_json::Value;

/// Server, item and rule.
type Row = (String, String, String);

const LISTS: [(&str, &str, &str); 4] = [
    ("tools/list", "tools", "name"),
    ("prompts/list", "prompts", "name"),
    ("resources/list", "resources", "uri"),
    ("resources/templates/list", "resourceTemplates", "uriTemplate"),
];

fn page() -> String {
    std::fs::read_to_string(repository_root().join("docs/markers.md")).unwrap()
}

/// The rows of the table below a heading, without its head.
fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let section = page.split(&format!("## {heading}\n")).nth(1).expect(heading);
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with('|')).skip(2);
    let cells = |row: &str| {
        let row = row.replace("\\|", "\u{0}");
        let cells = row.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().trim_matches('`').replace('\u{0}', "|")).collect()
    };
    rows.map(cells).collect()
}

/// All texts of a definition, except the name by which it is called.
fn texts<'v>(value: &'v Value, key: &str, out: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => out.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, "", out)),
        Value::Object(members) => {
            for (name, member) in members {
                out.push(name);
                if name != key {
                    texts(member, "", out);
                }
            }
        }
        _ => {}
    }
}

/// What is found in one capture, with the words that hit.
fn look(capture: &Value) -> BTreeMap<(String, String), String> {
    let items = |method: &str, list: &str| {
        capture[method]["result"][list].as_array().cloned().unwrap_or_default()
    };
    let tools = items("tools/list", "tools");
    let tools: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let tools = ToolNames::new(&tools);
    let mut found = BTreeMap::new();
    let mut add = |own: &str, item: &str, text: &str| {
        // Instructions are there to name the tools.
        let tools = if own.is_empty() { ToolNames::NONE } else { &tools };
        for marker in markers(text, &Context { own, tools }) {
            found.insert((item.to_owned(), marker.rule.to_owned()), marker.words);
        }
    };
    for opening in ["initialize", "server/discover"] {
        if let Some(text) = capture[opening]["result"]["instructions"].as_str() {
            add("", "(instructions)", text);
        }
    }
    for (method, list, key) in LISTS {
        for item in items(method, list) {
            let name = item[key].as_str().unwrap();
            let mut all = Vec::new();
            texts(&item, key, &mut all);
            for text in all {
                add(name, name, text);
            }
        }
    }
    found
}

/// What is found in each server. Its captures under other runtimes and protocols add nothing.
fn found() -> Option<BTreeMap<Row, String>> {
    let folder = shared_vectors("real-servers")?;
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    assert!(files.len() > 20);
    let mut found = BTreeMap::new();
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap();
        let server = name.split('.').next().unwrap();
        let capture = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        for ((item, rule), words) in look(&capture) {
            found.insert((server.to_owned(), item, rule), words);
        }
    }
    Some(found)
}

#[test]
fn the_page_lists_every_hit_in_real_servers() {
    let Some(found) = found() else { return };
    let mut told = BTreeSet::new();
    for row in table(&page(), "What they find in real servers") {
        let [server, item, rule, verdict, why] = row.try_into().unwrap();
        assert!(["benign", "worth a look"].contains(&&*verdict), "{item}: {verdict}");
        assert!(why.ends_with('.') && why.len() > 20, "{item}: {why}");
        assert!(told.insert((server, item, rule.clone())), "{rule} twice");
    }
    let missing: Vec<_> = found.iter().filter(|(row, _)| !told.contains(*row)).collect();
    let gone: Vec<_> = told.iter().filter(|row| !found.contains_key(*row)).collect();
    assert!(missing.is_empty() && gone.is_empty(), "not told: {missing:#?}\nnot found: {gone:#?}");
}

/// An example as the page shows it.
fn shown(text: &str) -> String {
    let escape = |c: char| match c {
        '\n' => "\\n".to_owned(),
        '\u{400}'..='\u{4ff}' => c.escape_unicode().to_string(),
        _ if facets_markers::is_hidden(c) => c.escape_unicode().to_string(),
        _ => c.to_string(),
    };
    text.chars().map(escape).collect()
}

#[test]
fn the_page_lists_every_rule() {
    for (heading, rules) in [("The rules", RULES), ("What a client runs or permits", ASSET_RULES)] {
        let told = table(&page(), heading);
        let rules = rules.iter().map(|rule| {
            let [code, looks_for] = [rule.code, rule.looks_for].map(str::to_owned);
            vec![code, looks_for, shown(rule.hits[0]), shown(rule.passes[0])]
        });
        assert_eq!(told, rules.collect::<Vec<_>>());
    }
}
