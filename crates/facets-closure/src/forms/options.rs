//! The options that stand before a package.

use super::command::{CommandForm, not_lockable};

/// What an option of a program means to a lock.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    /// Nothing: how much is said, or how the cache is used.
    Ignored,
    /// Nothing, and the next word is its value.
    IgnoredValue,
    /// The next word is a value that counts, under this name.
    Value(&'static str),
    /// It cannot be locked with it, for this reason.
    Refused(&'static str),
}

/// The options of a program, by how they are written.
pub(super) type Table = &'static [(&'static str, Meaning)];

/// What stood before the package.
pub(super) struct Options<'w> {
    /// Values that count, in order.
    pub(super) values: Vec<(&'static str, &'w str)>,
    /// The package and what follows.
    pub(super) rest: &'w [String],
}

impl<'w> Options<'w> {
    /// Reads options up to the first word that is none.
    pub(super) fn read(
        program: &str,
        words: &'w [String],
        table: Table,
    ) -> Result<Self, CommandForm> {
        let mut values = Vec::new();
        let mut rest = words;
        while let Some((word, after)) = rest.split_first() {
            if word == "--" {
                rest = after;
                break;
            }
            if !word.starts_with('-') {
                break;
            }
            let (name, given) = match word.split_once('=') {
                Some((name, value)) if word.starts_with("--") => (name, Some(value)),
                _ => (word.as_str(), None),
            };
            let found = table.iter().find(|(known, _)| *known == name).map(|(_, meaning)| *meaning);
            let Some(meaning) = found else {
                return Err(not_lockable(format!(
                    "{program} has the option {name}, which facet does not know"
                )));
            };
            rest = after;
            let mut value = || {
                given.or_else(|| {
                    let (value, after) = rest.split_first()?;
                    rest = after;
                    Some(value.as_str())
                })
            };
            match meaning {
                Meaning::Ignored => {}
                Meaning::IgnoredValue => drop(value()),
                Meaning::Value(kind) => match value() {
                    Some(value) => values.push((kind, value)),
                    None => return Err(not_lockable(format!("{program} {name} has no value"))),
                },
                Meaning::Refused(reason) => return Err(not_lockable(reason)),
            }
        }
        Ok(Self { values, rest })
    }

    /// The values of one name.
    pub(super) fn all(&self, kind: &'static str) -> impl Iterator<Item = &'w str> {
        self.values.iter().filter(move |(other, _)| *other == kind).map(|(_, value)| *value)
    }
}
