//! A name that the project has not pinned.

use std::collections::BTreeSet;

use facets_project::{State, UserDirectory};

use crate::client_files::locked_names;
use crate::error::{OpsError, ServerError};

/// The error about a name that is not pinned here, with where it is pinned for the user, if it is.
pub(crate) fn unknown_server(name: &str, state: &State) -> OpsError {
    not_among(name, state.lock.servers().keys().cloned().collect())
}

/// The same, where only the names that are pinned here are known.
pub(crate) fn not_among(name: &str, known: BTreeSet<String>) -> OpsError {
    let folder = UserDirectory::of_person().map(|user| user.project_path()).ok();
    let of_user = folder.filter(|folder| locked_names(folder).contains(name));
    let known = known.into_iter().collect();
    ServerError::Unknown { name: name.to_owned(), known, of_user }.into()
}
