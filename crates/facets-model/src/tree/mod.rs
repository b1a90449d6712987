//! One tree for JSON, JSON with comments, and YAML, that remembers where everything stood.
//!
//! Faults that leave the rest of a file readable (a name that stands twice, an alias, a
//! number out of range) are collected; only what stops reading altogether ends it.

mod json;
mod jsonc;
mod print;
mod yaml;

pub use jsonc::blank_comments;

use std::collections::BTreeSet;
use std::ops::Range;

use facets_digest::json::{Limits, Position};

use crate::manifest::Problem;

/// What a manifest may ask of its reader.
pub const MANIFEST_LIMITS: Limits = Limits { bytes: 1 << 20, depth: 128, values: 100_000 };

/// The notation of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Strict JSON.
    Json,
    /// JSON with `//` and `/* */` comments and trailing commas.
    JsonWithComments,
    /// YAML 1.2, core schema, one document.
    Yaml,
}

/// A value and its place.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its bytes in the text.
    pub span: Range<usize>,
    /// What it is.
    pub value: NodeValue,
}

/// The kinds of values.
#[derive(Clone, Debug)]
pub enum NodeValue {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number; integers beyond ±(2^53−1) are refused before they get here.
    Number(f64),
    /// A string.
    String(String),
    /// A list.
    Array(Vec<Node>),
    /// Members in the order written, no name twice.
    Object(Vec<NodeMember>),
    /// Something already reported, so that nothing is said about it twice.
    Refused,
}

/// A name and its value.
#[derive(Clone, Debug)]
pub struct NodeMember {
    /// The name.
    pub name: String,
    /// Where the name stands.
    pub name_span: Range<usize>,
    /// Its value.
    pub node: Node,
}

/// A text that was read, with its tree and the faults found on the way.
#[derive(Clone, Debug)]
pub struct Parsed<'t> {
    /// The text.
    pub text: &'t str,
    /// Its notation.
    pub format: Format,
    /// The tree.
    pub root: Node,
    /// What is wrong with the notation.
    pub problems: Vec<Problem>,
}

/// Reads a file. The error is the one fault that nothing could be read past.
pub fn parse(bytes: &[u8], format: Format) -> Result<Parsed<'_>, Box<Problem>> {
    let text = check_text(bytes)?;
    let mut problems = Vec::new();
    let root = match format {
        Format::Json => json::parse(text, text, &mut problems),
        Format::JsonWithComments => json::parse(&jsonc::blank_comments(text), text, &mut problems),
        Format::Yaml => yaml::parse(text, &mut problems),
    }?;
    for problem in &mut problems {
        let around = root.path_at(problem.position.offset);
        problem.member = join(&around, &problem.member);
    }
    Ok(Parsed { text, format, root, problems })
}

/// What holds for every notation: size, UTF-8, no byte order mark.
fn check_text(bytes: &[u8]) -> Result<&str, Box<Problem>> {
    facets_digest::json::Tokenizer::new(bytes, MANIFEST_LIMITS)
        .map_err(|error| Box::new(Problem::from_json(&error)))?;
    // The tokenizer has just checked the same.
    Ok(std::str::from_utf8(bytes).unwrap_or_default())
}

/// The path of a member inside the one at `path`.
pub(crate) fn join(path: &str, name: &str) -> String {
    match (path, name) {
        ("", name) => name.to_owned(),
        (path, "") => path.to_owned(),
        (path, name) => format!("{path}.{name}"),
    }
}

impl Node {
    /// The path of the innermost member whose text has this offset.
    fn path_at(&self, offset: usize) -> String {
        let (name, node) = match &self.value {
            NodeValue::Object(members) => {
                let holds =
                    |m: &&NodeMember| (m.name_span.start..m.node.span.end).contains(&offset);
                match members.iter().find(holds) {
                    Some(member) => (member.name.clone(), &member.node),
                    None => return String::new(),
                }
            }
            NodeValue::Array(items) => match items.iter().position(|n| n.span.contains(&offset)) {
                Some(index) => (format!("[{index}]"), &items[index]),
                None => return String::new(),
            },
            _ => return String::new(),
        };
        let inner = node.path_at(offset);
        if inner.starts_with('[') { format!("{name}{inner}") } else { join(&name, &inner) }
    }

    /// The tree without its places, printed as JSON: two spaces, a final newline.
    ///
    /// spec 3.1: this is what a YAML manifest is archived as
    #[must_use]
    pub fn to_json(&self) -> String {
        print::to_json(self)
    }

    /// What people call the kind of value.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.value {
            NodeValue::Null => "null",
            NodeValue::Bool(_) => "a boolean",
            NodeValue::Number(_) => "a number",
            NodeValue::String(_) => "a string",
            NodeValue::Array(_) => "a list",
            NodeValue::Object(_) => "an object",
            NodeValue::Refused => "nothing usable",
        }
    }
}

fn position(text: &str, offset: usize) -> Position {
    Position::of(text.as_bytes(), offset)
}

/// The members of one object while it is being read.
#[derive(Default)]
struct Members {
    list: Vec<NodeMember>,
    seen: BTreeSet<String>,
}

impl Members {
    /// Keeps the first of two equal names and reports the second.
    fn add(&mut self, member: NodeMember, text: &str, problems: &mut Vec<Problem>) {
        if self.seen.insert(member.name.clone()) {
            self.list.push(member);
            return;
        }
        // What was found inside is about to lose its place in the tree.
        for problem in problems.iter_mut() {
            let offset = problem.position.offset;
            if member.node.span.contains(&offset) {
                problem.member = join(&member.name, &member.node.path_at(offset));
            }
        }
        problems.push(Problem {
            code: "manifest-duplicate-member",
            position: position(text, member.name_span.start),
            member: member.name,
            found: "the same name a second time in one object".to_owned(),
            allowed: "each name once".to_owned(),
            fix: "remove one of the two, or rename it".to_owned(),
        });
    }
}
