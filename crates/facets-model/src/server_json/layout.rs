//! Which members name a package, in every layout that was ever published.

use super::values::text;
use crate::manifest::check::{Checker, Members, Place};

/// Each layout: the member with the registry, and the member with the name there. Those of `location` stand
/// inside of it.
const LAYOUTS: [[&str; 2]; 5] = [
    ["registryType", "identifier"],
    ["registry_type", "identifier"],
    ["registry_name", "name"],
    ["location.registry_name", "location.name"],
    ["location.type", "location.url"],
];

/// The registry of a package, and its name there.
pub(super) struct PackageName {
    pub(super) registry_type: String,
    pub(super) identifier: String,
    /// Two members that do not belong to one layout: they may name two packages.
    pub(super) mixed: Option<[&'static str; 2]>,
}

/// Reads the members that name a package. The problems are those of a package without any.
pub(super) fn read_name(check: &mut Checker<'_>, members: &Members<'_>) -> Option<PackageName> {
    let located = members.optional("location").and_then(|place| check.members(&place));
    let find = |path: &str| match path.strip_prefix("location.") {
        Some(name) => located.as_ref().and_then(|inside| inside.optional(name)),
        None => members.optional(path),
    };
    if let Some(mixed) = mixed(|path| find(path).is_some()) {
        let shown = |part: usize| first(&find, part).and_then(|place| text(&place));
        let (registry_type, identifier) = (shown(0), shown(1));
        return Some(PackageName {
            registry_type: registry_type.unwrap_or_default(),
            identifier: identifier.unwrap_or_default(),
            mixed: Some(mixed),
        });
    }
    let (origin, missed) = match &located {
        Some(inside) => (inside, ["registry_name", "name"]),
        None => (members, ["registryType", "identifier"]),
    };
    let mut required = |part: usize, example: &str| {
        let place = first(&find, part).or_else(|| origin.required(check, missed[part], example))?;
        check.string(&place).map(str::to_owned)
    };
    let registry_type = required(0, "\"npm\"");
    let identifier = required(1, "\"@scope/package\"");
    Some(PackageName { registry_type: registry_type?, identifier: identifier?, mixed: None })
}

/// The first layout's member that is there.
fn first<'a>(find: &impl Fn(&str) -> Option<Place<'a>>, part: usize) -> Option<Place<'a>> {
    LAYOUTS.iter().find_map(|layout| find(layout[part]))
}

/// Two members that no layout has together.
fn mixed(has: impl Fn(&str) -> bool) -> Option<[&'static str; 2]> {
    let mut present: Vec<&'static str> = Vec::new();
    for name in LAYOUTS.into_iter().flatten() {
        if has(name) && !present.contains(&name) {
            present.push(name);
        }
    }
    present.iter().enumerate().find_map(|(at, one)| {
        let others = &present[at + 1..];
        others.iter().find(|other| !together(one, other)).map(|other| [*one, *other])
    })
}

/// Whether one layout has both members.
fn together(one: &str, other: &str) -> bool {
    LAYOUTS.iter().any(|layout| layout.contains(&one) && layout.contains(&other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_two_layouts_are_told_apart() {
        let found = |names: &[&str]| mixed(|name| names.contains(&name));
        for layout in LAYOUTS {
            assert_eq!(found(&layout), None, "{layout:?}");
        }
        for (names, expected) in [
            (
                &["registryType", "registry_type", "identifier"][..],
                ["registryType", "registry_type"],
            ),
            (&["registryType", "identifier", "name"][..], ["registryType", "name"]),
            (&["registry_type", "name"][..], ["registry_type", "name"]),
            (&["registry_name", "identifier"][..], ["identifier", "registry_name"]),
            (&["registryType", "location.name"][..], ["registryType", "location.name"]),
            (
                &["location.registry_name", "location.url"][..],
                ["location.registry_name", "location.url"],
            ),
        ] {
            assert_eq!(found(names), Some(expected), "{names:?}");
        }
    }
}
