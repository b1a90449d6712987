//! Values of variables that the entry of a client has for a server that it starts through facet: for
//! `check`, `approve` and `run` typed by a person, whose shell does not have them. They are never stored.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use facets_clients::{ClientFile, Entry, EnvValue, Scope, Undo};
use facets_launch::{FOR_SERVER, value_of};
use facets_lock::LockedServer;
use facets_project::{ClientRecords, Project};

use crate::client_files::{ClientFileText, files, places, read};
use crate::entry_placeholders::Placeholders;
use crate::entry_variables::{header_prefix, is_refused};
use crate::facet_values::FacetValues;
use crate::guarding::weakness;
use crate::own_program::own_program;

/// Variables that decide which code a program loads. A file of a project may come with a repository, so
/// their values are not taken from there.
const OF_CODE: &[&str] = &[
    "BASH_ENV",
    "DOTNET_STARTUP_HOOKS",
    "ENV",
    "JAVA_TOOL_OPTIONS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PATH",
    "PERL5LIB",
    "PERL5OPT",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYLIB",
    "RUBYOPT",
];

/// What clients have for a server.
#[derive(Debug, Default)]
pub(crate) struct ClientValues {
    /// Values by variable.
    pub(crate) given: BTreeMap<String, String>,
    /// The file that each is from.
    sources: BTreeMap<String, String>,
    /// Where they were looked for, as people read it.
    pub(crate) looked: Vec<String>,
    /// Which file was used, where several have different values.
    pub(crate) notes: Vec<String>,
}

impl ClientValues {
    /// The values of those variables of a server that facet's own environment does not have. Only for
    /// servers that this user has approved.
    pub(crate) fn of(project: &Project, name: &str, server: &LockedServer) -> Self {
        let missing = server.origin.variables().into_iter();
        let missing: Vec<&str> =
            missing.filter(|variable| value_of(variable, &BTreeMap::new()).is_none()).collect();
        let mut values = Self::default();
        if missing.is_empty() {
            return values;
        }
        let of_facet = FacetValues::of(project, name, &server.origin).missing().into_iter();
        for (variable, value) in
            of_facet.filter(|(variable, _)| missing.contains(&variable.as_str()))
        {
            values.sources.insert(variable.clone(), "the facet that declares it".to_owned());
            values.given.insert(variable, value);
        }
        let missing: Vec<&str> =
            missing.into_iter().filter(|variable| !values.given.contains_key(*variable)).collect();
        if missing.is_empty() {
            return values;
        }
        let place = project_of_clients(project, server);
        for (file, text) in guarding_files(project, &place, &mut values.looked) {
            let shown = shown(&text, &place);
            values.looked.push(shown.clone());
            let is_meant = |entry: &&Entry| starts_this(entry, &file, name, project);
            for entry in text.entries.iter().filter(is_meant) {
                if file.scope == Scope::Project && !is_recorded(&text.path, entry) {
                    continue;
                }
                values.add(entry, name, &file, (&place, &missing), &shown);
            }
        }
        values
    }

    /// From which files values come, for whoever watches a server start.
    pub(crate) fn origins(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for (variable, file) in &self.sources {
            lines.push(format!("the value of {variable} is read from {file}"));
        }
        lines.extend(self.notes.iter().cloned());
        lines
    }

    fn add(
        &mut self,
        entry: &Entry,
        name: &str,
        file: &ClientFile,
        (place, missing): (&Path, &[&str]),
        shown: &str,
    ) {
        for variable in missing.iter().filter(|variable| is_readable(variable, name, file.scope)) {
            let Some(written) = value_in(entry, variable) else { continue };
            let Ok(value) = Placeholders::of(file, place).value(written) else { continue };
            match self.given.get(*variable) {
                None => {
                    self.given.insert((*variable).to_owned(), value);
                    self.sources.insert((*variable).to_owned(), shown.to_owned());
                }
                Some(first) if *first != value => {
                    let used = self.sources.get(*variable).map_or("", String::as_str);
                    let note = format!(
                        "the value of {variable} is that of {used}; {shown} has a different one"
                    );
                    self.notes.push(note);
                }
                Some(_) => {}
            }
        }
    }
}

/// Whether a variable of a server may have its value from a file.
fn is_readable(variable: &str, name: &str, scope: Scope) -> bool {
    let is_of_header = variable.starts_with(&header_prefix(name));
    let is_of_code = scope == Scope::Project && OF_CODE.contains(&variable);
    (!is_refused(variable) || is_of_header) && !is_of_code
}

/// What stands for a variable in an entry that starts facet.
fn value_in<'e>(entry: &'e Entry, variable: &str) -> Option<&'e str> {
    let own = format!("{FOR_SERVER}{variable}");
    let named = |wanted: &str| entry.env.iter().find(|(name, _)| name == wanted);
    match named(&own).or_else(|| named(variable)) {
        Some((_, EnvValue::Set(value))) => Some(value.expose()),
        _ => None,
    }
}

/// Whether an entry starts this server of this project through this facet, with nothing switched off.
fn starts_this(entry: &Entry, file: &ClientFile, name: &str, project: &Project) -> bool {
    let place = project.place();
    // Without a directory, a file of the user starts whatever has the name where its client begins.
    let says_where = file.scope == Scope::Project
        || matches!(&entry.transport, facets_clients::EntryTransport::Command { args, .. }
            if args.iter().any(|arg| arg == "--directory" || arg.starts_with("--directory=")));
    entry.enabled
        && entry.guarded_name(Some(&own_program())) == Some(name)
        && says_where
        && weakness(entry, file, &[place], place).is_none()
}

/// Whether an entry of a file that facet has rewritten starts this server of this project.
pub(crate) fn starts_here(entry: &Entry, path: &Path, name: &str, project: &Project) -> bool {
    let Ok(places) = places(project.place()) else { return false };
    let scopes = [Scope::Project, Scope::User].into_iter();
    let mut known = scopes.flat_map(|scope| files(&[], scope, &places));
    let is_same = |file: &ClientFile| file.path.canonicalize().is_ok_and(|real| real == path);
    known.any(|file| is_same(&file) && starts_this(entry, &file, name, project))
}

/// Whether this user has had facet write that entry: a repository can bring one like it.
fn is_recorded(path: &Path, entry: &Entry) -> bool {
    let undos = ClientRecords::read_only().and_then(|records| records.of(path)).unwrap_or_default();
    let mut undos = undos.iter().filter_map(|undo| Undo::from_text(undo).ok());
    undos.any(|undo| undo.place() == entry.place)
}

/// The project whose clients are looked at. A server of the user may belong to one project of theirs.
fn project_of_clients(project: &Project, server: &LockedServer) -> PathBuf {
    let own = server.settings.directory.as_deref().map(Path::new);
    match own.filter(|own| own.is_absolute() && project.is_of_user()) {
        Some(own) => own.to_owned(),
        None => project.place().to_owned(),
    }
}

/// Files that can be read, those of the project first; a server of the user is in files of the user only.
fn guarding_files(
    project: &Project,
    place: &Path,
    looked: &mut Vec<String>,
) -> Vec<(ClientFile, ClientFileText)> {
    let Ok(places) = places(place) else { return Vec::new() };
    let scopes: &[Scope] =
        if project.is_of_user() { &[Scope::User] } else { &[Scope::Project, Scope::User] };
    let mut found = Vec::new();
    for file in scopes.iter().flat_map(|scope| files(&[], *scope, &places)) {
        match read(&file) {
            Ok(Some(text)) => found.push((file, text)),
            Ok(None) => {}
            Err(_) => looked.push(format!("{} (cannot be read)", file.path.display())),
        }
    }
    found
}

/// A file as people know it: from the project on, with its client.
fn shown(text: &ClientFileText, project: &Path) -> String {
    let path = text.path.strip_prefix(project).unwrap_or(&text.path);
    format!("{} ({})", path.display(), text.file.client.name())
}
