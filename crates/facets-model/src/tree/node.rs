//! Values and their places.

use std::collections::BTreeSet;
use std::ops::Range;

use facets_digest::json::{Limits, Position};

use crate::manifest::Problem;

/// What a manifest may ask of its reader.
pub const MANIFEST_LIMITS: Limits = Limits { bytes: 1 << 20, depth: 128, values: 100_000 };

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
    pub(super) fn path_at(&self, offset: usize) -> String {
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
            NodeValue::Refused => "an invalid value",
        }
    }
}

pub(super) fn position(text: &str, offset: usize) -> Position {
    Position::of(text.as_bytes(), offset)
}

/// The members of one object while it is being read.
#[derive(Default)]
pub(super) struct MemberList {
    pub(super) list: Vec<NodeMember>,
    seen: BTreeSet<String>,
}

impl MemberList {
    /// Keeps the first of two equal names and reports the second.
    pub(super) fn add(&mut self, member: NodeMember, text: &str, problems: &mut Vec<Problem>) {
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
            found: "duplicate name in one object".to_owned(),
            allowed: "each name once".to_owned(),
            fix: "remove one of the two, or rename it".to_owned(),
        });
    }
}
