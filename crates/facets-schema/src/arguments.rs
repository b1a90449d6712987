//! The arguments that a schema declares, and what it says of them beside their meaning.

use std::collections::{BTreeMap, BTreeSet};

use facets_digest::json::Value;

use crate::close::{has_meaning, resolve};

/// Keywords that say something to readers and nothing to validators.
pub const WORDS: &[&str] = &["$comment", "deprecated", "description", "examples", "title"];

/// Keywords that name things, or hold definitions, beside those that have a meaning.
const FRAME: &[&str] = &[
    "$anchor",
    "$defs",
    "$dynamicAnchor",
    "$id",
    "$recursiveAnchor",
    "$ref",
    "$schema",
    "$vocabulary",
    "additionalItems",
    "definitions",
];

/// Whether a keyword says something that is neither meaning nor words: a default, a format.
fn is_note(keyword: &str) -> bool {
    !has_meaning(keyword) && !FRAME.contains(&keyword) && !WORDS.contains(&keyword)
}

/// What a schema declares, by the places of arguments.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// Every argument that is declared by name.
    pub(crate) declared: BTreeSet<String>,
    /// Defaults, formats and whatever else is no meaning and no words.
    pub(crate) notes: BTreeMap<(String, String), BTreeSet<Vec<u8>>>,
    /// Whether all of the schema was looked at.
    pub(crate) is_complete: bool,
    visits: usize,
    depth: usize,
    /// Definitions that something refers to.
    used: BTreeSet<String>,
}

/// More places than this are not looked at.
const MOST_VISITS: usize = 20_000;
/// Schemas inside each other, and references behind each other.
const DEEPEST: usize = 200;
/// Places further inside have names that nobody reads.
const LONGEST_PLACE: usize = 2000;

impl Arguments {
    pub(crate) fn of(schema: &Value<'_>) -> Self {
        let mut arguments = Self {
            declared: BTreeSet::new(),
            notes: BTreeMap::new(),
            is_complete: true,
            visits: 0,
            depth: 0,
            used: BTreeSet::new(),
        };
        arguments.schema(schema, schema, "", &mut Vec::new());
        arguments.unused(schema);
        arguments
    }

    /// Definitions that nothing refers to are read by models all the same; but no argument is one
    /// by standing there.
    fn unused(&mut self, root: &Value<'_>) {
        let declared = std::mem::take(&mut self.declared);
        for keyword in ["$defs", "definitions"] {
            let Some(Value::Object(all)) = root.member(keyword) else { continue };
            for definition in all.members() {
                let target = format!("#/{keyword}/{}", definition.name);
                if !self.used.contains(&target) {
                    let place = format!("{keyword}.{}", definition.name);
                    self.schema(root, &definition.value, &place, &mut vec![target]);
                }
            }
        }
        for place in std::mem::replace(&mut self.declared, declared) {
            self.notes.entry((place, "a member".to_owned())).or_default();
        }
    }

    fn schema<'v>(
        &mut self,
        root: &'v Value<'v>,
        schema: &'v Value<'v>,
        place: &str,
        inside: &mut Vec<String>,
    ) {
        self.visits += 1;
        let Value::Object(object) = schema else { return };
        let enough = self.visits > MOST_VISITS || place.len() > LONGEST_PLACE;
        if enough || self.depth == DEEPEST {
            self.is_complete = false;
            return;
        }
        self.depth += 1;
        for member in object.members() {
            self.naming(root, (&member.name, &member.value), place, inside);
            self.member(root, (&member.name, &member.value), place, inside);
        }
        self.depth -= 1;
    }

    /// One member of a schema: what is below it, and what it notes.
    fn member<'v>(
        &mut self,
        root: &'v Value<'v>,
        (name, value): (&str, &'v Value<'v>),
        place: &str,
        inside: &mut Vec<String>,
    ) {
        match (name, value) {
            ("$ref", Value::String(target)) => {
                self.used.insert(target.to_string());
                // A definition inside itself declares the same again.
                if inside.iter().any(|one| **one == **target) {
                    return;
                }
                if let Some(found) = resolve(root, target) {
                    inside.push(target.to_string());
                    self.schema(root, found, place, inside);
                    inside.pop();
                }
            }
            ("properties", Value::Object(properties)) => {
                for property in properties.members() {
                    let below = join(place, &property.name);
                    if property.value != Value::Bool(false) {
                        self.declared.insert(below.clone());
                    }
                    self.schema(root, &property.value, &below, inside);
                }
            }
            ("patternProperties", Value::Object(properties)) => {
                for property in properties.members() {
                    self.declared.insert(join(place, &format!("/{}/", property.name)));
                    self.schema(root, &property.value, &join(place, "*"), inside);
                }
            }
            ("additionalProperties" | "unevaluatedProperties", value) => {
                self.schema(root, value, &join(place, "*"), inside);
            }
            ("items" | "prefixItems" | "additionalItems" | "contains", value) => {
                self.each(root, value, &format!("{place}[]"), inside);
            }
            ("allOf" | "anyOf" | "oneOf" | "if" | "then" | "else" | "not", value) => {
                self.each(root, value, place, inside);
            }
            ("dependentSchemas" | "dependencies", Value::Object(parts)) => {
                for part in parts.members() {
                    self.schema(root, &part.value, place, inside);
                }
            }
            (name, value) if is_note(name) => {
                let key = (place.to_owned(), name.to_owned());
                self.notes.entry(key).or_default().insert(value.to_canonical());
            }
            _ => {}
        }
    }

    /// Keywords that name arguments without saying what they are.
    fn naming<'v>(
        &mut self,
        root: &'v Value<'v>,
        keyword: (&str, &'v Value<'v>),
        place: &str,
        inside: &mut Vec<String>,
    ) {
        match keyword {
            // What must be there is told to whoever calls, declared or not.
            ("required", Value::Array(names)) => self.name_all(names, place),
            ("dependentRequired", Value::Object(lists)) => {
                for list in lists.members() {
                    if let Value::Array(names) = &list.value {
                        self.name_all(names, place);
                    }
                }
            }
            ("propertyNames", names) => {
                for keyword in ["enum", "const"] {
                    match names.member(keyword) {
                        Some(Value::Array(names)) => self.name_all(names, place),
                        Some(name) => self.name_all(std::slice::from_ref(name), place),
                        None => {}
                    }
                }
                self.schema(root, names, &join(place, "(names)"), inside);
            }
            _ => {}
        }
    }

    fn name_all(&mut self, names: &[Value<'_>], place: &str) {
        for name in names {
            if let Value::String(name) = name {
                self.declared.insert(join(place, name));
            }
        }
    }

    fn each<'v>(
        &mut self,
        root: &'v Value<'v>,
        value: &'v Value<'v>,
        place: &str,
        inside: &mut Vec<String>,
    ) {
        match value {
            Value::Array(schemas) => {
                for schema in schemas {
                    self.schema(root, schema, place, inside);
                }
            }
            schema => self.schema(root, schema, place, inside),
        }
    }

    /// Arguments that the other does not declare.
    pub(crate) fn beyond(&self, other: &Self) -> Vec<String> {
        self.declared.difference(&other.declared).cloned().collect()
    }

    /// Places and keywords of which the two say something else.
    pub(crate) fn other_notes(&self, other: &Self) -> Vec<String> {
        let keys: BTreeSet<_> = self.notes.keys().chain(other.notes.keys()).collect();
        let differs = |key: &&&(String, String)| self.notes.get(**key) != other.notes.get(**key);
        keys.iter()
            .filter(differs)
            .map(
                |(place, keyword)| {
                    if place.is_empty() { keyword.clone() } else { format!("{keyword} of {place}") }
                },
            )
            .collect()
    }
}

fn join(place: &str, name: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") }
}
