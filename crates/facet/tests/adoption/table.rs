//! The table of `docs/adopting.md`, row by row.

use std::path::PathBuf;

use facets_testkit::repository_root;
use serde_json::{Value, json};

use crate::User;
use crate::trusted::Ran;

struct Row {
    file: String,
    entry: String,
    adopt: String,
    says: String,
}

fn rows() -> Vec<Row> {
    let page = std::fs::read_to_string(repository_root().join("docs/adopting.md")).unwrap();
    let code = |cell: &str| cell.trim().trim_matches('`').to_owned();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').collect();
        let [_, file, entry, adopt, says, _] = cells.as_slice() else { return None };
        let (adopt, says) = (adopt.trim().to_owned(), says.trim().to_owned());
        let is_row = adopt.starts_with("taken over") || adopt.starts_with("skipped");
        is_row.then(|| Row { file: code(file), entry: code(entry), adopt, says })
    };
    page.lines().filter_map(row).collect()
}

/// The words behind one that says what they are: starts `…`.
fn behind<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.split_once(&format!("{word} `"))?.1.split('`').next()
}

fn path(user: &User, file: &str) -> PathBuf {
    match file.strip_prefix("~/") {
        Some(below) => user.home().join(below),
        None => user.trusted.file(file),
    }
}

fn text(row: &Row) -> String {
    let container = match row.file.as_str() {
        "opencode.json" => "mcp",
        ".vscode/mcp.json" => "servers",
        ".codex/config.toml" => return format!("[mcp_servers]\n{}\n", row.entry),
        _ => "mcpServers",
    };
    format!("{{ \"{container}\": {{ {} }} }}\n", row.entry)
}

fn is_as_said(row: &Row, found: &Value, project: &std::path::Path) {
    let Row { file, entry, adopt, says } = row;
    if adopt == "skipped" {
        assert_eq!(found["outcome"], "skipped", "{file}: {entry}");
        assert_eq!(found["reason"], says.as_str(), "{file}: {entry}");
        assert!(found["plan"].is_null(), "{found:#}");
        return;
    }
    assert_eq!(found["outcome"], "adoptable", "{file}: {entry}: {}", found["reason"]);
    let plan = &found["plan"];
    let launch = behind(says, "starts").or_else(|| behind(says, "calls")).unwrap();
    assert_eq!(plan["launch"], launch, "{entry}");
    let one = |name: Option<&str>| name.map_or(json!([]), |name| json!([name]));
    assert_eq!(plan["env"], one(behind(says, "gets")), "{entry}");
    assert_eq!(plan["headers"], one(behind(says, "sends")), "{entry}");
    if says.starts_with("starts") {
        let directory = behind(says, "in").map_or(project.to_owned(), |below| project.join(below));
        assert_eq!(plan["directory"], directory.to_str().unwrap(), "{entry}");
    }
}

#[test]
fn every_row_of_the_table_is_true() {
    let rows = rows();
    assert!(rows.len() >= 30, "{} rows", rows.len());
    let user = User::new();
    std::fs::create_dir_all(user.trusted.file("tools")).unwrap();
    let project = std::fs::canonicalize(user.trusted.project()).unwrap();
    for row in &rows {
        let path = path(&user, &row.file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = text(row);
        std::fs::write(&path, &text).unwrap();
        let mut command = user.command(&["--format", "json", "adopt", "--dry-run"]);
        command.env_remove("API_KEY").env_remove("TOKEN").env_remove("FACET_S_AUTHORIZATION");
        if row.file.starts_with('~') {
            command.arg("--user");
        }
        if let Some(variable) = behind(&row.adopt, "with") {
            command.env(variable, "some-value");
        }
        let report = Ran::of(&command.output().unwrap()).exits(0);
        assert!(!report.out.contains("some-value"), "{}", report.out);
        let found = report.json()["found"].clone();
        assert_eq!(found.as_array().map(Vec::len), Some(1), "{}: {found:#}", row.entry);
        is_as_said(row, &found[0], &project);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        std::fs::remove_file(&path).unwrap();
    }
}
