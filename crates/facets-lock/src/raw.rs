//! JSON as it was written, put together anew: members that this facet does not know stay, in their order.

use facets_digest::json::{
    self, Provenance, RawMember, Value, split_array, split_object, write_list, write_pretty_list,
    write_string,
};

use crate::members::LIMITS;

/// The members of a text, if it is an object.
pub(crate) fn members(text: &str) -> Vec<RawMember<'_>> {
    split_object(text.as_bytes(), LIMITS).ok().flatten().unwrap_or_default()
}

/// A member of a text, if it is an object that has it.
pub(crate) fn member<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    members(text).into_iter().find(|member| member.name == name).map(|member| member.value)
}

/// The items of a text, if it is a list.
pub(crate) fn items(text: &str) -> Vec<&str> {
    split_array(text.as_bytes(), LIMITS).ok().flatten().unwrap_or_default()
}

/// A member of a text that is a string.
pub(crate) fn text(object: &str, name: &str) -> Option<String> {
    let value = member(object, name)?;
    match json::parse(value.as_bytes(), Provenance::Captured, LIMITS) {
        Ok(Value::String(text)) => Some(text.into_owned()),
        _ => None,
    }
}

/// An object of own members, and behind them those of an older one that are not `known`.
pub(crate) fn with_unknown(own: &[(&str, String)], known: &[&str], older: Option<&str>) -> String {
    let older = older.map(members).unwrap_or_default();
    let unknown = older.iter().filter(|member| !known.contains(&&*member.name));
    let unknown = unknown.map(|member| (&*member.name, member.value));
    let own = own.iter().map(|(name, value)| (*name, value.as_str()));
    let members: Vec<(&str, &str)> = own.chain(unknown).collect();
    let mut out = Vec::new();
    write_list(['{', '}'], &members, &mut out, |(name, value), out| {
        write_string(name, out);
        out.push(b':');
        out.extend_from_slice(value.as_bytes());
    });
    String::from_utf8_lossy(&out).into_owned()
}

/// A list of values.
pub(crate) fn list(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

/// A text with two spaces a level, members in their order and scalars as they are; `depth` is that of
/// the line it begins on.
pub(crate) fn pretty(text: &str, depth: usize) -> String {
    let mut out = Vec::new();
    write_pretty(text, depth, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn write_pretty(text: &str, depth: usize, out: &mut Vec<u8>) {
    if let Ok(Some(members)) = split_object(text.as_bytes(), LIMITS) {
        write_pretty_list(['{', '}'], &members, depth, out, |member, out| {
            write_string(&member.name, out);
            out.extend_from_slice(b": ");
            write_pretty(member.value, depth + 1, out);
        });
    } else if let Ok(Some(items)) = split_array(text.as_bytes(), LIMITS) {
        write_pretty_list(['[', ']'], &items, depth, out, |item, out| {
            write_pretty(item, depth + 1, out);
        });
    } else {
        // A scalar; or an object with a name twice, which is not ours to correct.
        out.extend_from_slice(text.as_bytes());
    }
}
