//! What was changed in the files of clients, so that it can be changed back.

use std::fs;
use std::path::{Path, PathBuf};

use facets_digest::Digest;
use facets_digest::json::{self, Limits, Provenance, Value, write_list, write_string};

use crate::error::ProjectError;
use crate::files;
use crate::user_directory::UserDirectory;

const FOLDER: &str = "clients";

/// The records of this user: one file for each file of a client.
#[derive(Clone, Debug)]
pub struct ClientRecords {
    folder: PathBuf,
}

impl ClientRecords {
    /// The records of this user.
    pub fn of_this_user() -> Result<Self, ProjectError> {
        Self::in_directory(&UserDirectory::of_person()?)
    }

    /// The records in a user's directory.
    pub fn in_directory(user: &UserDirectory) -> Result<Self, ProjectError> {
        Ok(Self { folder: user.made(FOLDER)? })
    }

    /// The records of this user, for reading only: nothing is made.
    pub fn read_only() -> Result<Self, ProjectError> {
        Ok(Self { folder: UserDirectory::of_person()?.unchecked(FOLDER) })
    }

    fn path(&self, file: &Path) -> PathBuf {
        self.folder.join(format!("{}.json", Digest::of(file.as_os_str().as_encoded_bytes()).hex()))
    }

    /// How to undo what was done to a file, in the order in which it was done.
    pub fn of(&self, file: &Path) -> Result<Vec<String>, ProjectError> {
        let bytes = files::read(&self.path(file))?;
        Ok(bytes.and_then(|bytes| parse(&bytes)).map(|(_, undos)| undos).unwrap_or_default())
    }

    /// Every file that was changed.
    #[must_use]
    pub fn all(&self) -> Vec<(PathBuf, Vec<String>)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let records = entries.filter_map(|entry| files::read(&entry.path()).ok().flatten());
        let mut found: Vec<_> = records.filter_map(|bytes| parse(&bytes)).collect();
        found.sort();
        found
    }

    /// Writes down how to undo; nothing to undo leaves no record.
    pub fn set(&self, file: &Path, undos: &[String]) -> Result<(), ProjectError> {
        let path = self.path(file);
        if undos.is_empty() {
            let _ = fs::remove_file(&path);
            return Ok(());
        }
        let mut text = Vec::from(*b"{\"path\":");
        write_string(&file.to_string_lossy(), &mut text);
        text.extend_from_slice(b",\"undo\":");
        write_list(['[', ']'], undos, &mut text, |undo, out| write_string(undo, out));
        text.extend_from_slice(b"}\n");
        files::write(&path, &text)
    }
}

fn parse(bytes: &[u8]) -> Option<(PathBuf, Vec<String>)> {
    let value = json::parse(bytes, Provenance::Captured, Limits::DOCUMENT).ok()?;
    let Value::Object(object) = value else { return None };
    let (Some(Value::String(path)), Some(Value::Array(undos))) =
        (object.get("path"), object.get("undo"))
    else {
        return None;
    };
    let text = |value: &Value<'_>| match value {
        Value::String(text) => Some(text.to_string()),
        _ => None,
    };
    let undos: Option<Vec<String>> = undos.iter().map(text).collect();
    Some((PathBuf::from(&**path), undos?))
}
