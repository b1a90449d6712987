//! Inline servers as JSON, members in a fixed order.

use std::collections::BTreeMap;

use facets_digest::json::{quoted, write_list, write_string};

use crate::{AddressOrigin, CommandOrigin, PackageOrigin, PackageTreeUse, VariableName};

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
    members.extend(variables(env, values)?);
    Some(object(&members))
}

/// A package, with the same variables.
pub(super) fn package(
    origin: &PackageOrigin,
    values: &BTreeMap<VariableName, String>,
) -> Option<String> {
    let PackageOrigin { package, with, program, runtime, files, args, env } = origin;
    let mut members = vec![("package", quoted(&package.to_string()))];
    if !with.is_empty() {
        let with: Vec<String> = with.iter().map(ToString::to_string).collect();
        members.push(("with", strings(&with)));
    }
    members.extend(program.as_ref().map(|program| ("bin", quoted(program))));
    members.extend(runtime.map(|runtime| ("runtime", quoted(&runtime.to_string()))));
    if *files == PackageTreeUse::Copied {
        members.push(("copy", "true".to_owned()));
    }
    if !args.is_empty() {
        members.push(("args", strings(args)));
    }
    members.extend(variables(env, values)?);
    Some(object(&members))
}

/// Names, or all of them with values; nothing if only some have one. No member if there are no variables.
fn variables(
    env: &[String],
    values: &BTreeMap<VariableName, String>,
) -> Option<Vec<(&'static str, String)>> {
    if env.is_empty() && values.is_empty() {
        return Some(Vec::new());
    }
    if values.is_empty() {
        return Some(vec![("env", strings(env))]);
    }
    let is_same = values.keys().map(VariableName::as_str).eq(env.iter().map(String::as_str));
    is_same.then(|| vec![("env", pairs(values))])
}

fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> =
        members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", members.join(","))
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
