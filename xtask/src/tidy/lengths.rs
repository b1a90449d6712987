//! A file near 400 lines wants a second module, a function near 60 a second name. These are
//! the limits where wanting ends.

use super::sources::tracked_files;
use crate::Outcome;

const FILE: usize = 500;
const FUNCTION: usize = 60;

pub(super) fn check() -> Outcome<Vec<String>> {
    let mut complaints = Vec::new();
    for (path, text) in tracked_files(".rs")? {
        if path.contains("tests/") || path.contains("facets-testkit/") {
            continue;
        }
        let lines: Vec<&str> = text.lines().collect();
        if lines.len() > FILE {
            complaints.push(format!("{path} has {} lines, more than {FILE}", lines.len()));
        }
        for (start, name, length) in functions(&lines) {
            if length > FUNCTION {
                complaints.push(format!(
                    "{path}:{start}: `{name}` has {length} lines, more than {FUNCTION}"
                ));
            }
        }
    }
    Ok(complaints)
}

/// Line, name and length of every function, found by its indentation: rustfmt sees to that.
fn functions<'a>(lines: &[&'a str]) -> Vec<(usize, &'a str, usize)> {
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some((before, after)) = line.split_once("fn ") else { continue };
        let modifiers = ["", "pub ", "pub(crate) ", "pub(super) ", "const ", "async "];
        let indent = before.len() - before.trim_start().len();
        let declares =
            before.trim_start().split_inclusive(' ').all(|word| modifiers.contains(&word));
        if !declares {
            continue;
        }
        // What a trait only asks for has no lines.
        let signature_end = lines[index..].iter().find(|line| line.ends_with(['{', ';', '}']));
        if signature_end.is_some_and(|line| line.ends_with(';')) {
            continue;
        }
        let name = after.split(['(', '<']).next().unwrap_or_default();
        let end = format!("{}}}", " ".repeat(indent));
        let length = lines[index..].iter().position(|line| *line == end);
        found.extend(length.map(|length| (index + 1, name, length + 1)));
    }
    found
}
