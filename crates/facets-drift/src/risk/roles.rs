//! What a word is in the tables.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::tables::{EMPTY_ALONE, NEGATING, PAIRS, PARAMETERS, READING, TERMS, WEIGHTY};
use super::words::forms;

/// A place in a table. Numbers are those of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
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

static ROLES: LazyLock<BTreeMap<String, Vec<Role>>> = LazyLock::new(|| {
    let mut roles: BTreeMap<String, Vec<Role>> = BTreeMap::new();
    let mut add = |list: &str, role: Role| {
        for word in list.split_ascii_whitespace().flat_map(forms) {
            roles.entry(word).or_default().push(role);
        }
    };
    for (row, term) in TERMS.iter().enumerate() {
        add(term.words, Role::Term(row));
        add(term.unless, Role::Unless(row));
    }
    for (row, pair) in PAIRS.iter().enumerate() {
        add(pair.left, Role::Left(row));
        add(pair.right, Role::Right(row));
    }
    for (row, parameter) in PARAMETERS.iter().enumerate() {
        add(parameter.names, Role::Parameter(row));
    }
    add(READING, Role::Reading);
    add(NEGATING, Role::Negating);
    add(WEIGHTY, Role::Weighty);
    add(EMPTY_ALONE, Role::EmptyAlone);
    roles
});

/// All roles of a word.
pub(super) fn roles(word: &str) -> &'static [Role] {
    ROLES.get(word).map_or(&[], Vec::as_slice)
}

/// Whether a word has a role.
pub(super) fn has(word: &str, role: Role) -> bool {
    roles(word).contains(&role)
}
