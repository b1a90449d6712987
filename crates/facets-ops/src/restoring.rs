//! Entries of clients, restored as they were before facet.

use std::path::{Path, PathBuf};

use facets_clients::{
    ClientError, ClientFile, Entry, EntryTransport, Guarded, Undo, insert, parse, undo,
};
use facets_files::FileError;
use facets_project::ClientRecords;

use crate::client_files::{Client, FileEdit, RestoredEntry, places};
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

/// What facet has rewritten for this user, in any project: entries that are meant, in these files.
pub(crate) fn restore_entries(
    is_file: impl Fn(Client, &Path) -> bool,
    is_meant: impl Fn(&Path, &Entry) -> bool,
) -> Result<Restoration, OpsError> {
    let mut restoration = Restoration::default();
    for (path, undos) in ClientRecords::of_this_user()?.all() {
        let client = undos.iter().find_map(|undo| Undo::from_text(undo).ok());
        let Some(client) = client.map(|undo| undo.client()) else { continue };
        if is_file(client, &path) {
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
    let file = WrittenFile { entries: &entries, kinds: &kinds };
    // One whose entry is gone belongs to whatever is restored.
    let is_wanted = |written: &String| {
        let entry = Undo::from_text(written).ok().and_then(|undo| file.entry(undo.place()));
        entry.is_none_or(|entry| is_meant(&path, entry))
    };
    let (meant, others): (Vec<String>, Vec<String>) = undos.iter().cloned().partition(is_wanted);
    let whole = file.undone(&before, undos).text;
    let mut undone = file.undone(&before, &meant);
    let is_restorable = |text: &str, others: &[String]| file.undone(text, others).text == whole;
    if others.is_empty() || is_restorable(undone.text.as_deref().unwrap_or_default(), &others) {
        undone.left.extend(others);
    } else {
        let again = file.inserted_again(&before, undos, &others);
        let Some((text, kept)) = again.filter(|(text, kept)| is_restorable(text, kept)) else {
            let is_changed = undone.text.as_ref() != Some(&before);
            report.only_whole.extend(is_changed.then_some((client, path)));
            return Ok(());
        };
        undone.text = Some(text);
        undone.left.extend(kept);
    }
    let restored = file.restored(&meant, &undone.left);
    let UndoneText { text: after, left, problems } = undone;
    report.left.extend(problems.into_iter().map(|problem| (path.clone(), problem)));
    if after.as_ref() != Some(&before) {
        let before = Some(before);
        report.edits.push(FileEdit { client, path, before, after, undos: left, kinds, restored });
    } else if left != undos {
        ClientRecords::of_this_user()?.set(&path, &left)?;
    }
    Ok(())
}

/// A text without some of what facet wrote into it.
struct UndoneText {
    /// None if there was no file before, and nothing is in it.
    text: Option<String>,
    /// What could not be undone.
    left: Vec<String>,
    /// Why not.
    problems: Vec<ClientError>,
}

/// A file with entries that facet wrote.
struct WrittenFile<'f> {
    entries: &'f [Entry],
    kinds: &'f [ClientFile],
}

impl<'f> WrittenFile<'f> {
    fn entry(&self, place: &[String]) -> Option<&'f Entry> {
        self.entries.iter().find(|entry| entry.place == place)
    }

    fn starts_facet(&self, place: &[String]) -> bool {
        self.entry(place).is_none_or(|entry| entry.is_facet(Some(&own_program())))
    }

    /// Undoes changes, the last one first.
    fn undone(&self, text: &str, undos: &[String]) -> UndoneText {
        let mut text = text.to_owned();
        let (mut left, mut problems, mut was_absent) = (Vec::new(), Vec::new(), false);
        for written in undos.iter().rev() {
            let known = match Undo::from_text(written) {
                Ok(known) => known,
                Err(error) => {
                    // A newer facet may know how.
                    problems.push(error);
                    left.insert(0, written.clone());
                    continue;
                }
            };
            match undo(&text, &known) {
                Ok(other) => {
                    was_absent |= known.file_was_absent();
                    text = other;
                }
                // There is nothing to undo; it may come back.
                Err(ClientError::Gone { .. }) => left.insert(0, written.clone()),
                // Somebody else has undone it.
                Err(ClientError::Edited { .. }) if !self.starts_facet(known.place()) => {}
                Err(error) => {
                    problems.push(error);
                    left.insert(0, written.clone());
                }
            }
        }
        let is_gone = was_absent && text.trim().is_empty();
        UndoneText { text: Some(text).filter(|_| !is_gone), left, problems }
    }

    /// Entries that facet inserted one after the other stand in what the ones before made. The file with
    /// only the other ones inserted, and how to undo those; nothing if one cannot be inserted as it is.
    fn inserted_again(
        &self,
        before: &str,
        undos: &[String],
        others: &[String],
    ) -> Option<(String, Vec<String>)> {
        let is_insertion =
            |written: &&String| Undo::from_text(written).is_ok_and(|undo| undo.is_insertion());
        let (inserted, rewritten): (Vec<&String>, Vec<&String>) =
            others.iter().partition(is_insertion);
        let taken_out: Vec<String> =
            undos.iter().filter(|written| !rewritten.contains(written)).cloned().collect();
        let mut text = self.undone(before, &taken_out).text;
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
        let entry = self.entry(known.place())?;
        let EntryTransport::Command { command, args, .. } = &entry.transport else { return None };
        let guarded = Guarded {
            program: command.clone(),
            args: args.clone(),
            headers: Vec::new(),
            variables: Vec::new(),
        };
        let kind = self.kinds.first()?.clone();
        let file = ClientFile { containers: vec![container.to_vec()], ..kind };
        let (text, undo) = insert(&file, text, name, &guarded).ok()?;
        (undo.place() == known.place()).then_some((text, undo))
    }

    /// Entries that are as before facet, unless their change is left.
    fn restored(&self, meant: &[String], left: &[String]) -> Vec<RestoredEntry> {
        let done = meant.iter().filter(|written| !left.contains(written));
        let done = done.filter_map(|written| Undo::from_text(written).ok());
        let started = done.filter(|undo| {
            let entry = self.entry(undo.place());
            entry.is_some_and(|entry| entry.is_facet(Some(&own_program())))
        });
        let restored = started.filter_map(|undo| {
            let (name, was_inserted) = (undo.place().last()?.clone(), undo.is_insertion());
            Some(RestoredEntry { name, was_inserted })
        });
        restored.collect()
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
