//! Closed copies (spec 7.3): what is not declared is no part of the interface.
//!
//! A copy is 2020-12, has nothing but what validators look at, and each definition that it
//! refers to once for every way in which it is used.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;

use facets_digest::json::{Member, Object, Value};

/// Whether objects are closed from here on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mode {
    /// At a place of its own: the whole, or the value of a member or an item.
    Close,
    /// A part of something that is closed as a whole, or not at all.
    Leave,
}

/// Which rules a schema was written by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Old,
    Between,
    New,
    Unknown,
}

impl Dialect {
    fn of(schema: &Value<'_>) -> Self {
        match schema.member("$schema") {
            None => Self::New,
            Some(Value::String(name)) => match name.trim_end_matches('#') {
                "http://json-schema.org/draft-07/schema"
                | "https://json-schema.org/draft-07/schema" => Self::Old,
                "https://json-schema.org/draft/2019-09/schema" => Self::Between,
                "https://json-schema.org/draft/2020-12/schema" => Self::New,
                _ => Self::Unknown,
            },
            Some(_) => Self::Unknown,
        }
    }
}

/// Keywords that draft 7 does not know.
const NEWER: &[&str] = &[
    "dependentRequired",
    "dependentSchemas",
    "maxContains",
    "minContains",
    "prefixItems",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is compared as it is.
const PLAIN: &[&str] = &[
    "$dynamicRef",
    "$recursiveRef",
    "const",
    "dependentRequired",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "uniqueItems",
];
/// Keywords whose lists are sets.
const SETS: &[&str] = &["enum", "required", "type"];
/// Keywords with schemas for other values than the one looked at.
const CHILDREN: &[&str] = &[
    "additionalProperties",
    "items",
    "patternProperties",
    "prefixItems",
    "properties",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords with schemas for the same value; and those whose schemas are conditions.
const IN_PLACE: &[&str] = &["allOf", "anyOf", "dependentSchemas", "else", "oneOf", "then"];
const CONDITIONS: &[&str] = &["contains", "if", "not", "propertyNames"];

/// A closed copy.
pub(crate) struct Closed<'v> {
    pub(crate) schema: Value<'v>,
    /// Whether everything in it can be read alone. If not, the same words may mean something else
    /// in another document.
    pub(crate) is_whole: bool,
}

/// Makes the closed copy of a schema.
pub(crate) fn close<'v>(schema: &'v Value<'v>) -> Closed<'v> {
    let dialect = Dialect::of(schema);
    if let (Dialect::Unknown, Some(name)) = (dialect, schema.member("$schema")) {
        let name = Member { name: "$schema".into(), value: name.clone() };
        let whole = Member { name: "unread".into(), value: schema.clone() };
        return Closed { schema: object_of(vec![name, whole]), is_whole: false };
    }
    let mut closer = Closer {
        root: schema,
        dialect,
        numbers: BTreeMap::new(),
        queue: Vec::new(),
        asked: Cell::new(0),
        is_whole: true,
    };
    let mut copy = closer.schema(schema, Mode::Close, true);
    let mut definitions = Vec::new();
    while let Some((number, target, mode)) = closer.queue.pop() {
        let value = closer.schema(target, mode, std::ptr::eq(target, schema));
        definitions.push(Member { name: Cow::Owned(number.to_string()), value });
    }
    if !definitions.is_empty()
        && let Value::Object(object) = &mut copy
    {
        let mut members = object.members().to_vec();
        members.retain(|member| member.name != "$defs");
        members.push(Member { name: "$defs".into(), value: object_of(definitions) });
        *object = Object::new(members).unwrap_or_default();
    }
    Closed { schema: copy, is_whole: closer.is_whole }
}

fn object_of(members: Vec<Member<'_>>) -> Value<'_> {
    // Each name is made once.
    Value::Object(Object::new(members).unwrap_or_default())
}

/// A definition that still has to be copied.
type Awaited<'v> = (usize, &'v Value<'v>, Mode);

struct Closer<'v> {
    root: &'v Value<'v>,
    dialect: Dialect,
    /// Definitions by where they stand and how they are used.
    numbers: BTreeMap<(String, Mode), usize>,
    queue: Vec<Awaited<'v>>,
    /// How often anybody asked what declares arguments.
    asked: Cell<usize>,
    is_whole: bool,
}

impl<'v> Closer<'v> {
    fn schema(&mut self, schema: &'v Value<'v>, mode: Mode, is_root: bool) -> Value<'v> {
        let Value::Object(object) = schema else { return schema.clone() };
        // Behind a name of its own, references mean something else.
        if object.get("$id").is_some() && !is_root {
            self.is_whole = false;
            return schema.clone();
        }
        if let Some(target) = self.sole_reference(object) {
            let target = self.reference(target, mode);
            return object_of(vec![Member { name: "$ref".into(), value: Value::String(target) }]);
        }
        let plan = Plan::of(object, mode, self);
        let mut members = Vec::new();
        for member in object.members() {
            let newer = match self.dialect {
                Dialect::Old => NEWER.contains(&&*member.name),
                Dialect::Between => member.name == "prefixItems",
                Dialect::New | Dialect::Unknown => false,
            };
            if newer {
                continue;
            }
            if ["$dynamicRef", "$recursiveRef"].contains(&&*member.name) {
                self.is_whole = false;
            }
            members.extend(self.member(&member.name, &member.value, mode, &plan));
        }
        if let Some(keyword) = plan.closing {
            members.push(Member { name: keyword.into(), value: Value::Bool(false) });
        }
        self.translate(object, mode, &plan, &mut members);
        // A keyword that is there in its old and its new spelling is left for nobody to read.
        if let Ok(object) = Object::new(members) {
            return Value::Object(object);
        }
        self.is_whole = false;
        schema.clone()
    }

    /// The target of a schema that is nothing but a reference.
    fn sole_reference(&self, object: &'v Object<'v>) -> Option<&'v str> {
        let Some(Value::String(target)) = object.get("$ref") else { return None };
        let alone = object.members().iter().all(|member| !has_meaning(&member.name));
        (self.dialect == Dialect::Old || alone).then_some(&**target)
    }

    fn member(
        &mut self,
        name: &'v str,
        value: &'v Value<'v>,
        mode: Mode,
        plan: &Plan,
    ) -> Option<Member<'v>> {
        let value = match (name, value) {
            ("$ref", Value::String(target)) => Value::String(self.reference(target, Mode::Leave)),
            ("items", Value::Array(_)) if self.dialect != Dialect::New => return None,
            // Some readers know them all the same; then nobody knows what is meant.
            ("items", Value::Array(_)) | ("dependencies", _) if self.dialect == Dialect::New => {
                self.is_whole = false;
                value.clone()
            }
            (name, Value::Array(items)) if SETS.contains(&name) => set(name, items)?,
            (name, value) if PLAIN.contains(&name) || SETS.contains(&name) => value.clone(),
            (name, value) if CHILDREN.contains(&name) => self.below(value, mode, name),
            (name, value) if IN_PLACE.contains(&name) => self.below(value, plan.parts, name),
            (name, value) if CONDITIONS.contains(&name) => self.below(value, Mode::Leave, name),
            _ => return None,
        };
        Some(Member { name: Cow::Borrowed(name), value })
    }

    /// Schemas by name, in a list, or one.
    fn below(&mut self, value: &'v Value<'v>, mode: Mode, keyword: &str) -> Value<'v> {
        const MAPS: &[&str] = &["dependentSchemas", "patternProperties", "properties"];
        match value {
            Value::Object(schemas) if MAPS.contains(&keyword) => {
                let schemas = schemas.members().iter().map(|member| Member {
                    name: Cow::Borrowed(&*member.name),
                    value: self.schema(&member.value, mode, false),
                });
                object_of(schemas.collect())
            }
            Value::Array(schemas) => {
                Value::Array(schemas.iter().map(|one| self.schema(one, mode, false)).collect())
            }
            schema => self.schema(schema, mode, false),
        }
    }

    /// Keywords of older drafts in today's words.
    fn translate(
        &mut self,
        object: &'v Object<'v>,
        mode: Mode,
        plan: &Plan,
        members: &mut Vec<Member<'v>>,
    ) {
        if self.dialect == Dialect::New {
            return;
        }
        if let Some(list @ Value::Array(_)) = object.get("items") {
            members.push(Member { name: "prefixItems".into(), value: self.below(list, mode, "") });
            if let Some(rest) = object.get("additionalItems") {
                let value = self.schema(rest, mode, false);
                members.push(Member { name: "items".into(), value });
            }
        }
        let Some(Value::Object(dependencies)) = object.get("dependencies") else { return };
        let (mut required, mut schemas) = (Vec::new(), Vec::new());
        for member in dependencies.members() {
            let name = Cow::Borrowed(&*member.name);
            match &member.value {
                list @ Value::Array(_) => required.push(Member { name, value: list.clone() }),
                schema => {
                    let value = self.schema(schema, plan.parts, false);
                    schemas.push(Member { name, value });
                }
            }
        }
        let spelled = [("dependentRequired", required), ("dependentSchemas", schemas)];
        for (name, entries) in spelled.into_iter().filter(|(_, entries)| !entries.is_empty()) {
            members.push(Member { name: name.into(), value: object_of(entries) });
        }
    }

    /// The name of a definition in the copy. What is not in this document keeps its name.
    fn reference(&mut self, target: &'v str, mode: Mode) -> Cow<'v, str> {
        let Some(found) = self.resolve(target) else {
            self.is_whole = false;
            return Cow::Borrowed(target);
        };
        let next = self.numbers.len();
        let number = *self.numbers.entry((target.to_owned(), mode)).or_insert(next);
        if number == next {
            self.queue.push((number, found, mode));
        }
        Cow::Owned(format!("#/$defs/{number}"))
    }

    fn resolve(&self, target: &str) -> Option<&'v Value<'v>> {
        resolve(self.root, target)
    }
}

/// What a reference inside a document leads to.
pub(crate) fn resolve<'v>(root: &'v Value<'v>, target: &str) -> Option<&'v Value<'v>> {
    let path = decode(target.strip_prefix('#')?)?;
    if path.is_empty() {
        return Some(root);
    }
    let mut at = root;
    for segment in path.strip_prefix('/')?.split('/') {
        let name = segment.replace("~1", "/").replace("~0", "~");
        at = match at {
            Value::Object(object) => object.get(&name)?,
            Value::Array(items) => items.get(name.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(at)
}

/// The text behind percent signs.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

/// Whether a keyword decides about values, in any draft.
pub(crate) fn has_meaning(keyword: &str) -> bool {
    let lists = [PLAIN, SETS, CHILDREN, IN_PLACE, CONDITIONS, &["dependencies"]];
    lists.iter().any(|list| list.contains(&keyword))
}

/// How one schema is closed.
struct Plan {
    /// The keyword that closes it.
    closing: Option<&'static str>,
    /// What becomes of its parts for the same value.
    parts: Mode,
}

impl Plan {
    fn of(object: &Object<'_>, mode: Mode, closer: &Closer<'_>) -> Self {
        const OPEN: Plan = Plan { closing: None, parts: Mode::Leave };
        let has = |name: &str| {
            object.get(name).is_some() && !(closer.dialect == Dialect::Old && NEWER.contains(&name))
        };
        if mode == Mode::Leave || has("additionalProperties") || has("unevaluatedProperties") {
            return OPEN;
        }
        let parts: Vec<&str> = ["$ref", "dependencies", "if"]
            .iter()
            .chain(IN_PLACE)
            .copied()
            .filter(|name| has(name))
            .collect();
        if parts.is_empty() {
            let closing = has("properties").then_some("additionalProperties");
            return Self { closing, parts: Mode::Leave };
        }
        // Alternatives, and the whole in a wrapping, are closed each for itself.
        let alone = |name: &str| parts == [name] && !has("properties") && !has("patternProperties");
        let wrapping = matches!(object.get("allOf"), Some(Value::Array(all)) if all.len() == 1);
        if alone("anyOf") || alone("oneOf") || (alone("allOf") && wrapping) {
            return Self { closing: None, parts: Mode::Close };
        }
        let declares = declares(&Value::Object(object.clone()), closer, 0);
        Self { closing: declares.then_some("unevaluatedProperties"), parts: Mode::Leave }
    }
}

/// Whether a schema declares arguments, itself or in parts for the same value.
fn declares(schema: &Value<'_>, closer: &Closer<'_>, depth: usize) -> bool {
    const DEEPEST: usize = 20;
    const MOST: usize = 20_000;
    let Value::Object(object) = schema else { return false };
    if object.get("properties").is_some() {
        return true;
    }
    closer.asked.set(closer.asked.get() + 1);
    if depth > DEEPEST || closer.asked.get() > MOST {
        return false;
    }
    let below = |schema: &Value<'_>| declares(schema, closer, depth + 1);
    object.members().iter().any(|member| match (&*member.name, &member.value) {
        ("$ref", Value::String(target)) => closer.resolve(target).is_some_and(below),
        ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => parts.iter().any(below),
        ("if" | "then" | "else", part) => below(part),
        ("dependencies" | "dependentSchemas", Value::Object(parts)) => {
            parts.members().iter().any(|part| below(&part.value))
        }
        _ => false,
    })
}

/// Sorted, without twins; a type alone is not in a list, and nothing required is nothing said.
fn set<'v>(keyword: &str, items: &'v [Value<'v>]) -> Option<Value<'v>> {
    let mut items: Vec<&Value<'_>> = items.iter().collect();
    items.sort_by_cached_key(|item| item.to_canonical());
    items.dedup_by_key(|item| item.to_canonical());
    match (keyword, items.as_slice()) {
        ("required", []) => None,
        ("type", [one]) => Some((*one).clone()),
        _ => Some(Value::Array(items.into_iter().cloned().collect())),
    }
}
