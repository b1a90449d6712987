//! The configuration file: TOML, one key per setting.

use std::path::{Path, PathBuf};

use facets_digest::json::Position;
use facets_failure::{LineColumn, similar_names};
use toml_edit::{Document, Item};

use super::table::{SETTINGS, Setting};
use crate::error::ProgramError;

/// No configuration is larger.
const MOST: u64 = 1 << 20;

/// A file, read and checked.
#[derive(Clone, Debug)]
pub(crate) struct ConfigFile {
    pub(crate) path: PathBuf,
    entries: Vec<FileEntry>,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(crate) struct FileEntry {
    name: String,
    /// As a flag would have it.
    pub(crate) value: String,
    pub(crate) place: LineColumn,
}

impl ConfigFile {
    /// Reads a file. A key that is no setting is refused: it would have no effect, unnoticed.
    pub(crate) fn read(path: &Path) -> Result<Self, ProgramError> {
        let unreadable = |source| ProgramError::ConfigUnreadable { path: path.to_owned(), source };
        let size = std::fs::metadata(path).map_err(unreadable)?.len();
        if size > MOST {
            let source = std::io::Error::other(format!("it has {size} bytes, more than {MOST}"));
            return Err(unreadable(source));
        }
        Self::parse(path, &std::fs::read_to_string(path).map_err(unreadable)?)
    }

    pub(crate) fn parse(path: &Path, text: &str) -> Result<Self, ProgramError> {
        let document = Document::parse(text).map_err(|error| {
            let offset = error.span().map_or(text.len(), |span| span.start);
            ProgramError::ConfigInvalid {
                path: path.to_owned(),
                place: place_of(text, offset),
                // Its own text shows the line, and with it what may be a secret.
                reason: error.message().to_owned(),
            }
        })?;
        let table = document.as_table();
        let mut entries = Vec::new();
        for (name, item) in table {
            let span = table.get_key_value(name).and_then(|(key, _)| key.span());
            let place = place_of(text, span.map_or(0, |span| span.start));
            if Setting::find(name).is_none() {
                return Err(unknown_key(path, place, name));
            }
            let value = text_of(item).ok_or_else(|| ProgramError::ConfigInvalid {
                path: path.to_owned(),
                place,
                reason: format!("`{name}` has the type {}", item.type_name()),
            })?;
            entries.push(FileEntry { name: name.to_owned(), value, place });
        }
        Ok(Self { path: path.to_owned(), entries })
    }

    /// The value of a setting.
    pub(crate) fn get(&self, name: &str) -> Option<&FileEntry> {
        self.entries.iter().find(|entry| entry.name == name)
    }
}

fn unknown_key(path: &Path, place: LineColumn, name: &str) -> ProgramError {
    let known = SETTINGS.iter().map(|setting| setting.name);
    ProgramError::ConfigUnknownKey {
        path: path.to_owned(),
        place,
        key: name.to_owned(),
        similar: similar_names(name, known).first().map(|name| (*name).to_owned()),
    }
}

/// A text, a number or a switch as a flag would have it.
fn text_of(item: &Item) -> Option<String> {
    let text = item.as_str().map(str::to_owned);
    let text = text.or_else(|| item.as_integer().map(|number| number.to_string()));
    text.or_else(|| item.as_bool().map(|switch| switch.to_string()))
}

fn place_of(text: &str, offset: usize) -> LineColumn {
    let Position { line, column, .. } = Position::of(text.as_bytes(), offset);
    LineColumn { line, column }
}

#[cfg(test)]
mod tests {
    use facets_failure::Describe as _;

    use super::*;

    fn parse(text: &str) -> Result<ConfigFile, ProgramError> {
        ConfigFile::parse(Path::new("registry.toml"), text)
    }

    #[test]
    fn texts_numbers_and_switches_are_read() {
        let file =
            parse("# comment\nlisten = \"[::]:80\"\nread-rate = 10\nprivate = true\n").unwrap();
        let value = |name| file.get(name).map(|entry| entry.value.as_str());
        assert_eq!(value("listen"), Some("[::]:80"));
        assert_eq!(value("read-rate"), Some("10"));
        assert_eq!(value("private"), Some("true"));
        assert_eq!(value("data"), None);
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line() {
        let error = parse("private = true\nread-rat = 10\n").unwrap_err();
        assert_eq!(error.code(), "config-unknown-key");
        assert_eq!(error.place(), Some(LineColumn { line: 2, column: 1 }));
        assert!(error.expected().unwrap().contains("read-rate"), "{error:?}");
        assert_eq!(parse("[table]\nlisten = 1\n").unwrap_err().code(), "config-unknown-key");
    }

    #[test]
    fn what_is_no_toml_or_has_another_type_is_refused() {
        assert_eq!(parse("listen = \n").unwrap_err().code(), "config-invalid");
        assert_eq!(parse("listen = [1]\n").unwrap_err().code(), "config-invalid");
        assert_eq!(parse("listen = 1\nlisten = 2\n").unwrap_err().code(), "config-invalid");
    }
}
