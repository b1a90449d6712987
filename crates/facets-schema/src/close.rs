//! Closed copies (spec 7.3): what is not declared is no part of the interface.
//!
//! A copy is 2020-12, has nothing but what validators look at, and each definition that it
//! refers to once for every way in which it is used.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use facets_digest::json::{Member, Object, Value};

mod document;
mod keywords;
mod plan;

use document::Document;
pub(crate) use document::resolve;
pub(crate) use keywords::has_meaning;
use keywords::{CHILDREN, CONDITIONS, Dialect, IN_PLACE, Mode, NEWER, PLAIN, SETS};
use plan::{Parts, Plan, all_of, declared};

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
        document: Document::new(schema, dialect),
        numbers: BTreeMap::new(),
        queue: Vec::new(),
        shared: vec![BTreeSet::new()],
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
    document: Document<'v>,
    /// Definitions by where they stand and how they are used.
    numbers: BTreeMap<(String, Mode), usize>,
    queue: Vec<Awaited<'v>>,
    /// Sets of names that several parts declare; the first is empty.
    shared: Vec<BTreeSet<String>>,
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
        let around = match mode {
            Mode::Part(shared) => Some(&self.shared[shared]),
            Mode::Close | Mode::Leave => None,
        };
        let plan = Plan::of(object, mode, around, &self.document);
        let mut members = Vec::new();
        for member in object.members() {
            let newer = match self.document.dialect {
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
        (self.document.dialect == Dialect::Old || alone).then_some(&**target)
    }

    fn member(
        &mut self,
        name: &'v str,
        value: &'v Value<'v>,
        mode: Mode,
        plan: &Plan,
    ) -> Option<Member<'v>> {
        let value = match (name, value) {
            ("$ref", Value::String(target)) => {
                let mode =
                    self.document.resolve(target).map_or(Mode::Leave, |part| self.part(part, plan));
                Value::String(self.reference(target, mode))
            }
            ("items", Value::Array(_)) if self.document.dialect != Dialect::New => return None,
            // Some readers know them all the same; then nobody knows what is meant.
            ("items", Value::Array(_)) | ("dependencies", _)
                if self.document.dialect == Dialect::New =>
            {
                self.is_whole = false;
                value.clone()
            }
            (name, Value::Array(items)) if SETS.contains(&name) => set(name, items)?,
            (name, value) if PLAIN.contains(&name) || SETS.contains(&name) => value.clone(),
            (name, value) if CHILDREN.contains(&name) => self.children(value, mode, name, plan),
            (name, value) if IN_PLACE.contains(&name) => {
                self.below(value, name, |closer, _, part| closer.part(part, plan))
            }
            (name, value) if CONDITIONS.contains(&name) => {
                self.below(value, name, |_, _, _| Mode::Leave)
            }
            _ => return None,
        };
        Some(Member { name: Cow::Borrowed(name), value })
    }

    /// Schemas for other values, each of which is closed for itself.
    fn children(
        &mut self,
        value: &'v Value<'v>,
        mode: Mode,
        keyword: &str,
        plan: &Plan,
    ) -> Value<'v> {
        let all = all_of(keyword);
        self.below(value, keyword, |closer, name, child| {
            let name = name.unwrap_or(&all);
            if plan.is_half(name, child, &closer.document) {
                Mode::Leave
            } else {
                closer.child(mode, name)
            }
        })
    }

    /// Schemas by name, in a list, or one, each in its mode.
    fn below(
        &mut self,
        value: &'v Value<'v>,
        keyword: &str,
        mode: impl Fn(&mut Self, Option<&str>, &'v Value<'v>) -> Mode,
    ) -> Value<'v> {
        const MAPS: &[&str] = &["dependentSchemas", "patternProperties", "properties"];
        let copy = |closer: &mut Self, name: Option<&str>, schema: &'v Value<'v>| {
            let mode = mode(closer, name.filter(|_| keyword == "properties"), schema);
            closer.schema(schema, mode, false)
        };
        match value {
            Value::Object(schemas) if MAPS.contains(&keyword) => {
                let schemas = schemas.members().iter().map(|member| Member {
                    name: Cow::Borrowed(&*member.name),
                    value: copy(self, Some(&member.name), &member.value),
                });
                object_of(schemas.collect())
            }
            Value::Array(schemas) => {
                Value::Array(schemas.iter().map(|one| copy(self, None, one)).collect())
            }
            schema => copy(self, None, schema),
        }
    }

    /// How the value of a member or an item is closed.
    fn child(&self, mode: Mode, name: &str) -> Mode {
        match mode {
            Mode::Part(shared) if self.shared[shared].contains(name) => Mode::Leave,
            Mode::Part(_) | Mode::Close => Mode::Close,
            Mode::Leave => Mode::Leave,
        }
    }

    /// How a part for the same value is closed. What several parts declare is left as it is: each of
    /// them may tell a half of it.
    fn part(&mut self, part: &Value<'_>, plan: &Plan) -> Mode {
        const MOST_SETS: usize = 16;
        let Parts::Together { counts, taken, .. } = &plan.parts else {
            return if plan.parts == Parts::Alone { Mode::Close } else { Mode::Leave };
        };
        let mut shared = declared(part, &self.document, 0);
        shared.retain(|name| taken.contains(name) || counts.get(name).is_some_and(|n| *n > 1));
        if let Some(known) = self.shared.iter().position(|known| *known == shared) {
            return Mode::Part(known);
        }
        // Of too many, the rest shares nothing, and is closed: a large schema is no way around.
        if self.shared.len() >= MOST_SETS {
            return Mode::Part(0);
        }
        self.shared.push(shared);
        Mode::Part(self.shared.len() - 1)
    }

    /// Keywords of older drafts in today's words.
    fn translate(
        &mut self,
        object: &'v Object<'v>,
        mode: Mode,
        plan: &Plan,
        members: &mut Vec<Member<'v>>,
    ) {
        if self.document.dialect == Dialect::New {
            return;
        }
        if let Some(list @ Value::Array(_)) = object.get("items") {
            let value = self.children(list, mode, "items", plan);
            members.push(Member { name: "prefixItems".into(), value });
            if let Some(rest) = object.get("additionalItems") {
                let value = self.children(rest, mode, "items", plan);
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
                    let mode = self.part(schema, plan);
                    let value = self.schema(schema, mode, false);
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
        let Some(found) = self.document.resolve(target) else {
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
