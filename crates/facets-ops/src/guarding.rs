//! Whether an entry of a client starts its server through this facet, with nothing switched off.

use std::path::{Path, PathBuf};

use facets_clients::{Client, ClientFile, Entry, EntryTransport, EnvValue};
use facets_launch::{FOR_SERVER, is_passed_on};

use crate::entry_variables::{has_placeholder, header_prefix, is_refused};
use crate::own_program::own_program;

/// Variables that decide about programs before they begin, and about where their files lie.
const OF_PROGRAMS: [&str; 2] = ["TMPDIR", "GLIBC_TUNABLES"];

/// Members of an entry by which a client takes variables from a file, which may set any.
const ENVIRONMENT_FILES: [&str; 3] = ["envFile", "env_file", "envfile"];

/// What VS Code and Cursor fill in for the project.
pub(crate) const WORKSPACE: &str = "${workspaceFolder}";

/// The member by which an entry takes variables from a file, if it does.
pub(crate) fn environment_file(entry: &Entry) -> Option<&String> {
    entry.extras.iter().find(|name| ENVIRONMENT_FILES.contains(&name.as_str()))
}

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
    if !is_same_place(Path::new(command), Path::new(&own_program())) {
        return Some(format!("{command:?} is not this facet"));
    }
    if let Some(reason) = weak_variable(entry, project) {
        return Some(reason);
    }
    let options = match GuardArguments::parse(args) {
        Ok(options) => options,
        Err(word) => return Some(format!("{word} is not what a guard is started with")),
    };
    let base = project.join(cwd.as_deref().unwrap_or_default());
    let directory = match options.directory {
        // Without one it is where the client starts it.
        None if cwd.is_none() => return None,
        None => base,
        Some(WORKSPACE) if is_of_workspaces(file.client) => return None,
        Some(directory) => base.join(directory),
    };
    let is_known = directories.iter().any(|known| is_same_place(known, &directory));
    (!is_known).then(|| format!("it is pinned elsewhere, in {}", directory.display()))
}

/// Whether two paths lead to the same thing, which is there.
fn is_same_place(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// What an entry sets that decides about facet, or about which program facet starts.
fn weak_variable(entry: &Entry, project: &Path) -> Option<String> {
    if let Some(member) = environment_file(entry) {
        return Some(format!("`{member}` can set any variable, also those of facet"));
    }
    if let Some(variable) = variables(entry).find(|variable| decides_about_facet(entry, variable)) {
        return Some(format!("the variable {variable} decides about facet, too"));
    }
    let path = entry.env.iter().find(|(name, _)| name.strip_prefix(FOR_SERVER) == Some("PATH"));
    let Some((_, EnvValue::Set(path))) = path else { return None };
    let mut folders = std::env::split_paths(path.expose());
    let is_foreign = |folder: &PathBuf| !folder.is_absolute() || folder.starts_with(project);
    folders
        .find(is_foreign)
        .map(|folder| format!("its PATH leads into the project: {}", folder.display()))
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
    // Those reach facet, and servers that do not name them.
    let is_general = OF_PROGRAMS.contains(&variable) || is_passed_on(variable);
    !is_of_server && (is_refused(variable) || (is_general && !is_passed))
}

/// The arguments of an entry that guards: options of every command, `run`, a name, and options that
/// leave the guard as it is. Whatever else there is may mean something else.
#[derive(Default)]
struct GuardArguments<'a> {
    directory: Option<&'a str>,
}

impl<'a> GuardArguments<'a> {
    /// The error is the word that is none of those.
    fn parse(args: &'a [String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut plain = Vec::new();
        let mut words = args.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let (name, inline) = match word.split_once('=') {
                Some((name, value)) if word.starts_with("--") => (name, Some(value)),
                _ => (word, None),
            };
            if !word.starts_with('-') {
                plain.push(word);
            } else if !["-q", "--quiet", "-v", "--verbose"].contains(&word) {
                let value = inline.or_else(|| words.next()).ok_or_else(|| word.to_owned())?;
                options.add(name, value).ok_or_else(|| format!("{name} {value}"))?;
            }
        }
        match plain.as_slice() {
            ["run", name] if !has_placeholder(name) => Ok(options),
            ["run", _, more, ..] => Err((*more).to_owned()),
            _ => Err(plain.first().copied().unwrap_or("nothing").to_owned()),
        }
    }

    /// Takes an option that leaves the guard as it is.
    fn add(&mut self, name: &str, value: &'a str) -> Option<()> {
        let is_harmless = match name {
            "--directory" => {
                self.directory = Some(value);
                value == WORKSPACE || !has_placeholder(value)
            }
            "--on-drift" => ["block", "stop"].contains(&value),
            "--sandbox" => value == "on",
            "--format" | "--log" | "--restarts" => !has_placeholder(value),
            _ => false,
        };
        is_harmless.then_some(())
    }
}

/// Where facet is started so that it finds the project, if a client starts it in a directory of the
/// entry's own.
pub(crate) fn way_to_project(cwd: &str, project: &Path) -> String {
    // Behind a link `..` leads elsewhere.
    let place = project.join(cwd);
    let is_plain = place.canonicalize().is_ok_and(|real| real.components().eq(place.components()));
    let parts: Vec<_> = Path::new(cwd).components().collect();
    let is_below = parts
        .iter()
        .all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir));
    if !is_below || !is_plain {
        return project.display().to_string();
    }
    let steps = parts.iter().filter(|part| matches!(part, std::path::Component::Normal(_)));
    let up: PathBuf = steps.map(|_| "..").collect();
    if up.as_os_str().is_empty() { ".".to_owned() } else { up.display().to_string() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_from_a_folder_is_as_long_as_the_way_into_it() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(project.join("a/b")).unwrap();
        std::os::unix::fs::symlink("/", project.join("link")).unwrap();
        let whole = project.to_str().unwrap();
        let ways =
            [("a", ".."), ("./a/b/", "../.."), ("../x", whole), ("/x", whole), ("link", whole)];
        for (cwd, way) in ways {
            assert_eq!(way_to_project(cwd, &project), way, "{cwd}");
        }
    }

    #[test]
    fn only_what_leaves_the_guard_as_it_is_is_taken() {
        let parse = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            GuardArguments::parse(&words).map(|options| options.directory.map(str::to_owned))
        };
        assert_eq!(parse(&["run", "s", "--log", "x", "--on-drift", "stop"]), Ok(None));
        assert_eq!(parse(&["--directory=/x", "run", "s", "-q"]), Ok(Some("/x".to_owned())));
        for other in [
            &["run", "s", "--trust-lock"][..],
            &["run", "s", "--on-drift", "warn"],
            &["run", "s", "--on-drift=warn"],
            &["--sandbox=off", "run", "s"],
            &["run", "s", "--sandbox", "off"],
            &["run", "s", "--sandbox", "${X:-off}"],
            &["run", "s", "${X:---trust-lock}"],
            &["run", "${X}"],
            &["run", "s", "--directory", "${HOME}/x"],
            &["run", "s", "--something-new"],
            &["run", "s", "--http", "127.0.0.1:1"],
            &["run", "s", "t"],
            &["run"],
            &["check", "run", "s"],
            &["__facet-confine", "x", "/evil", "run", "s"],
        ] {
            assert!(parse(other).is_err(), "{other:?}");
        }
    }
}
