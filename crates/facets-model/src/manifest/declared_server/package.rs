//! A package of npm or PyPI: `{"package": "npm:…", "bin"?, "with"?, "runtime"?, "args"?, "env"?}` (spec 10.8).

use super::super::check::{Checker, Members, Place, shorten};
use crate::{Ecosystem, PackageOrigin, PackageSpec, PackageTreeUse, RuntimeChoice};

const MEMBERS: &[&str] = &["package", "bin", "with", "runtime", "copy", "args", "env"];

/// Reads a package; its arguments and variables are read like those of a command.
pub(super) fn read(
    check: &mut Checker<'_>,
    members: &Members<'_>,
    spec: &Place<'_>,
) -> Option<PackageOrigin> {
    check.closed(members, MEMBERS);
    let package = spec_of(check, spec);
    let program = members.optional("bin").map(|place| program(check, &place));
    let runtime = members.optional("runtime").map(|place| runtime(check, &place));
    let copy = members.optional("copy").map(|place| check.boolean(&place));
    let with = members.optional("with").map(|place| packages(check, &place));
    let origin = PackageOrigin {
        with: with.unwrap_or_else(|| Some(Vec::new()))?,
        program: program.map_or(Some(None), |program| program.map(Some))?,
        runtime: runtime.map_or(Some(None), |runtime| runtime.map(Some))?,
        files: if copy.unwrap_or(Some(false))? {
            PackageTreeUse::Copied
        } else {
            PackageTreeUse::Shared
        },
        ..PackageOrigin::of(package?)
    };
    let is_same = |other: &PackageSpec| other.ecosystem == origin.package.ecosystem;
    if origin.with.iter().all(is_same) && suits(origin.runtime, origin.package.ecosystem) {
        return Some(origin);
    }
    let allowed = "packages and a runtime of one ecosystem";
    let fix = "write `npm:` or `pypi:` everywhere; bun and node run npm, python3.N runs PyPI";
    check.problem("manifest-bad-value", spec, "two ecosystems", allowed, fix);
    None
}

fn suits(runtime: Option<RuntimeChoice>, ecosystem: Ecosystem) -> bool {
    match runtime {
        None => true,
        Some(RuntimeChoice::Bun | RuntimeChoice::Node) => ecosystem == Ecosystem::Npm,
        Some(RuntimeChoice::Python { .. }) => ecosystem == Ecosystem::Pypi,
    }
}

fn packages(check: &mut Checker<'_>, place: &Place<'_>) -> Option<Vec<PackageSpec>> {
    let items = check.items(place)?;
    items.iter().map(|item| spec_of(check, item)).collect::<Vec<_>>().into_iter().collect()
}

fn spec_of(check: &mut Checker<'_>, place: &Place<'_>) -> Option<PackageSpec> {
    let text = check.string(place)?;
    if let Ok(spec) = text.parse() {
        return Some(spec);
    }
    let allowed = "npm:NAME, npm:NAME@VERSION, pypi:NAME or pypi:NAME==VERSION";
    check.problem("manifest-bad-value", place, &shorten(text), allowed, "write one of these");
    None
}

fn runtime(check: &mut Checker<'_>, place: &Place<'_>) -> Option<RuntimeChoice> {
    let text = check.string(place)?;
    if let Ok(runtime) = text.parse() {
        return Some(runtime);
    }
    let allowed = "bun, node or python3.N";
    check.problem("manifest-bad-value", place, &shorten(text), allowed, "write one of these");
    None
}

fn program(check: &mut Checker<'_>, place: &Place<'_>) -> Option<String> {
    let text = check.string(place)?;
    if !text.is_empty() && !text.contains(['/', '\\', '\0']) {
        return Some(text.to_owned());
    }
    let fix = "write the name of one of its programs";
    check.problem("manifest-bad-value", place, &shorten(text), "the name of a program", fix);
    None
}
