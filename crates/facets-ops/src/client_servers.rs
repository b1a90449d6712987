//! The servers of MCP clients around a project, and whether facet guards them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use facets_clients::{Client, ClientFile, Places, Scope, Undo};
use facets_files::FileError;
use facets_project::{ClientRecords, UserDirectory};

use crate::client_entries::EntryReader;
use crate::client_files::{ClientFileText, files, locked_names, places, read};
use crate::error::OpsError;
use crate::guarding::weakness;
use crate::own_program::own_program;

/// A server that a client starts without facet.
pub(crate) struct UnguardedServer {
    pub(crate) name: String,
    pub(crate) client: Client,
    /// Its file.
    pub(crate) path: PathBuf,
    pub(crate) scope: Scope,
    /// Whether facet had seen to it that it does not.
    pub(crate) was_guarded: bool,
    /// Why it is not guarded although it starts facet.
    pub(crate) weakness: Option<String>,
    /// Whether `facet adopt` takes it over; else it says why not.
    pub(crate) is_adoptable: bool,
}

/// An entry that starts a server through facet which is not pinned any more.
pub(crate) struct GoneServer {
    pub(crate) name: String,
    pub(crate) client: Client,
}

/// The servers of the clients around here.
#[derive(Default)]
pub(crate) struct ClientServers {
    /// How many start through facet.
    pub(crate) guarded: usize,
    pub(crate) unguarded: Vec<UnguardedServer>,
    pub(crate) gone: Vec<GoneServer>,
    /// Why files cannot be read: they hide nothing of what is in the others.
    pub(crate) unreadable: Vec<OpsError>,
}

/// The servers of the clients around here: those that start through facet, and those that do not.
/// Changes nothing.
pub(crate) fn servers_of_clients(project: &Path) -> Result<ClientServers, OpsError> {
    let unreadable =
        |source| OpsError::File(FileError::Unreadable { path: project.to_owned(), source });
    let project = fs::canonicalize(project).map_err(unreadable)?;
    let places = places(&project)?;
    let user = UserDirectory::of_person()?.project_path();
    let records = ClientRecords::read_only()?;
    let pinned = [locked_names(&project), locked_names(&user)];
    let judge = GuardJudge { own: own_program(), pinned, project, user };
    let mut found = ClientServers::default();
    for file in all_files(&places) {
        match read(&file) {
            Ok(None) => {}
            Ok(Some(text)) => {
                let undos = records.of(&text.path)?;
                let undos = undos.iter().filter_map(|undo| Undo::from_text(undo).ok());
                judge.add(&text, &undos.collect::<Vec<_>>(), &mut found);
            }
            Err(error) => found.unreadable.push(error),
        }
    }
    Ok(found)
}

/// Files of the project, then those of the user: in a home directory some are both.
fn all_files(places: &Places) -> Vec<ClientFile> {
    let of_user = files(&[], Scope::User, places);
    let mut all = files(&[], Scope::Project, places);
    all.retain(|file| !of_user.iter().any(|own| own.path == file.path));
    all.extend(of_user);
    all
}

/// What it takes to say whether entries are guarded.
struct GuardJudge {
    own: String,
    /// The names that are pinned in the project, and for the user.
    pinned: [BTreeSet<String>; 2],
    project: PathBuf,
    user: PathBuf,
}

impl GuardJudge {
    /// Adds the enabled entries of a file.
    fn add(&self, read: &ClientFileText, undos: &[Undo], found: &mut ClientServers) {
        let file = &read.file;
        for entry in read.entries.iter().filter(|entry| entry.enabled) {
            let weakness = weakness(entry, file, &[&self.project, &self.user], &self.project);
            if let (Some(name), None) = (entry.guarded_name(Some(&self.own)), &weakness) {
                found.guarded += 1;
                if !self.pinned.iter().any(|names| names.contains(name)) {
                    let (name, client) = (name.to_owned(), file.client);
                    found.gone.push(GoneServer { name, client });
                }
                continue;
            }
            let is_facet = entry.is_facet(Some(&self.own));
            let reader = EntryReader::of(file, &self.project);
            found.unguarded.push(UnguardedServer {
                name: entry.name.clone(),
                client: file.client,
                path: read.path.clone(),
                scope: file.scope,
                was_guarded: !is_facet && undos.iter().any(|undo| undo.place() == entry.place),
                weakness: weakness.filter(|_| is_facet),
                is_adoptable: reader.plan(entry, &self.own).is_ok(),
            });
        }
    }
}
