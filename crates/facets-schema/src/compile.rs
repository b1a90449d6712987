//! From a closed copy to the pieces of [`super::node`].

mod evaluated;

use std::rc::Rc;

use facets_digest::json::{Object, Value};

use crate::budget::Budget;
use crate::instance::{Instance, exact};
use crate::node::{Finite, Id, Node, Table, Types};

/// Puts a closed copy into the table. `side` keeps apart what only looks the same. Nothing if it is
/// too large.
pub(crate) fn compile(
    table: &mut Table,
    closed: &Value<'_>,
    (side, whole): (char, bool),
    budget: &Budget,
) -> Option<Id> {
    let definitions = match closed.member("$defs") {
        Some(Value::Object(definitions)) => definitions.members(),
        _ => &[],
    };
    let first = table.definitions().len();
    for _ in definitions {
        table.reserve_definition();
    }
    let mut compiler = Compiler { table, root: closed, side, whole, first, budget, evaluating: 0 };
    for definition in definitions {
        let id = compiler.schema(&definition.value);
        if let Some(index) = compiler.index(&definition.name)
            && index < compiler.table.definitions().len()
        {
            compiler.table.define(index, id);
        }
    }
    let id = compiler.schema(closed);
    budget.is_left().then_some(id)
}

struct Compiler<'t, 'v> {
    table: &'t mut Table,
    root: &'v Value<'v>,
    side: char,
    /// Whether what is not looked into means the same in both schemas.
    whole: bool,
    /// The first of the definitions in the table that are this schema's.
    first: usize,
    /// When it is spent, what comes of the rest does not matter any more.
    budget: &'t Budget,
    /// How many schemas inside each other ask what was looked at.
    evaluating: usize,
}

impl<'v> Compiler<'_, 'v> {
    fn index(&self, number: &str) -> Option<usize> {
        Some(self.first + number.parse::<usize>().ok()?)
    }

    fn schema(&mut self, schema: &'v Value<'v>) -> Id {
        if self.budget.spend(1).is_none() {
            return self.table.add(Node::Bool(true));
        }
        let object = match schema {
            Value::Bool(flag) => return self.table.add(Node::Bool(*flag)),
            Value::Object(object) => object,
            other => return self.opaque("schema", other),
        };
        // What the copy has left as it was.
        if let Some(keyword) = ["$schema", "$id"].iter().find(|name| object.get(name).is_some()) {
            return self.opaque(keyword, schema);
        }
        let parts = object.members().iter().map(|member| {
            let node = self.keyword(object, &member.name, &member.value);
            node.unwrap_or_else(|| self.opaque(&member.name, schema))
        });
        let parts = parts.collect();
        self.table.all(parts)
    }

    /// A demand that is only the same as itself.
    fn opaque(&mut self, keyword: &str, value: &Value<'_>) -> Id {
        let text = String::from_utf8_lossy(&value.to_canonical()).into_owned();
        // References mean something else in the other schema.
        let alone = self.whole && !text.contains("\"$ref\"");
        let text = if alone { text } else { format!("{}{text}", self.side) };
        self.table.add(Node::Opaque { keyword: keyword.into(), text: text.into() })
    }

    /// One keyword; nothing if it is not as the standard has it.
    fn keyword(&mut self, object: &'v Object<'v>, name: &str, value: &'v Value<'v>) -> Option<Id> {
        let node = match name {
            "$ref" => Node::Ref(self.reference(value)?),
            "type" => Node::Types(types(value)?),
            "enum" => return self.enumeration(list(value)?),
            "const" => return self.enumeration(std::slice::from_ref(value)),
            "minimum" => Node::Minimum { bound: number(value)?, exclusive: false },
            "exclusiveMinimum" => Node::Minimum { bound: number(value)?, exclusive: true },
            "maximum" => Node::Maximum { bound: number(value)?, exclusive: false },
            "exclusiveMaximum" => Node::Maximum { bound: number(value)?, exclusive: true },
            "multipleOf" => Node::MultipleOf(number(value).filter(|number| number.0 > 0.0)?),
            "minLength" => at_least(count(value)?, Node::MinLength),
            "maxLength" => Node::MaxLength(count(value)?),
            "minItems" => at_least(count(value)?, Node::MinItems),
            "maxItems" => Node::MaxItems(count(value)?),
            "minProperties" => at_least(count(value)?, Node::MinProperties),
            "maxProperties" => Node::MaxProperties(count(value)?),
            "pattern" => Node::Pattern(self.table.add_pattern(text(value)?)),
            "uniqueItems" => match value {
                Value::Bool(true) => Node::Unique,
                Value::Bool(false) => Node::Bool(true),
                _ => return None,
            },
            "propertyNames" => Node::Names(self.schema(value)),
            "not" => {
                let id = self.schema(value);
                return Some(self.table.not(id));
            }
            _ => return self.applicator(object, name, value),
        };
        Some(self.table.add(node))
    }

    fn applicator(
        &mut self,
        object: &'v Object<'v>,
        name: &str,
        value: &'v Value<'v>,
    ) -> Option<Id> {
        match name {
            "properties" | "patternProperties" => self.properties(name, value),
            "additionalProperties" => self.others(object, value),
            "required" => self.required(list(value)?),
            "dependentRequired" | "dependentSchemas" => self.dependent(map(value)?),
            "prefixItems" => Some(self.prefix(list(value)?)),
            "items" => {
                let from = match object.get("prefixItems") {
                    Some(prefix) => list(prefix)?.len(),
                    None => 0,
                };
                let node = self.schema(value);
                Some(self.unless_true(node, |node| Node::ItemsFrom(from, node)))
            }
            "contains" => self.contains(object, value),
            "allOf" | "anyOf" | "oneOf" => self.combined(name, list(value)?),
            "if" => Some(self.conditional(object, value)),
            "unevaluatedProperties" => self.unevaluated(object, value),
            "unevaluatedItems" => {
                (*value == Value::Bool(true)).then(|| self.table.add(Node::Bool(true)))
            }
            // They speak beside others.
            "$defs" | "then" | "else" | "minContains" | "maxContains" => {
                Some(self.table.add(Node::Bool(true)))
            }
            _ => None,
        }
    }

    fn reference(&self, target: &Value<'_>) -> Option<usize> {
        let number = text(target)?.strip_prefix("#/$defs/")?;
        match self.root.member("$defs") {
            Some(Value::Object(definitions)) => definitions.get(number)?,
            _ => return None,
        };
        self.index(number)
    }

    fn enumeration(&mut self, values: &[Value<'_>]) -> Option<Id> {
        let values = values.iter().map(Instance::of).collect::<Option<Vec<_>>>()?;
        let mut ids: Vec<_> = values.into_iter().map(|value| self.table.add_value(value)).collect();
        ids.sort_unstable();
        ids.dedup();
        let none = ids.is_empty();
        Some(self.table.add(if none { Node::Bool(false) } else { Node::Enum(ids) }))
    }

    /// A demand on what is elsewhere; anything goes there if anything goes.
    fn unless_true(&mut self, id: Id, node: impl FnOnce(Id) -> Node) -> Id {
        if *self.table.node(id) == Node::Bool(true) { id } else { self.table.add(node(id)) }
    }

    fn properties(&mut self, keyword: &str, value: &'v Value<'v>) -> Option<Id> {
        let mut parts = Vec::new();
        for member in map(value)?.members() {
            let node = self.schema(&member.value);
            let name: &str = &member.name;
            if keyword == "properties" {
                parts.push(self.unless_true(node, |node| Node::Property(name.into(), node)));
            } else {
                let pattern = self.table.add_pattern(name);
                parts.push(self.unless_true(node, |node| Node::Matching(pattern, node)));
            }
        }
        Some(self.table.all(parts))
    }

    fn others(&mut self, object: &'v Object<'v>, value: &'v Value<'v>) -> Option<Id> {
        let mut names: Vec<Rc<str>> = match object.get("properties") {
            Some(properties) => {
                map(properties)?.members().iter().map(|member| Rc::from(&*member.name)).collect()
            }
            None => Vec::new(),
        };
        names.sort_unstable();
        let mut patterns = Vec::new();
        if let Some(all) = object.get("patternProperties") {
            for member in map(all)?.members() {
                patterns.push(self.table.add_pattern(&member.name));
            }
        }
        patterns.sort_unstable();
        let node = self.schema(value);
        Some(self.unless_true(node, |node| Node::Others { names: names.into(), patterns, node }))
    }

    fn required(&mut self, names: &[Value<'_>]) -> Option<Id> {
        let mut parts = Vec::new();
        for name in names {
            parts.push(self.table.add(Node::Required(text(name)?.into())));
        }
        Some(self.table.all(parts))
    }

    /// A name that is there brings demands with it; without an object nothing is there.
    fn dependent(&mut self, entries: &'v Object<'v>) -> Option<Id> {
        let mut parts = Vec::new();
        for entry in entries.members() {
            let then = match &entry.value {
                Value::Array(names) => self.required(names)?,
                schema => self.schema(schema),
            };
            let there = self.table.add(Node::Required(Rc::from(&*entry.name)));
            let object = self.table.add(Node::Types(Types::OBJECT));
            let absent = [self.table.not(there), self.table.not(object), then];
            parts.push(self.table.any(absent.to_vec()));
        }
        Some(self.table.all(parts))
    }

    fn prefix(&mut self, schemas: &'v [Value<'v>]) -> Id {
        let mut parts = Vec::new();
        for (index, schema) in schemas.iter().enumerate() {
            let node = self.schema(schema);
            parts.push(self.unless_true(node, |node| Node::Item(index, node)));
        }
        self.table.all(parts)
    }

    fn contains(&mut self, object: &'v Object<'v>, value: &'v Value<'v>) -> Option<Id> {
        let min = object.get("minContains").map_or(Some(1), count)?;
        let max = match object.get("maxContains") {
            Some(max) => Some(count(max)?),
            None => None,
        };
        let node = self.schema(value);
        let anything = min == 0 && max.is_none();
        Some(self.table.add(if anything {
            Node::Bool(true)
        } else {
            Node::Contains { node, min, max }
        }))
    }

    fn combined(&mut self, keyword: &str, schemas: &'v [Value<'v>]) -> Option<Id> {
        if schemas.is_empty() {
            return None;
        }
        let parts: Vec<Id> = schemas.iter().map(|schema| self.schema(schema)).collect();
        Some(match keyword {
            "allOf" => self.table.all(parts),
            "anyOf" => self.table.any(parts),
            _ => self.exactly_one(&parts),
        })
    }

    /// At least one, and never two.
    fn exactly_one(&mut self, parts: &[Id]) -> Id {
        let mut demands = vec![self.table.any(parts.to_vec())];
        if self.budget.spend(parts.len() * parts.len()).is_none() {
            return demands[0];
        }
        for (index, first) in parts.iter().enumerate() {
            for second in &parts[index + 1..] {
                let both = self.table.all(vec![*first, *second]);
                demands.push(self.table.not(both));
            }
        }
        self.table.all(demands)
    }

    fn conditional(&mut self, object: &'v Object<'v>, condition: &'v Value<'v>) -> Id {
        let condition = self.schema(condition);
        let otherwise = self.table.not(condition);
        let mut parts = Vec::new();
        if let Some(then) = object.get("then") {
            let then = self.schema(then);
            parts.push(self.table.any(vec![otherwise, then]));
        }
        if let Some(or_else) = object.get("else") {
            let or_else = self.schema(or_else);
            parts.push(self.table.any(vec![condition, or_else]));
        }
        self.table.all(parts)
    }
}

fn at_least(count: u64, node: impl FnOnce(u64) -> Node) -> Node {
    if count == 0 { Node::Bool(true) } else { node(count) }
}

fn list<'v>(value: &'v Value<'v>) -> Option<&'v [Value<'v>]> {
    match value {
        Value::Array(items) => Some(items),
        _ => None,
    }
}

fn map<'v>(value: &'v Value<'v>) -> Option<&'v Object<'v>> {
    match value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

fn text<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn number(value: &Value<'_>) -> Option<Finite> {
    match value {
        Value::Number(number) => exact(number).map(Finite),
        _ => None,
    }
}

/// A whole number that a double counts exactly.
fn count(value: &Value<'_>) -> Option<u64> {
    let Finite(number) = number(value)?;
    let whole = (0.0..=9_007_199_254_740_991.0).contains(&number) && number.fract() == 0.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "just tested")]
    whole.then_some(number as u64)
}

fn types(value: &Value<'_>) -> Option<Types> {
    let one = |value: &Value<'_>| {
        Some(match text(value)? {
            "null" => Types::NULL,
            "boolean" => Types::BOOL,
            "integer" => Types::INTEGER,
            "number" => Types::NUMBER,
            "string" => Types::STRING,
            "array" => Types::ARRAY,
            "object" => Types::OBJECT,
            _ => return None,
        })
    };
    match value {
        Value::Array(names) if !names.is_empty() => {
            names.iter().try_fold(Types::NONE, |types, name| Some(types.or(one(name)?)))
        }
        other => one(other),
    }
}
