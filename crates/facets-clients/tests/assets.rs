//! Text assets as clients read them: where they lie, and what their bytes say.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use facets_clients::Client;
use facets_clients::assets::{
    AssetError, AssetFile, AssetSource, CLIENTS, has_folders, materialize,
};
use facets_failure::Describe as _;
use facets_model::{ArtifactPath, AssetBase, AssetKind, AssetName, AssetScope};

use written::{read_back, shown};

mod written;

const SCOPES: [AssetScope; 2] = [AssetScope::Project, AssetScope::User];

fn name(text: &str) -> AssetName {
    text.parse().unwrap()
}

fn write(client: Client, kind: AssetKind, text: &str, description: &str) -> AssetFile {
    let name = name("planning");
    let source =
        AssetSource { kind, name: &name, description, primary: text.as_bytes(), companions: &[] };
    materialize(client, AssetScope::Project, &source).unwrap().remove(0)
}

fn markdown(text: &str, description: &str) -> String {
    let file = write(Client::ClaudeCode, AssetKind::Skill, text, description);
    String::from_utf8(file.content).unwrap()
}

fn refusal(text: &str) -> AssetError {
    let name = name("planning");
    let source = AssetSource {
        kind: AssetKind::Agent,
        name: &name,
        description: "Plans.",
        primary: text.as_bytes(),
        companions: &[],
    };
    let all = CLIENTS.iter().map(|client| materialize(*client, AssetScope::Project, &source));
    let mut all: Vec<AssetError> = all.map(Result::unwrap_err).collect();
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "clients differ: {all:?}");
    all.remove(0)
}

#[test]
fn every_client_has_its_folders() {
    let mut table = Vec::new();
    for client in CLIENTS {
        for scope in SCOPES {
            for kind in AssetKind::ALL {
                let name = name("plan");
                let source = AssetSource {
                    kind,
                    name: &name,
                    description: "d",
                    primary: b"b",
                    companions: &[],
                };
                let file = materialize(*client, scope, &source).unwrap().remove(0);
                table.push(format!("{} {} {}", client.name(), file.base, file.path));
            }
        }
    }
    let expected = "\
claude-code project .claude/skills/plan/SKILL.md
claude-code project .claude/agents/plan.md
claude-code project .claude/commands/plan.md
claude-code home .claude/skills/plan/SKILL.md
claude-code home .claude/agents/plan.md
claude-code home .claude/commands/plan.md
codex project .agents/skills/plan/SKILL.md
codex project .codex/agents/plan.toml
codex project .agents/commands/plan.md
codex home .agents/skills/plan/SKILL.md
codex codex-home agents/plan.toml
codex home .agents/commands/plan.md
opencode project .opencode/skills/plan/SKILL.md
opencode project .opencode/agents/plan.md
opencode project .opencode/commands/plan.md
opencode config-home opencode/skills/plan/SKILL.md
opencode config-home opencode/agents/plan.md
opencode config-home opencode/commands/plan.md";
    assert_eq!(table.join("\n"), expected);
}

#[test]
fn clients_without_folders_are_refused() {
    let name = name("plan");
    let source = AssetSource {
        kind: AssetKind::Skill,
        name: &name,
        description: "d",
        primary: b"b",
        companions: &[],
    };
    for client in Client::ALL.iter().filter(|client| !has_folders(**client)) {
        let error = materialize(*client, AssetScope::User, &source).unwrap_err();
        assert_eq!(error, AssetError::NoFolders { client: *client });
    }
}

#[test]
fn front_matter_is_written_byte_for_byte_as_specified() {
    let cases = [
        ("Body\n", "---\nname: \"planning\"\ndescription: \"Plans.\"\n---\nBody\n"),
        ("", "---\nname: \"planning\"\ndescription: \"Plans.\"\n---\n"),
        ("---\n---\nBody", "---\nname: \"planning\"\ndescription: \"Plans.\"\n---\nBody"),
        (
            "\u{feff}---\r\nname: other\r\ntools: Read, Grep\r\n---\r\nBody\r\n",
            "---\nname: \"planning\"\ndescription: \"Plans.\"\ntools: Read, Grep\r\n---\nBody\r\n",
        ),
        (
            "---\n# mine\ntools: [Read]\ndescription: |\n  a\n\n  b\nmodel: x # y\n--- \nBody\n---\nmore",
            "---\nname: \"planning\"\ndescription: \"Plans.\"\n# mine\ntools: [Read]\nmodel: x # y\n---\nBody\n---\nmore",
        ),
        // A line across the page is no front matter.
        ("---\nBody", "---\nname: \"planning\"\ndescription: \"Plans.\"\n---\n---\nBody"),
        (
            "-----\na: 1\n---\nBody",
            "---\nname: \"planning\"\ndescription: \"Plans.\"\n---\n-----\na: 1\n---\nBody",
        ),
        // Not in lines of its own, or with something that other readers read differently.
        (
            "---\n{name: x, tools: [Read], n: 1.50}\n---\nBody",
            "---\nname: \"planning\"\ndescription: \"Plans.\"\n\"tools\": [\"Read\"]\n\"n\": 1.5\n---\nBody",
        ),
        (
            "---\n  name: x\n  a: {b: null, c: [true]}\n---\nBody",
            "---\nname: \"planning\"\ndescription: \"Plans.\"\n\"a\": {\"b\": null, \"c\": [true]}\n---\nBody",
        ),
        (
            "---\na: b --- c\n---\nBody",
            "---\nname: \"planning\"\ndescription: \"Plans.\"\n\"a\": \"b --\\u002d c\"\n---\nBody",
        ),
        (
            "---\na: b\u{85}c\n---\nBody",
            "---\nname: \"planning\"\ndescription: \"Plans.\"\n\"a\": \"b\\u0085c\"\n---\nBody",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(markdown(text, "Plans."), expected, "{text:?}");
    }
}

#[test]
fn the_manifest_decides_about_name_and_description_however_they_are_written() {
    let cases = [
        "name: evil\ndescription: evil\nkeep: 1",
        "\"name\": evil\n'description' : evil\nkeep: 1",
        "\"n\\u0061me\": evil\nkeep: 1",
        "? name\n: evil\nkeep: 1",
        "{name: evil, description: evil, keep: 1}",
        "{\"name\":\"evil\",\n\"description\":\"evil\",\n\"keep\":1}",
        "description: \"a\n  b\n  name: c\"\nkeep: 1",
        "description: 'a\n\n  b'\nkeep: 1",
        "description: >-\n  a\n  name: x\n\n  b\nkeep: 1\nname: [a,\n  b]",
        "description:\n- a\n-\n- b\nkeep: 1",
        "name: a\nname: b\ndescription: c\ndescription: d\nkeep: 1",
        "keep: 1\nname:\ndescription:",
        // Not YAML; what is left without it is.
        "description: Use when: the user asks\nkeep: 1",
        "description: Examples: <example>user: \"hi\"\n  assistant: \"ho\"</example>\nkeep: 1",
        "description: \"never closed\nkeep: 1",
        "name: @planning\nkeep: 1",
    ];
    for matter in cases {
        let written = markdown(&format!("---\n{matter}\n---\nBody"), "Plans.");
        let (members, body) = read_back(&written);
        let members: Vec<_> = members.iter().map(shown).collect();
        let expected = [
            ("name".to_owned(), "\"planning\"\n".to_owned()),
            ("description".to_owned(), "\"Plans.\"\n".to_owned()),
            ("keep".to_owned(), "1\n".to_owned()),
        ];
        assert_eq!(members, expected, "{matter:?}");
        assert_eq!(body, "Body", "{matter:?}");
    }
}

#[test]
fn members_of_the_author_stay_in_order_and_keep_their_own_name_and_description() {
    let matter = "zeta: 1\nname: x\nmetadata:\n  name: inner\n  description: inner\nalpha: |\n  name: y\n\nlist:\n- name: z\n";
    let written = markdown(&format!("---\n{matter}---\n"), "d");
    let members: Vec<_> = read_back(&written).0.iter().map(shown).collect();
    let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["name", "description", "zeta", "metadata", "alpha", "list"]);
    assert_eq!(members[3].1, "{\n  \"name\": \"inner\",\n  \"description\": \"inner\"\n}\n");
    assert_eq!(members[4].1, "\"name: y\\n\"\n");
    assert_eq!(members[5].1, "[\n  {\n    \"name\": \"z\"\n  }\n]\n");
}

#[test]
fn front_matter_that_nobody_can_read_for_sure_is_refused_with_its_place() {
    let cases = [
        ("---\ntools: [Read\n---\n", 2),
        ("---\ntools: Read\ntools: Bash\n---\n", 3),
        ("---\nname: a\ndescription: b: c\ntools: &t Read\nmore: *t\n---\n", 4),
        ("---\nmore: !!python/object x\n---\n", 2),
        ("---\na: {b: 1}\n<<: {tools: Bash}\n---\n", 3),
        ("---\njust a sentence\n---\n", 2),
        ("---\n- a\n- b\n---\n", 2),
        ("---\na: 1\n...\nb: 2\n---\n", 4),
        ("---\n%YAML 1.1\na: 1\n---\n", 3),
        ("---\n1: a\n---\n", 2),
        ("---\na: \u{1}\n---\n", 2),
        ("---js\nrequire('x')\n---\n", 1),
        ("---\rname: x\r---\r", 1),
    ];
    for (text, place) in cases {
        let error = refusal(text);
        let AssetError::FrontMatter { asset, line, .. } = &error else { panic!("{error:?}") };
        assert_eq!((asset.as_str(), *line), ("agent planning", place), "{text:?}: {error}");
        assert_eq!(error.code(), "asset-front-matter");
    }
}

#[test]
fn text_that_is_no_text_is_refused() {
    let name = name("planning");
    let source = AssetSource {
        kind: AssetKind::Command,
        name: &name,
        description: "d",
        primary: b"ab\xff",
        companions: &[],
    };
    let error = materialize(Client::Codex, AssetScope::User, &source).unwrap_err();
    let expected = AssetError::NotText { asset: "command planning".to_owned(), offset: 2 };
    assert_eq!(error, expected);
}

#[test]
fn agents_of_codex_are_toml_with_the_body_as_instructions() {
    let text = "---\nname: x\ntools: Read\n---\nSay \"hi\"\\\n\n\ttwice.\r\n";
    let file = write(Client::Codex, AssetKind::Agent, text, "Plans: a \"b\"\n---");
    let expected = "name = \"planning\"\n\
        description = \"Plans: a \\\"b\\\"\\n---\"\n\
        developer_instructions = \"\"\"\n\
        Say \\\"hi\\\"\\\\\n\n\ttwice.\\r\n\"\"\"\n";
    assert_eq!(String::from_utf8(file.content).unwrap(), expected);
}

fn companion(path: &str) -> (ArtifactPath, Vec<u8>) {
    (path.parse().unwrap(), vec![0, 0xff])
}

fn skill_with(name_text: &str, companions: &[&str]) -> Result<Vec<AssetFile>, AssetError> {
    let companions: Vec<_> = companions.iter().map(|path| companion(path)).collect();
    let name = name(name_text);
    let source = AssetSource {
        kind: AssetKind::Skill,
        name: &name,
        description: "d",
        primary: b"b",
        companions: &companions,
    };
    materialize(Client::OpenCode, AssetScope::Project, &source)
}

#[test]
fn companions_are_written_as_they_are_inside_the_folder_of_the_skill() {
    let files = skill_with("plan", &["scripts/run.sh", "a.bin"]).unwrap();
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let expected = [
        ".opencode/skills/plan/SKILL.md",
        ".opencode/skills/plan/scripts/run.sh",
        ".opencode/skills/plan/a.bin",
    ];
    assert_eq!(paths, expected);
    assert_eq!(files[1].content, [0, 0xff]);
    assert!(files.iter().all(|file| file.base == AssetBase::Project));
}

#[test]
fn companions_that_would_be_one_file_are_refused() {
    for bad in [
        &["SKILL.md"][..],
        &["skill.MD"],
        &["SKILL.md/x"],
        &["a", "A"],
        &["a", "a/b"],
        &["a/b", "a"],
        &["e\u{301}", "\u{e9}"],
    ] {
        let error = skill_with("plan", bad).unwrap_err();
        assert_eq!(error.code(), "asset-path-taken", "{bad:?}");
    }
}

#[test]
fn only_skills_have_companions() {
    let companions = [companion("a")];
    let name = name("plan");
    let source = AssetSource {
        kind: AssetKind::Command,
        name: &name,
        description: "d",
        primary: b"b",
        companions: &companions,
    };
    let error = materialize(Client::Codex, AssetScope::Project, &source).unwrap_err();
    assert_eq!(error, AssetError::Companions { asset: "command plan".to_owned() });
}

#[test]
fn names_that_are_devices_and_paths_that_are_too_long_are_refused() {
    assert_eq!(skill_with("nul", &[]).unwrap_err().code(), "asset-path");
    let long = format!("{}b", "a/".repeat(505));
    assert_eq!(skill_with("plan", &[&long]).unwrap_err().code(), "asset-path");
}

#[test]
fn every_code_is_explained() {
    let explained: Vec<&str> = facets_failure::explanations(facets_clients::EXPLANATIONS)
        .map(|explanation| explanation.code)
        .collect();
    for code in AssetError::CODES {
        assert!(explained.contains(code), "{code}");
    }
}
