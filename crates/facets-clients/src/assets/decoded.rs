//! Signs of poison that only the meaning of a front matter has (spec 7.10): a model reads its strings without the
//! escapes that they are written with.

use facets_markers::{Context, Power, ToolNames, markers};
use facets_model::tree::{Node, NodeMember, NodeValue};

use super::front_matter::author_members;

const CONTEXT: Context<'_> = Context { own: "", tools: ToolNames::NONE };

/// The markers of strings that the text does not have as they are.
pub(super) fn decoded_markers(text: &str) -> Vec<Power> {
    let mut strings = Vec::new();
    for member in &author_members(text) {
        add_strings(member, &mut strings);
    }
    let mut found: Vec<Power> = Vec::new();
    for string in strings.iter().filter(|string| !text.contains(string.as_str())) {
        // What is blank to a reader separates words: two words on two lines are one order.
        for text in [string.clone(), with_plain_blanks(string)] {
            let new = markers(&text, &CONTEXT).into_iter();
            let new = new.map(|marker| Power { key: marker.words.clone(), marker });
            for power in new {
                if !found.contains(&power) {
                    found.push(power);
                }
            }
        }
    }
    found
}

fn add_strings(member: &NodeMember, strings: &mut Vec<String>) {
    strings.push(member.name.clone());
    add_strings_of(&member.node, strings);
}

fn add_strings_of(node: &Node, strings: &mut Vec<String>) {
    match &node.value {
        NodeValue::String(text) => strings.push(text.clone()),
        NodeValue::Array(items) => {
            for item in items {
                add_strings_of(item, strings);
            }
        }
        NodeValue::Object(members) => {
            for member in members {
                add_strings(member, strings);
            }
        }
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) | NodeValue::Refused => {}
    }
}

/// One blank for everything between two words that shows nothing.
fn with_plain_blanks(text: &str) -> String {
    let is_blank = |c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}';
    text.split(is_blank).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
