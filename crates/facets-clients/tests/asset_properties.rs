//! What holds for text assets however hostile their authors are.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use facets_clients::Client;
use facets_clients::assets::{AssetFile, AssetSource, CLIENTS, is_asset_path, materialize};
use facets_model::tree::{ManifestFormat, NodeValue, parse};
use facets_model::{ArtifactPath, AssetKind, AssetName, AssetScope};
use proptest::prelude::*;

use written::{read_back, shown};

mod written;

/// Pieces of which hostile texts are made.
const PIECES: &[&str] = &[
    "name",
    "description",
    "tools",
    ":",
    ": ",
    "- ",
    "\n",
    "\r\n",
    "  ",
    "---",
    "---\n",
    "\n---\n",
    "...",
    "\"",
    "'",
    "|\n",
    "|+\n",
    ">-\n",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "#",
    " # ",
    "&a ",
    "*a",
    "!t ",
    "? ",
    "%",
    "<<",
    "\t",
    "\\",
    "\\u0061",
    "é",
    "💡",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "\0",
    "1",
    "true",
    "null",
    "~",
];

fn hostile_text() -> BoxedStrategy<String> {
    let piece = prop_oneof![
        4 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => "[a-z ]{1,6}",
    ];
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat()).boxed()
}

fn hostile_document() -> BoxedStrategy<String> {
    let line = prop_oneof![
        Just("name: a\n".to_owned()),
        Just("description: a b\n".to_owned()),
        Just("description: |+\n  a\n\n".to_owned()),
        Just("tools: Read\n".to_owned()),
        Just("list:\n- name: b\n".to_owned()),
        hostile_text().prop_map(|text| format!("more: {text}\n")),
        hostile_text().prop_map(|text| format!("{text}\n")),
    ];
    let matter = prop::collection::vec(line, 0..5).prop_map(|lines| lines.concat());
    let fenced =
        (matter, hostile_text()).prop_map(|(matter, body)| format!("---\n{matter}---\n{body}"));
    prop_oneof![1 => hostile_text(), 4 => fenced].boxed()
}

/// Members other than the two of the manifest, and the body, if the front matter is valid as it
/// stands.
fn authored(text: &str) -> Option<(Vec<(String, String)>, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let inside = text.strip_prefix("---\n")?;
    let end = if inside.starts_with("---\n") { 0 } else { inside.find("\n---\n")? + 1 };
    let (matter, body) = inside.split_at(end);
    // A fence may have blanks behind it, and then comes first.
    if matter.lines().any(|line| line.trim_end() == "---") {
        return None;
    }
    let parsed = parse(matter.as_bytes(), ManifestFormat::Yaml).ok()?;
    let NodeValue::Object(members) = &parsed.root.value else { return None };
    let others = members.iter().filter(|one| one.name != "name" && one.name != "description");
    parsed.problems.is_empty().then(|| (others.map(shown).collect(), &body[4..]))
}

fn json_string(text: &str) -> String {
    let parsed = parse(text.as_bytes(), ManifestFormat::Json).unwrap();
    let NodeValue::String(value) = parsed.root.value else { panic!("{text}") };
    value
}

/// Whether both clients take it; checks what they are given.
fn check_written(text: &str, description: &str) -> bool {
    let name: AssetName = "007".parse().unwrap();
    let source = AssetSource {
        kind: AssetKind::Agent,
        name: &name,
        description,
        primary: text.as_bytes(),
        companions: &[],
    };
    let markdown = materialize(Client::OpenCode, AssetScope::User, &source);
    let toml = materialize(Client::Codex, AssetScope::User, &source);
    assert_eq!(markdown.is_ok(), toml.is_ok());
    let (Ok(mut markdown), Ok(mut toml)) = (markdown, toml) else { return false };
    let markdown = String::from_utf8(markdown.remove(0).content).unwrap();
    let (members, body) = read_back(&markdown);
    let members: Vec<(String, String)> = members.iter().map(shown).collect();
    assert_eq!((&*members[0].0, json_string(&members[0].1)), ("name", "007".to_owned()));
    let second = (&*members[1].0, json_string(&members[1].1));
    assert_eq!(second, ("description", description.to_owned()));
    assert!(text.ends_with(body));
    if let Some((others, expected)) = authored(text) {
        assert_eq!((&members[2..], body), (&others[..], expected));
    }
    let toml = String::from_utf8(toml.remove(0).content).unwrap();
    let toml = toml_edit::Document::parse(toml).unwrap();
    assert_eq!(toml["name"].as_str(), Some("007"));
    assert_eq!(toml["description"].as_str(), Some(description));
    assert_eq!(toml["developer_instructions"].as_str(), Some(body));
    assert_eq!(toml.as_table().len(), 3);
    true
}

/// A valid front matter is never refused, and keeps every member.
fn check_document(text: &str, description: &str) {
    let is_written = check_written(text, description);
    assert!(is_written || authored(text).is_none());
}

fn check_paths(client: Client, scope: AssetScope, kind: AssetKind, name: &str, paths: &[String]) {
    let Ok(name) = name.parse::<AssetName>() else { return };
    let paths = paths.iter().filter(|_| kind == AssetKind::Skill);
    let companions: Vec<(ArtifactPath, Vec<u8>)> =
        paths.filter_map(|path| Some((path.parse().ok()?, Vec::new()))).collect();
    let source =
        AssetSource { kind, name: &name, description: "d", primary: b"b", companions: &companions };
    let Ok(files) = materialize(client, scope, &source) else { return };
    for AssetFile { base, path, .. } in &files {
        assert!(is_asset_path(*base, path), "{path}");
        let refuse = |path: String| assert!(!is_asset_path(*base, &path), "{path}");
        for (at, _) in path.match_indices('/') {
            let (before, after) = path.split_at(at);
            refuse(format!("{before}/..{after}"));
            refuse(format!("{before}/.{after}"));
            refuse(format!("{before}/{after}"));
            refuse(format!("{before}\\{}", &after[1..]));
        }
        refuse(format!("/{path}"));
        refuse(format!("../{path}"));
        refuse(format!("x{path}"));
        refuse(format!("{path}/"));
        refuse(format!("{path}\0"));
    }
    let folder = files[0].path.rsplit_once('/').unwrap().0;
    assert!(!is_asset_path(files[0].base, folder), "{folder}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4096) })]

    #[test]
    fn whatever_is_written_reads_as_the_manifest_says(
        text in hostile_document(),
        description in prop_oneof![any::<String>(), hostile_document()],
    ) {
        check_document(&text, &description);
    }

    #[test]
    fn every_path_that_is_written_is_accepted_and_its_mutations_are_not(
        client in prop::sample::select(CLIENTS),
        scope in prop::sample::select(&[AssetScope::Project, AssetScope::User][..]),
        kind in prop::sample::select(&AssetKind::ALL[..]),
        name in "[a-z0-9]{1,4}(-[a-z0-9]{1,4}){0,2}",
        paths in prop::collection::vec("[a-zA-Z0-9_. -]{1,8}(/[a-zé.]{1,5}){0,2}", 0..3),
    ) {
        check_paths(client, scope, kind, &name, &paths);
    }
}
