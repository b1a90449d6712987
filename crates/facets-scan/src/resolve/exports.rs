//! What `exports` and `imports` of a manifest name.

use std::borrow::Cow;

use facets_surface::fusion::Js;

/// Conditions of `exports` that hold in Node and in Bun.
const NODE: &[&str] = &["node", "node-addons", "module-sync", "default"];
const BUN: &[&str] = &["bun", "node", "node-addons", "default"];

/// The files that `exports` or `imports` name for a subpath: what Node chooses, and what Bun
/// does.
pub(super) fn matching(exports: &Js<'_>, subpath: &str, by_require: bool) -> Vec<String> {
    let kind = if by_require { "require" } else { "import" };
    let mut found: Vec<String> = Vec::new();
    for conditions in [NODE, BUN] {
        let holds = |name: &str| name == kind || conditions.contains(&name);
        for (value, star) in entries_for(exports, subpath) {
            choose(value, star, &holds, &mut found);
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Every file that `exports` names.
pub(super) fn leaves(value: &Js<'_>, out: &mut Vec<String>) {
    match value {
        Js::String(path) => out.push(path.to_string()),
        Js::Array(all) => {
            for value in all {
                leaves(value, out);
            }
        }
        Js::Object(all) => {
            let programs = all.iter().filter(|(name, _)| !name.starts_with("types"));
            for (_, value) in programs {
                leaves(value, out);
            }
        }
        _ => {}
    }
}

/// The entries for a subpath, and what stands for their `*`: of several the longest, and the
/// longest that Node takes, for which the `*` has to stand for something.
fn entries_for<'v, 'a, 's>(exports: &'v Js<'a>, subpath: &'s str) -> Vec<(&'v Js<'a>, &'s str)> {
    let members = exports.members().unwrap_or_default();
    let is_map = members.iter().any(|(name, _)| name.starts_with('.') || name.starts_with('#'));
    if !is_map {
        return if subpath == "." { vec![(exports, "")] } else { Vec::new() };
    }
    if let Some(value) = exports.get(subpath).filter(|_| !subpath.contains('*')) {
        return vec![(value, "")];
    }
    let fits = |(pattern, value): &'v (Cow<'a, str>, Js<'a>)| {
        let (before, after) = pattern.split_once('*')?;
        let star = subpath.strip_prefix(before)?.strip_suffix(after)?;
        Some(((before.len(), pattern.len()), (value, star)))
    };
    let longest = |all: &mut dyn Iterator<Item = ((usize, usize), (&'v Js<'a>, &'s str))>| {
        all.max_by_key(|(length, _)| *length).map(|(_, found)| found)
    };
    let any = longest(&mut members.iter().filter_map(fits));
    let real =
        longest(&mut members.iter().filter_map(fits).filter(|(_, (_, star))| !star.is_empty()));
    any.into_iter().chain(real).collect()
}

/// The targets whose conditions hold, up to the first that every runtime takes: Node goes on
/// after one that is no path inside of the package. Says whether that was found.
fn choose(
    value: &Js<'_>,
    star: &str,
    holds: &dyn Fn(&str) -> bool,
    found: &mut Vec<String>,
) -> bool {
    match value {
        Js::String(path) => {
            let name = path.replace('*', star);
            let is_valid = is_inside(&name);
            found.push(name);
            is_valid
        }
        Js::Array(all) => all.iter().any(|value| choose(value, star, holds, found)),
        Js::Object(members) => members
            .iter()
            .filter(|(name, _)| holds(name))
            .any(|(_, value)| choose(value, star, holds, found)),
        _ => false,
    }
}

/// Whether a target is a path inside of its package, as Node has it.
fn is_inside(target: &str) -> bool {
    let is_part =
        |part: &str| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case("node_modules");
    target.strip_prefix("./").is_some_and(|path| path.split('/').all(is_part))
}
