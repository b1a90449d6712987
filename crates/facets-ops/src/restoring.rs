//! Entries of clients, restored as they were before facet.

use std::path::{Path, PathBuf};

use facets_clients::{ClientError, ClientFile, Entry, Undo, parse};
use facets_files::FileError;
use facets_project::ClientRecords;

use crate::client_files::{Client, FileEdit, places, undone};
use crate::error::OpsError;
use crate::own_program::own_program;

/// Files as they would be, and what stays as it is.
#[derive(Debug, Default)]
pub(crate) struct Restoration {
    pub(crate) edits: Vec<FileEdit>,
    pub(crate) left: Vec<(PathBuf, ClientError)>,
    /// Files with entries that are meant, of which the others could not be restored to the byte later.
    pub(crate) only_whole: Vec<(Client, PathBuf)>,
}

/// What facet has rewritten for this user, in any project: entries of these clients, and of those
/// that are meant, by their file.
pub(crate) fn restore_entries(
    is_client: impl Fn(Client) -> bool,
    is_meant: impl Fn(&Path, &Entry) -> bool,
) -> Result<Restoration, OpsError> {
    let mut restoration = Restoration::default();
    for (path, undos) in ClientRecords::of_this_user()?.all() {
        let client = undos.iter().find_map(|undo| Undo::from_text(undo).ok());
        let Some(client) = client.map(|undo| undo.client()) else { continue };
        if is_client(client) {
            restore_file(client, path, &undos, &is_meant, &mut restoration)?;
        }
    }
    Ok(restoration)
}

/// Entries of one file. What is not meant stays as it is, with its record.
fn restore_file(
    client: Client,
    path: PathBuf,
    undos: &[String],
    is_meant: &dyn Fn(&Path, &Entry) -> bool,
    report: &mut Restoration,
) -> Result<(), OpsError> {
    let records = ClientRecords::of_this_user()?;
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        // There is nothing to undo; it may come back with another branch, or another disk.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(OpsError::File(FileError::Unreadable { path, source })),
    };
    let Ok(before) = String::from_utf8(bytes) else {
        let place = path.display().to_string();
        report.left.push((path, ClientError::Edited { place }));
        return Ok(());
    };
    let kinds = kinds_of(client, &path, undos);
    let entries: Vec<Entry> =
        kinds.iter().flat_map(|kind| parse(kind, &before).unwrap_or_default()).collect();
    let starts_facet = |place: &[String]| {
        let entry = entries.iter().find(|entry| entry.place == place);
        entry.is_none_or(|entry| entry.is_facet(Some(&own_program())))
    };
    // One whose entry is gone belongs to whatever is restored.
    let is_wanted = |written: &&String| {
        let undo = Undo::from_text(written).ok();
        let entry = undo.and_then(|undo| entries.iter().find(|entry| entry.place == undo.place()));
        entry.is_none_or(|entry| is_meant(&path, entry))
    };
    let (meant, others): (Vec<&String>, Vec<&String>) = undos.iter().partition(is_wanted);
    let meant: Vec<String> = meant.into_iter().cloned().collect();
    let (after, mut left, problems, was_absent) = undone(&before, &meant, starts_facet);
    let others: Vec<String> = others.into_iter().cloned().collect();
    let rest = undone(&after, &others, starts_facet).0;
    if !others.is_empty() && rest != undone(&before, undos, starts_facet).0 {
        report.only_whole.extend((after != before).then_some((client, path)));
        return Ok(());
    }
    left.extend(others);
    report.left.extend(problems.into_iter().map(|problem| (path.clone(), problem)));
    let is_gone = was_absent && after.trim().is_empty();
    let after = Some(after).filter(|_| !is_gone);
    if after.as_ref() != Some(&before) {
        let before = Some(before);
        report.edits.push(FileEdit { client, path, before, after, undos: left, kinds });
    } else if left != undos {
        records.set(&path, &left)?;
    }
    Ok(())
}

/// How the servers of a file may be found, wherever it lies: in the usual place, and where facet
/// has rewritten some.
fn kinds_of(client: Client, path: &Path, undos: &[String]) -> Vec<ClientFile> {
    let files = places(Path::new(".")).map(|places| client.files(&places)).unwrap_or_default();
    let mut kinds: Vec<ClientFile> =
        files.into_iter().map(|file| ClientFile { path: path.to_owned(), ..file }).collect();
    for undo in undos.iter().filter_map(|undo| Undo::from_text(undo).ok()) {
        let Some((_, container)) = undo.place().split_last() else { continue };
        for kind in kinds.iter_mut().filter(|kind| !kind.containers.iter().any(|c| c == container))
        {
            kind.containers.push(container.to_vec());
        }
    }
    kinds
}
