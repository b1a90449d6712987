//! Where a finding stands in the files of a project.
//!
//! Surface files and the lock have one way of being written (spec 5.6, 8.1), so their lines can be
//! told apart by how far they are indented.

use std::collections::BTreeMap;
use std::path::Path;

use facets_digest::json::{self, Limits, Provenance, Value};
use facets_drift::{Finding, FindingType, SubjectKind};
use facets_lock::surface_path;
use facets_project::LOCK;

use crate::input::read_regular;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlace {
    /// The file, from the project on.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
}

/// Finds lines; each file is read once.
#[derive(Debug, Default)]
pub struct Locator {
    files: BTreeMap<String, Option<Lines>>,
}

/// Larger files are not looked into: their first line has to do.
const MAX_BYTES: u64 = 64 << 20;

/// Members by where they stand: each line by the names that lead to it.
#[derive(Debug, Default)]
struct Lines {
    /// Members of the whole, and of the servers of a lock.
    members: BTreeMap<Vec<String>, usize>,
    /// Members of definitions, by list and name; the empty one is where the definition begins.
    definitions: BTreeMap<(String, String), BTreeMap<String, usize>>,
}

impl Locator {
    /// Where the finding about a server stands: how it starts in the lock, what it declares in
    /// its surface file.
    pub fn of_server(&mut self, server: &str, finding: &Finding) -> FilePlace {
        // The version that a server reports is declared, that of its artifact is pinned.
        let of_artifact =
            finding.kind == FindingType::VersionChanged && finding.member == "artifact";
        let in_lock = matches!(
            finding.kind,
            FindingType::LaunchChanged
                | FindingType::GrantWidened
                | FindingType::ContentChanged
                | FindingType::RuntimeChanged
                | FindingType::ImageDigestChanged
                | FindingType::SignatureMissing
                | FindingType::SignerChanged
        );
        let surface = surface_path(server);
        if in_lock || of_artifact || self.lines(&surface).is_none() {
            return self.of_entry(server, &finding.member);
        }
        self.of_file(&surface, finding)
    }

    /// Where the entry of a server stands in the lock, or a member of it.
    pub fn of_entry(&mut self, server: &str, member: &str) -> FilePlace {
        let line = self.lines(LOCK).and_then(|lines| {
            let entry = vec!["servers".to_owned(), server.to_owned()];
            let member = [entry.clone(), vec![member.to_owned()]].concat();
            lines.members.get(&member).or_else(|| lines.members.get(&entry)).copied()
        });
        FilePlace { file: LOCK.to_owned(), line: line.unwrap_or(1) }
    }

    /// Where the finding stands in a surface file.
    pub fn of_file(&mut self, file: &str, finding: &Finding) -> FilePlace {
        let first = finding.member.split(['.', '[']).next().unwrap_or_default();
        let list = match finding.subject_kind {
            // Texts of facets stand in no surface file.
            SubjectKind::Server
            | SubjectKind::Facet
            | SubjectKind::Skill
            | SubjectKind::Agent
            | SubjectKind::Command => "",
            SubjectKind::Tool => "tools",
            SubjectKind::Prompt => "prompts",
            SubjectKind::Resource => "resources",
            SubjectKind::Template => "resourceTemplates",
        };
        let line = self.lines(file).and_then(|lines| {
            let definition = lines.definitions.get(&(list.to_owned(), finding.subject.clone()));
            let member = |name: &str| lines.members.get(&vec![name.to_owned()]);
            match definition {
                Some(definition) => definition.get(first).or_else(|| definition.get("")),
                None if list.is_empty() => member(of_the_server(finding.kind, first)),
                None => member(list),
            }
            .copied()
        });
        FilePlace { file: file.to_owned(), line: line.unwrap_or(1) }
    }

    fn lines(&mut self, file: &str) -> Option<&Lines> {
        let read = || {
            let bytes = read_regular(Path::new(file), MAX_BYTES).ok()?;
            Some(Lines::of(&String::from_utf8_lossy(&bytes)))
        };
        self.files.entry(file.to_owned()).or_insert_with(read).as_ref()
    }
}

/// The member of a surface file that a finding about the server as a whole is about.
fn of_the_server(kind: FindingType, member: &str) -> &str {
    match kind {
        FindingType::InstructionsChanged => "instructions",
        FindingType::ServerRenamed | FindingType::VersionChanged => "server",
        FindingType::CapabilitiesChanged => "capabilities",
        FindingType::BecameVolatile => "resources",
        FindingType::EntitlementGained | FindingType::EntitlementLost => "source",
        _ => member,
    }
}

/// A definition while its lines come by.
#[derive(Default)]
struct LocatedDefinition {
    name: Option<String>,
    members: BTreeMap<String, usize>,
}

impl Lines {
    fn of(text: &str) -> Self {
        let mut lines = Self::default();
        let mut path: Vec<String> = Vec::new();
        let mut definition = LocatedDefinition::default();
        for (line, number) in text.lines().zip(1..) {
            let indent = line.len() - line.trim_start_matches(' ').len();
            let (depth, words) = (indent / 2, &line[indent..]);
            if depth == 2 && words == "{" {
                let members = BTreeMap::from([(String::new(), number)]);
                definition = LocatedDefinition { name: None, members };
            } else if depth == 2 && words.starts_with('}') {
                lines.keep(&path, std::mem::take(&mut definition));
            }
            let Some((name, value)) = member(words).filter(|_| (1..=3).contains(&depth)) else {
                continue;
            };
            path.resize(depth - 1, String::new());
            path.push(name.clone());
            if depth == 3 {
                if Some(name.as_str()) == key_of(&path[0]) {
                    definition.name = text_of(value);
                }
                definition.members.insert(name, number);
            }
            if depth == 1 || path[0] == "servers" {
                lines.members.insert(path.clone(), number);
            }
        }
        lines
    }

    fn keep(&mut self, path: &[String], definition: LocatedDefinition) {
        if let (Some(list), Some(name)) = (path.first(), definition.name) {
            self.definitions.insert((list.clone(), name), definition.members);
        }
    }
}

/// What definitions of a list are called by.
fn key_of(list: &str) -> Option<&'static str> {
    match list {
        "tools" | "prompts" => Some("name"),
        "resources" => Some("uri"),
        "resourceTemplates" => Some("uriTemplate"),
        _ => None,
    }
}

/// A line of an object: the name, and what follows it.
fn member(words: &str) -> Option<(String, &str)> {
    let rest = words.strip_prefix('"')?;
    let mut escaped = false;
    let end = rest.find(|c| {
        let quote = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        quote
    })?;
    let value = rest[end + 1..].strip_prefix(": ")?;
    Some((text_of(&words[..end + 2])?, value))
}

fn text_of(written: &str) -> Option<String> {
    let written = written.trim_end_matches(',').as_bytes();
    match json::parse(written, Provenance::Captured, Limits::DOCUMENT).ok()? {
        Value::String(text) => Some(text.into_owned()),
        _ => None,
    }
}

/// The way from the top of the repository to the project, with `/`; empty if they are the same.
#[must_use]
pub fn repository_prefix() -> String {
    let Ok(here) = std::fs::canonicalize(".") else { return String::new() };
    let top = here.ancestors().find(|folder| folder.join(".git").exists());
    let way = top.and_then(|top| here.strip_prefix(top).ok());
    let names = way.into_iter().flat_map(Path::components);
    names.map(|name| format!("{}/", name.as_os_str().to_string_lossy())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURFACE: &str = r#"{
  "surfaceVersion": 1,
  "instructions": "x",
  "tools": [
    {
      "description": "\"name\": \"b\"",
      "inputSchema": {
        "properties": {
          "name": "other"
        }
      },
      "name": "a"
    },
    {
      "name": "b\u0001",
      "title": "B"
    }
  ],
  "resources": [
    {
      "name": "a",
      "uri": "file:///a"
    }
  ]
}
"#;

    #[test]
    fn every_definition_has_its_lines() {
        let lines = Lines::of(SURFACE);
        let at = |list: &str, name: &str, member: &str| {
            lines.definitions[&(list.to_owned(), name.to_owned())].get(member).copied()
        };
        assert_eq!(at("tools", "a", ""), Some(5));
        assert_eq!(at("tools", "a", "description"), Some(6));
        assert_eq!(at("tools", "a", "inputSchema"), Some(7));
        assert_eq!(at("tools", "b\u{1}", "title"), Some(16));
        assert_eq!(at("resources", "file:///a", ""), Some(20));
        assert_eq!(lines.definitions.len(), 3);
        assert_eq!(lines.members[&vec!["instructions".to_owned()]], 3);
    }

    #[test]
    fn entries_of_a_lock_have_theirs() {
        let lock = "{\n  \"servers\": {\n    \"s\": {\n      \"command\": \"x\"\n    }\n  }\n}\n";
        let lines = Lines::of(lock);
        let path = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(lines.members[&path(&["servers", "s"])], 3);
        assert_eq!(lines.members[&path(&["servers", "s", "command"])], 4);
    }
}
