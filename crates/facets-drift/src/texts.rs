//! Every text of a definition, and where it stands.

use std::collections::BTreeMap;

use facets_digest::json::Value;
use facets_surface::Definition;

use crate::finding::Evidence;
use facets_markers::{Approved, Context, Marker, ToolNames, decodings};

/// What a text is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Read by people and models: a description, a title.
    Prose,
    /// The name of a member, such as a parameter.
    Name,
    /// The name of the thing itself, or an address.
    Key,
    /// The bytes of a picture, which say nothing to a model.
    Picture,
    /// Any other value.
    Data,
}

/// A text in a definition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'v> {
    pub(crate) text: &'v str,
    pub(crate) role: Role,
}

/// The texts of a value by their places, such as `inputSchema.properties.path.description`.
pub(crate) fn texts<'v>(value: &'v Value<'_>, key: &str) -> BTreeMap<String, Text<'v>> {
    let mut found = BTreeMap::new();
    if let Value::Object(object) = value {
        for member in object.members() {
            let role = if member.name == key { Role::Key } else { role(&member.name) };
            name(&member.name, "", &mut found);
            collect(&member.value, role, segment(&member.name), &mut found);
        }
    }
    found
}

/// A name as part of a place. One that could be taken for several parts is quoted.
pub(crate) fn segment(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-$".contains(c);
    if !name.is_empty() && name.chars().all(plain) { name.to_owned() } else { format!("{name:?}") }
}

fn role(member: &str) -> Role {
    if matches!(member, "description" | "title") { Role::Prose } else { Role::Data }
}

fn name<'v>(name: &'v str, place: &str, found: &mut BTreeMap<String, Text<'v>>) {
    // The names that the protocol gives are no text of the server's.
    let place = format!("{place}{{{}}}", segment(name));
    found.insert(place, Text { text: name, role: Role::Name });
}

fn collect<'v>(
    value: &'v Value<'_>,
    role_here: Role,
    place: String,
    found: &mut BTreeMap<String, Text<'v>>,
) {
    match value {
        Value::String(text) => {
            let role = match is_address(&place) {
                true if is_raster_image(text) => Role::Picture,
                true => Role::Key,
                false => role_here,
            };
            found.insert(place, Text { text, role });
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, Role::Data, format!("{place}[{index}]"), found);
            }
        }
        Value::Object(object) => {
            for member in object.members() {
                name(&member.name, &place, found);
                collect(
                    &member.value,
                    role(&member.name),
                    format!("{place}.{}", segment(&member.name)),
                    found,
                );
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Where the protocol has an address: the website of a server, the picture of anything.
fn is_address(place: &str) -> bool {
    let picture = place.strip_prefix("icons[").and_then(|rest| rest.strip_suffix("].src"));
    place == "websiteUrl"
        || picture.is_some_and(|index| index.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether an address is a picture made of points, and nothing else: SVG is text.
fn is_raster_image(address: &str) -> bool {
    const KINDS: [&str; 9] =
        ["png", "jpeg", "jpg", "gif", "webp", "avif", "bmp", "x-icon", "vnd.microsoft.icon"];
    let data = address.strip_prefix("data:image/").and_then(|rest| rest.split_once(";base64,"));
    let is_point_data = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    data.is_some_and(|(kind, data)| KINDS.contains(&kind) && data.bytes().all(is_point_data))
}

/// What is new and suspicious in a text, seen beside everything that was approved there.
pub(crate) fn evidence(
    approved: &Approved<'_>,
    text: Text<'_>,
    own: &str,
    tools: &ToolNames,
) -> Vec<Evidence> {
    let context = Context { own, tools };
    // A model reads an address that is encoded as well as one that is not.
    let found: Vec<Marker> = match text.role {
        Role::Key => {
            decodings(text.text).iter().flat_map(|one| approved.new_in(one, &context)).collect()
        }
        Role::Picture => Vec::new(),
        Role::Prose | Role::Name | Role::Data => approved.new_in(text.text, &context),
    };
    // The address of a resource is an address, and a name may be that of a parameter, too.
    let counts = |marker: &Marker| match text.role {
        Role::Key | Role::Name => !["marker-url", "marker-other-tool"].contains(&marker.rule),
        Role::Prose | Role::Data | Role::Picture => true,
    };
    let found = found.into_iter().filter(counts);
    found.map(|marker| Evidence { rule: marker.rule, words: marker.words }).collect()
}

/// A text with more markers than this has said enough.
pub(crate) const MOST: usize = 100;

/// All markers of a definition that was never approved.
pub(crate) fn evidence_of(item: &Definition, tools: &ToolNames) -> Vec<Evidence> {
    placed_evidence(item, tools).into_iter().map(|(_, evidence)| evidence).collect()
}

/// The same, each with the first place that it stands in.
pub(crate) fn placed_evidence(item: &Definition, tools: &ToolNames) -> Vec<(String, Evidence)> {
    placed_in(&texts(&item.value(), item.kind().key()), item.name(), tools)
}

/// All markers of these texts, each once, with the first place that it stands in.
pub(crate) fn placed_in(
    texts: &BTreeMap<String, Text<'_>>,
    own: &str,
    tools: &ToolNames,
) -> Vec<(String, Evidence)> {
    let approved = Approved::new(Vec::new());
    let mut all: Vec<(String, Evidence)> = Vec::new();
    for (place, text) in texts {
        for one in evidence(&approved, *text, own, tools) {
            if all.len() < MOST && !all.iter().any(|(_, known)| *known == one) {
                all.push((place.clone(), one));
            }
        }
    }
    all
}

/// The text that a definition has in a place, such as `inputSchema.properties.path.description`.
#[must_use]
pub fn text_at(item: &Definition, place: &str) -> Option<String> {
    texts(&item.value(), item.kind().key()).get(place).map(|text| text.text.to_owned())
}
