//! The walks in ARCHITECTURE.md and the glossary name what exists.
//!
//! Every name in backticks below a heading `A walk`, and in the last column of the glossary, is
//! looked up: `crate::item` in that crate, `Type::method` in one crate that has both, a plain name
//! anywhere. Command lines, paths and variables are not names.

use std::collections::{BTreeMap, BTreeSet};

use super::sources::tracked_files;
use crate::Outcome;
use crate::run;

const ARCHITECTURE: &str = "ARCHITECTURE.md";
const GLOSSARY: &str = "docs/glossary.md";

pub(super) fn check() -> Outcome<Vec<String>> {
    let defined = definitions()?;
    let papers = [
        (ARCHITECTURE, names_in_walks(&paper(ARCHITECTURE)?)),
        (GLOSSARY, names_in_last_column(&paper(GLOSSARY)?)),
    ];
    let mut complaints = Vec::new();
    for (paper, names) in papers {
        if names.is_empty() {
            complaints.push(format!("{paper} names nothing"));
        }
        let gone = names.iter().filter(|name| !is_defined(name, &defined));
        complaints.extend(gone.map(|name| format!("{paper} names `{name}`, which does not exist")));
    }
    Ok(complaints)
}

fn paper(path: &str) -> Outcome<String> {
    std::fs::read_to_string(run::root().join(path)).map_err(|error| format!("{path}: {error}"))
}

/// What each crate defines, by the name that code gives to the crate.
type Definitions = BTreeMap<String, BTreeSet<String>>;

fn definitions() -> Outcome<Definitions> {
    let mut defined = Definitions::new();
    for (path, text) in tracked_files(".rs")? {
        let Some((krate, file)) =
            path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"))
        else {
            continue;
        };
        let names = defined.entry(krate.replace('-', "_")).or_default();
        names.extend(file.trim_end_matches(".rs").split('/').map(str::to_owned));
        for line in text.lines() {
            names.extend(definition(line).map(str::to_owned));
            names.extend(exported(line).map(str::to_owned));
        }
    }
    Ok(defined)
}

/// The name that a line defines, if it does.
fn definition(line: &str) -> Option<&str> {
    const KINDS: [&str; 8] =
        ["fn ", "struct ", "enum ", "trait ", "const ", "type ", "mod ", "static "];
    let line = line.trim_start();
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let restricted = line.strip_prefix("pub(").and_then(|rest| rest.split_once(") "));
    let line = restricted.map_or(line, |(_, rest)| rest);
    let line = line.strip_prefix("async ").unwrap_or(line);
    let rest = KINDS.iter().find_map(|kind| line.strip_prefix(kind))?;
    Some(word(rest)).filter(|name| !name.is_empty())
}

/// The names of a re-export.
fn exported(line: &str) -> impl Iterator<Item = &str> {
    let list = line.trim_start().strip_prefix("pub use ").unwrap_or_default();
    list.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|name| !name.is_empty())
}

fn word(text: &str) -> &str {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default()
}

fn names_in_walks(text: &str) -> BTreeSet<String> {
    let walks = text.split("\n## ").filter(|section| section.starts_with("A walk"));
    names_in(walks.flat_map(|section| section.lines().skip(1)))
}

fn names_in_last_column(text: &str) -> BTreeSet<String> {
    let rows = text.lines().filter_map(|line| line.trim().strip_suffix('|'));
    names_in(rows.filter_map(|row| row.rsplit('|').next()))
}

/// What stands in backticks and has the form of a name.
fn names_in<'t>(lines: impl Iterator<Item = &'t str>) -> BTreeSet<String> {
    let spans = lines.flat_map(|line| line.split('`').skip(1).step_by(2));
    let is_name = |span: &&str| {
        !span.is_empty() && span.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':')
    };
    spans.filter(is_name).map(str::to_owned).collect()
}

fn is_defined(name: &str, defined: &Definitions) -> bool {
    let parts: Vec<&str> = name.split("::").collect();
    let has_all =
        |krate: &BTreeSet<String>, parts: &[&str]| parts.iter().all(|part| krate.contains(*part));
    match parts.split_first() {
        Some((first, [])) => {
            defined.contains_key(*first) || defined.values().any(|krate| krate.contains(*first))
        }
        Some((first, rest)) => match defined.get(*first) {
            Some(krate) => has_all(krate, rest),
            None => defined.values().any(|krate| has_all(krate, &parts)),
        },
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_and_glossary_name_what_exists() {
        assert_eq!(check(), Ok(Vec::new()));
    }

    #[test]
    fn a_name_that_is_gone_is_noticed() {
        let defined = Definitions::from([(
            "facets_ops".to_owned(),
            ["add", "AddRequest", "of"].map(str::to_owned).into(),
        )]);
        for name in ["facets_ops::add", "AddRequest", "AddRequest::of", "facets_ops"] {
            assert!(is_defined(name, &defined), "{name}");
        }
        for name in ["facets_ops::launch_of", "AddRequest::parse", "facets_lock::add", "Launch"] {
            assert!(!is_defined(name, &defined), "{name}");
        }
        let text =
            "# x\n## A walk: `facet add`\n1. `facets_ops::add` of `a b` and `x/y`\n## Rules\n`no`";
        assert_eq!(names_in_walks(text), BTreeSet::from(["facets_ops::add".to_owned()]));
        let table = "| `term` | it is `not` looked at | `facets_lock::Pin` |\n|---|---|---|\n";
        assert_eq!(names_in_last_column(table), BTreeSet::from(["facets_lock::Pin".to_owned()]));
    }
}
