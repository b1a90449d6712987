//! What was captured: a digest and a count for each version, committed in place of the text.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::fetch::{Wanted, capture_file};
use super::servers::{list, text};
use super::{committed, read_json, write_lines};
use crate::Outcome;
use crate::run;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Capture {
    /// As facet prints it.
    pub(super) surface: String,
    pub(super) tools: u64,
}

/// By name and version.
pub(super) type Captures = BTreeMap<(String, String), Capture>;

pub(super) fn read() -> Outcome<Captures> {
    let file = committed("captures.json");
    let entries = if file.exists() { read_json(&file)? } else { json!([]) };
    let entries = entries.as_array().cloned().unwrap_or_default();
    let pair = |entry: &Value| {
        let key = (text(entry, "name")?, text(entry, "version")?);
        let tools = entry["tools"].as_u64().unwrap_or_default();
        Ok((key, Capture { surface: text(entry, "surface")?, tools }))
    };
    entries.iter().map(pair).collect()
}

/// In the order of the servers, so that a new version is a line in its place.
pub(super) fn write(captures: &Captures, all: &[Wanted<'_>]) -> Outcome {
    let line = |(server, version): &Wanted<'_>| {
        let key = (server.name.clone(), version.version.clone());
        let Capture { surface, tools } = captures.get(&key)?;
        let (name, version) = key;
        Some(
            json!({ "name": name, "version": version, "surface": surface, "tools": tools })
                .to_string(),
        )
    };
    let lines: Vec<String> = all.iter().filter_map(line).collect();
    write_lines(&committed("captures.json"), &lines)
}

/// Hashed anew, with the facet of today.
pub(super) fn measure(facet: &Path, cache: &Path, wanted: &[Wanted<'_>]) -> Outcome<Captures> {
    let mut captures = Captures::new();
    for (server, version) in wanted {
        let file = capture_file(cache, &server.name, &version.version);
        let mut digest = Command::new(facet);
        digest.args(["digest", "surface", "--format", "json"]).arg(&file);
        let report: Value =
            serde_json::from_str(&run::text(&mut digest)?).map_err(|error| error.to_string())?;
        let surface = text(&report, "surface")?;
        let tools = list(&read_json(&file)?, "tools").len() as u64;
        let key = (server.name.clone(), version.version.clone());
        captures.insert(key, Capture { surface, tools });
    }
    Ok(captures)
}

/// Where today's captures are not those that were judged.
pub(super) fn differences(measured: &Captures, expected: &Captures) -> Vec<String> {
    let difference = |((name, version), capture): (&(String, String), &Capture)| {
        let known = expected.get(&(name.clone(), version.clone()));
        match known {
            None => Some(format!("{name} {version}: captured, but not in captures.json")),
            Some(known) if known == capture => None,
            Some(known) => Some(format!(
                "{name} {version}: the surface is {} with {} tools, captures.json has {} with {}",
                capture.surface, capture.tools, known.surface, known.tools
            )),
        }
    };
    measured.iter().filter_map(difference).collect()
}
