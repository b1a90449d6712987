#![doc = include_str!("../README.md")]
#![allow(clippy::print_stdout, clippy::expect_used, reason = "a measurement")]

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use facets_digest::json::{self, Limits, Origin};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let runs: usize = arguments.get(1).and_then(|runs| runs.parse().ok()).unwrap_or(7);
    let captures = arguments.get(2).map(Path::new);
    let (tools, kind) = tool_definitions(captures);
    for size in [1 << 20, 4 << 20] {
        let document = tools_list(&tools, size);
        let ratio = ratio(runs * 5, &document);
        println!("reading and canonicalising a {kind} tools/list of {} MiB\t{ratio}", size >> 20);
    }
}

/// Definitions of real servers where captures are at hand, else of our own making.
fn tool_definitions(captures: Option<&Path>) -> (Vec<String>, &'static str) {
    let mut tools = Vec::new();
    let files = captures.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten();
    let mut paths: Vec<_> =
        files.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|end| end == "json")) {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let capture: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let list = &capture["tools/list"]["result"]["tools"];
        tools.extend(list.as_array().into_iter().flatten().map(ToString::to_string));
    }
    if !tools.is_empty() {
        return (tools, "real");
    }
    (made_up_definitions(), "made-up")
}

fn made_up_definitions() -> Vec<String> {
    let made = |n: usize| {
        format!(
            r#"{{"name":"tool_{n}","description":"Reads the records of day {n} and returns them as a list.","inputSchema":{{"type":"object","properties":{{"path":{{"type":"string","description":"Where to look"}},"limit":{{"type":"integer","minimum":1,"maximum":1{n},"default":10}}}},"required":["path"],"additionalProperties":false}}}}"#
        )
    };
    (0..100).map(made).collect()
}

fn tools_list(tools: &[String], size: usize) -> String {
    let mut document = String::from(r#"{"jsonrpc":"2.0","id":1,"result":{"tools":["#);
    for tool in tools.iter().cycle() {
        if document.len() + tool.len() > size {
            break;
        }
        document.push_str(tool);
        document.push(',');
    }
    document.pop();
    document + "]}}"
}

fn ratio(runs: usize, document: &str) -> String {
    let ours = || {
        let value = json::parse(document.as_bytes(), Origin::Captured, Limits::DOCUMENT);
        black_box(value.expect("the document is JSON").to_canonical());
    };
    let theirs = || {
        let value: serde_json::Value =
            serde_json::from_str(document).expect("the document is JSON");
        black_box(value);
    };
    let mut ratios: Vec<f64> =
        (0..runs).map(|_| time(ours).as_secs_f64() / time(theirs).as_secs_f64()).collect();
    ratios.sort_by(f64::total_cmp);
    format!("{:.2} ({:.2} to {:.2})", ratios[runs / 2], ratios[0], ratios[runs - 1])
}

fn time(work: impl Fn()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_definitions_can_be_read() {
        let document = tools_list(&made_up_definitions(), 1 << 16);
        assert!(json::parse(document.as_bytes(), Origin::Captured, Limits::DOCUMENT).is_ok());
        assert_eq!(tool_definitions(Some(Path::new("/nowhere"))).1, "made-up");
    }
}
