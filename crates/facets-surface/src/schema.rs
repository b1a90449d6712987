//! Where schemas stand inside schemas (spec 5.3), and what is done at each place.

use facets_digest::json::{Object, Value, compare_utf16, write_list, write_string};

/// How a member of a schema holds other schemas (spec 5.3).
enum SchemaPosition {
    /// `{"properties": {"name": schema}}`
    Map,
    /// `{"not": schema}`
    One,
    /// `{"allOf": [schema]}`
    List,
    /// `{"items": schema}` or `{"items": [schema]}`
    OneOrList,
}

fn position(keyword: &str) -> Option<SchemaPosition> {
    Some(match keyword {
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
        | "dependencies" => SchemaPosition::Map,
        "items" => SchemaPosition::OneOrList,
        "prefixItems" | "allOf" | "anyOf" | "oneOf" => SchemaPosition::List,
        "additionalItems"
        | "additionalProperties"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contains"
        | "propertyNames"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contentSchema" => SchemaPosition::One,
        _ => return None,
    })
}

/// Canonical, except that `required` is a set at every schema position.
pub(crate) fn write_schema(schema: &Value<'_>, out: &mut Vec<u8>) {
    let Value::Object(object) = schema else { return schema.write_canonical(out) };
    out.push(b'{');
    let mut first = true;
    for member in object.members() {
        let required = (member.name == "required").then(|| string_set(&member.value)).flatten();
        if required.as_ref().is_some_and(Vec::is_empty) {
            continue;
        }
        if !std::mem::take(&mut first) {
            out.push(b',');
        }
        write_string(&member.name, out);
        out.push(b':');
        match required {
            Some(names) => write_list(['[', ']'], &names, out, |name, out| write_string(name, out)),
            None => write_member(&member.name, &member.value, out),
        }
    }
    out.push(b'}');
}

fn write_member(keyword: &str, value: &Value<'_>, out: &mut Vec<u8>) {
    match (position(keyword), value) {
        (Some(SchemaPosition::Map), Value::Object(schemas)) => {
            write_list(['{', '}'], schemas.members(), out, |member, out| {
                write_string(&member.name, out);
                out.push(b':');
                write_schema(&member.value, out);
            });
        }
        (Some(SchemaPosition::List | SchemaPosition::OneOrList), Value::Array(schemas)) => {
            write_list(['[', ']'], schemas, out, write_schema);
        }
        (Some(SchemaPosition::One | SchemaPosition::OneOrList), schema) => {
            write_schema(schema, out)
        }
        _ => value.write_canonical(out),
    }
}

/// Sorted and without twins; nothing if it is not an array of strings.
pub(crate) fn string_set<'v>(value: &'v Value<'_>) -> Option<Vec<&'v str>> {
    let Value::Array(items) = value else { return None };
    let names = items.iter().map(|item| match item {
        Value::String(text) => Some(text.as_ref()),
        _ => None,
    });
    let mut names: Vec<&str> = names.collect::<Option<_>>()?;
    names.sort_unstable_by(|a, b| compare_utf16(a, b));
    names.dedup();
    Some(names)
}

/// Calls `see` with every object at a schema position, the root first.
pub(crate) fn walk<'v, 'a>(schema: &'v Value<'a>, see: &mut dyn FnMut(&'v Object<'a>)) {
    let Value::Object(object) = schema else { return };
    see(object);
    for member in object.members() {
        match (position(&member.name), &member.value) {
            (Some(SchemaPosition::Map), Value::Object(schemas)) => {
                for inner in schemas.members() {
                    walk(&inner.value, see);
                }
            }
            (Some(SchemaPosition::List | SchemaPosition::OneOrList), Value::Array(schemas)) => {
                for inner in schemas {
                    walk(inner, see);
                }
            }
            (Some(SchemaPosition::One | SchemaPosition::OneOrList), inner) => walk(inner, see),
            _ => {}
        }
    }
}
