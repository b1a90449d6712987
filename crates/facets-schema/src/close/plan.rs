//! How a schema with parts for the same value is closed (spec 7.3).

use std::collections::{BTreeMap, BTreeSet};

use facets_digest::json::{Object, Value};

use super::document::Document;
use super::keywords::{CHILDREN, Dialect, IN_PLACE, Mode, NEWER};

/// How one schema is closed.
pub(super) struct Plan {
    /// The keyword that closes it.
    pub(super) closing: Option<&'static str>,
    /// What becomes of its parts for the same value.
    pub(super) parts: Parts,
}

#[derive(PartialEq, Eq)]
pub(super) enum Parts {
    /// Each is closed for itself.
    Alone,
    /// They are parts of a whole.
    Together {
        /// How many of them declare each name; alternatives are counted once.
        counts: BTreeMap<String, usize>,
        /// The names that are declared around them.
        taken: BTreeSet<String>,
        /// What they declare inside of what the whole declares, too.
        inside: BTreeMap<String, BTreeSet<String>>,
    },
    /// Nothing is closed.
    Open,
}

impl Plan {
    pub(super) fn of(
        object: &Object<'_>,
        mode: Mode,
        around: Option<&BTreeSet<String>>,
        document: &Document<'_>,
    ) -> Self {
        let has = |name: &str| {
            object.get(name).is_some()
                && !(document.dialect == Dialect::Old && NEWER.contains(&name))
        };
        if mode == Mode::Leave {
            return Self { closing: None, parts: Parts::Open };
        }
        let together = || Parts::together(object, around, document);
        if mode != Mode::Close || has("additionalProperties") || has("unevaluatedProperties") {
            return Self { closing: None, parts: together() };
        }
        let parts: Vec<&str> = ["$ref", "dependencies", "if"]
            .iter()
            .chain(IN_PLACE)
            .copied()
            .filter(|name| has(name))
            .collect();
        if parts.is_empty() {
            let closing = has("properties").then_some("additionalProperties");
            return Self { closing, parts: Parts::Open };
        }
        // Alternatives, and the whole in a wrapping, are closed each for itself.
        let alone = |name: &str| parts == [name] && !has("properties") && !has("patternProperties");
        let wrapping = matches!(object.get("allOf"), Some(Value::Array(all)) if all.len() == 1);
        if alone("anyOf") || alone("oneOf") || (alone("allOf") && wrapping) {
            return Self { closing: None, parts: Parts::Alone };
        }
        let declares = declares(&Value::Object(object.clone()), document, 0);
        Self { closing: declares.then_some("unevaluatedProperties"), parts: together() }
    }
}

impl Plan {
    /// Whether a part declares something inside of this that the schema itself does not: then it tells
    /// only a half, and cannot be closed.
    pub(super) fn is_half(&self, name: &str, child: &Value<'_>, document: &Document<'_>) -> bool {
        let Parts::Together { inside, .. } = &self.parts else { return false };
        let Some(others) = inside.get(name) else { return false };
        !others.is_subset(&declared_below(child, document, 0))
    }
}

impl Parts {
    fn together(
        object: &Object<'_>,
        around: Option<&BTreeSet<String>>,
        document: &Document<'_>,
    ) -> Self {
        let mut taken = own_names(object);
        let mut inside = BTreeMap::new();
        let parts: Vec<&Value<'_>> = groups(object, document).into_iter().flatten().collect();
        for name in taken.iter().filter(|_| !parts.is_empty()) {
            let children = children_named(&parts, name, document, 0).into_iter();
            let names: BTreeSet<String> =
                children.flat_map(|child| declared_below(child, document, 0)).collect();
            if !names.is_empty() {
                inside.insert(name.clone(), names);
            }
        }
        taken.extend(around.into_iter().flatten().cloned());
        let mut counts = BTreeMap::new();
        for group in groups(object, document) {
            let names: BTreeSet<String> =
                group.iter().flat_map(|part| declared(part, document, 0)).collect();
            for name in names {
                *counts.entry(name).or_default() += 1;
            }
        }
        Self::Together { counts, taken, inside }
    }
}

/// The parts of a schema for the same value; those that exclude each other are one group. A
/// condition is none: it demands nothing.
fn groups<'o>(object: &'o Object<'_>, document: &Document<'o>) -> Vec<Vec<&'o Value<'o>>> {
    let mut groups: Vec<Vec<&Value<'_>>> = Vec::new();
    for member in object.members() {
        match (&*member.name, &member.value) {
            ("$ref", Value::String(target)) => {
                groups.extend(document.resolve(target).map(|part| vec![part]));
            }
            ("allOf", Value::Array(parts)) => groups.extend(parts.iter().map(|part| vec![part])),
            ("anyOf" | "oneOf", Value::Array(parts)) => groups.push(parts.iter().collect()),
            ("dependencies" | "dependentSchemas", Value::Object(parts)) => {
                groups.extend(parts.members().iter().map(|part| vec![&part.value]));
            }
            _ => {}
        }
    }
    let branches = ["then", "else"].iter().filter_map(|name| object.get(name));
    groups.push(branches.collect());
    groups
}

/// The name of everything that a keyword has schemas for.
pub(super) fn all_of(keyword: &str) -> String {
    let keyword = if keyword == "prefixItems" { "items" } else { keyword };
    format!("\0{keyword}")
}

/// The names that a schema declares itself.
fn own_names(object: &Object<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for member in object.members() {
        match (&*member.name, &member.value) {
            ("properties", Value::Object(properties)) => {
                names.extend(properties.members().iter().map(|one| one.name.to_string()));
            }
            (keyword, _) if CHILDREN.contains(&keyword) => {
                names.insert(all_of(keyword));
            }
            _ => {}
        }
    }
    names
}

/// Parts inside of parts.
const DEEPEST_PART: usize = 20;

/// The names that a schema declares, itself or in parts for the same value.
pub(super) fn declared(
    schema: &Value<'_>,
    document: &Document<'_>,
    depth: usize,
) -> BTreeSet<String> {
    let Value::Object(object) = schema else { return BTreeSet::new() };
    let mut names = own_names(object);
    if document.may_ask(1 + names.len() / 8) && depth < DEEPEST_PART {
        for part in groups(object, document).into_iter().flatten() {
            names.extend(declared(part, document, depth + 1));
        }
    }
    names
}

/// What is declared anywhere inside of a value, as paths of names.
fn declared_below(schema: &Value<'_>, document: &Document<'_>, depth: usize) -> BTreeSet<String> {
    const DEEPEST: usize = 6;
    let mut paths = declared(schema, document, 0);
    if depth == DEEPEST {
        return paths;
    }
    for name in paths.clone() {
        for child in children_named(&[schema], &name, document, 0) {
            let below = declared_below(child, document, depth + 1).into_iter();
            paths.extend(below.map(|inner| format!("{name}\n{inner}")));
        }
    }
    paths
}

/// The schemas that parts have for one member, or for the items.
fn children_named<'o>(
    parts: &[&'o Value<'o>],
    name: &str,
    document: &Document<'o>,
    depth: usize,
) -> Vec<&'o Value<'o>> {
    let mut children = Vec::new();
    for part in parts {
        let Value::Object(object) = part else { continue };
        if !document.may_ask(1) || depth > DEEPEST_PART {
            break;
        }
        children.extend(match name.strip_prefix('\0') {
            Some(keyword) => object.get(keyword),
            None => object.get("properties").and_then(|all| all.member(name)),
        });
        let deeper: Vec<&Value<'_>> = groups(object, document).into_iter().flatten().collect();
        children.extend(children_named(&deeper, name, document, depth + 1));
    }
    children
}

/// Whether a schema declares arguments, itself or in parts for the same value. One that is too deep
/// to tell counts as one that does.
fn declares(schema: &Value<'_>, document: &Document<'_>, depth: usize) -> bool {
    let Value::Object(object) = schema else { return false };
    if object.get("properties").is_some() {
        return true;
    }
    if !document.may_ask(1) || depth > DEEPEST_PART {
        return true;
    }
    let below = |schema: &Value<'_>| declares(schema, document, depth + 1);
    object.members().iter().any(|member| match (&*member.name, &member.value) {
        ("$ref", Value::String(target)) => document.resolve(target).is_some_and(below),
        ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => parts.iter().any(below),
        ("if" | "then" | "else", part) => below(part),
        ("dependencies" | "dependentSchemas", Value::Object(parts)) => {
            parts.members().iter().any(|part| below(&part.value))
        }
        _ => false,
    })
}
