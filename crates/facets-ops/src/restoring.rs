//! Entries of clients, restored as they were before facet.

use std::path::{Path, PathBuf};

use facets_clients::{
    ClientError, ClientFile, Entry, EntryTransport, Guarded, Undo, insert, parse,
};
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
    let is_wanted = |written: &String| {
        let undo = Undo::from_text(written).ok();
        let entry = undo.and_then(|undo| entries.iter().find(|entry| entry.place == undo.place()));
        entry.is_none_or(|entry| is_meant(&path, entry))
    };
    let (meant, others): (Vec<String>, Vec<String>) = undos.iter().cloned().partition(is_wanted);
    let (mut after, mut left, problems, was_absent) = undone(&before, &meant, starts_facet);
    let whole = undone(&before, undos, starts_facet).0;
    let is_restorable = |after: &str, others: &[String]| {
        others.is_empty() || undone(after, others, starts_facet).0 == whole
    };
    if is_restorable(&after, &others) {
        left.extend(others);
    } else {
        let inserted = Inserted { before: &before, entries: &entries, kinds: &kinds };
        let again = inserted.again(&meant, &others, starts_facet);
        let Some((text, kept)) = again.filter(|(text, kept)| is_restorable(text, kept)) else {
            report.only_whole.extend((after != before).then_some((client, path)));
            return Ok(());
        };
        after = text;
        left.extend(kept);
    }
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

/// Entries that facet wrote into a file one after the other: each stands in what the ones before it made.
struct Inserted<'f> {
    before: &'f str,
    entries: &'f [Entry],
    kinds: &'f [ClientFile],
}

impl Inserted<'_> {
    /// The file without the entries that are meant, with the other ones inserted anew, and how to undo
    /// those; nothing if one of them cannot be inserted as it is.
    fn again(
        &self,
        meant: &[String],
        others: &[String],
        starts_facet: impl Fn(&[String]) -> bool + Copy,
    ) -> Option<(String, Vec<String>)> {
        let is_insertion =
            |written: &&String| Undo::from_text(written).is_ok_and(|undo| undo.is_insertion());
        let (inserted, rewritten): (Vec<&String>, Vec<&String>) =
            others.iter().partition(is_insertion);
        let taken_out: Vec<String> =
            meant.iter().chain(inserted.iter().copied()).cloned().collect();
        let (text, _, _, was_absent) = undone(self.before, &taken_out, starts_facet);
        let mut text = Some(text).filter(|text| !(was_absent && text.trim().is_empty()));
        let mut kept: Vec<String> = rewritten.into_iter().cloned().collect();
        for written in inserted {
            let (other, undo) = self.insert(text.as_deref(), &Undo::from_text(written).ok()?)?;
            text = Some(other);
            kept.push(undo.to_text());
        }
        Some((text?, kept))
    }

    /// Inserts an entry that facet had inserted, where it stood.
    fn insert(&self, text: Option<&str>, known: &Undo) -> Option<(String, Undo)> {
        let (name, container) = known.place().split_last()?;
        let entry = self.entries.iter().find(|entry| entry.place == known.place())?;
        let EntryTransport::Command { command, args, .. } = &entry.transport else { return None };
        let guarded = Guarded {
            program: command.clone(),
            args: args.clone(),
            headers: Vec::new(),
            variables: Vec::new(),
        };
        let file = ClientFile { containers: vec![container.to_vec()], ..self.kinds.first()?.clone() };
        let (text, undo) = insert(&file, text, name, &guarded).ok()?;
        (undo.place() == known.place()).then_some((text, undo))
    }
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
