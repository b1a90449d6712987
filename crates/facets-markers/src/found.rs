//! What was found, without twins.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use crate::fold::Folded;
use crate::marker::Marker;
use crate::presentation::characters_seen;

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
        let key = short(key);
        let keys = self.keys.entry(rule).or_default();
        if !keys.contains(&*key) {
            keys.insert(key.clone().into_owned());
            self.hits.push(Hit { rule, key: key.into_owned(), place, note });
        }
    }

    pub(crate) fn has(&self, rule: &str, key: &str) -> bool {
        self.keys.get(rule).is_some_and(|keys| keys.contains(&*short(key)))
    }

    /// The hits in the order of their place.
    pub(crate) fn into_hits(mut self) -> Vec<Hit> {
        self.hits.sort_by_key(|hit| hit.place.start);
        self.hits
    }
}

/// What a key is remembered by. A run of millions of characters is not copied for that.
fn short(key: &str) -> Cow<'_, str> {
    const LONG: usize = 512;
    if key.len() <= LONG {
        return Cow::Borrowed(key);
    }
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    let start: String = key.chars().take(LONG / 4).collect();
    Cow::Owned(format!("{start}…{} {:016x}", key.len(), hasher.finish()))
}

/// A text on one line, shortened, with what hides in it written out.
fn visible(text: &str) -> String {
    let mut out = String::new();
    let mut shown = 0;
    for (character, is_hidden) in characters_seen(text) {
        if shown >= SHOWN {
            out.push('…');
            break;
        }
        let before = out.len();
        match character {
            _ if is_hidden => out.extend(character.escape_unicode()),
            _ if character.is_whitespace() => out.push(' '),
            _ => out.push(character),
        }
        shown += if is_hidden { out.len() - before } else { 1 };
    }
    out
}
