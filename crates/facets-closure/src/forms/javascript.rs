//! `npx` and the other programs that run packages of npm.

use facets_model::{Ecosystem, PackageSpec};

use super::command::{CommandForm, PackageCommand, not_lockable};
use super::options::{Meaning, Options, Table};

use Meaning::{Ignored, IgnoredValue, Refused, Value};

const PACKAGE: &str = "package";
const SHELL: &str = "it runs the text of a shell, which can do anything";
const REGISTRY: &str =
    "it names a registry of its own; facet uses the one that npm is configured with";
const OTHER_RESOLVER: &str = "the package is resolved as npx would, not as this program does";
const DENO: &str =
    "it runs on the runtime of facet instead of deno; use grants for what its flags allowed";

const NPX: Table = &[
    ("-y", Ignored),
    ("--yes", Ignored),
    ("-q", Ignored),
    ("--quiet", Ignored),
    ("--silent", Ignored),
    ("-s", Ignored),
    ("--no-install", Ignored),
    ("--no", Ignored),
    ("-n", Refused("`npx -n` passes options to node")),
    ("--node-arg", Refused("`npx --node-arg` passes options to node")),
    ("--prefer-online", Ignored),
    ("--prefer-offline", Ignored),
    ("--offline", Ignored),
    ("--ignore-existing", Ignored),
    ("--no-audit", Ignored),
    ("--no-fund", Ignored),
    ("--no-update-notifier", Ignored),
    ("--loglevel", IgnoredValue),
    ("--cache", IgnoredValue),
    ("-p", Value(PACKAGE)),
    ("--package", Value(PACKAGE)),
    ("-c", Refused(SHELL)),
    ("--call", Refused(SHELL)),
    ("--registry", Refused(REGISTRY)),
    ("--userconfig", Refused(REGISTRY)),
];

const BUNX: Table = &[
    ("--bun", Ignored),
    ("-y", Ignored),
    ("--yes", Ignored),
    ("--silent", Ignored),
    ("--verbose", Ignored),
    ("--no-install", Ignored),
    ("-p", Value(PACKAGE)),
    ("--package", Value(PACKAGE)),
    ("--registry", Refused(REGISTRY)),
];

const DLX: Table = &[
    ("-q", Ignored),
    ("--quiet", Ignored),
    ("-s", Ignored),
    ("--silent", Ignored),
    ("--reporter", IgnoredValue),
    ("-p", Value(PACKAGE)),
    ("--package", Value(PACKAGE)),
    ("-c", Refused(SHELL)),
    ("--shell-mode", Refused(SHELL)),
    ("--registry", Refused(REGISTRY)),
];

pub(super) fn npx(words: &[String]) -> CommandForm {
    run("npx", words, NPX, None)
}

/// `npm exec`, `npm x`: options may also stand before the verb.
pub(super) fn npm(words: &[String]) -> CommandForm {
    let Some(at) = words.iter().position(|word| word == "exec" || word == "x") else {
        return CommandForm::Other;
    };
    if words[..at].iter().any(|word| !word.starts_with('-')) {
        return CommandForm::Other;
    }
    let joined: Vec<String> = [&words[..at], &words[at + 1..]].concat();
    run("npm exec", &joined, NPX, None)
}

pub(super) fn bunx(words: &[String]) -> CommandForm {
    run("bunx", words, BUNX, Some(OTHER_RESOLVER))
}

pub(super) fn bun(words: &[String]) -> CommandForm {
    match words.split_first() {
        Some((verb, rest)) if verb == "x" => bunx(rest),
        _ => CommandForm::Other,
    }
}

pub(super) fn pnpx(words: &[String]) -> CommandForm {
    run("pnpx", words, DLX, Some(OTHER_RESOLVER))
}

/// `pnpm dlx`, also with options before the verb.
pub(super) fn pnpm(words: &[String]) -> CommandForm {
    let Some(at) = words.iter().position(|word| word == "dlx") else { return CommandForm::Other };
    if words[..at].iter().any(|word| !word.starts_with('-')) {
        return CommandForm::Other;
    }
    let joined: Vec<String> = [&words[..at], &words[at + 1..]].concat();
    run("pnpm dlx", &joined, DLX, Some(OTHER_RESOLVER))
}

pub(super) fn yarn(words: &[String]) -> CommandForm {
    match words.split_first() {
        Some((verb, rest)) if verb == "dlx" => run("yarn dlx", rest, DLX, Some(OTHER_RESOLVER)),
        _ => CommandForm::Other,
    }
}

/// `deno run FLAGS npm:PACKAGE[@VERSION][/PROGRAM]`
pub(super) fn deno(words: &[String]) -> CommandForm {
    let Some((verb, rest)) = words.split_first() else { return CommandForm::Other };
    if verb != "run" && verb != "x" {
        return CommandForm::Other;
    }
    let Some(at) = rest.iter().position(|word| !word.starts_with('-')) else {
        return CommandForm::Other;
    };
    let (target, args) = (&rest[at], &rest[at + 1..]);
    if target.starts_with("jsr:") {
        return not_lockable("it is a package of JSR");
    }
    if target.starts_with("https://") || target.starts_with("http://") {
        return not_lockable("it runs code from an address");
    }
    let Some(spec) = target.strip_prefix("npm:") else { return CommandForm::Other };
    let spec = spec.trim_start_matches('/');
    // A scope has the first slash of its own.
    let slashes = usize::from(spec.starts_with('@'));
    let cut = spec.match_indices('/').nth(slashes).map(|(at, _)| at);
    let (package, program) = match cut {
        Some(at) => (&spec[..at], Some(spec[at + 1..].to_owned())),
        None => (spec, None),
    };
    match package_of(package) {
        Ok(package) => CommandForm::Package(PackageCommand {
            package,
            with: Vec::new(),
            program,
            args: args.to_vec(),
            python: None,
            note: Some(DENO),
        }),
        Err(reason) => not_lockable(reason),
    }
}

fn run(program: &str, words: &[String], table: Table, note: Option<&'static str>) -> CommandForm {
    let options = match Options::read(program, words, table) {
        Ok(options) => options,
        Err(form) => return form,
    };
    // npm knows the packages of `-p` also as a list.
    let named: Result<Vec<PackageSpec>, String> = options.all(PACKAGE).map(package_of).collect();
    let mut named = match named {
        Ok(named) => named.into_iter(),
        Err(reason) => return not_lockable(reason),
    };
    let Some((first, args)) = options.rest.split_first() else { return CommandForm::Other };
    let args = strip_separator(args);
    let command = match named.next() {
        // The program is one of the packages that are named; the first that has it counts.
        Some(package) => PackageCommand {
            package,
            with: named.collect(),
            program: Some(first.clone()),
            args,
            python: None,
            note,
        },
        None => match package_of(first) {
            Ok(package) => PackageCommand {
                package,
                with: Vec::new(),
                program: None,
                args,
                python: None,
                note,
            },
            Err(reason) => return not_lockable(reason),
        },
    };
    CommandForm::Package(command)
}

/// npm takes a first `--` behind the package for its own, and passes on the rest.
fn strip_separator(args: &[String]) -> Vec<String> {
    match args.split_first() {
        Some((first, rest)) if first == "--" => rest.to_vec(),
        _ => args.to_vec(),
    }
}

/// A package of the registry, as these programs name it.
fn package_of(text: &str) -> Result<PackageSpec, String> {
    let is_path = text.starts_with(['.', '/', '~']) || text.contains('\\');
    if is_path || text.starts_with("file:") || text.starts_with("link:") {
        return Err(format!("{text} is a directory or file of this machine"));
    }
    let scoped = text.starts_with('@');
    let has_address = text.contains("://") || text.contains("git@");
    let is_git = text.starts_with("git") && text.contains(':');
    let is_github = !scoped && text.contains('/') && !text.contains("@npm:");
    if has_address || is_git || is_github || text.contains('#') {
        return Err(format!(
            "{text} comes from git or an address, where no registry vouches for its bytes"
        ));
    }
    let spec = format!("{}:{text}", Ecosystem::Npm);
    spec.parse()
        .map_err(|_| format!("{text} names no package of npm with a plain version, range or tag"))
}
