//! Files of assets, read as clients read them.

use facets_model::tree::{ManifestFormat, NodeMember, NodeValue, parse};

/// The members of a written front matter, and the body, read by a client that ends it at the first
/// three hyphens, in whatever line.
pub(crate) fn read_back(text: &str) -> (Vec<NodeMember>, &str) {
    let inside = text.strip_prefix("---\n").unwrap();
    let (matter, body) = inside.split_once("---").unwrap();
    assert!(matter.ends_with('\n'), "{text:?}");
    let parsed = parse(matter.as_bytes(), ManifestFormat::Yaml).unwrap();
    assert_eq!(parsed.problems, []);
    let NodeValue::Object(members) = parsed.root.value else { panic!("{text:?}") };
    (members, body.strip_prefix('\n').unwrap())
}

/// A member as its name and JSON.
pub(crate) fn shown(member: &NodeMember) -> (String, String) {
    (member.name.clone(), member.node.to_json())
}
