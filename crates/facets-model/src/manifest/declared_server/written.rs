//! Inline servers as JSON, members in a fixed order.

use std::collections::BTreeMap;

use facets_digest::json::{quoted, write_list, write_string};

use crate::{AddressOrigin, CommandOrigin, VariableName};

/// A command. Its variables are names, or all of them have values: a manifest cannot mix the two.
pub(super) fn command(
    origin: &CommandOrigin,
    values: &BTreeMap<VariableName, String>,
) -> Option<String> {
    let CommandOrigin { command, args, env } = origin;
    let mut members = vec![("type", quoted("stdio")), ("command", quoted(command))];
    if !args.is_empty() {
        members.push(("args", strings(args)));
    }
    if !values.is_empty() {
        if !values.keys().map(VariableName::as_str).eq(env.iter().map(String::as_str)) {
            return None;
        }
        members.push(("env", pairs(values)));
    } else if !env.is_empty() {
        members.push(("env", strings(env)));
    }
    let members: Vec<String> =
        members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    Some(format!("{{{}}}", members.join(",")))
}

/// An address. A manifest names no headers.
pub(super) fn address(origin: &AddressOrigin) -> Option<String> {
    let AddressOrigin { url, headers } = origin;
    let text = format!("{{\"type\":\"http\",\"url\":{}}}", quoted(url.as_str()));
    headers.is_empty().then_some(text)
}

fn strings(items: &[String]) -> String {
    let mut out = Vec::new();
    write_list(['[', ']'], items, &mut out, |item, out| write_string(item, out));
    String::from_utf8_lossy(&out).into_owned()
}

fn pairs(values: &BTreeMap<VariableName, String>) -> String {
    let values: Vec<_> = values.iter().collect();
    let mut out = Vec::new();
    write_list(['{', '}'], &values, &mut out, |(name, value), out| {
        write_string(name.as_str(), out);
        out.push(b':');
        write_string(value, out);
    });
    String::from_utf8_lossy(&out).into_owned()
}
