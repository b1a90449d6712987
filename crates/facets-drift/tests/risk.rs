//! Levels of risk.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use facets_drift::risk::{Assessment, Risk, assess};
use facets_surface::{Definition, Kind};
use facets_testkit::shared_vectors;
use serde_json::{Value, json};

use Risk::{High, Low, Medium};

fn assess_json(tool: &Value) -> Assessment {
    assess(&Definition::parse(Kind::Tool, &tool.to_string()).unwrap())
}

/// A tool with string parameters of the given names.
fn tool(name: &str, description: &str, parameters: &[&str]) -> Value {
    let properties = parameters.iter().map(|name| ((*name).to_owned(), json!({"type": "string"})));
    let properties: serde_json::Map<String, Value> = properties.collect();
    let schema = json!({"type": "object", "properties": properties});
    json!({"name": name, "description": description, "inputSchema": schema})
}

/// Where we judge otherwise: parts of words are no words, and money is worth a look.
const DEPARTURES: &[(&str, Risk)] =
    &[("terms", Low), ("truncate_text", Low), ("subproc", High), ("pay_now", High)];

#[test]
fn levels_of_another_tool_are_kept_or_departed_from_by_name() {
    let Some(folder) = shared_vectors("mcptrust") else { return };
    let vectors = std::fs::read(folder.join("risk-levels.json")).unwrap();
    let vectors: Vec<Value> = serde_json::from_slice(&vectors).unwrap();
    assert!(vectors.len() >= 9);
    for vector in vectors {
        let (name, description) = (vector["name"].as_str().unwrap(), &vector["description"]);
        let found = assess_json(&json!({"name": name, "description": description}));
        let ours = DEPARTURES.iter().find(|(other, _)| *other == name);
        let expected = ours.map_or(vector["risk"].as_str().unwrap(), |(_, risk)| risk.name());
        assert_eq!(found.risk.name(), expected, "{name}: {:?}", found.reasons);
    }
}

/// Level, name, description, parameters.
const TOOLS: &[(Risk, &str, &str, &[&str])] = &[
    // It reads or computes.
    (Low, "read_file", "Reads a file.", &["path"]),
    (Low, "list_directory", "Lists a directory.", &["path"]),
    (Low, "get_weather", "Returns the weather of a city.", &["city"]),
    (Low, "search", "Full text search.", &["query", "limit"]),
    (Low, "format_date", "Formats a date in the user's time zone.", &["date", "pattern"]),
    (Low, "terms_of_service", "Shows the terms and permissions.", &[]),
    (Low, "retrieval", "Document retrieval with embeddings.", &["query"]),
    (Low, "truncate", "Truncates a text to a length.", &["text"]),
    (Low, "add", "Adds two numbers.", &["a", "b"]),
    (Low, "add_numbers", "Adds numbers.", &["numbers"]),
    (Low, "count_tokens", "Counts the tokens of a text.", &["text"]),
    (Low, "get_runtime", "Shows how long a job took at runtime.", &["job"]),
    (Low, "list_deleted_items", "Lists what is in the trash.", &[]),
    (Low, "get_update_history", "Shows earlier versions.", &[]),
    (Low, "list_payments", "Lists payments of this month.", &["month"]),
    (Low, "get_refund_status", "Shows how far a refund is.", &["id"]),
    (Low, "find_charging_station", "Finds a station near a place.", &["place"]),
    (Low, "system_info", "Describes the operating system.", &[]),
    (Low, "evaluate_model_metrics", "Computes precision and recall.", &["dataset"]),
    (Low, "skills", "Lists the skills of a person.", &["person"]),
    (Low, "whitespace_remove_duplicates", "Normalises a text.", &["text"]),
    (Low, "compare_writers", "Compares two authors by style.", &["a", "b"]),
    (
        Low,
        "explain_query",
        "Explains what a query would do. It never executes shell commands.",
        &["query"],
    ),
    (Low, "payload_size", "Measures a payload.", &["payload"]),
    (Low, "executive_summary", "Summarises a report for executives.", &["report"]),
    (Low, "killer_sudoku", "Gives hints for a puzzle.", &["grid"]),
    (Low, "getPostalCode", "Finds the code of a town.", &["town"]),
    (Low, "rms_value", "Root mean square of a signal.", &["samples"]),
    (Low, "confirm", "Asks the user a question.", &["question"]),
    // It changes something, sends something, gives something out.
    (Medium, "write_file", "Saves a file.", &["path", "content"]),
    (Medium, "editFile", "Makes edits to a text file.", &["path"]),
    (Medium, "delete_file", "Deletes a file.", &["path"]),
    (Medium, "remove-label", "Takes a label off an issue.", &["label"]),
    (Medium, "rm", "Takes away a file.", &["path"]),
    (Medium, "create_issue", "Opens an issue.", &["title"]),
    (Medium, "updateUser", "Changes an address.", &["id"]),
    (Medium, "send_message", "Posts to a channel.", &["channel", "text"]),
    (Medium, "helper", "Deletes the given record.", &["id"]),
    (Medium, "helper", "Deleting records made simple.", &["id"]),
    (Medium, "run_tests", "Runs the tests of a project.", &["filter"]),
    (Medium, "execute_search", "Searches the archive.", &["text"]),
    (Medium, "kill_session", "Ends a session.", &["id"]),
    (Medium, "git_push", "Sends commits to the remote.", &["branch"]),
    (Medium, "deploy", "Brings a build into production.", &["build"]),
    (Medium, "get_secret", "Looks up an entry of the vault.", &["name"]),
    (Medium, "show_config", "Returns all environment variables.", &[]),
    (Medium, "fetch", "Fetches a page.", &["url"]),
    (Medium, "query", "Asks the database.", &["sql"]),
    (Medium, "login", "Opens a session.", &["user", "password"]),
    (Medium, "transfer_ownership", "Gives a repository to somebody else.", &["owner"]),
    (Medium, "install_package", "Brings in a package.", &["name"]),
    (Medium, "macro", "Plays a macro.", &["script"]),
    (Medium, "archive_channel", "Archives a channel.", &["id"]),
    (Medium, "reset_settings", "Goes back to the defaults.", &[]),
    // It runs code, moves money, destroys.
    (High, "exec_shell", "Executes a shell command.", &["command"]),
    (High, "execShell", "A small helper.", &[]),
    (High, "get_shell", "Gives a prompt.", &[]),
    (High, "bash", "A helper.", &["input"]),
    (High, "helper", "Runs an arbitrary command on the host.", &["input"]),
    (High, "helper", "Starts a subprocess and returns its output.", &["input"]),
    (High, "run_python", "Calculates something.", &["code"]),
    (High, "execute_command", "A helper.", &["command"]),
    (High, "run", "A helper.", &["cmd"]),
    (High, "browser_evaluate", "Evaluates JavaScript on a page.", &["function"]),
    (High, "eval", "Calculates.", &["expression"]),
    (High, "\u{435}xec", "A helper.", &[]),
    (High, "sh\u{200b}ell", "A helper.", &[]),
    (High, "pay_now", "Settles a bill.", &["bill"]),
    (High, "transfer_funds", "Between two accounts.", &["from", "to"]),
    (High, "helper", "Transfers all money to the given account.", &["account"]),
    (High, "create_payment", "Starts a checkout.", &["amount"]),
    (High, "place_order", "Orders goods from a shop.", &["items"]),
    (High, "refund", "Gives back what was paid.", &["id"]),
    (High, "buy_stock", "Trades at the exchange.", &["symbol"]),
    (High, "withdraw", "Takes out coins.", &["wallet"]),
    (High, "drop_table", "Takes a table away.", &["table"]),
    (High, "delete_database", "Takes a database away.", &["name"]),
    (High, "wipe_device", "Goes back to the factory settings.", &["id"]),
    (High, "format_disk", "Prepares a disk.", &["disk"]),
    (High, "delete_directory", "Takes a directory away.", &["path", "recursive"]),
    (High, "sudo", "Asks for all rights.", &[]),
    (High, "cleanup", "Deletes all repositories of the organisation.", &[]),
];

#[test]
fn tools_have_the_level_that_a_person_would_give_them() {
    let mut wrong = Vec::new();
    for (expected, name, description, parameters) in TOOLS {
        let found = assess_json(&tool(name, description, parameters));
        if found.risk != *expected {
            wrong.push((name, description, expected, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(TOOLS.len() >= 60, "{}", TOOLS.len());
}

#[test]
fn every_level_above_low_has_a_reason() {
    for (_, name, description, parameters) in TOOLS {
        let found = assess_json(&tool(name, description, parameters));
        assert_eq!(found.risk == Low, found.reasons.is_empty(), "{name}: {found:?}");
    }
}

fn annotated(name: &str, annotations: &Value) -> Risk {
    let tool = json!({"name": name, "annotations": annotations});
    assess_json(&tool).risk
}

#[test]
fn annotations_raise_and_lower_within_bounds() {
    let read_only = json!({"readOnlyHint": true});
    assert_eq!(annotated("update_view", &read_only), Low);
    assert_eq!(annotated("get_secret", &read_only), Medium);
    assert_eq!(annotated("exec_shell", &read_only), High);
    assert_eq!(annotated("pay", &read_only), High);
    let writes = json!({"readOnlyHint": false});
    assert_eq!(annotated("look", &writes), Medium);
    assert_eq!(annotated("look", &json!({"readOnlyHint": false, "destructiveHint": false})), Low);
    let destructive = json!({"destructiveHint": true});
    assert_eq!(annotated("look", &destructive), Medium);
    assert_eq!(annotated("delete_row", &destructive), High);
    assert_eq!(annotated("create_row", &destructive), Medium);
    assert_eq!(annotated("look", &json!({"readOnlyHint": true, "destructiveHint": true})), Medium);
    assert_eq!(annotated("look", &json!({"readOnlyHint": "false"})), Low);
    assert_eq!(annotated("look", &json!([])), Low);
}

#[test]
fn a_choice_carries_no_code() {
    let schema = |command: Value| json!({"type": "object", "properties": {"command": command}});
    let of = |command| assess_json(&json!({"name": "lamp", "inputSchema": schema(command)})).risk;
    assert_eq!(of(json!({"enum": ["on", "off"]})), Low);
    assert_eq!(of(json!({"type": "integer"})), Low);
    assert_eq!(of(json!({"type": "string"})), Medium);
    assert_eq!(of(json!(true)), Medium);
}

#[test]
fn nested_parameters_count() {
    let step = json!({"type": "object", "properties": {"shell": {"type": "string"}}});
    let schema = json!({"properties": {"steps": {"type": "array", "items": step}}});
    let found = assess_json(&json!({"name": "run_steps", "inputSchema": schema}));
    assert_eq!(found.risk, High, "{found:?}");
}

#[test]
fn reasons_name_the_words() {
    let found = assess_json(&tool("exec_shell", "A helper.", &["command"]));
    assert_eq!(
        found.reasons,
        [
            "the name has \"exec\": it starts programs",
            "the name has \"shell\": it starts programs",
            "the parameter \"command\": it takes something to run",
        ]
    );
    let found = assess_json(&json!({"name": "x", "annotations": {"destructiveHint": true}}));
    assert_eq!(found.reasons, ["annotations say destructive"]);
}

#[test]
fn levels_are_ordered_and_named() {
    assert!(Low < Medium && Medium < High);
    assert_eq!([Low, Medium, High].map(Risk::name), ["LOW", "MEDIUM", "HIGH"]);
}
