//! Tools to measure with.

use std::path::Path;

/// Definitions of real servers where captures are at hand, else of our own making.
pub(crate) fn load(captures: Option<&Path>) -> (Vec<String>, &'static str) {
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
    if tools.is_empty() { (made_up(100), "made-up") } else { (tools, "real") }
}

/// Definitions of our own making, each with another name.
pub(crate) fn made_up(count: usize) -> Vec<String> {
    let made = |n: usize| {
        format!(
            r#"{{"name":"tool_{n}","description":"Reads the records of day {n} and returns them as a list.","inputSchema":{{"type":"object","properties":{{"path":{{"type":"string","description":"Where to look"}},"limit":{{"type":"integer","minimum":1,"maximum":1{n},"default":10}}}},"required":["path"],"additionalProperties":false}}}}"#
        )
    };
    (0..count).map(made).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_captures_there_are_definitions_all_the_same() {
        assert_eq!(load(Some(Path::new("/nowhere"))), (made_up(100), "made-up"));
    }
}
