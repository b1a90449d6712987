//! What was found, without twins.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::hidden::is_hidden;

use crate::fold::Folded;
use crate::marker::Marker;

/// How many characters of a text are shown.
const SHOWN: usize = 60;

/// One hit, at its first place.
pub(crate) struct Hit {
    pub(crate) rule: &'static str,
    /// What makes it the same hit as another one of this rule.
    pub(crate) key: String,
    place: Range<usize>,
    /// Said before the words: what the words alone do not show.
    note: String,
}

impl Hit {
    pub(crate) fn marker(&self, text: &str) -> Marker {
        let words = text.get(self.place.clone()).unwrap_or_default();
        Marker { rule: self.rule, words: format!("{}{}", self.note, visible(words)) }
    }
}

/// All hits of a text.
#[derive(Default)]
pub(crate) struct Found {
    keys: BTreeMap<&'static str, BTreeSet<String>>,
    hits: Vec<Hit>,
}

impl Found {
    /// Adds a hit whose words are at a place of the original text.
    pub(crate) fn add(&mut self, rule: &'static str, place: Range<usize>, key: &str) {
        self.add_with_note(rule, place, key, String::new());
    }

    /// Adds a hit whose words are at a place of the folded text.
    pub(crate) fn add_folded(
        &mut self,
        rule: &'static str,
        folded: &Folded<'_>,
        place: &Range<usize>,
        key: &str,
    ) {
        if !self.has(rule, key) {
            self.add(rule, folded.range(place), key);
        }
    }

    pub(crate) fn add_with_note(
        &mut self,
        rule: &'static str,
        place: Range<usize>,
        key: &str,
        note: String,
    ) {
        if !self.has(rule, key) {
            self.keys.entry(rule).or_default().insert(key.to_owned());
            self.hits.push(Hit { rule, key: key.to_owned(), place, note });
        }
    }

    pub(crate) fn has(&self, rule: &str, key: &str) -> bool {
        self.keys.get(rule).is_some_and(|keys| keys.contains(key))
    }

    /// The hits in the order of their place.
    pub(crate) fn into_hits(mut self) -> Vec<Hit> {
        self.hits.sort_by_key(|hit| hit.place.start);
        self.hits
    }
}

/// A text on one line, shortened, with what hides in it written out.
fn visible(text: &str) -> String {
    let mut out = String::new();
    let mut shown = 0;
    for character in text.chars() {
        if shown >= SHOWN {
            out.push('…');
            break;
        }
        let before = out.len();
        match character {
            _ if is_hidden(character) => out.extend(character.escape_unicode()),
            _ if character.is_whitespace() => out.push(' '),
            _ => out.push(character),
        }
        shown += if is_hidden(character) { out.len() - before } else { 1 };
    }
    out
}
