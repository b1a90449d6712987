//! Names that are taken for others: at first sight, as drift, and in servers that are honest.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use facets_drift::{
    Compat, Finding, FindingType, Severity, confusable_names, first_look, names_like_others,
};
use facets_surface::{Definition, Kind};
use facets_testkit::{repository_root, shared_vectors};
use serde_json::{Value, json};
use support::{compare, surface};

fn tools(names: &[&str]) -> Value {
    let tool = |name: &&str| json!({ "name": name, "description": "d", "inputSchema": {} });
    json!({ "tools": names.iter().map(tool).collect::<Vec<_>>() })
}

/// Name and twin of each finding.
fn pairs(found: &[Finding]) -> Vec<(&str, Option<&str>)> {
    let names = found.iter().filter(|finding| finding.kind == FindingType::NameConfusable);
    names.map(|finding| (&*finding.subject, finding.before.as_deref())).collect()
}

fn at_first_sight(names: &[&str]) -> Vec<Finding> {
    first_look(&surface(&tools(names))).names
}

#[test]
fn first_sight_shows_a_twin_beside_the_plainer_name() {
    for twin in ["re\u{430}d", "read\u{200b}", "\u{ff52}ead", "re\u{301}ad"] {
        for names in [["read", twin], [twin, "read"]] {
            let found = at_first_sight(&names);
            assert_eq!(pairs(&found), [(twin, Some("read"))], "{found:#?}");
            assert_eq!((found[0].severity, found[0].compat), (Severity::Critical, Compat::Risky));
        }
    }
    let found = at_first_sight(&["read", "re\u{430}d\u{200b}"]);
    let sentence = "`re\\u{430}d\\u{200b}` looks like `read` but is a different name";
    assert_eq!(found[0].sentence, sentence);
    assert_eq!(first_look(&surface(&tools(&["read", "Read"]))).worst(), Some(Severity::Critical));
}

#[test]
fn no_length_hides_a_twin() {
    let long = format!("read{}", "\u{200b}".repeat(100_000));
    let found = at_first_sight(&["read", &long]);
    assert_eq!(pairs(&found), [(&*long, Some("read"))]);
    assert!(found[0].sentence.len() < 1000, "{}", found[0].sentence.len());
}

#[test]
fn several_twins_of_one_name_are_all_shown() {
    let found = at_first_sight(&["get_all", "get_a11", "get-all", "GET_ALL", "get_one"]);
    let twins: BTreeSet<&str> = pairs(&found).iter().map(|(name, _)| *name).collect();
    // Whichever of them is the original: three are not.
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(!twins.contains("get_one"));
}

#[test]
fn disguised_names_need_no_twin() {
    for name in ["read\u{200b}", "\u{202e}daer", "re\u{430}d", "a\u{e0041}"] {
        assert_eq!(pairs(&at_first_sight(&[name, "other"])), [(name, None)]);
    }
    for name in ["\u{447}\u{438}\u{442}\u{430}\u{442}\u{44c}", "\u{67e5}\u{8be2}SQL", "caf\u{e9}"] {
        assert!(at_first_sight(&[name, "other"]).is_empty(), "{name}");
    }
}

#[test]
fn every_kind_is_looked_at_for_itself() {
    let declared = |kind: &str, key: &str, names: &[&str]| {
        let item = |name: &&str| json!({ key: name, "name": "n" });
        json!({ kind: names.iter().map(item).collect::<Vec<_>>() })
    };
    let twins = |json: &Value| first_look(&surface(json)).names.len();
    let prompt = |name: &str| json!({ "name": name });
    assert_eq!(twins(&json!({ "prompts": [prompt("ask"), prompt("as\u{43a}")] })), 1);
    // A tool and a prompt of one name are two things.
    let both = json!({ "prompts": [prompt("Fetch")], "tools": [{ "name": "fetch" }] });
    assert_eq!(twins(&both), 0);
    for (kind, key) in [("resources", "uri"), ("resourceTemplates", "uriTemplate")] {
        let twin = declared(kind, key, &["file:///a{x}", "file:///\u{430}{x}"]);
        assert_eq!(twins(&twin), 1, "{kind}");
        let cases =
            ["file:///Makefile", "file:///makefile", "f:/a-b", "f:/a_b", "f:/a;b", "f:/1", "f:/l"];
        assert_eq!(twins(&declared(kind, key, &cases)), 0, "{kind}");
    }
    // Volatile data is not approved by name.
    let mut data = declared("resources", "uri", &["file:///re\u{301}", "file:///re"]);
    assert_eq!(twins(&data), 1);
    data["resourcesVolatile"] = json!(true);
    assert_eq!(twins(&data), 0);
}

#[test]
fn what_only_other_clients_get_is_looked_at_too() {
    let mut server = surface(&tools(&["read"]));
    let twin = json!({ "name": "re\u{430}d", "inputSchema": {} }).to_string();
    server.also.items.push(Definition::parse(Kind::Tool, &twin).unwrap());
    assert_eq!(pairs(&first_look(&server).names), [("re\u{430}d", Some("read"))]);
}

#[test]
fn a_twin_that_comes_later_is_critical_and_names_what_was_approved() {
    let found = compare(&tools(&["read", "echo"]), &tools(&["read", "echo", "re\u{430}d"]));
    assert_eq!(pairs(&found), [("re\u{430}d", Some("read"))]);
    let prompts = |names: &[&str]| json!({ "prompts": names.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>() });
    // A prompt that is new is moderate; one that pretends to be another is not.
    let found = compare(&prompts(&["ask"]), &prompts(&["ask", "Ask"]));
    assert_eq!(pairs(&found), [("Ask", Some("ask"))]);
    assert_eq!(found[0].severity, Severity::Critical);
    // In place of the one that was approved.
    let found = compare(&tools(&["read", "echo"]), &tools(&["echo", "re\u{430}d"]));
    assert_eq!(pairs(&found), [("re\u{430}d", Some("read"))]);
}

#[test]
fn twins_that_were_approved_and_names_that_are_spelled_otherwise_are_no_drift() {
    let approved = tools(&["read", "re\u{430}d"]);
    let mut changed = approved.clone();
    changed["tools"][0]["description"] = json!("other words");
    assert!(pairs(&compare(&approved, &changed)).is_empty());
    // tool_renamed says that.
    let found = compare(&tools(&["read-file"]), &tools(&["read_file"]));
    assert!(pairs(&found).is_empty() && !found.is_empty());
}

#[test]
fn names_of_other_servers_are_taken_only_in_disguise() {
    let others =
        [("files".to_owned(), surface(&tools(&["read_file", "getUser", "search", "get_all"])))];
    let like = |name: &str| names_like_others(&surface(&tools(&[name])), None, &others);
    for honest in ["read_file", "read-file", "Read_File", "getuser", "search", "find"] {
        assert!(like(honest).is_empty(), "{honest}");
    }
    for twin in ["re\u{430}d_file", "read_file\u{200b}", "se\u{430}rch", "get_a11", "\u{ff53}earch"]
    {
        let found = like(twin);
        assert_eq!(found.len(), 1, "{twin}");
        assert!(found[0].sentence.ends_with("of the server `files`"), "{}", found[0].sentence);
    }
    let approved = surface(&tools(&["se\u{430}rch"]));
    assert!(names_like_others(&approved, Some(&approved), &others).is_empty());
}

/// Signs that only look like those of ASCII are no other spelling.
#[test]
fn signs_in_disguise_are_reported_beside_other_servers_and_in_place_of_the_approved_name() {
    for (name, twin) in [
        ("git-push", "git\u{2010}push"),
        ("a:b", "a\u{a789}b"),
        ("x/y", "x\u{2215}y"),
        ("x/y", "x\u{ff0f}y"),
        ("read_file", "read\u{4e00}file"),
        ("read_file", "read;file"),
    ] {
        let others = [("files".to_owned(), surface(&tools(&[name])))];
        let found = names_like_others(&surface(&tools(&[twin])), None, &others);
        assert_eq!(pairs(&found), [(twin, Some(name))]);
        assert_eq!(pairs(&compare(&tools(&[name]), &tools(&[twin]))), [(twin, Some(name))]);
    }
    let found = at_first_sight(&["git-push", "git\u{2010}push"]);
    let sentence = "`git\\u{2010}push` looks like `git-push` but is a different name";
    assert_eq!(found[0].sentence, sentence);
}

/// There is no table of these; they do not belong in a word of Latin letters.
#[test]
fn letters_and_signs_that_look_latin_need_no_twin() {
    let looks_latin = "𐐬𐓪ƄƖɯɣסهჿᖴᒪᗅᕼᛕ𐊠ⵝ∨∪⊤⨯│❘￨ꙇ";
    for letter in looks_latin.chars() {
        let name = format!("re{letter}d_file");
        let found = at_first_sight(&["other", &name]);
        assert_eq!(found.len(), 1, "{name}");
        let sentence = format!(
            "`re{}d_file` has letters or signs in its name that can be taken for others",
            letter.escape_unicode()
        );
        assert_eq!(found[0].sentence, sentence);
    }
    for name in ["tìm_kiếm", "Straße", "查询SQL", "SQL조회", "get_файл", "l’été", "🔍search"]
    {
        assert!(at_first_sight(&["other", name]).is_empty(), "{name}");
    }
}

#[test]
fn marks_of_other_alphabets_and_characters_without_shape_hide_no_twin() {
    for hidden in [
        '\u{5c4}',
        '\u{64b}',
        '\u{93c}',
        '\u{e31}',
        '\u{fb1e}',
        '\u{13430}',
        '\u{1d159}',
        '\u{ffff}',
        '\u{e000}',
    ] {
        let twin = format!("save{hidden}_note");
        let found = at_first_sight(&["save_note", &twin]);
        assert_eq!(pairs(&found), [(&*twin, Some("save_note"))], "{hidden:?}");
        assert!(found[0].sentence.is_ascii(), "{}", found[0].sentence);
        assert_eq!(pairs(&at_first_sight(&["other", &twin])), [(&*twin, None)], "{hidden:?}");
    }
}

#[test]
fn honest_neighbours_stand_beside_each_other() {
    let names = [
        "task_clone",
        "task_done",
        "get_clock",
        "get_dock",
        "clear",
        "dear",
        "run_c",
        "run_c++",
        "c",
        "c#",
        "か",
        "が",
        "कि",
        "की",
    ];
    let found = at_first_sight(&names);
    assert!(found.is_empty(), "{found:#?}");
}

/// Every list of tools, prompts, resources and templates anywhere in a document.
fn lists<'v>(value: &'v Value, found: &mut Vec<(&'static str, Vec<&'v str>)>) {
    const KEYS: [(&str, &str); 4] = [
        ("tools", "name"),
        ("prompts", "name"),
        ("resources", "uri"),
        ("resourceTemplates", "uriTemplate"),
    ];
    match value {
        Value::Array(items) => items.iter().for_each(|item| lists(item, found)),
        Value::Object(members) => {
            for (kind, key) in KEYS {
                let items = members.get(kind).and_then(Value::as_array).into_iter().flatten();
                let names = items.filter_map(|item| item[key].as_str()).collect();
                found.push((kind, names));
            }
            members.values().for_each(|member| lists(member, found));
        }
        _ => {}
    }
}

fn json_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            json_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
}

fn of_kind(kind: &str, names: &[&str]) -> Vec<Finding> {
    let key = match kind {
        "resources" => "uri",
        "resourceTemplates" => "uriTemplate",
        _ => "name",
    };
    let names: BTreeSet<&&str> = names.iter().collect();
    let items: Vec<Value> = names.iter().map(|name| json!({ key: name, "name": name })).collect();
    confusable_names(&surface(&json!({ kind: items })), None)
}

#[test]
fn no_name_in_any_vector_is_taken_for_another() {
    let Some(folder) = shared_vectors(".") else { return };
    let mut files = Vec::new();
    json_files(&folder, &mut files);
    let (mut names_seen, mut wrong) = (0, Vec::new());
    for file in files {
        let Ok(document) = serde_json::from_slice::<Value>(&std::fs::read(&file).unwrap()) else {
            continue;
        };
        let mut found = Vec::new();
        lists(&document, &mut found);
        for (kind, names) in found {
            names_seen += names.len();
            let found = of_kind(kind, &names).into_iter();
            wrong.extend(found.map(|finding| (file.clone(), finding.sentence)));
        }
    }
    assert!(names_seen > 300, "{names_seen}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Real servers side by side, as in a project that has all of them.
#[test]
fn real_servers_are_no_twins_of_each_other() {
    let Some(folder) = shared_vectors("real-servers") else { return };
    let mut servers: BTreeMap<String, Value> = BTreeMap::new();
    let mut files = Vec::new();
    json_files(&folder, &mut files);
    for file in files {
        let capture: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap().split('.').next().unwrap();
        let list = |method: &str, list: &str| capture[method]["result"][list].clone();
        let declared = json!({
            "tools": list("tools/list", "tools"), "prompts": list("prompts/list", "prompts"),
        });
        servers.insert(name.to_owned(), declared);
    }
    assert!(servers.len() > 10);
    for (name, declared) in &servers {
        let others = servers.iter().filter(|(other, _)| *other != name);
        let others: Vec<_> = others.map(|(name, it)| (name.clone(), surface(it))).collect();
        let found = names_like_others(&surface(declared), None, &others);
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
}

/// The tools of the servers of the corpus, before and after their updates.
#[test]
fn no_update_of_the_corpus_brings_a_twin() {
    let file = repository_root().join("xtask/corpus/findings.json");
    let updates: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let mut names_seen = 0;
    for update in updates.as_array().unwrap() {
        let findings = update["findings"].as_array().unwrap();
        // A tool that is gone is no twin of its successor.
        let here = findings.iter().filter(|finding| finding["type"] != "tool_removed");
        let at = here.flat_map(|finding| finding["at"].as_array().unwrap());
        let tools = at.filter_map(|at| at.as_str().unwrap().strip_prefix("tool "));
        let names: BTreeSet<&str> = tools.map(|at| at.split(": ").next().unwrap()).collect();
        names_seen += names.len();
        let names: Vec<&str> = names.into_iter().collect();
        let found = of_kind("tools", &names);
        assert!(found.is_empty(), "{}: {found:#?}", update["name"]);
    }
    assert!(names_seen > 500, "{names_seen}");
}
