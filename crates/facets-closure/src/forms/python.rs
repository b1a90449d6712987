//! `uvx` and `pipx`.

use facets_model::{Ecosystem, PackageSpec};

use super::command::{CommandForm, PackageCommand, not_lockable};
use super::options::{Meaning, Options, Table};

use Meaning::{Ignored, IgnoredValue, Refused, Value};

const FROM: &str = "from";
const WITH: &str = "with";
const PYTHON: &str = "python";
const INDEX: &str = "it names an index of its own; facet uses the one that pip is configured with";
const FILES: &str = "it names a file of requirements or a directory";

const UVX: Table = &[
    ("-q", Ignored),
    ("--quiet", Ignored),
    ("-v", Ignored),
    ("--verbose", Ignored),
    ("-n", Ignored),
    ("--no-cache", Ignored),
    ("--isolated", Ignored),
    ("--refresh", Ignored),
    ("--offline", Ignored),
    ("--native-tls", Ignored),
    ("--no-progress", Ignored),
    ("--no-config", Ignored),
    ("--upgrade", Ignored),
    ("-U", Ignored),
    ("--color", IgnoredValue),
    ("--refresh-package", IgnoredValue),
    ("--cache-dir", IgnoredValue),
    ("--from", Value(FROM)),
    ("--with", Value(WITH)),
    ("--python", Value(PYTHON)),
    ("-p", Value(PYTHON)),
    ("--with-editable", Refused(FILES)),
    ("--with-requirements", Refused(FILES)),
    ("--directory", Refused(FILES)),
    ("--project", Refused(FILES)),
    ("--env-file", Refused("it reads variables from a file")),
    ("--index", Refused(INDEX)),
    ("--default-index", Refused(INDEX)),
    ("--index-url", Refused(INDEX)),
    ("-i", Refused(INDEX)),
    ("--extra-index-url", Refused(INDEX)),
    ("--find-links", Refused(INDEX)),
    ("-f", Refused(INDEX)),
];

const PIPX: Table = &[
    ("-q", Ignored),
    ("--quiet", Ignored),
    ("-v", Ignored),
    ("--verbose", Ignored),
    ("--no-cache", Ignored),
    ("--spec", Value(FROM)),
    ("--with", Value(WITH)),
    ("--python", Value(PYTHON)),
    ("--index-url", Refused(INDEX)),
    ("-i", Refused(INDEX)),
    ("--pip-args", Refused("it passes options to pip")),
    ("--path", Refused(FILES)),
];

pub(super) fn uvx(words: &[String]) -> CommandForm {
    run("uvx", words, UVX)
}

/// `uv tool run`; `uv run` starts code of a directory.
pub(super) fn uv(words: &[String]) -> CommandForm {
    let plain: Vec<&str> = words.iter().map(String::as_str).collect();
    match plain.as_slice() {
        ["tool", "run" | "uvx", ..] => run("uv tool run", &words[2..], UVX),
        ["x", ..] => run("uv x", &words[1..], UVX),
        _ if plain.contains(&"run") => {
            not_lockable("`uv run` starts code of a directory, with whatever its lock has")
        }
        _ => CommandForm::Other,
    }
}

pub(super) fn pipx(words: &[String]) -> CommandForm {
    match words.split_first() {
        Some((verb, rest)) if verb == "run" => run("pipx run", rest, PIPX),
        _ => CommandForm::Other,
    }
}

fn run(program: &str, words: &[String], table: Table) -> CommandForm {
    match read(program, words, table) {
        Ok(form) | Err(form) => form,
    }
}

fn read(program: &str, words: &[String], table: Table) -> Result<CommandForm, CommandForm> {
    let options = Options::read(program, words, table)?;
    let Some((first, args)) = options.rest.split_first() else { return Ok(CommandForm::Other) };
    let python = options.all(PYTHON).last().map(str::to_owned);
    if let Some(python) = python.as_deref().filter(|text| !is_python_version(text)) {
        return Err(not_lockable(format!("{python} is no version of Python such as 3.12")));
    }
    let with = options.all(WITH).flat_map(|list| list.split(',')).filter(|one| !one.is_empty());
    let with = with.map(package_of).collect::<Result<Vec<_>, _>>().map_err(not_lockable)?;
    let (package, script) = match options.all(FROM).last() {
        Some(from) => (package_of(from), Some(first.clone())),
        None => (package_of(first), None),
    };
    Ok(CommandForm::Package(PackageCommand {
        package: package.map_err(not_lockable)?,
        with,
        program: script,
        args: args.to_vec(),
        python,
        note: None,
    }))
}

/// `3.12`, `3.12.1` or `python3.12`; a path or another implementation is something else.
fn is_python_version(text: &str) -> bool {
    let text = text.strip_prefix("python").unwrap_or(text).trim_start_matches("==");
    text.starts_with('3') && text.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// A package of the index, as these programs name it: `NAME`, `NAME@VERSION`, or a requirement.
fn package_of(text: &str) -> Result<PackageSpec, String> {
    let text = text.trim();
    let is_path = text.starts_with(['.', '/', '~', '-']) || text.contains('\\');
    if is_path || text.ends_with(".whl") || text.ends_with(".tar.gz") {
        return Err(format!("{text} is a directory or file of this machine"));
    }
    if text.contains("://") || text.contains("git+") {
        return Err(format!(
            "{text} comes from git or an address, where no index vouches for its bytes"
        ));
    }
    let requirement = match text.split_once('@') {
        Some((name, "latest")) => name.to_owned(),
        Some((name, version)) => format!("{name}=={version}"),
        None => text.chars().filter(|c| *c != ' ').collect(),
    };
    let spec = format!("{}:{requirement}", Ecosystem::Pypi);
    spec.parse().map_err(|_| format!("{text} names no package of PyPI with a plain version"))
}
