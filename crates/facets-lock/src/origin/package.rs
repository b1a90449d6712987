//! A package in a lock entry, as it was asked for: `package`, `with`, `wanted_bin`, `wanted_runtime`, `args`, `env`.
//! What exactly it is stands in the members of its pin.

use facets_digest::json::quoted;
use facets_model::{PackageOrigin, PackageSpec, PackageTreeUse, VariableName};

use crate::error::LockError;
use crate::members::{EntryMembers, text_list};

/// The names that these members can have.
pub(super) const KNOWN: &[&str] =
    &["package", "with", "wanted_bin", "wanted_runtime", "copy", "args", "env"];

pub(super) fn write(origin: &PackageOrigin) -> Vec<(&'static str, String)> {
    let PackageOrigin { package, with, program, runtime, files, args, env } = origin;
    let mut members = vec![("package", quoted(&package.to_string()))];
    if !with.is_empty() {
        let with: Vec<String> = with.iter().map(ToString::to_string).collect();
        members.push(("with", text_list(&with)));
    }
    members.extend(program.as_ref().map(|program| ("wanted_bin", quoted(program))));
    members.extend(runtime.map(|runtime| ("wanted_runtime", quoted(&runtime.to_string()))));
    if *files == PackageTreeUse::Copied {
        members.push(("copy", "true".to_owned()));
    }
    members.push(("args", text_list(args)));
    members.push(("env", text_list(env)));
    members
}

pub(super) fn read(entry: &EntryMembers<'_>) -> Result<PackageOrigin, LockError> {
    let with = match entry.raw("with") {
        Some(_) => entry.texts("with")?,
        None => Vec::new(),
    };
    let with = with.iter().map(|text| text.parse::<PackageSpec>()).collect::<Result<_, _>>();
    let program = entry.raw("wanted_bin").map(|_| entry.text("wanted_bin")).transpose()?;
    let runtime = entry.raw("wanted_runtime");
    let runtime =
        runtime.map(|_| entry.parsed("wanted_runtime", "bun, node or python3.N")).transpose()?;
    let env = entry.texts("env")?;
    let are_names = env.iter().all(|name| name.parse::<VariableName>().is_ok());
    if !are_names || !env.is_sorted_by(|one, next| one < next) {
        return Err(entry.bad("env", "a sorted list of names of variables"));
    }
    Ok(PackageOrigin {
        package: entry.parsed("package", "npm:NAME or pypi:NAME, with a version or without")?,
        with: with.map_err(|_| entry.bad("with", "a list of packages"))?,
        program,
        runtime,
        files: match entry.raw("copy") {
            None => PackageTreeUse::Shared,
            Some("true") => PackageTreeUse::Copied,
            Some(_) => return Err(entry.bad("copy", "true, or absent")),
        },
        args: entry.texts("args")?,
        env,
    })
}
