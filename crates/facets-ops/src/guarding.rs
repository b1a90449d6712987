//! Whether an entry of a client starts its server through this facet, with nothing switched off.

use std::path::{Path, PathBuf};

use facets_clients::{Client, ClientFile, Entry, EntryTransport};
use facets_launch::FOR_SERVER;

use crate::entry_variables::{header_prefix, is_refused};
use crate::own_program::own_program;

/// Variables that decide where facet looks for programs and for what was approved.
const OF_PLACES: [&str; 2] = ["HOME", "PATH"];

/// Why an entry that starts facet does not guard its server; nothing if it does. `directories` are
/// where its server may be pinned.
pub(crate) fn weakness(
    entry: &Entry,
    file: &ClientFile,
    directories: &[&Path],
    project: &Path,
) -> Option<String> {
    let EntryTransport::Command { command, args, cwd } = &entry.transport else {
        return Some("it does not start facet".to_owned());
    };
    if !Path::new(command).is_absolute() {
        return Some(format!(
            "{command:?} is looked up by its name, and PATH decides what that is"
        ));
    }
    let real = |path: &Path| path.canonicalize().ok();
    if real(Path::new(command)) != real(Path::new(&own_program())) {
        return Some(format!("{command:?} is not this facet"));
    }
    if let Some(variable) = variables(entry).find(|variable| decides_about_facet(entry, variable)) {
        return Some(format!("the variable {variable} decides about facet, too"));
    }
    let options = match Options::parse(args) {
        Ok(options) => options,
        Err(word) => return Some(format!("{word} switches a part of the guard off")),
    };
    let base = project.join(cwd.as_deref().unwrap_or_default());
    let directory = match options.directory {
        // Without one it is where the client starts it.
        None if cwd.is_none() => return None,
        None => base,
        Some("${workspaceFolder}") if is_of_workspaces(file.client) => return None,
        Some(directory) => base.join(directory),
    };
    let is_known = directories.iter().any(|known| real(known) == real(&directory));
    (!is_known).then(|| format!("it is pinned elsewhere, in {}", directory.display()))
}

/// Whether a client fills in where the project lies.
pub(crate) fn is_of_workspaces(client: Client) -> bool {
    matches!(client, Client::VsCode | Client::Cursor)
}

fn variables(entry: &Entry) -> impl Iterator<Item = &String> {
    entry.env.iter().map(|(name, _)| name).chain(&entry.env_names)
}

fn decides_about_facet(entry: &Entry, variable: &str) -> bool {
    let is_of_server =
        variable.starts_with(FOR_SERVER) || variable.starts_with(&header_prefix(&entry.name));
    // What a client passes on of its own environment is what it has anyway.
    let is_passed = entry.env_names.iter().any(|name| name == variable);
    let is_place = OF_PLACES.contains(&variable) && !is_passed;
    !is_of_server && (is_refused(variable) || is_place)
}

/// The arguments of an entry, as far as they decide something.
#[derive(Default)]
struct Options<'a> {
    directory: Option<&'a str>,
}

impl<'a> Options<'a> {
    /// The error is the word that is not among those of a guard.
    fn parse(args: &'a [String]) -> Result<Self, String> {
        const WITH_VALUE: [&str; 7] =
            ["--directory", "--format", "--log", "--restarts", "--on-drift", "--sandbox", "--http"];
        let mut options = Self::default();
        let mut words = args.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let (name, inline) = match word.split_once('=') {
                Some((name, value)) if word.starts_with("--") => (name, Some(value)),
                _ => (word, None),
            };
            if WITH_VALUE.contains(&name) {
                let value = inline.or_else(|| words.next()).unwrap_or_default();
                match (name, value) {
                    ("--on-drift", "warn") | ("--sandbox", "off") => {
                        return Err(format!("{name} {value}"));
                    }
                    ("--directory", directory) => options.directory = Some(directory),
                    _ => {}
                }
            } else if word.starts_with('-') && !["-q", "--quiet", "-v", "--verbose"].contains(&word)
            {
                return Err(word.to_owned());
            }
        }
        Ok(options)
    }
}

/// Where facet is started so that it finds the project, if a client starts it in a directory of the
/// entry's own.
pub(crate) fn way_to_project(cwd: &str, project: &Path) -> String {
    let parts: Vec<_> = Path::new(cwd).components().collect();
    let is_below = parts
        .iter()
        .all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir));
    if !is_below {
        return project.display().to_string();
    }
    let steps = parts.iter().filter(|part| matches!(part, std::path::Component::Normal(_)));
    let up: PathBuf = steps.map(|_| "..").collect();
    if up.as_os_str().is_empty() { ".".to_owned() } else { up.display().to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_from_a_folder_is_as_long_as_the_way_into_it() {
        let project = Path::new("/p");
        for (cwd, way) in
            [("a", ".."), ("./a/b/", "../.."), (".", "."), ("../x", "/p"), ("/x", "/p")]
        {
            assert_eq!(way_to_project(cwd, project), way, "{cwd}");
        }
    }

    #[test]
    fn arguments_that_switch_something_off_are_named() {
        let parse = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            Options::parse(&words).map(|options| options.directory.map(str::to_owned))
        };
        assert_eq!(parse(&["run", "s", "--log", "--trust-lock"]), Ok(None));
        assert_eq!(parse(&["--directory=/x", "run", "s", "-q"]), Ok(Some("/x".to_owned())));
        for off in [
            ["run", "s", "--trust-lock", ""],
            ["run", "s", "--on-drift", "warn"],
            ["run", "s", "--on-drift=warn", ""],
            ["--sandbox=off", "run", "s", ""],
            ["run", "s", "--sandbox", "off"],
            ["run", "s", "--something-new", ""],
        ] {
            assert!(parse(&off).is_err(), "{off:?}");
        }
    }
}
