use facets_digest::json::{Number, write_pretty_list, write_string};

use super::node::{Node, NodeValue};

pub(super) fn to_json(node: &Node) -> String {
    let mut out = Vec::new();
    write(node, 0, &mut out);
    out.push(b'\n');
    // Strings, digits and punctuation: UTF-8 by construction.
    String::from_utf8(out).unwrap_or_default()
}

fn write(node: &Node, depth: usize, out: &mut Vec<u8>) {
    match &node.value {
        NodeValue::Null | NodeValue::Refused => out.extend_from_slice(b"null"),
        NodeValue::Bool(true) => out.extend_from_slice(b"true"),
        NodeValue::Bool(false) => out.extend_from_slice(b"false"),
        NodeValue::Number(number) => Number::Double(*number).write_to(out),
        NodeValue::String(text) => write_string(text, out),
        NodeValue::Array(items) => write_pretty_list(['[', ']'], items, depth, out, |item, out| {
            write(item, depth + 1, out);
        }),
        NodeValue::Object(members) => {
            write_pretty_list(['{', '}'], members, depth, out, |member, out| {
                write_string(&member.name, out);
                out.extend_from_slice(b": ");
                write(&member.node, depth + 1, out);
            })
        }
    }
}

impl Node {
    /// The tree without its places, printed as JSON: two spaces, a final newline.
    ///
    /// spec 3.1: this is what a YAML manifest is archived as
    #[must_use]
    pub fn to_json(&self) -> String {
        to_json(self)
    }
}
