//! The front matter of a Markdown file: what its author wrote, and what clients are given
//! (spec 10.2.2).
//!
//! `name` and `description` come from the manifest. Everything else is the author's and keeps its
//! meaning: a `tools` that got lost would give an agent every tool. So whatever cannot be read for
//! sure is refused, and the result is read again before anybody gets it.

use facets_digest::json::Number;
use facets_model::tree::{ManifestFormat, Node, NodeMember, NodeValue, parse};

use super::error::AssetError;
use super::quoted::{is_escaped, yaml_string};

/// The line before a front matter, and the one behind it.
const FENCE: &str = "---";

/// The members that the manifest has, not the author.
const OWN: [&str; 2] = ["name", "description"];

/// What is wrong with a front matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The line of the file.
    line: usize,
    column: usize,
    problem: String,
}

impl Fault {
    pub(super) fn of(self, asset: String) -> AssetError {
        let Self { line, column, problem } = self;
        AssetError::FrontMatter { asset, line, column, problem }
    }
}

/// A Markdown file.
#[derive(Debug)]
pub(super) struct Document<'t> {
    /// The author's members without [`OWN`].
    members: Vec<NodeMember>,
    /// Their lines, if these can stay as they are.
    lines: Option<String>,
    /// What follows the front matter, byte for byte.
    pub(super) body: &'t str,
}

impl<'t> Document<'t> {
    /// Reads a file. The byte order mark that some editors write is no part of the text.
    pub(super) fn parse(text: &'t str) -> Result<Self, Fault> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let Some((matter, body)) = split(text)? else {
            return Ok(Self { members: Vec::new(), lines: Some(String::new()), body: text });
        };
        let kept = without_own(matter);
        let remainder: String = kept.iter().map(|(_, line)| *line).collect();
        // Where the author's description is no YAML (`description: Use when: …` is common), the
        // lines without it decide.
        let members = match read(matter) {
            Ok(members) => members,
            Err(_) => read(&remainder).map_err(|fault| in_file(fault, &kept))?,
        };
        let members = members.into_iter().filter(|member| !is_own(&member.name)).collect();
        let lines = is_plain(&remainder).then_some(remainder);
        Ok(Self { members, lines, body })
    }

    /// The file with these two members in front of the author's others.
    pub(super) fn to_markdown(&self, name: &str, description: &str) -> Result<String, Fault> {
        let own =
            format!("name: {}\ndescription: {}\n", yaml_string(name), yaml_string(description));
        let wanted = self.wanted(name, description);
        let is_wanted = |matter: &String| {
            read(matter).is_ok_and(|members| rewritten(&members) == rewritten(&wanted))
        };
        // The author's own words if they still mean the same there.
        let kept = self.lines.as_ref().map(|lines| format!("{own}{lines}"));
        let anew = || Some(format!("{own}{}", rewritten(&self.members)));
        let found = kept.filter(is_wanted).or_else(|| anew().filter(is_wanted));
        match found {
            Some(matter) => Ok(format!("{FENCE}\n{matter}{FENCE}\n{}", self.body)),
            None => Err(Fault {
                line: 1,
                column: 1,
                problem: "it, or a name in it, is too long".to_owned(),
            }),
        }
    }

    fn wanted(&self, name: &str, description: &str) -> Vec<NodeMember> {
        let string = |text: &str| Node { span: 0..0, value: NodeValue::String(text.to_owned()) };
        let own = OWN.iter().zip([name, description]).map(|(member, value)| NodeMember {
            name: (*member).to_owned(),
            name_span: 0..0,
            node: string(value),
        });
        own.chain(self.members.iter().cloned()).collect()
    }
}

fn is_own(name: &str) -> bool {
    OWN.contains(&name)
}

/// The front matter without its fences, and what follows. A text that only begins with a line
/// across the page has none.
fn split(text: &str) -> Result<Option<(&str, &str)>, Fault> {
    let mut at = 0;
    let mut start = None;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r', ' ', '\t']);
        match start {
            None if bare == FENCE => start = Some(at + line.len()),
            None if is_other_notation(bare) => {
                let problem = format!("{FENCE} is followed by something else on its line");
                return Err(Fault { line: 1, column: FENCE.len() + 1, problem });
            }
            None => return Ok(None),
            Some(start) if bare == FENCE => {
                let body = text.get(at + line.len()..).unwrap_or_default();
                return Ok(text.get(start..at).map(|matter| (matter, body)));
            }
            Some(_) => {}
        }
        at += line.len();
    }
    Ok(None)
}

/// All members of a file's front matter; none if it has none, or none that can be read.
pub(super) fn author_members(text: &str) -> Vec<NodeMember> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let matter = split(text).ok().flatten().map(|(matter, _)| matter);
    matter.and_then(|matter| read(matter).ok()).unwrap_or_default()
}

/// `---js` is a front matter in another language to some clients; one of them would run it.
fn is_other_notation(line: &str) -> bool {
    line.strip_prefix(FENCE).is_some_and(|rest| !rest.starts_with('-'))
}

/// The lines that do not belong to [`OWN`], each with its number in the front matter.
fn without_own(matter: &str) -> Vec<(usize, &str)> {
    let mut kept = Vec::new();
    let mut is_dropping = false;
    for (index, line) in matter.split_inclusive('\n').enumerate() {
        let continues = line.starts_with([' ', '\t', '\r', '\n'])
            || line.trim_end() == "-"
            || line.starts_with("- ");
        if !continues {
            is_dropping = begins_own(line);
        }
        if !is_dropping {
            kept.push((index + 1, line));
        }
    }
    kept
}

/// Whether a line begins one of [`OWN`], with or without quotes.
fn begins_own(line: &str) -> bool {
    let Some((key, value)) = line.split_once(':') else { return false };
    let key = key.trim_end_matches([' ', '\t']);
    let bare = ['"', '\'']
        .into_iter()
        .find_map(|quote| key.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)));
    is_own(bare.unwrap_or(key)) && value.starts_with([' ', '\t', '\r', '\n'])
}

/// Whether lines can stay as they are: every reader finds the same lines in them, and no end.
fn is_plain(lines: &str) -> bool {
    let mut characters = lines.chars().peekable();
    while let Some(character) = characters.next() {
        let is_line_end = match character {
            '\r' => characters.peek() == Some(&'\n'),
            other => matches!(other, '\n' | '\t'),
        };
        if is_escaped(character) && !is_line_end {
            return false;
        }
    }
    !lines.contains(FENCE)
}

/// The members of a mapping, or nothing at all.
fn read(matter: &str) -> Result<Vec<NodeMember>, Fault> {
    let parsed = parse(matter.as_bytes(), ManifestFormat::Yaml);
    let problem = match parsed {
        Ok(parsed) if parsed.problems.is_empty() => match parsed.root.value {
            NodeValue::Object(members) => return Ok(members),
            NodeValue::Null => return Ok(Vec::new()),
            _ => {
                let problem = format!("{} instead of members", parsed.root.kind());
                return Err(Fault { line: 1, column: 1, problem });
            }
        },
        Ok(mut parsed) => parsed.problems.swap_remove(0),
        Err(problem) => *problem,
    };
    let position = problem.position;
    let problem = format!("{}; allowed: {}", problem.found, problem.allowed);
    Err(Fault { line: position.line, column: position.column, problem })
}

/// The same fault with the line of the file: the first one is the fence.
fn in_file(fault: Fault, kept: &[(usize, &str)]) -> Fault {
    let of_line = kept.get(fault.line.saturating_sub(1)).or(kept.last());
    Fault { line: of_line.map_or(1, |(line, _)| line + 1), ..fault }
}

/// Members in a form that all readers of YAML and JSON agree about, one on each line.
pub(super) fn rewritten(members: &[NodeMember]) -> String {
    let lines = members.iter().map(|member| {
        let mut line = format!("{}: ", yaml_string(&member.name));
        write(&member.node, &mut line);
        line.push('\n');
        line
    });
    lines.collect()
}

/// Recursive, but never deeper than the reader allows.
fn write(node: &Node, out: &mut String) {
    match &node.value {
        // What was refused has been reported, so there is none.
        NodeValue::Null | NodeValue::Refused => out.push_str("null"),
        NodeValue::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        NodeValue::Number(number) => {
            let mut digits = Vec::new();
            Number::Double(*number).write_to(&mut digits);
            out.push_str(&String::from_utf8_lossy(&digits));
        }
        NodeValue::String(text) => out.push_str(&yaml_string(text)),
        NodeValue::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write(item, out);
            }
            out.push(']');
        }
        NodeValue::Object(members) => {
            out.push('{');
            for (index, member) in members.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                out.push_str(&yaml_string(&member.name));
                out.push_str(": ");
                write(&member.node, out);
            }
            out.push('}');
        }
    }
}
