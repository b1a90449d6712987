//! What a word is in the tables.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::tables::{EMPTY_ALONE, NEGATING, PAIRS, PARAMETERS, READING, TERMS, WEIGHTY};
use super::words::forms;

/// A place in a table. Numbers are those of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordRole {
    /// A word that counts.
    Term(usize),
    /// A word beside which that word does not count.
    Unless(usize),
    /// The first word of a pair.
    Left(usize),
    /// The second word of a pair.
    Right(usize),
    /// The last word of a parameter's name.
    Parameter(usize),
    /// A verb of reading.
    Reading,
    /// A word that turns a statement round.
    Negating,
    /// A switch that makes a tool reach further.
    Weighty,
    /// A verb that says nothing alone.
    EmptyAlone,
}

static ROLES: LazyLock<BTreeMap<String, Vec<WordRole>>> = LazyLock::new(|| {
    let mut roles: BTreeMap<String, Vec<WordRole>> = BTreeMap::new();
    let mut add = |list: &str, role: WordRole| {
        for word in list.split_ascii_whitespace().flat_map(forms) {
            roles.entry(word).or_default().push(role);
        }
    };
    for (row, term) in TERMS.iter().enumerate() {
        add(term.words, WordRole::Term(row));
        add(term.unless, WordRole::Unless(row));
    }
    for (row, pair) in PAIRS.iter().enumerate() {
        add(pair.left, WordRole::Left(row));
        add(pair.right, WordRole::Right(row));
    }
    for (row, parameter) in PARAMETERS.iter().enumerate() {
        add(parameter.names, WordRole::Parameter(row));
    }
    add(READING, WordRole::Reading);
    add(NEGATING, WordRole::Negating);
    add(WEIGHTY, WordRole::Weighty);
    add(EMPTY_ALONE, WordRole::EmptyAlone);
    roles
});

/// All roles of a word.
pub(super) fn roles(word: &str) -> &'static [WordRole] {
    ROLES.get(word).map_or(&[], Vec::as_slice)
}

/// Whether a word has a role.
pub(super) fn has(word: &str, role: WordRole) -> bool {
    roles(word).contains(&role)
}
